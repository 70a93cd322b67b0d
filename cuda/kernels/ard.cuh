// ard.cuh: the correlations c_j = k_j/α_j of kernel_ard and their gradients, CPU twin device/cpu/ard.go. Distances come
// from a product (gemm.cuh) in double, and no matrix of them is written: with w = 1/ℓ²
//
//	−½ Σ_d (z − x)² w = Σ_d z w x − ½ Σ_d z² w − ½ Σ_d x² w
//
// z [M,D], x [B,D], c, slope and dc [K,M,B], logl [K,D] is log ℓ, or [K] if isotropic, weight [K,D] is w. slope is −2
// dc/d(r²): c itself for RBF. The gradients are products with G = dc∘slope, with P_k = G_k X:
//
//	dlogℓ_kd += w_kd (Σ_m z_md (z_md g_km − 2 P_kmd) + Σ_b x_bd² h_kb)     g, h: sums of the rows and columns of G
//	dz_md    += Σ_k w_kd (P_kmd − g_km z_md)
//
// Where x is z (Kuu), dc and G are symmetric: one product serves both sides, and dz is twice as large.
#pragma once

// inverse_square is w = 1/ℓ² from log ℓ.
__device__ __forceinline__ double inverse_square(double logl) { return exponential(-2 * logl); }

// ard_norms: weight, and norms[k, row] = ½ Σ_d row² w_kd for the M rows of z and then the B of x, rows in all; norms
// without w, and no weight, where logl is null. A warp has four rows, grid (⌈rows/32⌉, K), 256 threads; lane t sums d =
// t, t+32, …, then warp_sum. Each block has w in shared memory, 256 at a time. z, x and logl come from L2, 3 FLOP a
// term and an exponential for 32.
DOUBLE_KERNEL(256, ard_norms,
              (int m, int rows, int d, double *weight, double *norms, const double *z, const double *x,
               const double *logl)) {
  constexpr int EACH = 4;
  SHARED(double, w, [256]);
  int first = (int)(blockIdx.x * 8 + threadIdx.x / 32) * EACH, lane = (int)threadIdx.x % 32, own = (int)threadIdx.x;
  long long k = blockIdx.y;
  double sum[EACH] = {};
  for (int from = 0; from < d; from += 256) {
    if (from > 0) __syncthreads(); // w may still be read
    w[own] = logl && from + own < d ? inverse_square(logl[k * d + from + own]) : 1.0;
    if (logl && blockIdx.x == 0 && from + own < d) weight[k * d + from + own] = w[own];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int i = smaller(first + e, rows - 1);
      const double *row = i < m ? z + (long long)i * d : x + (long long)(i - m) * d;
      for (int q = from + lane; q < smaller(from + 256, d); q += 32)
        sum[e] = fused(row[q] * w[q - from], row[q], sum[e]);
    }
  }
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    double all = warp_sum(sum[e]);
    if (first + e < rows && lane == 0) norms[k * rows + first + e] = 0.5 * all;
  }
}

// As in device/correlation.go: the shapes of a kernel, and two limits of the squared distance of two rows over the sum
// of their squared norms. Below NEAR_ROWS, the distance is computed by differences. Below TOUCHING_ROWS, the slope of
// Matérn 1/2 is 0.
constexpr int RBF = 0, MATERN12 = 1, MATERN32 = 2, MATERN52 = 3;
constexpr double NEAR_ROWS = 1.0 / (1 << 20), TOUCHING_ROWS = NEAR_ROWS / (1 << 24);

// ard_exponents is −½ Σ_d (z_md − x_bd)² w_d of the pairs of this thread, never above 0. Without weight, w is 1. Of Kuu
// it computes the lower triangle. Matérn kernels take its root: for them, near rows are computed again. norm_z and
// norm_x are half the squared norms of the rows and columns.
__device__ __forceinline__ void ard_exponents(double (&sum)[ROWS][COLUMNS], int m0, int b0, int m, int n, int d,
                                              const double *z, const double *x, const double *weight,
                                              const double *norm_z, const double *norm_x, bool lower, int shape) {
  // A row or column beyond the last is the last one again; of columns the weight is 0.
  auto read_z = [=](int i, int p) { return z[smaller(m0 + i, m - 1) * d + smaller(p, d - 1)]; };
  auto read_x = [=](int i, int p) {
    double factor = p < d ? (weight ? weight[p] : 1.0) : 0.0;
    return Weighted<double>{x[smaller(b0 + i, n - 1) * d + smaller(p, d - 1)], factor};
  };
  tile_sums<AlongDepth, AlongDepth>(
      sum, 0, d, 1, read_z, read_x, [] {}, warp_squares(m0, b0, m, n, lower) > 0 ? SQUARES : 0);
  double of_z[ROWS], of_x[COLUMNS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) of_z[r] = norm_z[smaller(m0 + tile_row(r), m - 1)];
#pragma unroll
  for (int q = 0; q < COLUMNS; q++) of_x[q] = norm_x[smaller(b0 + tile_column(q), n - 1)];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
      double norm = of_z[r] + of_x[q], e = sum[r][q] - norm;
      if (shape != RBF && e >= -NEAR_ROWS * norm) {
        int i = smaller(m0 + tile_row(r), m - 1), j = smaller(b0 + tile_column(q), n - 1);
        e = 0;
#pragma unroll 1
        for (int p = 0; p < d; p++) {
          double u = z[i * d + p] - x[j * d + p];
          e = fused(-0.5 * u * u, weight ? weight[p] : 1.0, e);
        }
      }
      sum[r][q] = e > 0 ? 0.0 : e; // rounding only; NaN stays NaN
    }
  }
}

// matern is c and its slope of a Matérn kernel for e = −½r² and norm = ½(‖z‖² + ‖x‖²); t = √(2ν)·r.
__device__ __forceinline__ double matern(int shape, double e, double norm, double *slope) {
  double t = square_root(-2 * (2 * shape - 1) * e), v = exponential(-t);
  if (shape == MATERN12) {
    *slope = -e <= TOUCHING_ROWS * norm ? 0.0 : v / t;
    return v;
  }
  bool three = shape == MATERN32;
  *slope = (three ? 3 : 5.0 / 3 * (1 + t)) * v;
  return (1 + t * (three ? 1 : 1 + t * (1.0 / 3))) * v;
}

// ard_store writes a tile of c, and of its slope unless the kernel is RBF. In Kuu it writes both sides of the diagonal,
// and exactly 1 and 0 on it. A loop does one row at a time and rotates the rows through the first place: sums with a
// variable index would lie in memory. Exponentials without branches between them are computed side by side.
__device__ __forceinline__ void ard_store(double (&sum)[ROWS][COLUMNS], double scale, int m0, int b0, int m, int n,
                                          int same, int shape, double *c, double *slope, const double *norm_z,
                                          const double *norm_x) {
#pragma unroll 1
  for (int r = 0; r < ROWS; r++) {
    double e[COLUMNS], v[COLUMNS], s[COLUMNS];
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
      e[q] = sum[0][q];
#pragma unroll
      for (int next = 1; next < ROWS; next++) sum[next - 1][q] = sum[next][q];
      sum[ROWS - 1][q] = e[q];
    }
    if (shape == RBF) {
#pragma unroll
      for (int q = 0; q < COLUMNS; q++) v[q] = scale * e[q];
      exponentials(v);
    } else {
#pragma unroll
      for (int q = 0; q < COLUMNS; q++) {
        double norm = norm_z[smaller(m0 + tile_row(r), m - 1)] + norm_x[smaller(b0 + tile_column(q), n - 1)];
        v[q] = matern(shape, scale * e[q], scale * norm, &s[q]);
      }
    }
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
      int i = m0 + tile_row(r), j = b0 + tile_column(q);
      if (i >= m || j >= n || (same && j > i)) continue;
      bool diagonal = same && i == j;
      if (shape != RBF) {
        slope[i * n + j] = diagonal ? 0.0 : s[q];
        if (same) slope[j * n + i] = diagonal ? 0.0 : s[q];
      }
      c[i * n + j] = diagonal ? 1.0 : v[q];
      if (same) c[j * n + i] = diagonal ? 1.0 : v[q];
    }
  }
}

// ard: c[k,m,b] = f(Σ_d (z_md − x_bd)² w_kd), d in order. same is set if x is z. norms [K,rows] comes from ard_norms.
// ard has RBF; ard_matern has the other shapes, and the slope. Its roots and near rows take registers, which would
// leave ard no room for a third block. Grid (⌈B/64⌉, ⌈M/64⌉, K), 128 threads, 17 KiB of shared memory, 34 from 9.0 on.
// 8·K·M·B bytes, twice as many for Matérn, 2·K·M·B·D FLOP, and 40 an exponential; half for Kuu.
__device__ __forceinline__ void ard(int m, int n, int d, int rows, int same, int shape, double *c, double *slope,
                                    const double *z, const double *x, const double *weight, const double *norms) {
  int m0 = (int)blockIdx.y * TILE, b0 = (int)blockIdx.x * TILE, k = (int)blockIdx.z;
  if (same && b0 > m0) return; // the whole block
  norms += (long long)k * rows;
  double sum[ROWS][COLUMNS] = {};
  const double *norm_x = norms + (same ? 0 : m);
  ard_exponents(sum, m0, b0, m, n, d, z, x, weight + (long long)k * d, norms, norm_x, same, shape);
  ard_store(sum, 1.0, m0, b0, m, n, same, shape, c + (long long)k * m * n, slope + (long long)k * m * n, norms, norm_x);
}
BOUNDED_PRODUCT_KERNEL(TILE_THREADS, 3, ard_f64,
                       (int m, int n, int d, int rows, int same, double *c, const double *z, const double *x,
                        const double *weight, const double *norms),
                       ard(m, n, d, rows, same, RBF, c, c, z, x, weight, norms))
BOUNDED_PRODUCT_KERNEL(TILE_THREADS, 2, ard_matern_f64,
                       (int m, int n, int d, int rows, int same, int shape, double *c, double *slope, const double *z,
                        const double *x, const double *weight, const double *norms),
                       ard(m, n, d, rows, same, shape, c, slope, z, x, weight, norms))

// ard_isotropic is ard with one w_k for all inputs: a tile of distances serves all k. norms [rows]. Grid (⌈B/64⌉,
// ⌈M/64⌉). 8·K·M·B bytes, M·B·(2·D + 40·K) FLOP.
__device__ __forceinline__ void ard_isotropic(int kernels, int m, int n, int d, int same, int shape, double *c,
                                              double *slope, const double *z, const double *x, const double *logl,
                                              const double *norms) {
  int m0 = (int)blockIdx.y * TILE, b0 = (int)blockIdx.x * TILE;
  if (same && b0 > m0) return; // the whole block
  double sum[ROWS][COLUMNS] = {};
  const double *norm_x = norms + (same ? 0 : m);
  ard_exponents(sum, m0, b0, m, n, d, z, x, nullptr, norms, norm_x, same, shape);
  for (int k = 0; k < kernels; k++) {
    ard_store(sum, inverse_square(logl[k]), m0, b0, m, n, same, shape, c + (long long)k * m * n,
              slope + (long long)k * m * n, norms, norm_x);
  }
}
BOUNDED_PRODUCT_KERNEL(TILE_THREADS, 2, ard_isotropic_f64,
                       (int kernels, int m, int n, int d, int same, int shape, double *c, double *slope,
                        const double *z, const double *x, const double *logl, const double *norms),
                       ard_isotropic(kernels, m, n, d, same, shape, c, slope, z, x, logl, norms))

// ard_rows: G = dc∘slope in place, or as it is where slope is null, and g = the sums of its n-long rows. One warp a
// row, grid ⌈rows/8⌉, 256 threads; lane t sums t, t+32, …, then warp_sum. 24 bytes an element.
DOUBLE_KERNEL(256, ard_rows, (int rows, int n, double *sums, double *dc, const double *slope)) {
  int i = (int)(blockIdx.x * 8 + threadIdx.x / 32), lane = (int)threadIdx.x % 32;
  double sum = 0;
  if (i < rows) {
    for (int b = lane; b < n; b += 32) {
      long long q = (long long)i * n + b;
      double v = dc[q];
      if (slope) dc[q] = v *= slope[q];
      sum += v;
    }
  }
  sum = warp_sum(sum);
  if (i < rows && lane == 0) sums[i] = sum;
}

// ard_columns: h[k,b] = Σ_m G[k,m,b]. Grid (⌈B/32⌉, K), 256 threads: warp w sums rows w, w+8, … of 32 columns, and the
// warps are added in order. 8 bytes an element.
DOUBLE_KERNEL(256, ard_columns, (int m, int n, double *sums, const double *g)) {
  SHARED(double, part, [8][32]);
  int lane = (int)threadIdx.x % 32, w = (int)threadIdx.x / 32, b = (int)blockIdx.x * 32 + lane, k = (int)blockIdx.y;
  double sum = 0;
  if (b < n) {
    for (int i = w; i < m; i += 8) sum += g[((long long)k * m + i) * n + b];
  }
  part[w][lane] = sum;
  __syncthreads();
  if (w == 0 && b < n) {
    for (int q = 1; q < 8; q++) sum += part[q][lane];
    sums[(long long)k * n + b] = sum;
  }
}

// ard_lengths: partial[chunk, k, d] is the part of dlogℓ of 64 rows: of z in the first ⌈M/64⌉ chunks, of x in the
// others; and weight. Grid (⌈D/32⌉, K, chunks), 256 threads: warp w sums rows w, w+8, … of 32 columns, and the warps
// are added in order; ard_fold adds the chunks. p [K,M,D] is P. 8·K·M·D bytes and z and x from L2, 4 FLOP an element.
DOUBLE_KERNEL(256, ard_lengths,
              (int m, int n, int d, double *partial, double *weight, const double *p, const double *z, const double *x,
               const double *rows, const double *columns, const double *logl)) {
  SHARED(double, part, [8][32]);
  int lane = (int)threadIdx.x % 32, w = (int)threadIdx.x / 32, q = (int)blockIdx.x * 32 + lane, k = (int)blockIdx.y;
  int chunk = (int)blockIdx.z - div_up(m, TILE);
  double sum = 0;
  if (q < d && chunk < 0) {
    int first = (int)blockIdx.z * TILE;
    for (int i = first + w; i < smaller(first + TILE, m); i += 8) {
      double v = z[(long long)i * d + q];
      sum += v * (v * rows[k * m + i] - 2 * p[((long long)k * m + i) * d + q]);
    }
  } else if (q < d) {
    for (int b = chunk * TILE + w; b < smaller(chunk * TILE + TILE, n); b += 8) {
      double v = x[(long long)b * d + q];
      sum += v * v * columns[(long long)k * n + b];
    }
  }
  part[w][lane] = sum;
  __syncthreads();
  if (w == 0 && q < d) {
    for (int i = 1; i < 8; i++) sum += part[i][lane];
    double factor = inverse_square(logl[k * d + q]);
    partial[((long long)blockIdx.z * gridDim.y + k) * d + q] = sum * factor;
    if (blockIdx.z == 0) weight[k * d + q] = factor;
  }
}

// ard_fold: the gradients from their parts, an element a thread:
//
//	dz[m,d]    += times·Σ_k w_kd (P_kmd − g_km z_md)     k in order; n = M·D, or 0 where X̄ is fixed
//	dlogl[k,d] += Σ_chunk partial[chunk, k, d]           in order, for as many lengths
//
// weight is null where P and g are already sums with w. Grid ⌈(n + lengths)/64⌉. 8·K·n + 8·chunks·lengths bytes.
DOUBLE_KERNEL(64, ard_fold,
              (int kernels, int n, int d, int lengths, int chunks, double times, double *dz, double *dlogl,
               const double *p, const double *rows, const double *z, const double *weight, const double *partial)) {
  int q = global_thread();
  if (q >= n + lengths) return;
  if (q >= n) {
    dlogl[q - n] += part_sum(lengths, chunks, partial, q - n);
    return;
  }
  double v = z[q], sum = 0;
  for (int k = 0; k < kernels; k++) {
    double w = weight ? weight[k * d + q % d] : 1.0;
    sum += w * (p[(long long)k * n + q] - rows[k * (n / d) + q / d] * v);
  }
  dz[q] += times * sum;
}

// ard_isotropic_backward: G = dc∘slope in place, or as it is where slope is null; mixed[m,b] = Σ_k w_k G_k, k in order;
// and partial[tile, k] = Σ G_k (z − x)² w_k of a tile, by block_sum, which ard_fold adds to dlogℓ_k. Grid and shared
// memory of ard_isotropic. 24·K·M·B bytes, M·B·(2·D + 5·K) FLOP.
__device__ __forceinline__ void ard_isotropic_backward(int kernels, int m, int n, int d, int same, double *mixed,
                                                       double *partial, double *dc, const double *slope,
                                                       const double *z, const double *x, const double *logl,
                                                       const double *norms) {
  int m0 = (int)blockIdx.y * TILE, b0 = (int)blockIdx.x * TILE;
  double sum[ROWS][COLUMNS] = {};
  ard_exponents(sum, m0, b0, m, n, d, z, x, nullptr, norms, norms + (same ? 0 : m), false, RBF);
  for (int k = 0; k < kernels; k++) {
    double w = inverse_square(logl[k]), total = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
      for (int q = 0; q < COLUMNS; q++) {
        int i = m0 + tile_row(r), j = b0 + tile_column(q);
        if (i >= m || j >= n) continue;
        int to = i * n + j;
        double g = dc[to];
        if (slope) dc[to] = g *= slope[to];
        mixed[to] = k ? fused(w, g, mixed[to]) : w * g;
        total = fused(g, sum[r][q], total);
      }
    }
    dc += (long long)m * n;
    if (slope) slope += (long long)m * n;
    total = block_sum(total);
    if (threadIdx.x == 0) partial[((long long)blockIdx.y * gridDim.x + blockIdx.x) * kernels + k] = -2 * w * total;
  }
}
BOUNDED_PRODUCT_KERNEL(TILE_THREADS, 2, ard_isotropic_backward_f64,
                       (int kernels, int m, int n, int d, int same, double *mixed, double *partial, double *dc,
                        const double *slope, const double *z, const double *x, const double *logl, const double *norms),
                       ard_isotropic_backward(kernels, m, n, d, same, mixed, partial, dc, slope, z, x, logl, norms))
