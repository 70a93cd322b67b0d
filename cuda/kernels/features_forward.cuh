// features_forward.cuh: the output of a random-feature layer. CPU twins device/cpu/features.go and features_local.go.
#pragma once

// features_forward: mean[chunk] = scale·(cos P W_cos + sin P W_sin), or scale·φ(P) W, and for local reparameterisation
// square[chunk] = cos² P contrast, over the frequencies of a chunk; mean and square [chunks,S·B,d'].
//
// A block owns 64 rows of one group (blockIdx.x), span frequencies (y) and 64 columns (z); it walks over its
// frequencies by 64: P tile, cosines and sines to shared memory, then their products with the tile of W, into 16 sums a
// thread (and 16 more for square). Grid (groups·⌈rows/64⌉, ⌈R/span⌉, ⌈d'/64⌉), 256 threads. In double 32 stands for 64
// here and in features_backward.cuh, and a block has 64 threads. Dynamic shared memory: 47 KiB in float, 27 in double
// (features_tile.cuh).
//
// FLOP: S·B·R·(2d + 4d' + a sine and a cosine), 2d' more if local; P is computed again for every 64 columns. Bytes: h
// and the results once, Ω and W once for every 64 rows, from the second level of cache. Order of sums: over d for P;
// over frequencies in order for the rest, of every depth (24 in float, 16 in double) of them cosines, then sines; then
// chunks in order.
template <class P, bool LOCAL, typename T>
__device__ __forceinline__ void features_output(const Layer<T> &l, int span, T *mean, T *square) {
  using namespace tile;
  DYN_SHARED(T, memory);
  Buffers<T> m(memory);
  bool local = is_local<P, LOCAL>(l);
  int tiles = div_up(l.rows, side<T>), group = (int)blockIdx.x / tiles, row = (int)blockIdx.x % tiles * side<T>;
  int c0 = (int)blockIdx.z * side<T>, columns = smaller(side<T>, l.out - c0), width = wide<P, T>(columns);
  int first = (int)blockIdx.y * span, last = smaller(first + span, l.r);
  T sum[4][4], squares[4][4];
  clear(sum);
  clear(squares);
  for (int r0 = first; r0 < last; r0 += side<T>) {
    Piece<T> p = piece(l, group, row, r0);
    activate<P, true>(m, l, p);
    const T *w = p.w + (long long)r0 * l.out + c0;
    const T *second = l.arccos ? w : w + (long long)l.r * l.out;
    join<P>(m, !l.arccos, width, sum, Down<T>{w, l.out, columns}, Down<T>{second, l.out, columns}, p.f);
    Down<T> contrast{l.contrast + (long long)r0 * l.out + c0, l.out, columns};
    if (local) product<P, true>(m, width, squares, Resident<T>{m.c}, contrast, p.f);
  }
  Piece<T> p = piece(l, group, row, first);
  long long all = (long long)gridDim.x / tiles * l.rows, at = (blockIdx.y * all + p.first) * l.out + c0;
  T scale = feature_scale(l.logalpha, l.r);
#pragma unroll
  for (int i = 0; i < 16; i++) sum[i / 4][i % 4] *= scale;
  Patch<P, T>{mean + at, l.out, 1, p.n, columns}.add(true, width, sum);
  if (local) Patch<P, T>{square + at, l.out, 1, p.n, columns}.add(true, width, squares);
}
template <class P, typename T>
__device__ __forceinline__ void features_forward(const Layer<T> &l, int span, T *mean, T *square) {
  if (P::brief || l.contrast) features_output<P, true>(l, span, mean, square);
  else features_output<P, false>(l, span, mean, square);
}
TILE_KERNEL(true, features_forward, (LAYER_PARAMS, int span, T *mean, T *square), (LAYER, span, mean, square))

// sum_chunks: dst[i] = Σ_b partial[b,i] for partial [chunks,n], chunks in order. One thread an element, grid ⌈n/256⌉;
// chunks numbers in, one out.
template <typename T>
__device__ __forceinline__ void sum_chunks(int n, int chunks, T *dst, const T *partial) {
  int i = global_thread();
  if (i >= n) return;
  T sum = 0;
  for (int b = 0; b < chunks; b++) sum += partial[(long long)b * n + i];
  dst[i] = sum;
}
REAL_KERNEL(256, sum_chunks, (int n, int chunks, T *dst, const T *partial), (n, chunks, dst, partial))

// add_noise: the sums of local reparameterisation over the chunks, and its noise:
//
//	v = max(floor, scale²·(sines + Σ square)),  out = Σ mean + √v∘ε,  ratio = ε/(2√v), or 0 where v is floored
//
// for n = S·B·d' elements of out, v and ratio; mean and square [chunks,n]; ε indexed (sample; rows[b], column). One
// thread for four neighbours of a row, grid ⌈S·B·⌈d'/4⌉/256⌉. 2·chunks numbers in, 3 out, a normal and a root an
// element: bound by memory. mean may be out, and square may be v.
template <typename T>
__device__ __forceinline__ void add_noise(int total, int batch, int columns, int r, int chunks, Key key, T floor,
                                          const int *rows, const T *logalpha, const double *sines, const T *mean,
                                          const T *square, T *out, T *v, T *ratio) {
  int i = global_thread(), quads = div_up(columns, 4);
  int block = i % quads, row = i / quads;
  if (row >= total) return;
  T z[4], scale = feature_scale(logalpha, r);
  normals(key, (unsigned)(row / batch), (unsigned)rows[row % batch], (unsigned)block, z);
  long long n = (long long)total * columns, at = (long long)row * columns;
#pragma unroll
  for (int q = 0; q < 4; q++) {
    int c = 4 * block + q;
    if (c >= columns) break;
    T sum = 0, squares = (T)sines[c];
    for (int b = 0; b < chunks; b++) {
      sum += mean[b * n + at + c];
      squares += square[b * n + at + c];
    }
    T variance = scale * scale * squares;
    bool floored = variance <= floor;
    variance = floored ? floor : variance; // NaN stays
    T root = square_root(variance);
    out[at + c] = sum + root * z[q];
    v[at + c] = variance;
    ratio[at + c] = floored ? (T)0 : z[q] / (2 * root);
  }
}
REAL_KERNEL(256, add_noise,
            (int total, int batch, int columns, int r, int chunks, unsigned k0, unsigned k1, unsigned step,
             unsigned tail, unsigned strata, double floor, const int *rows, const T *logalpha, const double *sines,
             const T *mean, const T *square, T *out, T *v, T *ratio),
            (total, batch, columns, r, chunks, Key{k0, k1, step, tail, strata}, (T)floor, rows, logalpha, sines, mean,
             square, out, v, ratio))
