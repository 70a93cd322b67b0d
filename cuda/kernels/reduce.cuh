// reduce.cuh: sums in a fixed order. There is no float atomic: a sum over a grid is one partial result a block, then
// fold or fold_rows. No CPU twin: a sum of the CPU is in the file of its operation.
#pragma once

// warp_sum is the sum over the 32 lanes, in lane 0: lane i takes lane i+16, then i+8, … i+1.
template <typename T>
__device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}

// block_sum is the sum over a block, in every thread: warps by warp_sum, then their sums in order. Every thread of the
// block calls it.
template <typename T>
__device__ __forceinline__ T block_sum(T v) {
  SHARED(T, part, [32]);
  v = warp_sum(v);
  __syncthreads(); // part may still be read by a call before
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  T total = 0;
  for (unsigned w = 0; w < blockDim.x / 32; w++) total += part[w];
  return total;
}

// fold: dst[0] = scale·Σ partial[0…n−1], added to dst[0] if add is set. Grid of one block; thread t sums t, t+256, …,
// then block_sum. 8·n bytes, n additions.
template <typename T>
__device__ __forceinline__ void fold(int n, int add, double scale, T *dst, const double *partial) {
  double sum = 0;
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) sum += partial[i];
  sum = scale * block_sum(sum);
  if (threadIdx.x == 0) dst[0] = (T)((add ? (double)dst[0] : 0.0) + sum);
}
REAL_KERNEL(256, fold, (int n, int add, double scale, T *dst, const double *partial), (n, add, scale, dst, partial))

// part_sum is Σ_b partial[b,i] for partial [blocks,n], b in order.
__device__ __forceinline__ double part_sum(int n, int blocks, const double *partial, int i) {
  double sum = 0;
  for (int b = 0; b < blocks; b++) sum += partial[(long long)b * n + i];
  return sum;
}

// fold_rows: dst[i] = scale·Σ_b partial[b,i] for partial [blocks,n], added to dst[i] if add is set. One thread an
// element, b in order; grid ⌈n/256⌉. 8·blocks·n bytes.
template <typename T>
__device__ __forceinline__ void fold_rows(int n, int blocks, int add, double scale, T *dst, const double *partial) {
  int i = global_thread();
  if (i >= n) return;
  dst[i] = (T)((add ? (double)dst[i] : 0.0) + scale * part_sum(n, blocks, partial, i));
}
REAL_KERNEL(256, fold_rows, (int n, int blocks, int add, double scale, T *dst, const double *partial),
            (n, blocks, add, scale, dst, partial))
