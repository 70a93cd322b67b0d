// run.cc: the scheduler of fibers. The blocks of a launch run one after another on the calling OS thread. So do the
// threads of a block, each until it waits for others. EMU_ORDER is the order of threads and blocks (0: forward, 1:
// backward, else a seed). A result that depends on it shows a missing __syncthreads.
#include "fault.h"
#include "fiber.h"
#include "run.h"
#include "access.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

namespace emu {

enum { ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719 };

struct Warp {
  Thread *threads;
  int count;
  uint32_t live, waiting;
};

Thread *current;
dim3 block_index, block_size, grid_size;
void *dynamic_shared;

std::vector<Kernel> &kernels() {
  static std::vector<Kernel> all;
  return all;
}

namespace {

// The running block.
std::vector<Thread> threads;
std::vector<Warp> warps;
std::vector<int> order;
std::vector<Thread *> ready; // a ring with as many places as threads
size_t ready_first, ready_count;
unsigned live, blocked, released;
const char *barrier;
uint64_t block_serial;
void *scheduler;
std::vector<void *> params;
const Launch *job;
Fault *fault;

std::string here() {
  char s[200];
  snprintf(s, sizeof s, "kernel %s, block (%u,%u,%u)", job->kernel->name, block_index.x, block_index.y, block_index.z);
  return s;
}

void report(int code, const std::string &text) {
  if (!fault->code) *fault = {code, here() + ": " + text};
}

void enqueue(Thread *t) {
  t->state = t->state == Thread::NEW ? Thread::NEW : Thread::READY;
  size_t at = ready_first + ready_count++;
  ready[at < ready.size() ? at : at - ready.size()] = t;
}

Thread *dequeue() {
  if (!ready_count || fault->code) return nullptr;
  Thread *t = ready[ready_first];
  if (++ready_first == ready.size()) ready_first = 0;
  ready_count--;
  return t;
}

void entry();

// next switches from the current fiber to the next that may run, or to the scheduler.
void next(void **save) {
  Thread *t = dequeue();
  if (t == current) return;
  if (!t) {
    switch_to(save, scheduler);
    return;
  }
  if (t->state == Thread::NEW) {
    t->stack = take_stack();
    t->sp = fresh(t->stack, entry);
    t->state = Thread::READY;
  }
  current = t;
  switch_to(save, t->sp);
}

// run_together runs an instruction of the whole warp.
void run_together(Warp *w, uint32_t in) {
  Part *parts[32];
  for (int i = 0; i < w->count; i++) parts[i] = (Part *)w->threads[i].value;
  if (in != ~0u) report(LAUNCH_FAILED, "an instruction of the whole warp has not all its lanes");
  else parts[0]->run(parts);
}

// complete ends a warp operation, once all its lanes wait in it.
void complete(Warp *w, uint32_t mask) {
  uint32_t in = w->waiting & mask;
  w->waiting &= ~in;
  if (w->threads[__builtin_ctz(in)].op == TOGETHER) run_together(w, in);
  for (uint32_t rest = in; rest; rest &= rest - 1) {
    Thread &t = w->threads[__builtin_ctz(rest)];
    // NaN for a lane that has ended
    if (t.op == SHUFFLE) t.result = in >> t.source & 1 ? w->threads[t.source].value : ~0ull;
    if (&t != current) enqueue(&t);
  }
}

// recheck ends the operations for which only an ended thread was missing.
void recheck(Warp *w) {
  for (uint32_t rest = w->waiting; rest;) {
    Thread &t = w->threads[__builtin_ctz(rest)];
    rest &= ~t.mask;
    uint32_t need = t.mask & w->live;
    if ((w->waiting & need) == need) complete(w, t.mask);
  }
}

// entry runs threads on one stack as long as the next thread is new. So a kernel without barriers never switches.
void entry() {
  for (;;) {
    job->kernel->call(params.data());
    Thread *t = current;
    t->state = Thread::DONE;
    live--;
    t->warp->live &= ~(1u << t->lane);
    if (t->warp->waiting) recheck(t->warp);
    if (blocked)
      report(LAUNCH_FAILED, std::string("a thread has ended while others wait at __syncthreads, ") + barrier);
    void *stack = t->stack;
    Thread *n = dequeue();
    if (n && n->state == Thread::NEW) {
      n->stack = stack;
      n->state = Thread::READY;
      current = n;
      continue;
    }
    give_stack(stack);
    void *gone;
    if (n) current = n;
    switch_to(&gone, n ? n->sp : scheduler);
  }
}

const size_t zone = 64; // bytes on both sides of shared memory that nobody may write
alignas(16) char arena[256 << 10];
size_t arena_used;
std::vector<Shared *> arrays;

char *carve(const char *name, size_t bytes) {
  char *p = arena + arena_used + zone;
  p += -(uintptr_t)p & 15;
  size_t end = p + bytes + zone - arena;
  if (end > sizeof arena) {
    fprintf(stderr, "double: %s: too much shared memory\n", job->kernel->name);
    abort();
  }
  memset(arena + arena_used, 0xff, end - arena_used); // fill the rest with NaN
  arena_used = end;
  know_shared_array(name, p, bytes);
  return p;
}

void check_zones(const char *name, const void *memory, size_t bytes) {
  const unsigned char *p = (const unsigned char *)memory;
  for (size_t i = 0; i < zone; i++)
    if (p[-1 - (long)i] != 0xff || p[bytes + i] != 0xff) {
      report(ILLEGAL_ADDRESS, std::string("a write beside the shared array ") + name);
      return;
    }
}

void begin_block(const Launch &l, unsigned b, unsigned seed) {
  unsigned n = l.block.x;
  block_index = {b % l.grid.x, b / l.grid.x % l.grid.y, b / (l.grid.x * l.grid.y)};
  block_serial++;
  arena_used = 0;
  arrays.clear();
  begin_block_accesses();
  dynamic_shared = l.shared ? carve("that is dynamic", l.shared) : nullptr;
  if (threads.size() != n) {
    threads.resize(n);
    ready.resize(n);
    warps.resize((n + 31) / 32);
  }
  for (unsigned w = 0; w < warps.size(); w++) {
    int count = std::min(32u, n - w * 32);
    warps[w] = {&threads[w * 32], count, count == 32 ? ~0u : (1u << count) - 1, 0};
  }
  for (unsigned i = 0; i < n; i++) {
    Thread &t = threads[i];
    t.tid = {i, 0, 0};
    t.lane = i & 31;
    t.warp = &warps[i / 32];
    t.state = Thread::NEW;
  }
  if (order.size() != n || seed > 1) {
    order.resize(n);
    std::iota(order.begin(), order.end(), 0);
    if (seed > 1) {
      std::mt19937 random(seed + b);
      std::shuffle(order.begin(), order.end(), random);
    }
  }
  live = n;
  blocked = released = 0;
  ready_first = ready_count = 0;
}

// release lets all threads of the block run. In a random order, it starts at another thread each time.
void release(unsigned seed) {
  size_t n = order.size(), from = seed > 1 ? released++ * 17 % n : 0;
  for (size_t i = 0; i < n; i++) {
    size_t at = seed == 1 ? n - 1 - i : (from + i) % n;
    enqueue(&threads[order[at]]);
  }
}

unsigned run_seed;

void run_block(const Launch &l, unsigned b) {
  begin_block(l, b, run_seed);
  release(run_seed);
  current = nullptr;
  next(&scheduler);
  if (live && !fault->code) {
    char s[300];
    snprintf(s, sizeof s,
             "of %u threads, %u wait at __syncthreads (%s) and %u in a warp operation that cannot complete", live,
             blocked, blocked ? barrier : "none", live - blocked);
    report(LAUNCH_FAILED, s);
  }
  if (fault->code) {
    for (Thread &t : threads)
      if (t.state != Thread::DONE && t.state != Thread::NEW) give_stack(t.stack);
    return;
  }
  if (l.shared) check_zones("that is dynamic", dynamic_shared, l.shared);
  for (Shared *s : arrays) check_zones(s->name, s->memory, s->bytes);
}

} // namespace

void *shared_array(Shared &s, size_t bytes) {
  if (s.block != block_serial) {
    s.block = block_serial;
    s.memory = carve(s.name, bytes);
    s.bytes = bytes;
    arrays.push_back(&s);
  }
  return s.memory;
}

void block_barrier(const char *place) {
  Thread *t = current;
  if (live < threads.size())
    report(LAUNCH_FAILED, std::string("a thread waits at __syncthreads that others have ended without, ") + place);
  if (blocked && place != barrier && strcmp(place, barrier))
    report(LAUNCH_FAILED, std::string("threads wait at different __syncthreads, ") + barrier + " and " + place);
  barrier = place;
  t->state = Thread::BLOCK;
  if (++blocked == live) {
    blocked = 0;
    order_accesses();
    release(run_seed);
  }
  next(&t->sp);
}

uint64_t warp_operation(Op op, uint32_t mask, uint64_t value, int source) {
  Thread *t = current;
  Warp *w = t->warp;
  if (!(mask >> t->lane & 1)) report(LAUNCH_FAILED, "a lane is in a warp operation whose mask does not name it");
  t->op = op;
  t->mask = mask;
  t->value = value;
  t->source = source;
  t->state = Thread::WARP;
  w->waiting |= 1u << t->lane;
  uint32_t need = mask & w->live;
  if ((w->waiting & need) == need) {
    complete(w, mask);
    t->state = Thread::READY; // the last lane in goes straight on
    return t->result;
  }
  next(&t->sp);
  return t->result;
}

void violation(const char *what) {
  char s[400];
  int n = snprintf(s, sizeof s, "thread %u %s", current->tid.x, what);
  if (place) snprintf(s + n, sizeof s - n, ", at line %d of the PTX", place);
  report(ILLEGAL_ADDRESS, s);
  void *gone;
  switch_to(&gone, scheduler);
  abort(); // no switch comes back here
}

// illegal runs after a memory fault in a kernel, on a separate stack.
static void illegal() {
  char s[200];
  snprintf(s, sizeof s, "thread %u %s address %p, which is outside all memory that it may use", current->tid.x,
           fault_was_write ? "writes to" : "reads", fault_address);
  report(ILLEGAL_ADDRESS, s);
  void *gone;
  switch_to(&gone, scheduler);
}

Fault run(const Launch &l) {
  const char *text = getenv("EMU_ORDER");
  run_seed = text ? (unsigned)atoi(text) : 0;
  Fault result;
  if (getenv("EMU_IDLE")) return result;
  fault = &result;
  job = &l;
  block_size = l.block;
  grid_size = l.grid;
  params.clear();
  for (size_t i = 0; i < l.values.size(); i++) params.push_back((void *)&l.values[i]);
  place = 0;
  know_shared(arena, sizeof arena);
  begin_launch_accesses();
  catch_faults(illegal);
  unsigned n = l.grid.x * l.grid.y * l.grid.z;
  for (unsigned i = 0; i < n && !result.code; i++) run_block(l, run_seed == 1 ? n - 1 - i : i);
  leave_faults();
  return result;
}

} // namespace emu
