// cubin.cc: machine code, as NVIDIA's assembler makes it. The double cannot run it: it reads which GPU the code is for
// and which kernels it has, and then runs the double's kernels. The format is ELF; the names of NVIDIA's parts are the
// names of `cuobjdump -elf`.
#include "driver.h"
#include <cstring>
#include <elf.h>

using namespace fake;

static const unsigned machine_cuda = 190, param_info = 0x17, max_threads = 0x05, sized = 4;

// attributes reads a section .nv.info.KERNEL: an identifier and a value of 2 bytes. If the attribute is sized, the
// value is the length of the data that follow.
static void attributes(const char *p, size_t bytes, CodeEntry &entry) {
  for (const char *end = p + bytes; p + 4 <= end;) {
    uint8_t format = p[0], attribute = p[1];
    uint16_t value;
    memcpy(&value, p + 2, 2);
    p += 4;
    if (format != sized) continue;
    if (attribute == param_info && value == 12) {
      uint16_t ordinal;
      uint32_t size;
      memcpy(&ordinal, p + 4, 2);
      memcpy(&size, p + 8, 4);
      entry.sizes.resize(std::max(entry.sizes.size(), (size_t)ordinal + 1));
      entry.sizes[ordinal] = size >> 18;
    }
    if (attribute == max_threads) memcpy(&entry.threads, p, 4);
    p += value;
  }
}

bool fake::is_cubin(const void *image) {
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)image;
  return !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_machine == machine_cuda;
}

MachineCode fake::read_cubin(const void *image) {
  const char *base = (const char *)image;
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)base;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(base + h->e_shoff);
  const char *names = base + sections[h->e_shstrndx].sh_offset;
  MachineCode code{int(h->e_flags >> 8 & 0xff), {}};
  const size_t reserved = code.capability < 80 ? 0 : 1 << 10; // shared memory of each block for the driver
  for (int i = 0; i < h->e_shnum; i++) {
    std::string name = names + sections[i].sh_name;
    auto after = [&](const char *prefix) {
      return name.compare(0, strlen(prefix), prefix) ? "" : name.substr(strlen(prefix));
    };
    if (std::string kernel = after(".nv.info."); !kernel.empty())
      attributes(base + sections[i].sh_offset, sections[i].sh_size, code.kernels[kernel]);
    if (std::string kernel = after(".nv.shared."); !kernel.empty())
      code.kernels[kernel].shared = sections[i].sh_size - std::min(reserved, (size_t)sections[i].sh_size);
  }
  return code;
}
