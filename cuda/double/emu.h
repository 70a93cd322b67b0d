// emu.h: the parts of CUDA C++ with which g++ compiles kernels.cu for the host. Each GPU thread is a fiber.
#pragma once
#include <cmath> // before the macros below: glibc has functions of some of these names
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __constant__ static const

struct dim3 {
  unsigned x, y, z;
};
struct float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};

namespace emu {

enum Op : uint8_t { SYNC, SHUFFLE, TOGETHER };
struct Warp;
struct Thread {
  dim3 tid;
  Warp *warp;
  void *sp, *stack;
  uint64_t value, result; // the lane's operand and result of a warp operation
  uint32_t mask; // mask of the warp operation that the lane waits in
  int lane, source;
  Op op;
  enum : uint8_t { NEW, READY, WARP, BLOCK, DONE } state;
};
extern Thread *current;
extern dim3 block_index, block_size, grid_size;
extern void *dynamic_shared;

void block_barrier(const char *place);
uint64_t warp_operation(Op, uint32_t mask, uint64_t value, int source);

// Part is a lane's operands of an instruction of the whole warp. The last lane runs it for all 32.
struct Part {
  void (*run)(Part *const lanes[32]);
};
inline void together(Part &mine) { warp_operation(TOGETHER, ~0u, (uint64_t)&mine, 0); }

// A static shared array: memory of the running block, with any contents, between bytes that nobody may write.
struct Shared {
  const char *name;
  uint64_t block;
  void *memory;
  size_t bytes;
};
void *shared_array(Shared &, size_t bytes);

// A kernel of a PTX image, the target, with a function that takes the driver's void *params[].
struct Kernel {
  const char *name;
  int target;
  unsigned threads;
  std::vector<size_t> sizes; // sizes of the parameters, in bytes
  void (*call)(void *const *params);
  int mutant; // number of a kernel that is wrong on purpose, otherwise 0
};
std::vector<Kernel> &kernels();
template <auto F>
struct Caller;
template <class... A, void (*F)(A...)>
struct Caller<F> {
  template <size_t... I>
  static void go(void *const *p, std::index_sequence<I...>) {
    F(*(A *)p[I]...);
  }
  static void call(void *const *p) { go(p, std::index_sequence_for<A...>{}); }
  static std::vector<size_t> sizes() { return {sizeof(A)...}; }
};
struct Register {
  Register(const char *name, int target, unsigned threads, std::vector<size_t> sizes, void (*call)(void *const *),
           int mutant = 0) {
    kernels().push_back({name, target, threads, std::move(sizes), call, mutant});
  }
};

// bits is a number of another type with the same bits.
template <class To, class From>
inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

template <class T>
T shuffle(uint32_t mask, T v, int source) {
  static_assert(sizeof(T) <= 8);
  uint64_t u = 0;
  memcpy(&u, &v, sizeof v);
  u = warp_operation(SHUFFLE, mask, u, source);
  memcpy(&v, &u, sizeof v);
  return v;
}

} // namespace emu

#define ENTRY static
#define REGISTER_KERNEL(entry, threads) \
  static emu::Register register_##entry(#entry, EMU_TARGET, threads, emu::Caller<&entry>::sizes(), \
                                        &emu::Caller<&entry>::call);
#define SHARED(T, name, dims) \
  static emu::Shared name##_shared{#name, 0, nullptr, 0}; \
  T(&name) dims = *(T(*) dims)emu::shared_array(name##_shared, sizeof(T dims))
#define DYN_SHARED(T, name) T *name = (T *)emu::dynamic_shared

#define threadIdx (emu::current->tid)
#define blockIdx emu::block_index
#define blockDim emu::block_size
#define gridDim emu::grid_size

#define EMU_TEXT_(x) #x
#define EMU_TEXT(x) EMU_TEXT_(x)
#define __syncthreads() emu::block_barrier(__FILE__ ":" EMU_TEXT(__LINE__))
static inline void __syncwarp(unsigned mask = ~0u) { emu::warp_operation(emu::SYNC, mask, 0, 0); }

// The width of a shuffle is always the warp; a lane outside it gives the caller's value.
template <class T>
T __shfl_sync(unsigned mask, T v, int lane) {
  return emu::shuffle(mask, v, lane & 31);
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, int by) {
  int lane = emu::current->lane;
  return emu::shuffle(mask, v, lane + by < 32 ? lane + by : lane);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int x) {
  return emu::shuffle(mask, v, (emu::current->lane ^ x) & 31);
}

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline int __float_as_int(float v) { return emu::bits<int>(v); }
static inline float __int_as_float(int i) { return emu::bits<float>(i); }
static inline long long __double_as_longlong(double v) { return emu::bits<long long>(v); }
static inline double __longlong_as_double(long long i) { return emu::bits<double>(i); }
