// whiten.cuh: the whitened q(F̄), CPU twin device/cpu/whiten.go. With X = L⁻¹ (triangle.cuh) most of it is products
// (gemm.cuh):
//
//	s_j = X S_j/√α_j,   V = Xᵀ tril(ds_j),   dL −= tril(u m_jᵀ + V s_jᵀ)
//
// The kernels here do the rest. x [K,M,M]; stride is M², or 0 where the latents share one kernel.
#pragma once

// whiten_mean: m_j = X μ_j/√α_j, for mean and mu [J,M]. One warp a row, grid (⌈M/8⌉, J), 256 threads. 8·M² bytes and M²
// FLOP a latent: bound by memory. Lane i sums columns i, i+32, …, then warp_sum.
DOUBLE_KERNEL(256, whiten_mean,
              (int m, int stride, double *mean, const double *x, const double *logalpha, const double *mu)) {
  int i = (int)(blockIdx.x * 8 + threadIdx.x / 32), j = (int)blockIdx.y;
  double sum = 0;
  if (i < m) {
    for (int p = (int)threadIdx.x % 32; p <= i; p += 32)
      sum += x[(long long)j * stride + (long long)i * m + p] * mu[j * m + p];
  }
  sum = warp_sum(sum);
  if (i < m && threadIdx.x % 32 == 0) mean[j * m + i] = exponential(-0.5 * logalpha[j]) * sum;
}

// whiten_diagonal: s_j = X diag(root_j)/√α_j with zeros above, for s [J,M,M] and root [J,M]; n = J·M². Grid ⌈n/256⌉,
// 16·n bytes.
DOUBLE_KERNEL(256, whiten_diagonal,
              (int n, int m, int stride, double *s, const double *x, const double *logalpha, const double *root)) {
  int q = global_thread();
  if (q >= n) return;
  int j = q / (m * m), i = q / m % m, c = q % m;
  s[q] =
      c > i ? 0.0 : exponential(-0.5 * logalpha[j]) * root[j * m + c] * x[(long long)j * stride + (long long)i * m + c];
}

// whiten_alpha: partial[block, j] = ⟨dm_j, m_j⟩ + ⟨ds_j, s_j⟩ over 8 rows of the lower triangle, a warp each; fold_rows
// makes dlogα_j −= ½ Σ of it. Grid (⌈M/8⌉, J), 256 threads. 8·M² bytes and M² FLOP a latent.
DOUBLE_KERNEL(256, whiten_alpha,
              (int m, double *partial, const double *dm, const double *mean, const double *ds, const double *s)) {
  int i = (int)(blockIdx.x * 8 + threadIdx.x / 32), j = (int)blockIdx.y, lane = (int)threadIdx.x % 32;
  double sum = 0;
  if (i < m) {
    long long row = ((long long)j * m + i) * m;
    for (int c = lane; c <= i; c += 32) sum += ds[row + c] * s[row + c];
    if (lane == 0) sum += dm[j * m + i] * mean[j * m + i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x * gridDim.y + blockIdx.y] = sum;
}

// whiten_mean_backward: u_j = Xᵀ dm_j, and dμ_j += u_j/√α_j. Grid (⌈M/32⌉, J), 256 threads: a warp reads 32 columns of
// a row, warp w the rows w, w+8, …, whose sums are added in the order of the warps. 8·M² bytes a latent.
DOUBLE_KERNEL(256, whiten_mean_backward,
              (int m, int stride, double *dmu, double *u, const double *x, const double *logalpha, const double *dm)) {
  SHARED(double, part, [8][32]);
  int lane = (int)threadIdx.x % 32, w = (int)threadIdx.x / 32, i = (int)blockIdx.x * 32 + lane, j = (int)blockIdx.y;
  double sum = 0;
  for (int p = (int)blockIdx.x * 32 + w; p < m; p += 8) {
    if (i <= p) sum += x[(long long)j * stride + (long long)p * m + i] * dm[j * m + p];
  }
  part[w][lane] = sum;
  __syncthreads();
  if (w == 0 && i < m) {
    for (int q = 1; q < 8; q++) sum += part[q][lane];
    u[j * m + i] = sum;
    dmu[j * m + i] += exponential(-0.5 * logalpha[j]) * sum;
  }
}

// whiten_factor_backward: dS_j += tril(V_j)/√α_j, for V [J,M,M] and dS [J,M,M], n = J·M²; or, where diagonal is set, dS
// [J,M] takes the diagonals, n = J·M. Grid ⌈n/256⌉. 24·n bytes.
DOUBLE_KERNEL(256, whiten_factor_backward,
              (int n, int m, int diagonal, double *droot, const double *v, const double *logalpha)) {
  int q = global_thread();
  if (q >= n) return;
  if (diagonal) {
    droot[q] += exponential(-0.5 * logalpha[q / m]) * v[(long long)q * m + q % m];
  } else if (q % m <= q / m % m) {
    droot[q] += exponential(-0.5 * logalpha[q / (m * m)]) * v[q];
  }
}
