// tensor.cuh: the products of tensor cores. Each lane of a warp brings a fragment of the operands, and gets one of the
// result. cuda/double/mma.h explains the fragments, and has the double's products.
#pragma once

#ifdef TENSOR_CORES
#ifdef ON_GPU

// mma is c += a b for 8×4 times 4×8 doubles.
__device__ __forceinline__ void mma(double &c0, double &c1, double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c0), "+d"(c1)
               : "d"(a), "d"(b));
}

// mma is c += a b for 16×4 times 4×8 doubles, from compute capability 9.0 on.
__device__ __forceinline__ void mma(double &c0, double &c1, double &c2, double &c3, double a0, double a1, double b) {
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
               : "d"(a0), "d"(a1), "d"(b));
}

// mma is c += a b for 16×8 times 8×8 numbers of TF32, with sums in float.
__device__ __forceinline__ void mma(float &c0, float &c1, float &c2, float &c3, float a0, float a1, float a2, float a3,
                                    float b0, float b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
               "%1, %2, %3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
               : "r"(__float_as_int(a0)), "r"(__float_as_int(a1)), "r"(__float_as_int(a2)), "r"(__float_as_int(a3)),
                 "r"(__float_as_int(b0)), "r"(__float_as_int(b1)));
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
#endif
