// mix.cuh: the sum of two kernels, ω a + (1−ω) b with ω = 1/(1 + e^−logit), CPU twin device/cpu/mix.go. c, a, b [K,n]
// and logit [K].
#pragma once

__device__ __forceinline__ double mix_weight(double logit) { return 1 / (1 + exponential(-logit)); }

// mix: c = b + ω(a − b), exactly 1 where a and b are. One thread an element, grid (⌈n/256⌉, K). 24·K·n bytes.
DOUBLE_KERNEL(256, mix, (int n, double *c, const double *a, const double *b, const double *logit)) {
  int i = global_thread();
  if (i >= n) return;
  long long q = (long long)blockIdx.y * n + i;
  c[q] = fused(mix_weight(logit[blockIdx.y]), a[q] - b[q], b[q]);
}

// mix_backward: da = ω dc, which may be dc itself, and db = (1−ω) dc; partial[piece, k] = ω(1−ω) Σ dc (a − b), for
// dlogit. Grid (⌈n/1024⌉, K): thread t sums t, t+256, … of its piece, then block_sum. 40·K·n bytes.
DOUBLE_KERNEL(256, mix_backward,
              (int n, double *da, double *db, double *partial, const double *dc, const double *a, const double *b,
               const double *logit)) {
  constexpr int piece = 1024;
  int k = (int)blockIdx.y, lo = (int)blockIdx.x * piece, hi = smaller(lo + piece, n);
  double w = mix_weight(logit[k]), sum = 0;
  for (int i = lo + (int)threadIdx.x; i < hi; i += (int)blockDim.x) {
    long long q = (long long)k * n + i;
    double g = dc[q];
    sum = fused(g, a[q] - b[q], sum);
    da[q] = w * g;
    db[q] = (1 - w) * g;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[(long long)blockIdx.x * gridDim.y + k] = w * (1 - w) * sum;
}
