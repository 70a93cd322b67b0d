// features_moments_backward.cuh: the gradients of features_moments.cuh, with the same letters. CPU twin
// device/cpu/features_moments.go. They go from dmean and dvariance [rows,d'] to Φ, from Φ to t and v, and from these to
// h, η and log β²; and from Φ to W's means and log variances. Sums over rows are cut into chunks by the sizes alone.
// The folds add the chunks in order, in double.
#pragma once

// integrated_cotangent: dv = dvariance, or 0 where the variance is floored, [total,columns], with the sums of its
// columns, and alpha[block] = 2 Σ dv∘variance (sum_columns). Grid of 256 blocks. 2 numbers in and one out an element:
// bound by memory.
template <typename T>
__device__ __forceinline__ void integrated_cotangent(int total, int columns, const T *dvariance, const T *variance,
                                                     T *dv, double *sums, double *alpha) {
  sum_columns(total, columns, sums, alpha, [&](long long i, double &sum, double &inner) {
    T v = variance[i], d = v <= (T)VAR_FLOOR ? (T)0 : dvariance[i]; // NaN is not floored
    dv[i] = d;
    sum += (double)d;
    inner += (double)d * (double)v;
  });
}
REAL_KERNEL(256, integrated_cotangent,
            (int total, int columns, const T *dvariance, const T *variance, T *dv, double *sums, double *alpha),
            (total, columns, dvariance, variance, dv, sums, alpha))

// integrated_dcolumns: dΦ without its factors scale and scale²: dmean M_kᵀ in the planes k < 2 and dv quad_{k−2}ᵀ in
// the others; w is M. Block z of the grid has plane z: grid (⌈rows/64⌉, ⌈R/64⌉, 6), 128 threads, d' in order. 12·d'
// FLOP and 6 numbers out for a row and frequency.
template <typename T>
__device__ __forceinline__ void integrated_dcolumns(int rows, int r, int out, const T *dmean, const T *dv, const T *w,
                                                    const T *quad, T *dphi) {
  int i0 = (int)blockIdx.x * TILE, j0 = (int)blockIdx.y * TILE, k = (int)blockIdx.z;
  const T *a = (k < MEAN_PLANES ? dmean : dv) + (long long)i0 * out;
  const T *b = (k < MEAN_PLANES ? w + (long long)k * r * out : quad + (long long)(k - MEAN_PLANES) * r * out) +
               (long long)j0 * out;
  auto read_d = [&](int i, int p) { return ((i0 + i < rows) & (p < out)) ? a[(long long)i * out + p] : (T)0; };
  auto read_w = [&](int j, int p) { return ((j0 + j < r) & (p < out)) ? b[(long long)j * out + p] : (T)0; };
  T sum[ROWS][COLUMNS] = {};
  tile_sums<AlongDepth, AlongDepth>(sum, 0, out, 1, read_d, read_w, [] {});
  dphi += (long long)k * rows * r;
  tile_each(sum, i0, j0, rows, r, [&](int i, int j, T v) { dphi[(long long)i * r + j] = v; });
}
REAL_KERNEL(TILE_THREADS, integrated_dcolumns,
            (int rows, int r, int out, const T *dmean, const T *dv, const T *w, const T *quad, T *dphi),
            (rows, r, out, dmean, dv, w, quad, dphi))

// integrated_dphases: dt in plane 0 of dΦ and dv, that of the phase's variance, in plane 1. With a = √u cos t, b = √u
// sin t, C = u cos 2t = a² − b², D = u sin 2t = 2ab, and ∂u/∂v = −u
//
//	dt = a dΦ_1 − b dΦ_0 − u D dΦ_2 + (1−u)(D dΦ_4 − 2C dΦ_5)
//	dv = −½(a dΦ_0 + b dΦ_1) − u C dΦ_2 + ½u dΦ_3 + (1−2u)(½C dΦ_4 + D dΦ_5)
//
// A block has 256 frequencies of a row: grid (rows, ⌈R/256⌉). 9 numbers in and 2 out for a row and frequency: bound by
// memory.
template <typename T>
__device__ __forceinline__ void integrated_dphases(int r, const T *logalpha, const T *phi, T *dphi) {
  int j = (int)blockIdx.y * 256 + (int)threadIdx.x;
  if (j >= r) return;
  long long plane = (long long)gridDim.x * r, at = (long long)blockIdx.x * r + j;
  phi += at;
  dphi += at;
  T scale = feature_scale(logalpha, r), a = phi[0], b = phi[plane], rest = 2 * phi[3 * plane], u = 1 - rest;
  T cos2 = a * a - b * b, sin2 = 2 * a * b; // times u
  T da = dphi[0], db = dphi[plane], wave = dphi[2 * plane], lost = dphi[3 * plane], even = dphi[4 * plane],
    odd = dphi[5 * plane];
  T dt = rest * (sin2 * even - 2 * cos2 * odd) - u * sin2 * wave;
  T dv = (1 - 2 * u) * ((T)0.5 * cos2 * even + sin2 * odd) + u * ((T)0.5 * lost - cos2 * wave);
  dphi[0] = scale * (a * db - b * da + scale * dt);
  dphi[plane] = scale * ((T)-0.5 * (a * da + b * db) + scale * dv);
}
REAL_KERNEL(256, integrated_dphases, (int r, const T *logalpha, const T *phi, T *dphi), (r, logalpha, phi, dphi))

// integrated_dinputs: dh = dt ηᵀ + 2h∘(dv β²ᵀ), the second term first; dphi has dt and dv in its planes 0 and 1,
// spectra [2,d,R]. Grid (⌈rows/64⌉, ⌈d/64⌉), 128 threads, frequencies in order. 4·d FLOP for a row and frequency.
template <typename T>
__device__ __forceinline__ void integrated_dinputs(int rows, int d, int r, const T *h, const T *spectra, const T *dphi,
                                                   T *dh) {
  int i0 = (int)blockIdx.x * TILE, j0 = (int)blockIdx.y * TILE;
  T sum[ROWS][COLUMNS] = {};
#pragma unroll 1
  for (int k = 1; k >= 0; k--) {
    const T *a = dphi + ((long long)k * rows + i0) * r, *b = spectra + ((long long)k * d + j0) * r;
    auto read_d = [&](int i, int p) { return ((i0 + i < rows) & (p < r)) ? a[(long long)i * r + p] : (T)0; };
    auto read_w = [&](int j, int p) { return ((j0 + j < d) & (p < r)) ? b[(long long)j * r + p] : (T)0; };
    tile_sums<AlongDepth, AlongDepth>(sum, 0, r, 1, read_d, read_w, [] {});
    if (k == 0) break;
#pragma unroll
    for (int q = 0; q < ROWS; q++) {
#pragma unroll
      for (int s = 0; s < COLUMNS; s++) {
        int i = i0 + tile_row(q), j = j0 + tile_column(s);
        if (i < rows && j < d) sum[q][s] *= 2 * h[(long long)i * d + j];
      }
    }
  }
  tile_each(sum, i0, j0, rows, d, [&](int i, int j, T v) { dh[(long long)i * d + j] = v; });
}
REAL_PAIRED_KERNEL(TILE_THREADS, integrated_dinputs,
                   (int rows, int d, int r, const T *h, const T *spectra, const T *dphi, T *dh),
                   (rows, d, r, h, spectra, dphi, dh))

// integrated_dweights: Φ_kᵀ dmean for k < 2 and Φ_kᵀ dv for the others, over a chunk of span rows: partial
// [chunks,6,R,d']. Grid (⌈d'/64⌉, ⌈R/64⌉, 6·chunks), 128 threads, rows in order. 12·d' FLOP for a row and frequency.
template <typename T>
__device__ __forceinline__ void integrated_dweights(int rows, int r, int out, int span, const T *phi, const T *dmean,
                                                    const T *dv, T *partial) {
  int i0 = (int)blockIdx.y * TILE, j0 = (int)blockIdx.x * TILE, k = (int)blockIdx.z % PLANES,
      from = (int)blockIdx.z / PLANES * span;
  const T *a = phi + ((long long)k * rows + from) * r + i0;
  const T *b = (k < MEAN_PLANES ? dmean : dv) + (long long)from * out + j0;
  int n = smaller(span, rows - from);
  auto read_phi = [&](int i, int p) { return ((i0 + i < r) & (p < n)) ? a[(long long)p * r + i] : (T)0; };
  auto read_d = [&](int j, int p) { return ((j0 + j < out) & (p < n)) ? b[(long long)p * out + j] : (T)0; };
  T sum[ROWS][COLUMNS] = {};
  tile_sums<AlongRows, AlongRows>(sum, 0, n, 1, read_phi, read_d, [] {});
  partial += (long long)blockIdx.z * r * out;
  tile_each(sum, i0, j0, r, out, [&](int i, int j, T v) { partial[(long long)i * out + j] = v; });
}
REAL_KERNEL(TILE_THREADS, integrated_dweights,
            (int rows, int r, int out, int span, const T *phi, const T *dmean, const T *dv, T *partial),
            (rows, r, out, span, phi, dmean, dv, partial))

// integrated_dspectra: hᵀdt and (h²)ᵀdv over a chunk of span rows: partial [chunks,2,d,R]; dphi has dt and dv in its
// planes 0 and 1. Grid (⌈R/64⌉, ⌈d/64⌉, 2·chunks), 128 threads, rows in order. 4·d FLOP for a row and frequency.
template <typename T>
__device__ __forceinline__ void integrated_dspectra(int rows, int d, int r, int span, const T *h, const T *dphi,
                                                    T *partial) {
  int i0 = (int)blockIdx.y * TILE, j0 = (int)blockIdx.x * TILE, k = (int)blockIdx.z % 2,
      from = (int)blockIdx.z / 2 * span;
  const T *a = h + (long long)from * d + i0, *b = dphi + ((long long)k * rows + from) * r + j0;
  int n = smaller(span, rows - from);
  auto read_h = [&](int i, int p) {
    T v = ((i0 + i < d) & (p < n)) ? a[(long long)p * d + i] : (T)0;
    return Weighted<T>{v, k == 1 ? v : (T)1};
  };
  auto read_d = [&](int j, int p) { return ((j0 + j < r) & (p < n)) ? b[(long long)p * r + j] : (T)0; };
  T sum[ROWS][COLUMNS] = {};
  tile_sums<AlongRows, AlongRows>(sum, 0, n, 1, read_h, read_d, [] {});
  partial += (long long)blockIdx.z * d * r;
  tile_each(sum, i0, j0, d, r, [&](int i, int j, T v) { partial[(long long)i * r + j] = v; });
}
REAL_KERNEL(TILE_THREADS, integrated_dspectra,
            (int rows, int d, int r, int span, const T *h, const T *dphi, T *partial),
            (rows, d, r, span, h, dphi, partial))

// fold_integrated_weights: the gradients of W's means m and log variances log s² [2,n] from partial [chunks,6,n], n =
// R·d', and dvsum [d'] = Σ dv. With P_k the sum of the chunks of plane k
//
//	dm_cos += scale P_0 + scale² (2m_cos(P_3 + P_4) + m_sin P_5)
//	dm_sin += scale P_1 + scale² (2m_sin(P_3 − P_4) + m_cos P_5)
//	dlog s²_cos += scale² s²_cos (½ dvsum + P_2),  dlog s²_sin += scale² s²_sin (½ dvsum − P_2)
//
// and alpha[block] = scale Σ (P_0∘m_cos + P_1∘m_sin). With a full covariance of W, log s² waits for fold_covariance,
// and shared [3,n] gets scale² (P_3 + P_4, P_3 − P_4, P_5); it is null otherwise. One frequency and column a thread,
// chunks in order, sums in double, grid ⌈n/256⌉; 6 numbers in for every chunk, and 12 more in or out.
template <typename T>
__device__ __forceinline__ void fold_integrated_weights(int n, int r, int out, int chunks, const T *logalpha,
                                                        const T *partial, const double *dvsum, const T *w,
                                                        const T *logvar, T *dmean, T *dlogvar, T *shared,
                                                        double *alpha) {
  int i = global_thread();
  double inner = 0, scale = (double)feature_scale(logalpha, r), square = scale * scale;
  if (i < n) {
    double p[PLANES] = {};
    for (int b = 0; b < chunks; b++) {
#pragma unroll
      for (int k = 0; k < PLANES; k++) p[k] += (double)partial[((long long)b * PLANES + k) * n + i];
    }
    long long j = (long long)n + i;
    double c = (double)w[i], s = (double)w[j], half = 0.5 * dvsum[i % out];
    dmean[i] += (T)(scale * p[0] + square * (2 * c * (p[3] + p[4]) + s * p[5]));
    dmean[j] += (T)(scale * p[1] + square * (2 * s * (p[3] - p[4]) + c * p[5]));
    if (shared) {
      shared[i] = (T)(square * (p[3] + p[4]));
      shared[j] = (T)(square * (p[3] - p[4]));
      shared[j + n] = (T)(square * p[5]);
    } else {
      dlogvar[i] += (T)(square * (double)exponential(logvar[i]) * (half + p[2]));
      dlogvar[j] += (T)(square * (double)exponential(logvar[j]) * (half - p[2]));
    }
    inner = c * p[0] + s * p[1];
  }
  inner = block_sum(inner);
  if (threadIdx.x == 0) alpha[blockIdx.x] = scale * inner;
}
REAL_KERNEL(256, fold_integrated_weights,
            (int n, int r, int out, int chunks, const T *logalpha, const T *partial, const double *dvsum, const T *w,
             const T *logvar, T *dmean, T *dlogvar, T *shared, double *alpha),
            (n, r, out, chunks, logalpha, partial, dvsum, w, logvar, dmean, dlogvar, shared, alpha))

// fold_integrated_spectra: dη += mixing∘Σ partial_0 and dlog β² += β²∘Σ partial_1 for n = d·R elements and partial
// [chunks,2,n]; mixing [R] may be null, and the β² of spectra [2,n] has it; and fold_alpha. One element a thread,
// chunks in order, sums in double, grid ⌈n/256⌉ + 1; 2 numbers in for every chunk.
template <typename T>
__device__ __forceinline__ void fold_integrated_spectra(int n, int r, int chunks, int sums, const T *partial,
                                                        const T *spectra, const T *mixing, T *dmean, T *dlogvar,
                                                        T *dlogalpha, const double *alpha) {
  if (blockIdx.x == gridDim.x - 1) {
    fold_alpha(sums, dlogalpha, alpha);
    return; // the whole block
  }
  int i = global_thread();
  if (i >= n) return;
  double first = 0, second = 0;
  for (int b = 0; b < chunks; b++) {
    first += (double)partial[2 * (long long)b * n + i];
    second += (double)partial[(2 * (long long)b + 1) * n + i];
  }
  dmean[i] += (T)(mixing ? first * (double)mixing[i % r] : first);
  dlogvar[i] += (T)(second * (double)spectra[(long long)n + i]);
}
REAL_KERNEL(256, fold_integrated_spectra,
            (int n, int r, int chunks, int sums, const T *partial, const T *spectra, const T *mixing, T *dmean,
             T *dlogvar, T *dlogalpha, const double *alpha),
            (n, r, chunks, sums, partial, spectra, mixing, dmean, dlogvar, dlogalpha, alpha))
