// limits.cc: the limits of a GPU of each compute capability, and whether it would accept a launch.
// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
#include "driver.h"
#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace fake;

// Registers of a thread, by NVIDIA's assembler: {kernel, sm_80, sm_90}, as far as the Makefile
// finds the table of make kernels-doc.
struct Registers {
  const char *kernel;
  int sm80, sm90;
};
static const Registers registers[] = {{"", 0, 0},
#include "registers.inc"
};

const Limits &fake::limits() {
  static const Limits all[] = {
      // capability, shared memory of a block and of a multiprocessor, threads and blocks there
      {70, 96 << 10, 96 << 10, 2048, 32},  {75, 64 << 10, 64 << 10, 1024, 16},   {80, 163 << 10, 164 << 10, 2048, 32},
      {86, 99 << 10, 100 << 10, 1536, 16}, {87, 163 << 10, 164 << 10, 1536, 16}, {89, 99 << 10, 100 << 10, 1536, 24},
      {90, 227 << 10, 228 << 10, 2048, 32}, {100, 227 << 10, 228 << 10, 2048, 32}, {120, 99 << 10, 100 << 10, 1536, 24}};
  int major = 9, minor = 0;
  if (const char *text = getenv("EMU_CAPABILITY")) sscanf(text, "%d.%d", &major, &minor);
  const Limits *found = all;
  for (const Limits &l : all)
    if (l.capability <= 10 * major + minor) found = &l;
  static Limits chosen;
  chosen = *found;
  // of a card that is not listed, what the one before it has
  chosen.capability = 10 * major + minor;
  return chosen;
}

// A function of the PTX, from its name to the brace that ends it.
static std::string_view body_of(std::string_view ptx, std::string_view head) {
  for (size_t at = ptx.find(head); at != ptx.npos; at = ptx.find(head, at + 1)) {
    size_t end = ptx.find("\n}", at), only_declared = ptx.find("\n;", at);
    if (only_declared > end) return ptx.substr(at, end - at);
  }
  return {};
}

// static_shared is the shared arrays that a function of the PTX names, and those of the functions
// that it calls.
static size_t static_shared(std::string_view ptx, std::string_view body) {
  size_t bytes = 0;
  std::string_view sign = ".shared .align ";
  for (size_t at = ptx.find(sign); at != ptx.npos; at = ptx.find(sign, at + 1)) {
    size_t from = ptx.find(".b8 ", at) + 4, open = ptx.find('[', from), align = atoi(ptx.data() + at + sign.size());
    if (body.find(ptx.substr(from, open - from)) != body.npos) bytes = (bytes + align - 1) / align * align + atoi(ptx.data() + open + 1);
  }
  for (size_t at = body.find("call.uni"); at != body.npos; at = body.find("call.uni", at + 1)) {
    size_t from = body.find("_Z", at), end = body.find(',', from);
    bytes += static_shared(ptx, body_of(ptx, std::string(".func ") + std::string(body.substr(from, end - from))));
  }
  return bytes;
}

size_t fake::static_shared_of(const std::string &ptx, const emu::Kernel &k) {
  static std::map<const emu::Kernel *, size_t> known;
  auto it = known.find(&k);
  if (it == known.end()) it = known.emplace(&k, static_shared(ptx, body_of(ptx, ".entry " + std::string(k.name) + "("))).first;
  return it->second;
}

static int registers_of(const char *kernel) {
  for (const Registers &r : registers)
    if (!strcmp(r.kernel, kernel)) return limits().capability >= 90 ? r.sm90 : limits().capability >= 80 ? r.sm80 : 0;
  return 0;
}

int fake::refused(const emu::Kernel &k, dim3 grid, dim3 block, size_t fixed, size_t dynamic, size_t allowed) {
  const Limits &l = limits();
  if (!grid.x || !grid.y || !grid.z || grid.x > 2147483647 || grid.y > 65535 || grid.z > 65535) return refuse(INVALID_VALUE, k.name, "grid");
  if (!block.x || block.y != 1 || block.z != 1 || block.x > 1024 || block.x % 32) return refuse(INVALID_VALUE, k.name, "a block is of full warps, in one dimension");
  if (block.x > k.threads) return refuse(OUT_OF_RESOURCES, k.name, "more threads than its launch bounds");
  if (dynamic > allowed || fixed + dynamic > l.shared_block) return refuse(INVALID_VALUE, k.name, "shared memory");
  const int granule = 8, file = 65536; // registers are given in eights
  if ((registers_of(k.name) + granule - 1) / granule * granule * (int)block.x > file) return refuse(OUT_OF_RESOURCES, k.name, "registers");
  return OK;
}
