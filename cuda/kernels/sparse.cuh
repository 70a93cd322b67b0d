// sparse.cuh: the kernel between sequences, a sum over feature maps, and the distances that it is made of; CPU twin
// device/cpu/sparse.go.
//
//	d[b, iM+m] of x_b and z_m under map i         c[k,m,b] = Σ_i ω_ki f_i(d),  f_i = exp(−d/2σ²), or 1 − d/2 where linear
//
// d [B,I·M], c and dc [K,M,B], logits and logsigma [K,I]; weight [K,I] is ω = softmax(logits), scale [K,I] is 1/σ², or
// −1 where linear. Elements are read by rows of d and written by rows of c: a block has 32 pseudo-inputs and 32 rows of
// a batch, and transposes them in shared memory. A thread has four of them.
#pragma once

// sparse_distances: the columns from first on of d, of which a row has width, for rows [B] of x. A warp a row and at
// most SPARSE_MOST pseudo-inputs, grid (B, ⌈M/SPARSE_MOST⌉): the columns of a row of x in order, and for each of them
// the lanes its pseudo-inputs, which are all different; 8·min(M, SPARSE_MOST) bytes of dynamic shared memory. Products
// are rounded before they are added, as on any backend, so that all have the same bits. x [vectors] by rows, z by
// columns: start, index, value, and the squared norms of the vectors. 12 bytes and 2 FLOP for each pair of numbers that
// meet, which come from L2: bound by its latency.
constexpr int SPARSE_MOST = 4096;

// sparse_metric is device.Metric: the distance of two vectors by the sum of their squared norms and their inner
// product.
__device__ __forceinline__ double sparse_metric(int metric, double norms, double dot) {
  enum { UNIT = 1, TANIMOTO };
  if (norms == 0) return 0;
  if (metric == UNIT) return larger(0.0, 2 - 2 * dot);
  double d = larger(0.0, norms - 2 * dot);
  return metric == TANIMOTO ? 2 * d / (norms - dot) : d;
}

template <typename T>
__device__ __forceinline__ void sparse_distances(int m, int first, int width, int metric, T *d, const int *rows,
                                                 const int *start, const int *index, const double *value,
                                                 const double *square, const int *z_start, const int *z_index,
                                                 const double *z_value, const double *z_square) {
  DYN_SHARED(double, dots);
  int lane = (int)threadIdx.x, n = rows[blockIdx.x], base = (int)blockIdx.y * SPARSE_MOST,
      own = smaller(m - base, SPARSE_MOST);
  for (int i = lane; i < own; i += 32) dots[i] = 0;
  for (int e = start[n]; e < start[n + 1]; e++) {
    __syncthreads();
    double v = value[e];
    int column = index[e], end = z_start[column + 1];
    for (int q = z_start[column] + lane; q < end; q += 32) {
      int i = z_index[q] - base;
      if (i >= 0 && i < own) dots[i] += product(v, z_value[q]);
    }
  }
  __syncthreads();
  for (int i = lane; i < own; i += 32)
    d[(long long)blockIdx.x * width + first + base + i] =
        (T)sparse_metric(metric, square[n] + z_square[base + i], dots[i]);
}
REAL_KERNEL(32, sparse_distances,
            (int m, int first, int width, int metric, T *d, const int *rows, const int *start, const int *index,
             const double *value, const double *square, const int *z_start, const int *z_index, const double *z_value,
             const double *z_square),
            (m, first, width, metric, d, rows, start, index, value, square, z_start, z_index, z_value, z_square))

// sparse_weights: ω and 1/σ², for k < kernels; bit i of linear marks map i. A thread a kernel, grid ⌈K/32⌉.
DOUBLE_KERNEL(32, sparse_weights,
              (int kernels, int maps, unsigned linear, double *weight, double *scale, const double *logits,
               const double *logsigma)) {
  int k = global_thread();
  if (k >= kernels) return;
  double top = logits[k * maps], total = 0;
  for (int i = k * maps; i < (k + 1) * maps; i++) top = larger(top, logits[i]);
  for (int i = 0, at = k * maps; i < maps; i++, at++) {
    total += weight[at] = exponential(logits[at] - top);
    scale[at] = linear >> i & 1 ? -1.0 : exponential(-2 * logsigma[at]);
  }
  for (int i = k * maps; i < (k + 1) * maps; i++) weight[i] /= total;
}

// sparse_value is f(d).
__device__ __forceinline__ double sparse_value(double d, double scale) {
  return scale < 0 ? 1 - 0.5 * d : exponential(-0.5 * scale * larger(0.0, d));
}

// The sides of a tile, and the rows that 256 threads have at once.
constexpr int SPARSE_TILE = 32, SPARSE_ROWS = 8;

// sparse_transpose reads map i of this block's tile: row q of transposed is a row of the batch. Every thread of the
// block calls it.
__device__ __forceinline__ void sparse_transpose(double (*transposed)[SPARSE_TILE + 1], int m, int n, int maps, int i,
                                                 const double *d) {
  int lane = (int)threadIdx.x % 32, column = (int)blockIdx.y * SPARSE_TILE + lane;
  __syncthreads(); // the tile before may still be read
  for (int q = (int)threadIdx.x / 32; q < SPARSE_TILE; q += SPARSE_ROWS) {
    int b = (int)blockIdx.x * SPARSE_TILE + q;
    if (b < n && column < m) transposed[q][lane] = d[((long long)b * maps + i) * m + column];
  }
  __syncthreads();
}

// sparse_block: c = f_0 + Σ_i ω_i (f_i − f_0), exactly 1 where all f_i are, over the maps in order. Grid (⌈B/32⌉,
// ⌈M/32⌉, K), n = B; 8 bytes out and 8·I in for an element, the latter from L2 for all k but one; I exponentials of
// some 20 FLOP.
DOUBLE_KERNEL(256, sparse_block,
              (int m, int n, int maps, double *c, const double *d, const double *weight, const double *scale)) {
  SHARED(double, transposed, [SPARSE_TILE][SPARSE_TILE + 1]);
  int k = (int)blockIdx.z, lane = (int)threadIdx.x % 32, b = (int)blockIdx.x * SPARSE_TILE + lane;
  double first[SPARSE_TILE / SPARSE_ROWS], sum[SPARSE_TILE / SPARSE_ROWS];
  for (int i = 0; i < maps; i++) {
    double w = weight[k * maps + i], s = scale[k * maps + i];
    sparse_transpose(transposed, m, n, maps, i, d);
#pragma unroll
    for (int r = 0; r < SPARSE_TILE / SPARSE_ROWS; r++) {
      int q = (int)threadIdx.x / 32 + r * SPARSE_ROWS;
      if (b >= n || (int)blockIdx.y * SPARSE_TILE + q >= m) continue;
      double f = sparse_value(transposed[lane][q], s);
      if (i == 0) first[r] = sum[r] = f;
      else sum[r] = fused(w, f - first[r], sum[r]);
    }
  }
#pragma unroll
  for (int r = 0; r < SPARSE_TILE / SPARSE_ROWS; r++) {
    int row = (int)blockIdx.y * SPARSE_TILE + (int)threadIdx.x / 32 + r * SPARSE_ROWS;
    if (b < n && row < m) c[((long long)k * m + row) * n + b] = sum[r];
  }
}

// sparse_block_backward: partial[tile, k, i] = Σ dc f_i, and behind all those Σ dc f_i d, where linear 0; partial
// [tiles, 2, K, I]. Grid as sparse_block; a thread sums its four elements, then block_sum. 8 bytes more in for an
// element, which stay in registers over the maps.
DOUBLE_KERNEL(256, sparse_block_backward,
              (int m, int n, int maps, double *partial, const double *dc, const double *d, const double *scale)) {
  SHARED(double, transposed, [SPARSE_TILE][SPARSE_TILE + 1]);
  int k = (int)blockIdx.z, kernels = (int)gridDim.z, lane = (int)threadIdx.x % 32,
      b = (int)blockIdx.x * SPARSE_TILE + lane;
  double g[SPARSE_TILE / SPARSE_ROWS];
#pragma unroll
  for (int r = 0; r < SPARSE_TILE / SPARSE_ROWS; r++) {
    int row = (int)blockIdx.y * SPARSE_TILE + (int)threadIdx.x / 32 + r * SPARSE_ROWS;
    g[r] = b < n && row < m ? dc[((long long)k * m + row) * n + b] : 0.0;
  }
  long long tile = (long long)blockIdx.y * gridDim.x + blockIdx.x;
  for (int i = 0; i < maps; i++) {
    double s = scale[k * maps + i], value = 0, slope = 0;
    sparse_transpose(transposed, m, n, maps, i, d);
#pragma unroll
    for (int r = 0; r < SPARSE_TILE / SPARSE_ROWS; r++) {
      int q = (int)threadIdx.x / 32 + r * SPARSE_ROWS;
      if (b >= n || (int)blockIdx.y * SPARSE_TILE + q >= m) continue;
      double x = transposed[lane][q], f = g[r] * sparse_value(x, s);
      value += f;
      slope = fused(f, x, slope);
    }
    value = block_sum(value);
    slope = block_sum(slope);
    if (threadIdx.x == 0) {
      long long at = (tile * 2 * kernels + k) * maps + i;
      partial[at] = value;
      partial[at + (long long)kernels * maps] = s < 0 ? 0.0 : slope;
    }
  }
}

// sparse_gradient: dlogits_i += ω_i Σ_j ω_j (v_i − v_j) and dlogsigma_i += ω_i u_i/σ_i², for sums [2,K,I]: v = Σ dc f,
// then u = Σ dc f d. One thread an element of [K,I], j in order; grid ⌈K·I/32⌉.
DOUBLE_KERNEL(32, sparse_gradient,
              (int kernels, int maps, double *dlogits, double *dlogsigma, const double *sums, const double *weight,
               const double *scale)) {
  int at = global_thread();
  if (at >= kernels * maps) return;
  double pull = 0;
  for (int j = at / maps * maps; j < (at / maps + 1) * maps; j++) pull = fused(weight[j], sums[at] - sums[j], pull);
  dlogits[at] += weight[at] * pull;
  dlogsigma[at] += weight[at] * scale[at] * sums[kernels * maps + at];
}
