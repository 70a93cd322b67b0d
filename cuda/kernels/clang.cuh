// clang.cuh: the part of CUDA C++ that the kernels use, for clang++ -x cuda without a CUDA toolkit.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define DYN_SHARED(T, name) \
  extern __shared__ __attribute__((aligned(16))) unsigned char dynamic_shared[]; \
  T *name = reinterpret_cast<T *>(dynamic_shared)
#define SHARED(T, name, dims) __shared__ T name dims
#define REGISTER_KERNEL(entry, threads)

struct sreg3 {
  unsigned x, y, z;
};
#define threadIdx (sreg3{(unsigned)__nvvm_read_ptx_sreg_tid_x(), 0u, 0u})
#define blockDim (sreg3{(unsigned)__nvvm_read_ptx_sreg_ntid_x(), 1u, 1u})
#define blockIdx \
  (sreg3{(unsigned)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned)__nvvm_read_ptx_sreg_ctaid_y(), \
         (unsigned)__nvvm_read_ptx_sreg_ctaid_z()})
#define gridDim \
  (sreg3{(unsigned)__nvvm_read_ptx_sreg_nctaid_x(), (unsigned)__nvvm_read_ptx_sreg_nctaid_y(), \
         (unsigned)__nvvm_read_ptx_sreg_nctaid_z()})

struct float2 {
  float x, y;
};
struct __attribute__((aligned(16))) float4 {
  float x, y, z, w;
};
struct __attribute__((aligned(16))) double2 {
  double x, y;
};

static __device__ __forceinline__ void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }

// The width of a shuffle is always the warp.
#define SHUFFLES(name, builtin, clamp) \
  static __device__ __forceinline__ int name(unsigned mask, int v, int lane) { \
    return __nvvm_shfl_sync_##builtin##_i32(mask, v, lane, clamp); \
  } \
  static __device__ __forceinline__ unsigned name(unsigned mask, unsigned v, int lane) { \
    return (unsigned)name(mask, (int)v, lane); \
  } \
  static __device__ __forceinline__ float name(unsigned mask, float v, int lane) { \
    return __nvvm_shfl_sync_##builtin##_f32(mask, v, lane, clamp); \
  } \
  static __device__ __forceinline__ double name(unsigned mask, double v, int lane) { \
    unsigned long long bits = __builtin_bit_cast(unsigned long long, v); \
    unsigned lo = (unsigned)name(mask, (int)(unsigned)bits, lane), \
             hi = (unsigned)name(mask, (int)(unsigned)(bits >> 32), lane); \
    return __builtin_bit_cast(double, (unsigned long long)hi << 32 | lo); \
  }
SHUFFLES(__shfl_sync, idx, 31)
SHUFFLES(__shfl_down_sync, down, 31)
SHUFFLES(__shfl_xor_sync, bfly, 31)
#undef SHUFFLES

static __device__ __forceinline__ int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
static __device__ __forceinline__ float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
static __device__ __forceinline__ long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
static __device__ __forceinline__ double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
static __device__ __forceinline__ unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
static __device__ __forceinline__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static __device__ __forceinline__ double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static __device__ __forceinline__ float sqrtf(float v) { return __builtin_sqrtf(v); }
static __device__ __forceinline__ double sqrt(double v) { return __builtin_sqrt(v); }
static __device__ __forceinline__ float fabsf(float v) { return __builtin_fabsf(v); }
static __device__ __forceinline__ double fabs(double v) { return __builtin_fabs(v); }
