// run.h: one launch of a kernel on fibers.
#pragma once
#include "emu.h"
#include <string>

namespace emu {

struct Launch {
  const Kernel *kernel;
  dim3 grid, block;
  size_t shared;
  std::vector<uint64_t> values; // the arguments, copied when the launch was made
};

// What went wrong: a CUresult, and words for people.
struct Fault {
  int code = 0;
  std::string text;
};

Fault run(const Launch &);

} // namespace emu
