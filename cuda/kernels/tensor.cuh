// tensor.cuh: the products of tensor cores. Each lane of a warp brings a fragment of the operands,
// and gets one of the result. cuda/double/mma.h explains the fragments, and has the double's
// products.
#pragma once

#ifdef TENSOR_CORES
#ifdef ON_GPU

// mma is c += a b for 8×4 times 4×8 doubles.
__device__ __forceinline__ void mma(double &c0, double &c1, double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c0), "+d"(c1) : "d"(a), "d"(b));
}

// mma is c += a b for 16×4 times 4×8 doubles, from compute capability 9.0 on.
__device__ __forceinline__ void mma(double &c0, double &c1, double &c2, double &c3, double a0, double a1, double b) {
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
               : "d"(a0), "d"(a1), "d"(b));
}

// mma is c += a b for 16×8 times 8×8 numbers of TF32, with sums in float.
__device__ __forceinline__ void mma(float &c0, float &c1, float &c2, float &c3, float a0, float a1, float a2, float a3, float b0, float b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
               : "r"(__float_as_int(a0)), "r"(__float_as_int(a1)), "r"(__float_as_int(a2)), "r"(__float_as_int(a3)), "r"(__float_as_int(b0)),
                 "r"(__float_as_int(b1)));
}

// to_tf32 is the nearest number with 10 bits of mantissa.
__device__ __forceinline__ float to_tf32(float v) {
  int bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
  return __int_as_float(bits);
}

#else
using emu::mma;
using emu::to_tf32;
#endif

// Tf32 is a number of TF32. If SPLIT is set, it is any number as two of TF32: the nearest, and 10
// more bits of the rest. Integers round to the nearest in two instructions. That loses a NaN, but
// the rest keeps it.
template <bool SPLIT>
struct Tf32 {
  float big, small;
  Tf32() = default;
  __device__ __forceinline__ explicit Tf32(float v) : big(v), small(0.f) {
    if (!SPLIT) return;
    big = __int_as_float((int)(((unsigned)__float_as_int(v) + 0x1000u) & ~0x1fffu));
    small = to_tf32(v - big);
  }
};

// mma is c += a b; if SPLIT is set, by three products, the small ones first. It leaves out small
// times small, 2⁻²² of the largest product.
template <bool SPLIT>
__device__ __forceinline__ void mma(float &c0, float &c1, float &c2, float &c3, Tf32<SPLIT> a0, Tf32<SPLIT> a1, Tf32<SPLIT> a2, Tf32<SPLIT> a3,
                                    Tf32<SPLIT> b0, Tf32<SPLIT> b1) {
  if (SPLIT) {
    mma(c0, c1, c2, c3, a0.small, a1.small, a2.small, a3.small, b0.big, b1.big);
    mma(c0, c1, c2, c3, a0.big, a1.big, a2.big, a3.big, b0.small, b1.small);
  }
  mma(c0, c1, c2, c3, a0.big, a1.big, a2.big, a3.big, b0.big, b1.big);
}
#endif
