// features_backward.cuh: the two kernels of the backward pass. A block of one owns rows and sums over frequencies; a
// block of the other owns frequencies and sums over rows. So every sum has one order. CPU twins device/cpu/features.go
// and features_local.go.
#pragma once

// phase_gradient is a thread's part of the tile of dP, from the cosines and sines in m.c and m.s:
//
//	dP = scale·(cos∘dout W_sinᵀ − sin∘(dout W_cosᵀ [+ 2 scale·cos∘dv contrastᵀ if LOCAL]))
//	dP = scale·φ'∘(dout Wᵀ [+ 2 scale·φ∘dv contrastᵀ if LOCAL])
//
// 4 (6 if LOCAL) n·f·d' FLOP. Registers limit the blocks of a multiprocessor. So all products use one set of sums, the
// second term is kept in m.s in place of the sines, and scale() may compute the scale again each time.
template <class P, bool TRANSPOSED, bool LOCAL, typename T, class Scale>
__device__ __forceinline__ void phase_gradient(tile::Buffers<T> m, const Layer<T> &l, const Piece<T> &p, const T *dout,
                                               const T *dv, Scale scale, T dp[4][4]) {
  using namespace tile;
  T wave[4][4];
  const T *w = p.w + (long long)p.r0 * l.out;
  Across<T> d{dout + p.first * l.out, l.out, p.n};
  clear(dp);
  if (is_local<P, LOCAL>(l)) {
    product<P>(m, 4, dp, Across<T>{dv + p.first * l.out, l.out, p.n},
               Across<T>{l.contrast + (long long)p.r0 * l.out, l.out, p.f}, l.out);
    T factor = scale();
    recall<P, TRANSPOSED>(m.c, wave);
#pragma unroll
    for (int i = 0; i < 16; i++) dp[i / 4][i % 4] *= 2 * factor * wave[i / 4][i % 4];
  }
  product<P>(m, 4, dp, d, Across<T>{w, l.out, p.f}, l.out);
  T factor = scale();
  recall<P, TRANSPOSED>(m.s, wave);
#pragma unroll
  for (int i = 0; i < 16; i++) wave[i / 4][i % 4] *= (l.arccos ? factor : -factor) * dp[i / 4][i % 4];
  if (l.arccos) {
#pragma unroll
    for (int i = 0; i < 16; i++) dp[i / 4][i % 4] = wave[i / 4][i % 4];
    return;
  }
  keep<P, TRANSPOSED, true>(m.s, wave);
  clear(dp);
  product<P>(m, 4, dp, d, Across<T>{w + (long long)l.r * l.out, l.out, p.f}, l.out);
  factor = scale();
  recall<P, TRANSPOSED>(m.c, wave);
#pragma unroll
  for (int i = 0; i < 16; i++) dp[i / 4][i % 4] *= factor * wave[i / 4][i % 4];
  recall<P, TRANSPOSED>(m.s, wave);
#pragma unroll
  for (int i = 0; i < 16; i++) dp[i / 4][i % 4] += wave[i / 4][i % 4];
}

// features_inputs: dh[chunk] = dP Ωᵀ over the frequencies of a chunk; dh [chunks,S·B,d].
//
// A block owns 64 rows of one group and span frequencies, and walks over them by 64: P again, cosines and sines, dP (as
// phase_gradient), and its product with the tile of Ω into 16 sums a thread. Where d > 64, those of each 64 frequencies
// are added in dh, which no other block touches. Grid (groups·⌈rows/64⌉, ⌈R/span⌉), shared memory as features_forward.
//
// FLOP: S·B·R·(4d + 4d' + a sine and a cosine), 2d' more if local. Bytes: h, dout and dh once, Ω and W once for every
// 64 rows, from the second level of cache; where d > 64, dh twice for every 64 frequencies. Order of sums: frequencies
// in order, by 64 where d > 64; then chunks in order.
template <class P, bool LOCAL, typename T>
__device__ __forceinline__ void features_rows(const Layer<T> &l, int span, const T *dout, const T *dv, T *dh) {
  using namespace tile;
  DYN_SHARED(T, memory);
  Buffers<T> m(memory);
  int tiles = div_up(l.rows, side<T>), group = (int)blockIdx.x / tiles, row = (int)blockIdx.x % tiles * side<T>;
  int first = (int)blockIdx.y * span, last = smaller(first + span, l.r);
  long long all = (long long)gridDim.x / tiles * l.rows;
  T sum[4][4], dp[4][4];
  bool single = l.d <= side<T>;
  clear(sum);
  for (int r0 = first; r0 < last; r0 += side<T>) {
    Piece<T> p = piece(l, group, row, r0);
    activate<P, true>(m, l, p);
    phase_gradient<P, true, LOCAL>(m, l, p, dout, dv, [=] { return feature_scale(l.logalpha, l.r); }, dp);
    keep<P, true>(m.c, dp);
    for (int c0 = 0; c0 < l.d; c0 += side<T>) {
      int columns = smaller(side<T>, l.d - c0), width = wide<P, T>(columns);
      Patch<P, T> patch{dh + (blockIdx.y * all + p.first) * l.d + c0, l.d, 1, p.n, columns};
      if (!single) clear(sum);
      product<P>(m, width, sum, Resident<T>{m.c}, Across<T>{p.omega + (long long)c0 * l.r + r0, l.r, columns}, p.f);
      if (!single || r0 + side<T> >= last) patch.add(single || r0 == first, width, sum);
    }
  }
}
template <class P, typename T>
__device__ __forceinline__ void features_inputs(const Layer<T> &l, int span, const T *dout, const T *dv, T *dh) {
  if (P::brief || l.contrast) features_rows<P, true>(l, span, dout, dv, dh);
  else features_rows<P, false>(l, span, dout, dv, dh);
}
TILE_KERNEL(true, features_inputs, (LAYER_PARAMS, int span, const T *dout, const T *dv, T *dh),
            (LAYER, span, dout, dv, dh))

// features_gradients, for one part, span rows of a group: domega[part] = Hᵀ dP, dw[part] = [cos, sin]ᵀ dout without its
// factor scale, and for local reparameterisation dcontrast[part] = cos²ᵀ dv without its factor scale²; domega
// [parts,d,R], dw [parts,2R,d'], dcontrast [parts,R,d'].
//
// A block owns 64 frequencies (blockIdx.x) of one chunk of rows (y) of one group (z), part = z·⌈rows/span⌉ + y, and
// walks over its rows by 64: P again, cosines and sines, their products with dout, dP (as phase_gradient), and its
// product with h, into 48 sums a thread (64 if local). Where d or d' is above 64, those of each 64 rows are added in
// domega, dw and dcontrast, which no other block touches. Grid (⌈R/64⌉, ⌈rows/span⌉, groups), shared memory as
// features_forward.
//
// FLOP: S·B·R·(4d + 8d' + a sine and a cosine), 4d' more if local. Bytes: the results once; h and dout once for every
// 64 frequencies, Ω and W of a group for every 64 rows, from the second level of cache. Order of sums: rows in order,
// by 64 where d or d' is above 64; then parts in order (features_fold.cuh).
template <class P, bool LOCAL, typename T>
__device__ __forceinline__ void features_columns(const Layer<T> &l, int span, const T *dout, const T *dv, T *domega,
                                                 T *dw, T *dcontrast) {
  using namespace tile;
  DYN_SHARED(T, memory);
  Buffers<T> m(memory);
  int r0 = (int)blockIdx.x * side<T>, first = (int)blockIdx.y * span, last = smaller(first + span, l.rows),
      group = (int)blockIdx.z;
  long long part = (long long)group * gridDim.y + blockIdx.y;
  bool local = is_local<P, LOCAL>(l);
  domega += part * l.d * l.r + r0;
  dw += (part * feature_columns(l) + r0) * l.out;
  dcontrast += local ? (part * l.r + r0) * l.out : 0;
  T scale = feature_scale(l.logalpha, l.r), cosines[4][4], sines[4][4], squares[4][4], spectra[4][4], dp[4][4];
  bool single = l.out <= side<T>, narrow = l.d <= side<T>;
  clear(cosines);
  clear(sines);
  clear(squares);
  clear(spectra);
  for (int row = first; row < last; row += side<T>) {
    Piece<T> p = piece(l, group, row, r0);
    bool begins = row == first, ends = row + side<T> >= last;
    activate<P, false>(m, l, p);
    for (int c0 = 0; c0 < l.out; c0 += side<T>) {
      int columns = smaller(side<T>, l.out - c0), width = wide<P, T>(columns);
      Patch<P, T> ofCosines{dw + c0, l.out, 1, p.f, columns},
          ofSines{dw + (long long)l.r * l.out + c0, l.out, 1, p.f, columns},
          ofSquares{dcontrast + c0, l.out, 1, p.f, columns};
      if (!single) {
        clear(cosines);
        clear(sines);
        clear(squares);
      }
      share<P>(m, !l.arccos, width, cosines, sines, Down<T>{dout + p.first * l.out + c0, l.out, columns}, p.n);
      Down<T> spread{dv + p.first * l.out + c0, l.out, columns};
      if (local) product<P, true>(m, width, squares, Resident<T>{m.c}, spread, p.n);
      if (!single || ends) {
        ofCosines.add(single || begins, width, cosines);
        if (!l.arccos) ofSines.add(single || begins, width, sines);
        if (local) ofSquares.add(single || begins, width, squares);
      }
    }
    phase_gradient<P, false, LOCAL>(m, l, p, dout, dv, [=] { return scale; }, dp);
    keep<P, false>(m.s, dp);
    for (int c0 = 0; c0 < l.d; c0 += side<T>) {
      int columns = smaller(side<T>, l.d - c0), width = wide<P, T>(columns);
      Patch<P, T> patch{domega + (long long)c0 * l.r, 1, l.r, p.f, columns};
      if (!narrow) clear(spectra);
      product<P>(m, width, spectra, Resident<T>{m.s}, Down<T>{p.h + c0, l.d, columns}, p.n);
      if (!narrow || ends) patch.add(narrow || begins, width, spectra);
    }
  }
}
template <class P, typename T>
__device__ __forceinline__ void features_gradients(const Layer<T> &l, int span, const T *dout, const T *dv, T *domega,
                                                   T *dw, T *dcontrast) {
  if (P::brief || l.contrast) features_columns<P, true>(l, span, dout, dv, domega, dw, dcontrast);
  else features_columns<P, false>(l, span, dout, dv, domega, dw, dcontrast);
}
TILE_KERNEL(false, features_gradients,
            (LAYER_PARAMS, int span, const T *dout, const T *dv, T *domega, T *dw, T *dcontrast),
            (LAYER, span, dout, dv, domega, dw, dcontrast))
