// device.cuh: the differences of the three compilers, and the macros that declare a kernel.
//
// A kernel is mostly a template of the working precision T, of which a macro makes two entry points:
//
//	template <typename T> __device__ __forceinline__ void scale(int n, T a, T *x) { ... }
//	REAL_KERNEL(256, scale, (int n, T a, T *x), (n, a, x))     scale_f32 and scale_f64
//	DOUBLE_KERNEL(256, factor, (int m, double *l)) { ... }     factor_f64
//	PLAIN_KERNEL(256, count, (int n, int *x)) { ... }          count
//
// Only the macro states the number of threads: the launcher reads it from the PTX. Blocks are one-dimensional. Shared
// memory is SHARED(T, tile, [16][17]), or DYN_SHARED(T, buf) with a size that the launcher gives in bytes.
//
// ON_GPU is set in code for a GPU. It guards inline PTX, which has a plain twin for the double. TARGET is the compute
// capability of the PTX image, times ten:
//
//	70   all kernels, in plain arithmetic
//	80   products by TENSOR_CORES: of the GP layer's doubles, and of floats as TF32
//	90   products of the GP layer, by the larger instruction of tensor cores from 9.0 on
//
// The last two have the kernels of the PRODUCT_KERNEL macros alone: those of doubles replace those of 70. The double
// has all three images.
//
// Every thread of a block reaches every __syncthreads: no thread returns before the last one.
#pragma once

#if defined(EMU_TARGET)
#define TARGET EMU_TARGET
#elif defined(__CUDA_ARCH__)
#define TARGET (__CUDA_ARCH__ / 10)
#else
#define TARGET 70
#endif
#if TARGET >= 80
#define TENSOR_CORES
#endif

#if defined(__clang__) && defined(__CUDA__)
#define ON_GPU
#include "clang.cuh"
#elif defined(__CUDACC__)
#define ON_GPU
#define DYN_SHARED(T, name) \
  extern __shared__ __align__(16) unsigned char name##_bytes[]; \
  T *name = reinterpret_cast<T *>(name##_bytes)
#define SHARED(T, name, dims) __shared__ T name dims
#define REGISTER_KERNEL(entry, threads)
#else
#include "../double/emu.h"
#endif
#if defined(ON_GPU)
#define ENTRY extern "C" __global__
#endif

#define PRODUCT_KERNEL(threads, entry, params, call) \
  ENTRY void __launch_bounds__(threads) entry params { call; } \
  REGISTER_KERNEL(entry, threads)

// A kernel with a number of blocks that share a multiprocessor. Without it, the assembler may spill registers to make
// room for more.
#define BOUNDED_PRODUCT_KERNEL(threads, blocks, entry, params, call) \
  ENTRY void __launch_bounds__(threads, blocks) entry params { call; } \
  REGISTER_KERNEL(entry, threads)

#if TARGET >= 80
#define KERNEL(threads, entry, params, call)
#define BOUNDED_KERNEL(threads, blocks, entry, params, call)
#else
#define KERNEL PRODUCT_KERNEL
#define BOUNDED_KERNEL BOUNDED_PRODUCT_KERNEL
#endif

#define IN_BOTH(f32_kernel, f64_kernel) \
  namespace f32 { \
  using T = float; \
  f32_kernel \
  } \
  namespace f64 { \
  using T = double; \
  f64_kernel \
  }
#define REAL_KERNEL(threads, name, params, args) \
  IN_BOTH(KERNEL(threads, name##_f32, params, name<T> args), KERNEL(threads, name##_f64, params, name<T> args))
#define REAL_BOUNDED_KERNEL(threads, blocks, name, params, args) \
  IN_BOTH(BOUNDED_KERNEL(threads, blocks, name##_f32, params, name<T> args), \
          BOUNDED_KERNEL(threads, blocks, name##_f64, params, name<T> args))
// REAL_PAIRED_KERNEL has two blocks in a multiprocessor in double.
#define REAL_PAIRED_KERNEL(threads, name, params, args) \
  IN_BOTH(KERNEL(threads, name##_f32, params, name<T> args), \
          BOUNDED_KERNEL(threads, 2, name##_f64, params, name<T> args))

// PLAIN_KERNEL begins a kernel of one type of numbers. Images without it leave an unused function.
#if TARGET >= 80
#define PLAIN_KERNEL(threads, entry, params) [[maybe_unused]] static __device__ void entry params
#else
#define PLAIN_KERNEL(threads, entry, params) \
  ENTRY void entry params; \
  REGISTER_KERNEL(entry, threads) \
  ENTRY void __launch_bounds__(threads) entry params
#endif
#define DOUBLE_KERNEL(threads, name, params) PLAIN_KERNEL(threads, name##_f64, params)

// The number of this thread among all of a one-dimensional grid.
__device__ __forceinline__ int global_thread() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }

// div_up is how many blocks of a size cover n.
__device__ __forceinline__ int div_up(int n, int size) { return (n + size - 1) / size; }

// thread is the thread's number, read again by every call. Otherwise, the addresses computed from it would stay in
// registers through the whole kernel.
__device__ __forceinline__ unsigned thread() {
#if defined(__CUDA__)
  unsigned t;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
  return t;
#else
  return threadIdx.x;
#endif
}
