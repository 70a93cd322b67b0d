// features.cuh: the random-feature layer (rfdnn_lth_vec with rf_ard, reparam_Omega and reparam_W), CPU twins
// device/cpu/features.go and features_local.go. With H [S,B,d], Ω [d,R], W [2R,d']:
//
//	P = HΩ,  Φ = scale·[cos P, sin P],  scale = √(α/R)
//	out = ΦW, or under local reparameterisation Φm + √v∘ε with v = Φ² s²
//
// Each kernel over tiles has an entry for each kind of product: _f32 and _f64, and in the image for tensor cores _tf32.
// Φ is never in memory. The forward kernel and both backward kernels compute their tiles of P and of its cosines and
// sines themselves. Samples that share Ω and W are one group of rows. Since sin² = 1 − cos², with contrast = s²_cos −
// s²_sin [R,d'] and sines = Σ_r s²_sin [d'],
//
//	v = scale²·(sines + cos² contrast)
//
// An arc-cosine layer has one column of Φ for each frequency, Φ = scale·φ(P), W [R,d'], contrast = s² and sines = 0.
// Its tiles of φ and φ' take the places of cosines and sines. Only the products with the sines differ.
#pragma once

// Layer is the input of the kernels. A group of rows shares one of omegas Ω and one of weights W. Under local
// reparameterisation w is m; otherwise contrast is null.
template <typename T>
struct Layer {
  int rows, d, r, out; // rows of a group
  int omegas, weights;
  int arccos; // 0: cosines and sines; n + 1: arc-cosine features of degree n
  const T *logalpha, *h, *omega, *w, *contrast;
};

#define LAYER_PARAMS \
  int rows, int d, int r, int out, int omegas, int weights, int arccos, const T *logalpha, const T *h, const T *omega, \
      const T *w, const T *contrast
#define LAYER \
  Layer<T> { rows, d, r, out, omegas, weights, arccos, logalpha, h, omega, w, contrast }

// feature_scale is √(α/R).
template <typename T>
__device__ __forceinline__ T feature_scale(const T *logalpha, int r) {
  return square_root(exponential(logalpha[0]) / (T)r);
}

// is_local is LOCAL: local reparameterisation, known before the kernel runs unless its code is brief.
template <class P, bool LOCAL, typename T>
__device__ __forceinline__ bool is_local(const Layer<T> &l) {
  return P::brief ? l.contrast != nullptr : LOCAL;
}

// feature_columns is the number of columns of Φ.
template <typename T>
__device__ __forceinline__ int feature_columns(const Layer<T> &l) {
  return l.arccos ? l.r : 2 * l.r;
}

// Piece is a tile of n rows of h from first, and f frequencies from r0.
template <typename T>
struct Piece {
  int n, r0, f;
  long long first;
  const T *h, *omega, *w; // of its group
};

template <typename T>
__device__ __forceinline__ Piece<T> piece(const Layer<T> &l, int group, int row, int r0) {
  Piece<T> p;
  p.n = smaller(tile::side<T>, l.rows - row);
  p.r0 = r0;
  p.f = smaller(tile::side<T>, l.r - r0);
  p.first = (long long)group * l.rows + row;
  p.h = l.h + p.first * l.d;
  p.omega = l.omega + (long long)(group % l.omegas) * l.d * l.r;
  p.w = l.w + (long long)(group % l.weights) * feature_columns(l) * l.out;
  return p;
}

// own is the place of a thread's elements (4y, 4x) … of a tile in shared memory, which TRANSPOSED stores by columns.
// keep copies the elements there, as products take them, or unchanged if EXACT is set. recall copies them back.
template <class P, bool TRANSPOSED, typename T>
__device__ __forceinline__ int own() {
  using namespace tile;
  int x = 4 * P::template x<T>(), y = 4 * P::template y<T>();
  return TRANSPOSED ? x * pitch<T> + y : y * pitch<T> + x;
}
template <class P, bool TRANSPOSED, bool EXACT = false, typename T>
__device__ __forceinline__ void keep(T *to, const T v[4][4]) {
  to += own<P, TRANSPOSED, T>();
#pragma unroll
  for (int i = 0; i < 4; i++) {
    T line[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      T e = TRANSPOSED ? v[j][i] : v[i][j];
      line[j] = EXACT ? e : P::placed(e);
    }
    tile::store4(to + i * tile::pitch<T>, line);
  }
}
template <class P, bool TRANSPOSED, typename T>
__device__ __forceinline__ void recall(const T *from, T v[4][4]) {
  from += own<P, TRANSPOSED, T>();
#pragma unroll
  for (int i = 0; i < 4; i++) {
    T line[4];
    tile::load4(from + i * tile::pitch<T>, line);
#pragma unroll
    for (int j = 0; j < 4; j++) (TRANSPOSED ? v[j][i] : v[i][j]) = line[j];
  }
}

// rectify is √2 pⁿ and its derivative where p > 0, and 0 elsewhere; NaN stays. It takes p from phi.
template <typename T>
__device__ __forceinline__ void rectify(int degree, T *phi, T *slope) {
  const T root = (T)1.4142135623730951;
  T p = *phi,
    power = degree == 0   ? root
            : degree == 1 ? root * p
                          : root * p * p,
    derivative = degree == 0   ? (T)0
                 : degree == 1 ? root
                               : 2 * root * p;
  *phi = p <= 0 ? (T)0 : power + 0 * p;
  *slope = p <= 0 ? (T)0 : derivative;
}

// activate writes the cosines and sines of a tile of P = HΩ to m.c and m.s, or φ and φ' of an arc-cosine layer. 2·n·f·d
// FLOP, and a sine and a cosine of each element. Rows beyond n and frequencies beyond f have P = 0.
template <class P, bool TRANSPOSED, typename T>
__device__ __forceinline__ void activate(tile::Buffers<T> m, const Layer<T> &l, const Piece<T> &p) {
  T phase[4][4];
  tile::clear(phase);
  tile::product<P>(m, 4, phase, tile::Across<T>{p.h, l.d, p.n}, tile::Down<T>{p.omega + p.r0, l.r, p.f}, l.d);
  keep<P, TRANSPOSED, true>(m.c, phase);
  T *c = m.c + own<P, TRANSPOSED, T>(), *s = m.s + own<P, TRANSPOSED, T>();
#pragma unroll 1
  // By way of shared memory: the code of a sine is there four times, not sixteen.
  for (int i = 0; i < 4; i++) {
    T cosine[4], sine[4];
    tile::load4(c + i * tile::pitch<T>, cosine);
    if (l.arccos) {
#pragma unroll
      for (int j = 0; j < 4; j++) rectify(l.arccos - 1, &cosine[j], &sine[j]);
    } else {
      sine_cosines(cosine, sine);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) cosine[j] = P::placed(cosine[j]), sine[j] = P::placed(sine[j]);
    tile::store4(c + i * tile::pitch<T>, cosine);
    tile::store4(s + i * tile::pitch<T>, sine);
  }
}
