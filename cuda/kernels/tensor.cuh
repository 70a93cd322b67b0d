// tensor.cuh: the products of tensor cores, of which each lane of a warp brings and gets a fragment. The double's are in
// cuda/double/mma.h, with the layouts; each use says which elements it makes of them.
#pragma once

#ifdef TENSOR_CORES
#ifdef ON_GPU

// mma is c += a b for 8×4 times 4×8 doubles.
__device__ __forceinline__ void mma(double &c0, double &c1, double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c0), "+d"(c1) : "d"(a), "d"(b));
}

#else
using emu::mma;
#endif
#endif
