// features_fold.cuh: the gradients of a layer's parameters from the parts of features_gradients. One thread an element,
// parts in order, sums in double. Each group has `chunks` parts. CPU twins device/cpu/features.go and
// features_local.go.
#pragma once

// Slot is the draw that a part used, counted on from part 0.
struct Slot {
  int slot = 0, chunk = 0;
  __device__ __forceinline__ void next(int chunks, int draws) {
    chunk = chunk + 1 == chunks ? 0 : chunk + 1;
    if (chunk == 0) slot = slot + 1 == draws ? 0 : slot + 1;
  }
};

// fold_alpha: dlog α += ½ Σ alpha over n partial sums, by one block as fold. The launch that folds the gradient of Ω
// has it as its last block.
template <typename T>
__device__ __forceinline__ void fold_alpha(int n, T *dlogalpha, const double *alpha) {
  fold(n, 1, 0.5, dlogalpha, alpha);
}

// fold_spectra: dη += Σ dΩ, times mixing [R] where it is not null, dlog β² += ½ Σ dΩ∘(β∘τ) for n = d·R elements; noise
// = β∘τ, which has mixing in it, [omegas,n]; and fold_alpha. Grid ⌈n/256⌉ + 1; 2 numbers in for every part, those of
// noise once a draw.
template <typename T>
__device__ __forceinline__ void fold_spectra(int n, int parts, int chunks, int omegas, int r, int sums, const T *domega,
                                             const T *noise, const T *mixing, T *dmean, T *dlogvar, T *dlogalpha,
                                             const double *alpha) {
  if (blockIdx.x == gridDim.x - 1) {
    fold_alpha(sums, dlogalpha, alpha);
    return; // the whole block
  }
  int i = global_thread();
  if (i >= n) return;
  double mean = 0, logvar = 0;
  Slot s;
#pragma unroll 4
  for (int part = 0; part < parts; part++, s.next(chunks, omegas)) {
    double d = (double)domega[(long long)part * n + i];
    mean += d;
    logvar += d * (double)noise[(long long)s.slot * n + i];
  }
  dmean[i] += (T)(mixing ? mean * (double)mixing[i % r] : mean);
  dlogvar[i] += (T)(0.5 * logvar);
}
REAL_KERNEL(256, fold_spectra,
            (int n, int parts, int chunks, int omegas, int r, int sums, const T *domega, const T *noise,
             const T *mixing, T *dmean, T *dlogvar, T *dlogalpha, const double *alpha),
            (n, parts, chunks, omegas, r, sums, domega, noise, mixing, dmean, dlogvar, dlogalpha, alpha))

// fold_prior: dlogℓ_d −= Σ_r dΩ∘Ω (PRIOR-FIXED). One block a row of Ω, grid d + 1 with fold_alpha: thread t sums
// columns t, t+256, … of all parts, then block_sum. 2 numbers in for every part, 2 FLOP an element.
template <typename T>
__device__ __forceinline__ void fold_prior(int d, int r, int parts, int chunks, int omegas, int sums, const T *domega,
                                           const T *omega, T *dlogl, T *dlogalpha, const double *alpha) {
  if (blockIdx.x == gridDim.x - 1) {
    fold_alpha(sums, dlogalpha, alpha);
    return; // the whole block
  }
  double sum = 0;
  long long n = (long long)d * r;
  for (int c = (int)threadIdx.x; c < r; c += (int)blockDim.x) {
    const T *x = domega + (long long)blockIdx.x * r + c, *y = omega + (long long)blockIdx.x * r + c;
    Slot s;
#pragma unroll 2
    for (int part = 0; part < parts; part++, s.next(chunks, omegas)) sum += (double)x[part * n] * (double)y[s.slot * n];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) dlogl[blockIdx.x] -= (T)sum;
}
REAL_KERNEL(256, fold_prior,
            (int d, int r, int parts, int chunks, int omegas, int sums, const T *domega, const T *omega, T *dlogl,
             T *dlogalpha, const double *alpha),
            (d, r, parts, chunks, omegas, sums, domega, omega, dlogl, dlogalpha, alpha))

// fold_weights: dm += Σ dW, dlog s² += ½ Σ dW∘(s∘e) and alpha[block] = Σ dW∘W for n = columns of Φ·d' elements and dW =
// scale·dw; W and noise = s∘e [weights,n]. Grid ⌈n/256⌉; 3 numbers in for every part.
template <typename T>
__device__ __forceinline__ void fold_weights(int n, int r, int parts, int chunks, int weights, const T *logalpha,
                                             const T *dw, const T *w, const T *noise, T *dmean, T *dlogvar,
                                             double *alpha) {
  int i = global_thread();
  double mean = 0, logvar = 0, inner = 0, scale = (double)feature_scale(logalpha, r);
  if (i < n) {
    Slot s;
#pragma unroll 4
    for (int part = 0; part < parts; part++, s.next(chunks, weights)) {
      double d = (double)dw[(long long)part * n + i];
      long long from = (long long)s.slot * n + i;
      mean += d;
      logvar += d * (double)noise[from];
      inner += d * (double)w[from];
    }
    dmean[i] += (T)(scale * mean);
    dlogvar[i] += (T)(0.5 * scale * logvar);
  }
  inner = block_sum(inner);
  if (threadIdx.x == 0) alpha[blockIdx.x] = scale * inner;
}
REAL_KERNEL(256, fold_weights,
            (int n, int r, int parts, int chunks, int weights, const T *logalpha, const T *dw, const T *w,
             const T *noise, T *dmean, T *dlogvar, double *alpha),
            (n, r, parts, chunks, weights, logalpha, dw, w, noise, dmean, dlogvar, alpha))

// fold_weights_local: dm and alpha as fold_weights with W = m, and dlog s² += s²∘(Φ²ᵀ dv), where the sines' rows follow
// from the cosines' as (Φ²_sin)ᵀ dv = scale²·(Σ dv − cos²ᵀ dv); dvsum [d'] is Σ dv. Grid ⌈n/256⌉; 2 numbers in for
// every part.
template <typename T>
__device__ __forceinline__ void fold_weights_local(int n, int r, int out, int parts, const T *logalpha, const T *dw,
                                                   const T *dcontrast, const double *dvsum, const T *w, const T *logvar,
                                                   T *dmean, T *dlogvar, double *alpha) {
  int i = global_thread(), half = r * out; // all there is where there are no sines
  double mean = 0, squares = 0, scale = (double)feature_scale(logalpha, r);
  if (i < n) {
    int cosine = i < half ? i : i - half;
#pragma unroll 4
    for (int part = 0; part < parts; part++) {
      mean += (double)dw[(long long)part * n + i];
      squares += (double)dcontrast[(long long)part * half + cosine];
    }
    if (i >= half) squares = dvsum[i % out] - squares;
    dmean[i] += (T)(scale * mean);
    dlogvar[i] += (T)((double)exponential(logvar[i]) * scale * scale * squares);
    mean *= (double)w[i];
  }
  mean = block_sum(mean);
  if (threadIdx.x == 0) alpha[blockIdx.x] = scale * mean;
}
REAL_KERNEL(256, fold_weights_local,
            (int n, int r, int out, int parts, const T *logalpha, const T *dw, const T *dcontrast, const double *dvsum,
             const T *w, const T *logvar, T *dmean, T *dlogvar, double *alpha),
            (n, r, out, parts, logalpha, dw, dcontrast, dvsum, w, logvar, dmean, dlogvar, alpha))

// sum_columns calls f(i, sum, inner) for each element i of a [total,columns] matrix. f adds to the sum of its column,
// and to inner. Each block writes the sums of its rows, sums [blocks,columns], and alpha[block] = 2·inner. 16 × 16
// threads stride over the rows of 16 columns. A thread sums its rows in order, then the 16 threads of a column in
// order.
template <class F>
__device__ __forceinline__ void sum_columns(int total, int columns, double *sums, double *alpha, F f) {
  SHARED(double, part, [16][17]);
  int x = (int)threadIdx.x % 16, y = (int)threadIdx.x / 16;
  double inner = 0;
  for (int c = x; c - x < columns; c += 16) {
    double sum = 0;
    if (c < columns) {
#pragma unroll 4
      for (int row = (int)blockIdx.x * 16 + y; row < total; row += (int)gridDim.x * 16)
        f((long long)row * columns + c, sum, inner);
    }
    part[y][x] = sum;
    __syncthreads();
    if (y == 0 && c < columns) {
      sum = 0;
      for (int i = 0; i < 16; i++) sum += part[i][x];
      sums[(long long)blockIdx.x * columns + c] = sum;
    }
    __syncthreads();
  }
  inner = block_sum(inner);
  if (threadIdx.x == 0) alpha[blockIdx.x] = 2 * inner;
}

// noise_gradient: dv = dout∘ratio [total,columns], with the sums of its columns, and alpha[block] = 2 Σ dv∘v
// (sum_columns). Grid of 256 blocks. 3 numbers in and one out an element: bound by memory.
template <typename T>
__device__ __forceinline__ void noise_gradient(int total, int columns, const T *dout, const T *ratio, const T *v, T *dv,
                                               double *sums, double *alpha) {
  sum_columns(total, columns, sums, alpha, [&](long long i, double &sum, double &inner) {
    T d = dout[i] * ratio[i];
    dv[i] = d;
    sum += (double)d;
    inner += (double)d * (double)v[i];
  });
}
REAL_KERNEL(256, noise_gradient,
            (int total, int columns, const T *dout, const T *ratio, const T *v, T *dv, double *sums, double *alpha),
            (total, columns, dout, ratio, v, dv, sums, alpha))

// fold_columns: dst[c] = Σ_b partial[b,c] for partial [blocks,columns]. A block takes a column, grid columns: thread t
// sums t, t+256, …, then block_sum. For few columns and many blocks, where fold_rows would wait for one number after
// another.
DOUBLE_KERNEL(256, fold_columns, (int blocks, int columns, double *dst, const double *partial)) {
  double sum = 0;
  for (int b = (int)threadIdx.x; b < blocks; b += (int)blockDim.x) sum += partial[(long long)b * columns + blockIdx.x];
  sum = block_sum(sum);
  if (threadIdx.x == 0) dst[blockIdx.x] = sum;
}
