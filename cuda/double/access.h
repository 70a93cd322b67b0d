// access.h: the checks of a kernel's accesses to memory. A kernel calls access before it touches memory: ptx2cc writes
// the call, and g++ adds it to kernels.cu (access.cc).
#pragma once
#include <cstddef>

namespace emu {

enum Space { GLOBAL, SHARED_SPACE, GENERIC };

// access reports a fault of the running thread if the bytes are not inside one tensor or shared array, if shared memory
// is read before it is written, or if another thread may touch them at the same time.
void access(Space, char *p, size_t bytes, bool write);

// violation ends the running thread with a message, such as "divides by zero".
[[noreturn]] void violation(const char *what);

// place is the line of the running PTX, or 0.
extern int place;

// A tensor is memory of the device that kernels may use, in separate pages.
void know_tensor(char *p, size_t bytes);
void forget_tensor(char *p);

// The begin of a launch and of a block, and a barrier: later accesses come after it.
void begin_launch_accesses();
void begin_block_accesses();
void order_accesses();

// Shared memory is one range for all blocks, with the arrays of the running block.
void know_shared(char *first, size_t bytes);
void know_shared_array(const char *name, char *p, size_t bytes);

} // namespace emu
