// features_covariance.cuh: what a full covariance of W adds to features_moments.cuh and its gradients. CPU twin
// device/cpu/features_covariance.go. The covariance of column c of W is L_c L_cᵀ; L [d',2R,2R] is the parameter `lower`
// below its diagonal, and s on it. μ = Φ_0, Φ_1 is the mean of the features, whose column k is in plane k/R. A row of P
// = μL has
//
//	variance += scale² ‖P‖²,   quad_1 += C_cos + C_sin,   quad_2 += C_cos − C_sin,   quad_3 += C_cos,sin
//
// where the C are the elements of L Lᵀ that a frequency's cosine and sine share; quad_0 and base are 0.
#pragma once

// covariance_factor: L, zeros above its diagonal, for n = d'·4R² elements; columns is 2R. One element a thread, grid
// ⌈n/256⌉; one number in and out.
template <typename T>
__device__ __forceinline__ void covariance_factor(int n, int columns, int out, const T *lower, const T *logvar,
                                                  T *factor) {
  int at = global_thread();
  if (at >= n) return;
  int j = at % columns, i = at / columns % columns, c = at / columns / columns;
  factor[at] = j < i ? lower[at] : j == i ? exponential((T)0.5 * logvar[(long long)i * out + c]) : (T)0;
}
REAL_KERNEL(256, covariance_factor, (int n, int columns, int out, const T *lower, const T *logvar, T *factor),
            (n, columns, out, lower, logvar, factor))

// covariance_shared: the C of frequency r and column c into quad and base. A warp takes both, lanes every 32nd column
// of L, then a butterfly. Grid (⌈R/8⌉, d'), 256 threads; 4R numbers in.
template <typename T>
__device__ __forceinline__ void covariance_shared(int r, int out, const T *factor, T *quad, double *base) {
  int i = global_thread() / 32, lane = (int)threadIdx.x & 31, c = (int)blockIdx.y;
  if (i >= r) return;
  const T *cosine = factor + ((long long)c * 2 * r + i) * 2 * r, *sine = cosine + (long long)r * 2 * r;
  T of_cosine = 0, of_sine = 0, both = 0;
  for (int j = lane; j <= r + i; j += 32) {
    of_cosine += cosine[j] * cosine[j];
    of_sine += sine[j] * sine[j];
    both += cosine[j] * sine[j];
  }
  for (int o = 16; o > 0; o >>= 1) {
    of_cosine += __shfl_xor_sync(0xffffffffu, of_cosine, o);
    of_sine += __shfl_xor_sync(0xffffffffu, of_sine, o);
    both += __shfl_xor_sync(0xffffffffu, both, o);
  }
  if (lane > 0) return;
  long long at = (long long)i * out + c, size = (long long)r * out;
  quad[at] = 0;
  quad[size + at] += of_cosine + of_sine;
  quad[2 * size + at] += of_cosine - of_sine;
  quad[3 * size + at] += both;
  if (i == 0) base[c] = 0;
}
REAL_KERNEL(256, covariance_shared, (int r, int out, const T *factor, T *quad, double *base),
            (r, out, factor, quad, base))

// covariance_product: P = μL, [d',rows,2R]. Grid (⌈rows/64⌉, ⌈2R/64⌉, d'), 128 threads; rows of L in order, from the
// first of the tile's columns. 4R FLOP an element at most.
template <typename T>
__device__ __forceinline__ void covariance_product(int rows, int r, const T *phi, const T *factor, T *p) {
  int i0 = (int)blockIdx.x * TILE, j0 = (int)blockIdx.y * TILE, columns = 2 * r;
  long long plane = (long long)rows * r;
  const T *a = phi + (long long)i0 * r, *b = factor + (long long)blockIdx.z * columns * columns + j0;
  auto read_mu = [&](int i, int k) {
    return ((i0 + i < rows) & (k < columns)) ? a[(k < r ? 0 : plane - r) + (long long)i * r + k] : (T)0;
  };
  auto read_l = [&](int j, int k) {
    return ((j0 + j < columns) & (k < columns)) ? b[(long long)k * columns + j] : (T)0;
  };
  T sum[ROWS][COLUMNS] = {};
  tile_sums<AlongDepth, AlongRows>(sum, j0, columns, 1, read_mu, read_l, [] {});
  p += (long long)blockIdx.z * rows * columns;
  tile_each(sum, i0, j0, rows, columns, [&](int i, int j, T v) { p[(long long)i * columns + j] = v; });
}
REAL_KERNEL(TILE_THREADS, covariance_product, (int rows, int r, const T *phi, const T *factor, T *p),
            (rows, r, phi, factor, p))

// covariance_squares: spread [rows,d'] = ‖P‖² of each row and column of W. A warp takes one, lanes every 32nd number,
// then a butterfly. Grid (⌈rows/8⌉, d'), 256 threads; 2R numbers in.
template <typename T>
__device__ __forceinline__ void covariance_squares(int rows, int columns, const T *p, T *spread) {
  int row = global_thread() / 32, lane = (int)threadIdx.x & 31, c = (int)blockIdx.y;
  if (row >= rows) return;
  p += ((long long)c * rows + row) * columns;
  T sum = 0;
  for (int j = lane; j < columns; j += 32) sum += p[j] * p[j];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (lane == 0) spread[(long long)row * gridDim.y + c] = sum;
}
REAL_KERNEL(256, covariance_squares, (int rows, int columns, const T *p, T *spread), (rows, columns, p, spread))

// covariance_cotangent: P becomes its gradient, 2 scale² dv∘P, without one factor scale, for n = d'·rows·2R elements;
// dv [rows,d']. One element a thread, grid ⌈n/256⌉; 2 numbers in, one out.
template <typename T>
__device__ __forceinline__ void covariance_cotangent(int n, int rows, int r, int out, const T *logalpha, const T *dv,
                                                     T *p) {
  int i = global_thread();
  if (i >= n) return;
  int row = i / (2 * r);
  p[i] *= 2 * feature_scale(logalpha, r) * dv[(long long)(row % rows) * out + row / rows];
}
REAL_KERNEL(256, covariance_cotangent, (int n, int rows, int r, int out, const T *logalpha, const T *dv, T *p),
            (n, rows, r, out, logalpha, dv, p))

// covariance_dcolumns: planes 0 and 1 of dΦ += Σ_c dP_c L_cᵀ, without the factor scale that all of these planes lack.
// Grid (⌈rows/64⌉, ⌈2R/64⌉), 128 threads; columns of W in order, in each those of L in order, to the last of the tile's
// rows.
template <typename T>
__device__ __forceinline__ void covariance_dcolumns(int rows, int r, int out, const T *p, const T *factor, T *dphi) {
  int i0 = (int)blockIdx.x * TILE, j0 = (int)blockIdx.y * TILE, columns = 2 * r, to = smaller(columns, j0 + TILE);
  const T *a = p + (long long)i0 * columns, *b = factor + (long long)j0 * columns;
  auto read_p = [&](int i, int k) { return ((i0 + i < rows) & (k < to)) ? a[(long long)i * columns + k] : (T)0; };
  auto read_l = [&](int j, int k) { return ((j0 + j < columns) & (k < to)) ? b[(long long)j * columns + k] : (T)0; };
  auto next = [&] {
    a += (long long)rows * columns;
    b += (long long)columns * columns;
  };
  T sum[ROWS][COLUMNS] = {};
  tile_sums<AlongDepth, AlongDepth>(sum, 0, to, out, read_p, read_l, next);
  long long plane = (long long)rows * r;
  tile_each(sum, i0, j0, rows, columns,
            [&](int i, int j, T v) { dphi[(j < r ? 0 : plane - r) + (long long)i * r + j] += v; });
}
REAL_KERNEL(TILE_THREADS, covariance_dcolumns, (int rows, int r, int out, const T *p, const T *factor, T *dphi),
            (rows, r, out, p, factor, dphi))

// covariance_dfactor: μᵀdP over a chunk of span rows, partial [chunks,d',2R,2R], for the tiles that reach below the
// diagonal. Grid (⌈2R/64⌉, ⌈2R/64⌉, d'·chunks), 128 threads, rows in order.
template <typename T>
__device__ __forceinline__ void covariance_dfactor(int rows, int r, int out, int span, const T *phi, const T *p,
                                                   T *partial) {
  int i0 = (int)blockIdx.y * TILE, j0 = (int)blockIdx.x * TILE, columns = 2 * r;
  if (j0 > i0) return;
  int c = (int)blockIdx.z % out, from = (int)blockIdx.z / out * span, n = smaller(span, rows - from);
  long long plane = (long long)rows * r;
  const T *a = phi + (long long)from * r, *b = p + ((long long)c * rows + from) * columns + j0;
  auto read_mu = [&](int i, int k) {
    return ((i0 + i < columns) & (k < n)) ? a[(i0 + i < r ? 0 : plane - r) + (long long)k * r + i0 + i] : (T)0;
  };
  auto read_p = [&](int j, int k) { return ((j0 + j < columns) & (k < n)) ? b[(long long)k * columns + j] : (T)0; };
  T sum[ROWS][COLUMNS] = {};
  tile_sums<AlongRows, AlongRows>(sum, 0, n, 1, read_mu, read_p, [] {});
  partial += (long long)blockIdx.z * columns * columns;
  tile_each(sum, i0, j0, columns, columns, [&](int i, int j, T v) { partial[(long long)i * columns + j] = v; });
}
REAL_KERNEL(TILE_THREADS, covariance_dfactor,
            (int rows, int r, int out, int span, const T *phi, const T *p, T *partial),
            (rows, r, out, span, phi, p, partial))

// fold_covariance: the gradients of lower and, by the diagonal of L, of W's log variances, for n = d'·4R² elements:
// scale Σ partial, and by shared [3,R,d'], the gradients of C_cos, C_sin and C_cos,sin. One element a thread, chunks in
// order, sums in double, grid ⌈n/256⌉.
template <typename T>
__device__ __forceinline__ void fold_covariance(int n, int r, int out, int chunks, const T *logalpha, const T *partial,
                                                const T *shared, const T *factor, T *dlower, T *dlogvar) {
  int at = global_thread(), columns = 2 * r, j = at % columns, i = at / columns % columns, c = at / columns / columns;
  if (at >= n || j > i) return;
  double sum = 0;
  for (int b = 0; b < chunks; b++) sum += (double)partial[(long long)b * n + at];
  sum *= (double)feature_scale(logalpha, r);
  long long size = (long long)r * out, of = (long long)(i % r) * out + c, other = (long long)r * columns;
  double own = (double)shared[(i < r ? 0 : size) + of], both = (double)shared[2 * size + of];
  sum += 2 * own * (double)factor[at];
  if (i < r) sum += both * (double)factor[at + other];
  else if (j <= i - r) sum += both * (double)factor[at - other];
  if (j < i) dlower[at] += (T)sum;
  else dlogvar[(long long)i * out + c] += (T)(0.5 * sum * (double)factor[at]);
}
REAL_KERNEL(256, fold_covariance,
            (int n, int r, int out, int chunks, const T *logalpha, const T *partial, const T *shared, const T *factor,
             T *dlower, T *dlogvar),
            (n, r, out, chunks, logalpha, partial, shared, factor, dlower, dlogvar))
