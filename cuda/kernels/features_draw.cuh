// features_draw.cuh: Ω and W of a layer, drawn once a call (reparam_Omega, reparam_W). Each thread draws four
// neighbours of a row, one Philox block. The draw of a slot has number first + slot in the stream, modulo draws if
// samples share a number of draws. CPU twin device/cpu/features.go.
#pragma once

__device__ __forceinline__ unsigned draw_number(unsigned first, int slot, int draws) {
  unsigned n = first + (unsigned)slot;
  return draws > 0 ? n % (unsigned)draws : n;
}

// store_quad writes four columns of a row from 4·block on, in one instruction if the number of columns is a multiple of
// four.
template <typename T>
__device__ __forceinline__ void store_quad(T *to, const T z[4], int columns, int block) {
  if (columns % 4 == 0) {
    tile::store4(to, z);
    return;
  }
#pragma unroll
  for (int c = 0; c < 4; c++) {
    if (4 * block + c < columns) to[c] = z[c];
  }
}

// draw_gaussian: x = mean + noise, noise = exp(½ logvar)∘ε for every slot, both times mixing [columns] where it is not
// null; mean, logvar [rows,columns], x and noise [slots,rows,columns]. n = slots·rows·⌈columns/4⌉ threads, grid
// ⌈n/256⌉. Two numbers in, which stay in cache, and two out an element, with a normal and an exponential; no sums.
template <typename T>
__device__ __forceinline__ void draw_gaussian(int n, int rows, int columns, unsigned first, int draws, Key key,
                                              const T *mean, const T *logvar, const T *mixing, T *x, T *noise) {
  int i = global_thread(), quads = div_up(columns, 4);
  if (i >= n) return;
  int block = i % quads, row = i / quads % rows, slot = i / quads / rows;
  T z[4];
  normals(key, draw_number(first, slot, draws), (unsigned)row, (unsigned)block, z);
  long long from = (long long)row * columns + 4 * block, to = ((long long)slot * rows + row) * columns + 4 * block;
  T y[4];
#pragma unroll
  for (int c = 0; c < 4; c++) {
    bool inside = 4 * block + c < columns;
    z[c] *= exponential((T)0.5 * (inside ? logvar[from + c] : (T)0));
    y[c] = (inside ? mean[from + c] : (T)0) + z[c];
    if (mixing && inside) {
      z[c] *= mixing[4 * block + c];
      y[c] *= mixing[4 * block + c];
    }
  }
  store_quad(x + to, y, columns, block);
  store_quad(noise + to, z, columns, block);
}
REAL_KERNEL(256, draw_gaussian,
            (int n, int rows, int columns, unsigned first, int draws, unsigned k0, unsigned k1, unsigned step,
             unsigned tail, unsigned strata, const T *mean, const T *logvar, const T *mixing, T *x, T *noise),
            (n, rows, columns, first, draws, Key{k0, k1, step, tail, strata}, mean, logvar, mixing, x, noise))

// draw_prior: x = ε/ℓ for every slot, logl [rows] (PRIOR-FIXED), times mixing; the rest, and the grid, as
// draw_gaussian.
template <typename T>
__device__ __forceinline__ void draw_prior(int n, int rows, int columns, unsigned first, int draws, Key key,
                                           const T *logl, const T *mixing, T *x) {
  int i = global_thread(), quads = div_up(columns, 4);
  if (i >= n) return;
  int block = i % quads, row = i / quads % rows, slot = i / quads / rows;
  T z[4], inverse = exponential(-logl[row]);
  normals(key, draw_number(first, slot, draws), (unsigned)row, (unsigned)block, z);
#pragma unroll
  for (int c = 0; c < 4; c++) z[c] *= inverse * (mixing && 4 * block + c < columns ? mixing[4 * block + c] : (T)1);
  store_quad(x + ((long long)slot * rows + row) * columns + 4 * block, z, columns, block);
}
REAL_KERNEL(256, draw_prior,
            (int n, int rows, int columns, unsigned first, int draws, unsigned k0, unsigned k1, unsigned step,
             unsigned tail, unsigned strata, const T *logl, const T *mixing, T *x),
            (n, rows, columns, first, draws, Key{k0, k1, step, tail, strata}, logl, mixing, x))

// weight_contrast: contrast = s²_cos − s²_sin [r,out] and sines[c] = Σ_r s²_sin in double, for logvar [2r,out]; or, for
// arc-cosine features, s² and 0 for logvar [r,out]. A block takes 8 columns, a thread every 32nd row of one; then the
// 32 sums in order. Grid ⌈out/8⌉, 2 KiB of shared memory; 2 numbers in, one out and two exponentials an element.
template <typename T>
__device__ __forceinline__ void weight_contrast(int r, int out, int arccos, const T *logvar, T *contrast,
                                                double *sines) {
  SHARED(double, part, [32][8]);
  int x = (int)threadIdx.x % 8, y = (int)threadIdx.x / 8, c = (int)blockIdx.x * 8 + x;
  double sum = 0;
  if (c < out) {
    for (int i = y; i < r; i += 32) {
      T sine = arccos ? (T)0 : exponential(logvar[(long long)(r + i) * out + c]);
      contrast[(long long)i * out + c] = exponential(logvar[(long long)i * out + c]) - sine;
      sum += (double)sine;
    }
  }
  part[y][x] = sum;
  __syncthreads();
  if (y == 0 && c < out) {
    sum = 0;
    for (int i = 0; i < 32; i++) sum += part[i][x];
    sines[c] = sum;
  }
}
REAL_KERNEL(256, weight_contrast, (int r, int out, int arccos, const T *logvar, T *contrast, double *sines),
            (r, out, arccos, logvar, contrast, sines))
