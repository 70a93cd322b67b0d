// access.cc: the checks of each access to memory. For every 4 bytes of a tensor or of shared memory it knows the thread
// that wrote them last, the thread that read them, and the phases of both. A phase is the time of a block between two
// barriers. Blocks run one after another, and phases are numbered through all launches. So an access in
//
//	another phase of this block                        is ordered by a barrier
//	this phase, by another thread                      is a race
//	a phase of this launch before this block began     is a race with another block
//	a phase before this launch                         is ordered by the stream
#include "access.h"
#include "emu.h"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace emu {

int place;

namespace {

const size_t page = 4096, grain = 4;
const uint64_t threads_bits = 12, many = 2047, foreign = 2048;

// Phase << 12 | thread, or `many` for several threads. `foreign` is set if threads of other blocks have read in this
// launch, too.
struct Cell {
  uint64_t writer, reader;
};

struct Tensor {
  char *p;
  size_t bytes;
  Cell *cells;
  bool has(char *q, size_t n) const { return q >= p && q + n <= p + bytes; }
};
std::map<char *, Tensor> &tensors() { // a function, since the constructors of other files use the map
  static std::map<char *, Tensor> all;
  return all;
}

// A cache of pages, with the tensor on each page, or none.
struct {
  uintptr_t page;
  Tensor *tensor;
} seen[256];

struct Array {
  const char *name;
  char *p;
  size_t bytes;
};
Array arrays[64], *used_last = arrays;
int array_count;
char *shared_first, *shared_end;
Cell *shared_cells;

uint64_t phase = 1, block_phase = 1, launch_phase = 1;

Tensor *tensor_at(char *p) {
  uintptr_t number = (uintptr_t)p / page;
  auto &s = seen[number % 256];
  if (s.page == number) return s.tensor;
  // the last tensor that begins on the page or before it
  auto it = tensors().upper_bound((char *)(number * page + page - 1));
  Tensor *t = it == tensors().begin() ? nullptr : &(--it)->second;
  if (t && (uintptr_t)(t->p + t->bytes - 1) / page < number) t = nullptr;
  s = {number, t};
  return t;
}

[[noreturn, gnu::cold, gnu::noinline]] void outside(bool write, char *p, size_t bytes, const char *name, char *from,
                                                    size_t size) {
  char s[300];
  bool before = p < from;
  size_t off = before ? from - p : p + bytes - from - size;
  snprintf(s, sizeof s, "%s %zu bytes that %s %zu bytes %s %s of %zu bytes", write ? "writes" : "reads", bytes,
           before ? "begin" : "end", off, before ? "before" : "past the end of", name, size);
  violation(s);
}

// nowhere reports an address outside all tensors. It names the nearest tensor on a neighbouring page.
[[noreturn, gnu::cold, gnu::noinline]] void nowhere(bool write, char *p, size_t bytes) {
  for (auto &[first, t] : tensors())
    if (p + page > t.p && p < t.p + t.bytes + page) outside(write, p, bytes, "a tensor", t.p, t.bytes);
  violation(write ? "writes outside all memory that it may use" : "reads outside all memory that it may use");
}

[[noreturn, gnu::cold, gnu::noinline]] void race(bool write, bool was_write, uint64_t other, bool this_block) {
  char s[200];
  int n = snprintf(s, sizeof s, "%s what ", write ? "writes" : "reads");
  if (!this_block) snprintf(s + n, sizeof s - n, "another block %s in the same launch", was_write ? "writes" : "reads");
  else if ((other & many) == many) snprintf(s + n, sizeof s - n, "other threads read, with no barrier between");
  else
    snprintf(s + n, sizeof s - n, "thread %u %s, with no barrier between", (unsigned)(other & many),
             was_write ? "wrote" : "read");
  violation(s);
}

// touch records an access, and reports a race. since is the first phase that counts.
inline void touch(Cell &c, bool write, uint64_t since) {
  const uint64_t me = current->tid.x, w = c.writer >> threads_bits, r = c.reader >> threads_bits;
  if (w >= since && (w < block_phase || (w == phase && (c.writer & many) != me)))
    race(write, true, c.writer, w >= block_phase);
  if (write) {
    if (r >= since && (r < block_phase || c.reader & foreign)) race(write, false, c.reader, false);
    if (r == phase && (c.reader & many) != me) race(write, false, c.reader, true);
    c.writer = phase << threads_bits | me;
    return;
  }
  uint64_t who = r == phase && (c.reader & many) != me ? many : me;
  if (r >= since && (r < block_phase || c.reader & foreign)) who |= foreign;
  c.reader = phase << threads_bits | who;
}

void access_shared(char *p, size_t bytes, bool write) {
  Array *a = used_last;
  if (!array_count || p < a->p || p + bytes > a->p + a->bytes) {
    for (a = arrays; a < arrays + array_count; a++)
      if (p >= a->p && p + bytes <= a->p + a->bytes) break;
    if (a == arrays + array_count) {
      for (a = arrays; a < arrays + array_count; a++)
        if (p + 64 > a->p && p < a->p + a->bytes + 64)
          outside(write, p, bytes, (std::string("the shared array ") + a->name).c_str(), a->p, a->bytes);
      violation(write ? "writes outside its shared arrays" : "reads outside its shared arrays");
    }
    used_last = a;
  }
  Cell *c = shared_cells + (p - shared_first) / grain,
       *end = shared_cells + (p - shared_first + bytes + grain - 1) / grain;
  for (; c < end; c++) {
    if (!write && c->writer >> threads_bits < block_phase) {
      char s[200];
      snprintf(s, sizeof s, "reads byte %zu of the shared array %s, which was never written", (size_t)(p - a->p),
               a->name);
      violation(s);
    }
    touch(*c, write, block_phase);
  }
}

void access_tensor(Tensor *t, char *p, size_t bytes, bool write) {
  if (!t->has(p, bytes)) outside(write, p, bytes, "a tensor", t->p, t->bytes);
  Cell *c = t->cells + (p - t->p) / grain, *end = t->cells + (p - t->p + bytes + grain - 1) / grain;
  for (; c < end; c++) touch(*c, write, launch_phase);
}

} // namespace

// Any other generic address belongs to the thread: its stack, and constants.
void access(Space space, char *p, size_t bytes, bool write) {
  if ((uintptr_t)p & (bytes - 1)) violation("uses a misaligned address");
  if (p >= shared_first && p < shared_end) {
    if (space == GLOBAL) violation("uses shared memory as global memory");
    return access_shared(p, bytes, write);
  }
  Tensor *t = space == SHARED_SPACE ? nullptr : tensor_at(p);
  if (t) return access_tensor(t, p, bytes, write);
  if (space == SHARED_SPACE) violation("uses an address outside shared memory as one inside");
  if (space == GLOBAL) nowhere(write, p, bytes);
}

void know_tensor(char *p, size_t bytes) {
  memset((void *)seen, 0, sizeof seen);
  tensors()[p] = {p, bytes, (Cell *)calloc((bytes + grain - 1) / grain, sizeof(Cell))};
}
void forget_tensor(char *p) {
  memset((void *)seen, 0, sizeof seen);
  free(tensors()[p].cells);
  tensors().erase(p);
}

void begin_launch_accesses() { launch_phase = ++phase; }
void begin_block_accesses() {
  block_phase = ++phase;
  array_count = 0;
  used_last = arrays;
}
void order_accesses() { ++phase; }

void know_shared(char *first, size_t bytes) {
  if (shared_first) return;
  shared_first = first, shared_end = first + bytes;
  shared_cells = (Cell *)calloc(bytes / grain, sizeof(Cell));
}
void know_shared_array(const char *name, char *p, size_t bytes) {
  if (array_count == 64) abort();
  arrays[array_count++] = {name, p, bytes};
}

} // namespace emu

// Code that g++ compiles with -fsanitize=thread calls these at each access.
extern "C" {
#define HOOK(name, bytes, write) \
  void __tsan_##name(void *p) { emu::access(emu::GENERIC, (char *)p, bytes, write); }
HOOK(read1, 1, false)
HOOK(read2, 2, false)
HOOK(read4, 4, false)
HOOK(read8, 8, false)
HOOK(read16, 16, false)
HOOK(write1, 1, true)
HOOK(write2, 2, true)
HOOK(write4, 4, true)
HOOK(write8, 8, true)
HOOK(write16, 16, true)
// A copy of a structure is an access in words, as its members are aligned.
static void range(char *p, size_t bytes, bool write) {
  for (size_t i = 0, n; i < bytes; i += n)
    emu::access(emu::GENERIC, p + i, n = (uintptr_t)(p + i) % 4 || bytes - i < 4 ? 1 : 4, write);
}
void __tsan_read_range(void *p, size_t bytes) { range((char *)p, bytes, false); }
void __tsan_write_range(void *p, size_t bytes) { range((char *)p, bytes, true); }
void __tsan_init() {}
}
