// features_moments.cuh: the mean and the variance of a random-feature layer's outputs, with W and Ω integrated in
// closed form. CPU twin device/cpu/features_moments.go. With t = hη, v = h²β² and u = e^−v:
//
//	Φ = √u cos t, √u sin t, ½u² cos 2t, ½(1 − u), −½u(1 − u) cos 2t, −u(1 − u) sin 2t   [6,rows,R]
//	mean     = scale Σ_{k<2} Φ_k M_k
//	variance = max(floor, scale² (base + Σ_{k≥2} Φ_k quad_{k−2}))
//
// M [2,R,d'] is the mean of W and quad [4,R,d'] are s²_cos − s²_sin, m²_cos + m²_sin, m²_cos − m²_sin and m_cos m_sin;
// base [d'] = ½ Σ s². A plane of Φ is rows·R numbers. The CPU keeps nine columns: cos t, sin t and √u follow from the
// first two and u, so that they are not kept here.
#pragma once

constexpr int MEAN_PLANES = 2, VARIANCE_PLANES = 4, PLANES = MEAN_PLANES + VARIANCE_PLANES;

// tile_each calls f(i, j, sum) for the elements of this thread that lie in an m×n matrix.
template <typename T, class F>
__device__ __forceinline__ void tile_each(const T (&sum)[ROWS][COLUMNS], int i0, int j0, int m, int n, F f) {
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int s = 0; s < COLUMNS; s++) {
      int i = i0 + tile_row(r), j = j0 + tile_column(s);
      if (i < m && j < n) f(i, j, sum[r][s]);
    }
  }
}

// integrated_spectra: η∘mixing and β²∘mixing², spectra [2,n], for n = d·R elements; mixing [R] may be null. One element
// a thread, grid ⌈n/256⌉; 2 numbers in and 2 out, and an exponential.
template <typename T>
__device__ __forceinline__ void integrated_spectra(int n, int r, const T *mean, const T *logvar, const T *mixing,
                                                   T *spectra) {
  int i = global_thread();
  if (i >= n) return;
  T factor = mixing ? mixing[i % r] : (T)1;
  spectra[i] = mean[i] * factor;
  spectra[(long long)n + i] = exponential(logvar[i]) * factor * factor;
}
REAL_KERNEL(256, integrated_spectra, (int n, int r, const T *mean, const T *logvar, const T *mixing, T *spectra),
            (n, r, mean, logvar, mixing, spectra))

// integrated_weights: quad, and base in double. A block takes 8 columns, a thread every 32nd row of one; then the 32
// sums in order. Grid ⌈d'/8⌉, 2 KiB of shared memory; 4 numbers in, 4 out and two exponentials for each frequency and
// column.
template <typename T>
__device__ __forceinline__ void integrated_weights(int r, int out, const T *mean, const T *logvar, T *quad,
                                                   double *base) {
  SHARED(double, part, [32][8]);
  int x = (int)threadIdx.x % 8, y = (int)threadIdx.x / 8, c = (int)blockIdx.x * 8 + x;
  long long size = (long long)r * out;
  double sum = 0;
  if (c < out) {
    for (int i = y; i < r; i += 32) {
      long long at = (long long)i * out + c;
      T cosine = mean[at], sine = mean[size + at];
      T of_cosine = exponential(logvar[at]), of_sine = exponential(logvar[size + at]);
      quad[at] = of_cosine - of_sine;
      quad[size + at] = cosine * cosine + sine * sine;
      quad[2 * size + at] = cosine * cosine - sine * sine;
      quad[3 * size + at] = cosine * sine;
      sum += (double)of_cosine + (double)of_sine;
    }
  }
  part[y][x] = sum;
  __syncthreads();
  if (y == 0 && c < out) {
    sum = 0;
    for (int i = 0; i < 32; i++) sum += part[i][x];
    base[c] = 0.5 * sum;
  }
}
REAL_KERNEL(256, integrated_weights, (int r, int out, const T *mean, const T *logvar, T *quad, double *base),
            (r, out, mean, logvar, quad, base))

// integrated_phases: t = hη in plane 0 of Φ and −½v = −½h²β² in plane 1, for h [rows,d] and spectra [2,d,R]. Block z of
// the grid has plane z: grid (⌈rows/64⌉, ⌈R/64⌉, 2), 128 threads, d in order. 4·d FLOP for a row and frequency.
template <typename T>
__device__ __forceinline__ void integrated_phases(int rows, int d, int r, const T *h, const T *spectra, T *phi) {
  int i0 = (int)blockIdx.x * TILE, j0 = (int)blockIdx.y * TILE;
  bool squares = blockIdx.z == 1;
  const T *x = h + (long long)i0 * d, *w = spectra + (squares ? (long long)d * r : 0) + j0;
  T *to = phi + (squares ? (long long)rows * r : 0), scale = squares ? (T)-0.5 : (T)1;
  auto read_h = [&](int i, int p) {
    T v = ((i0 + i < rows) & (p < d)) ? x[(long long)i * d + p] : (T)0;
    return Weighted<T>{v, squares ? v : (T)1};
  };
  auto read_w = [&](int j, int p) { return ((j0 + j < r) & (p < d)) ? w[(long long)p * r + j] : (T)0; };
  T sum[ROWS][COLUMNS] = {};
  tile_sums<AlongDepth, AlongRows>(sum, 0, d, 1, read_h, read_w, [] {});
  tile_each(sum, i0, j0, rows, r, [&](int i, int j, T v) { to[(long long)i * r + j] = scale * v; });
}
REAL_KERNEL(TILE_THREADS, integrated_phases, (int rows, int d, int r, const T *h, const T *spectra, T *phi),
            (rows, d, r, h, spectra, phi))

// integrated_columns: Φ from its planes 0 and 1, t and −½v, which are overwritten. A block has 256 frequencies of a
// row: grid (rows, ⌈R/256⌉). 2 numbers in and 6 out, a sine, a cosine and an exponential for a row and frequency: bound
// by memory.
template <typename T>
__device__ __forceinline__ void integrated_columns(int r, T *phi) {
  int j = (int)blockIdx.y * 256 + (int)threadIdx.x;
  if (j >= r) return;
  long long plane = (long long)gridDim.x * r;
  phi += (long long)blockIdx.x * r + j;
  T s, c, root = exponential(phi[plane]);
  sine_cosine(phi[0], &s, &c);
  T u = root * root, rest = 1 - u, cos2 = c * c - s * s, sin2 = 2 * s * c;
  phi[0] = root * c;
  phi[plane] = root * s;
  phi[2 * plane] = (T)0.5 * u * u * cos2;
  phi[3 * plane] = (T)0.5 * rest;
  phi[4 * plane] = (T)-0.5 * u * rest * cos2;
  phi[5 * plane] = -u * rest * sin2;
}
REAL_KERNEL(256, integrated_columns, (int r, T *phi), (r, phi))

// integrated_outputs: the sums of the mean and of the variance over a chunk of span frequencies, partial
// [2,chunks,rows,d']: Σ Φ_k M_k, and Σ Φ_k quad_{k−2}; w is M. Grid (⌈rows/64⌉, ⌈d'/64⌉, 2·chunks), 128 threads; planes
// in order, in each of them frequencies in order. 12·d' FLOP for a row and frequency.
template <typename T>
__device__ __forceinline__ void integrated_outputs(int rows, int r, int out, int span, const T *phi, const T *w,
                                                   const T *quad, T *partial) {
  int chunks = (int)gridDim.z / 2, i0 = (int)blockIdx.x * TILE, j0 = (int)blockIdx.y * TILE;
  int chunk = (int)blockIdx.z % chunks, from = chunk * span, to = smaller(r, from + span);
  bool second = (int)blockIdx.z >= chunks;
  long long plane = (long long)rows * r, size = (long long)r * out;
  const T *a = phi + (second ? MEAN_PLANES * plane : 0) + (long long)i0 * r, *b = (second ? quad : w) + j0;
  auto read_phi = [&](int i, int p) { return ((i0 + i < rows) & (p < to)) ? a[(long long)i * r + p] : (T)0; };
  auto read_w = [&](int j, int p) { return ((j0 + j < out) & (p < to)) ? b[(long long)p * out + j] : (T)0; };
  auto next = [&] {
    a += plane;
    b += size;
  };
  T sum[ROWS][COLUMNS] = {};
  tile_sums<AlongDepth, AlongRows>(sum, from, to, second ? VARIANCE_PLANES : MEAN_PLANES, read_phi, read_w, next);
  partial += (long long)blockIdx.z * rows * out;
  tile_each(sum, i0, j0, rows, out, [&](int i, int j, T v) { partial[(long long)i * out + j] = v; });
}
REAL_KERNEL(TILE_THREADS, integrated_outputs,
            (int rows, int r, int out, int span, const T *phi, const T *w, const T *quad, T *partial),
            (rows, r, out, span, phi, w, quad, partial))

// integrated_moments: mean = scale Σ partial_0 and variance = max(floor, scale² (Σ partial_1 + base + spread)) for n =
// rows·d' elements, chunks in order; spread [rows,d'] may be null. One element a thread, grid ⌈n/256⌉; 2·chunks numbers
// in and 2 out: bound by memory.
template <typename T>
__device__ __forceinline__ void integrated_moments(int n, int r, int out, int chunks, const T *logalpha,
                                                   const double *base, const T *spread, const T *partial, T *mean,
                                                   T *variance) {
  int i = global_thread();
  if (i >= n) return;
  T first = 0, second = 0, scale = feature_scale(logalpha, r);
  for (int b = 0; b < chunks; b++) {
    first += partial[(long long)b * n + i];
    second += partial[(long long)(chunks + b) * n + i];
  }
  T v = second + (T)base[i % out];
  v = scale * scale * (spread ? v + spread[i] : v);
  mean[i] = scale * first;
  variance[i] = v < (T)VAR_FLOOR ? (T)VAR_FLOOR : v; // NaN stays NaN
}
REAL_KERNEL(256, integrated_moments,
            (int n, int r, int out, int chunks, const T *logalpha, const double *base, const T *spread,
             const T *partial, T *mean, T *variance),
            (n, r, out, chunks, logalpha, base, spread, partial, mean, variance))
