// moments.cuh: the moments of q(F) (qF_anj, qF_Bnj) from a whitened q(F̄), CPU twin device/cpu/moments.go. For a full
// s_j the products are those of gemm.cuh:
//
//	P_j = s_jᵀ A,   dA += Σ_j s_j Q_j,   ds_j += tril(A Q_jᵀ)   with Q_j = 2 P_j∘α_j dvar_j
//
// The kernels of this file do the rest. m is M and n is B; a, da [K,M,B], p [J,M,B], mu, dmu [J,M], mean, variance and
// their gradients [B,J]. stride is M·B, or 0 where the latents share one kernel.
#pragma once

constexpr double VAR_FLOOR = 1e-10; // device.VarFloor

// moments: mean[b,j] = √α_j Σ_i A_ib mu_ji and var[b,j] = max(floor, α_j (1 − Σ A² + Σ P²)); where p is null, s [J,M]
// is diagonal and P_ib = s_ji A_ib. Grid (⌈B/32⌉, J), 256 threads: a warp has 32 columns, warp w the rows w, w+8, …,
// whose sums are added in the order of the warps. 16·M·B bytes and 6·M·B FLOP a latent: bound by memory, or L2 where A
// is shared.
DOUBLE_KERNEL(256, moments,
              (int m, int n, int stride, double *mean, double *variance, const double *p, const double *a,
               const double *mu, const double *s, const double *logalpha)) {
  SHARED(double, part, [2][8][32]);
  int lane = (int)threadIdx.x % 32, w = (int)threadIdx.x / 32, b = (int)blockIdx.x * 32 + lane, j = (int)blockIdx.y,
      latents = (int)gridDim.y;
  double first = 0, second = 0;
  if (b < n) {
    for (int i = w; i < m; i += 8) {
      double v = a[(long long)j * stride + (long long)i * n + b];
      double u = p ? p[((long long)j * m + i) * n + b] : s[j * m + i] * v;
      first = fused(v, mu[j * m + i], first);
      second += fused(u, u, -v * v);
    }
  }
  part[0][w][lane] = first;
  part[1][w][lane] = second;
  __syncthreads();
  if (w == 0 && b < n) {
    for (int q = 1; q < 8; q++) {
      first += part[0][q][lane];
      second += part[1][q][lane];
    }
    double v = exponential(logalpha[j]) * (1 + second);
    mean[(long long)b * latents + j] = exponential(0.5 * logalpha[j]) * first;
    variance[(long long)b * latents + j] = v < VAR_FLOOR ? VAR_FLOOR : v; // NaN stays NaN
  }
}

// moments_cotangent: dmean[j,b] = √α_j grad_mean[b,j], dvariance[j,b] = α_j grad_variance[b,j], or 0 where the variance
// is at its floor, and dlogα_j += Σ_b ½ grad_mean mean + grad_variance var. Grid J, 256 threads; thread t sums b = t,
// t+256, …, then block_sum. 48·B bytes a latent.
DOUBLE_KERNEL(256, moments_cotangent,
              (int n, int latents, double *dmean, double *dvariance, double *dlogalpha, const double *grad_mean,
               const double *grad_variance, const double *mean, const double *variance, const double *logalpha)) {
  int j = (int)blockIdx.x;
  double root = exponential(0.5 * logalpha[j]), alpha = exponential(logalpha[j]), sum = 0;
  for (int b = (int)threadIdx.x; b < n; b += 256) {
    long long at = (long long)b * latents + j, to = (long long)j * n + b;
    dmean[to] = root * grad_mean[at];
    sum += 0.5 * grad_mean[at] * mean[at];
    bool floored = variance[at] <= VAR_FLOOR;
    dvariance[to] = floored ? 0.0 : alpha * grad_variance[at];
    if (!floored) sum += grad_variance[at] * variance[at];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) dlogalpha[j] += sum;
}

// moments_rows: dmu[j,i] += Σ_b A_ib dmean_jb. For a full s, P becomes Q = 2 P∘dvariance. For a diagonal s, p is null,
// and ds[j,i] += 2 s_ji Σ_b dvariance_jb A_ib². One warp a row of A and latent, grid (⌈M/8⌉, J), 256 threads; lane t
// sums b = t, t+32, …, then warp_sum. 24·M·B bytes a latent, 8 less for a diagonal s.
DOUBLE_KERNEL(256, moments_rows,
              (int m, int n, int stride, double *dmu, double *ds, double *p, const double *a, const double *dmean,
               const double *dvariance, const double *s)) {
  int i = (int)(blockIdx.x * 8 + threadIdx.x / 32), j = (int)blockIdx.y, lane = (int)threadIdx.x % 32;
  double first = 0, second = 0;
  if (i < m) {
    const double *row = a + (long long)j * stride + (long long)i * n;
    double *q = p ? p + ((long long)j * m + i) * n : nullptr;
    dmean += (long long)j * n;
    dvariance += (long long)j * n;
    for (int b = lane; b < n; b += 32) {
      double v = row[b];
      first = fused(v, dmean[b], first);
      if (p) {
        q[b] *= 2 * dvariance[b];
      } else {
        second = fused(dvariance[b], v * v, second);
      }
    }
  }
  first = warp_sum(first);
  second = warp_sum(second);
  if (i < m && lane == 0) {
    dmu[j * m + i] += first;
    if (!p) ds[j * m + i] += 2 * s[j * m + i] * second;
  }
}

// moments_input: dA[k,i,b] = Σ_j mu_ji dmean_jb + 2 A_ib Σ_j dvariance_jb (s_ji² − 1) over the latents of kernel k, in
// order. A full s is null here: a product adds its part. Thread (b, i): grid (⌈B/256⌉, M, K), per_kernel = J/K.
// 16·K·M·B bytes, and m, dmean, dvariance from L2; 4 FLOP an element and latent.
DOUBLE_KERNEL(256, moments_input,
              (int m, int n, int per_kernel, double *da, const double *a, const double *mu, const double *s,
               const double *dmean, const double *dvariance)) {
  int b = global_thread(), i = (int)blockIdx.y, k = (int)blockIdx.z;
  if (b >= n) return;
  double first = 0, second = 0;
  for (int j = k * per_kernel; j < (k + 1) * per_kernel; j++) {
    double excess = s ? fused(s[j * m + i], s[j * m + i], -1.0) : -1.0;
    first = fused(mu[j * m + i], dmean[(long long)j * n + b], first);
    second = fused(excess, dvariance[(long long)j * n + b], second);
  }
  long long at = ((long long)k * m + i) * n + b;
  da[at] = fused(2 * a[at], second, first);
}
