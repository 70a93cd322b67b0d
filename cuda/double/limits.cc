// limits.cc: the limits of a GPU of each compute capability, and whether it would accept a launch. CUDA C++ Programming
// Guide, "Technical Specifications per Compute Capability".
#include "driver.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace fake;

const Limits &fake::limits() {
  static const Limits all[] = {// capability, shared memory of a block and of a multiprocessor, threads and blocks there
                               {70, 96 << 10, 96 << 10, 2048, 32},   {75, 64 << 10, 64 << 10, 1024, 16},
                               {80, 163 << 10, 164 << 10, 2048, 32}, {86, 99 << 10, 100 << 10, 1536, 16},
                               {87, 163 << 10, 164 << 10, 1536, 16}, {89, 99 << 10, 100 << 10, 1536, 24},
                               {90, 227 << 10, 228 << 10, 2048, 32}, {100, 227 << 10, 228 << 10, 2048, 32},
                               {120, 99 << 10, 100 << 10, 1536, 24}};
  int major = 9, minor = 0;
  if (const char *text = getenv("EMU_CAPABILITY")) sscanf(text, "%d.%d", &major, &minor);
  const Limits *found = all;
  for (const Limits &l : all)
    if (l.capability <= 10 * major + minor) found = &l;
  static Limits chosen;
  chosen = *found;
  // A card that is not listed has the limits of the card before it.
  chosen.capability = 10 * major + minor;
  return chosen;
}

// The registers of each kernel by NVIDIA's assembler.
static const struct {
  int target;
  const char *kernel;
  int architecture, registers;
} assembled[] = {
// rows of an image, by rising architecture
#include "registers.inc"
};

int fake::registers_of(const emu::Kernel &k) {
  int found = 0;
  for (auto &a : assembled)
    if (a.target == k.target && !strcmp(a.kernel, k.name) && (!found || a.architecture <= limits().capability))
      found = a.registers;
  return found;
}

// static_shared is the size of the shared arrays that a kernel of the PTX names.
static size_t static_shared(std::string_view ptx, const std::string &kernel) {
  size_t from = ptx.find(".entry " + kernel + "("), bytes = 0;
  if (from == ptx.npos) return 0;
  std::string_view body = ptx.substr(from, ptx.find("\n}", from) - from), sign = ".shared .align ";
  for (size_t at = ptx.find(sign); at != ptx.npos; at = ptx.find(sign, at + 1)) {
    size_t name = ptx.find(".b8 ", at) + 4, open = ptx.find('[', name), align = atoi(ptx.data() + at + sign.size());
    if (body.find(ptx.substr(name, open - name)) != body.npos)
      bytes = (bytes + align - 1) / align * align + atoi(ptx.data() + open + 1);
  }
  return bytes;
}

size_t fake::static_shared_of(const std::string &ptx, const emu::Kernel &k) {
  static std::map<const emu::Kernel *, size_t> known;
  auto it = known.find(&k);
  if (it == known.end()) it = known.emplace(&k, static_shared(ptx, k.name)).first;
  return it->second;
}

int fake::refused(const emu::Kernel &k, dim3 grid, dim3 block, size_t fixed, size_t dynamic, size_t allowed) {
  const Limits &l = limits();
  if (!grid.x || !grid.y || !grid.z || grid.x > 2147483647 || grid.y > 65535 || grid.z > 65535)
    return refuse(INVALID_VALUE, k.name, "grid");
  if (!block.x || block.y != 1 || block.z != 1 || block.x > 1024 || block.x % 32)
    return refuse(INVALID_VALUE, k.name, "a block is of full warps, in one dimension");
  if (block.x > k.threads) return refuse(OUT_OF_RESOURCES, k.name, "more threads than its launch bounds");
  if (dynamic > allowed || fixed + dynamic > l.shared_block) return refuse(INVALID_VALUE, k.name, "shared memory");
  return OK;
}
