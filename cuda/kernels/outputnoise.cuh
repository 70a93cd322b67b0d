// outputnoise.cuh: a draw of a layer's outputs from their moments, and its gradient, CPU twin
// device/cpu/outputnoise.go. A thread has four columns of a row, whose normals one Philox block gives. All are Real
// [S,B,C]; rows [B].
#pragma once

// output_noise: out[s,b,c] += √variance[s,b,c] ε(key; s, rows[b], c); n = S·B·groups threads, groups = ⌈C/4⌉, grid
// ⌈n/256⌉. 2 numbers in and one out an element: bound by memory. No sums.
template <typename T>
__device__ __forceinline__ void output_noise(int n, int batch, int columns, int groups, Key key, T *out,
                                             const T *variance, const int *rows) {
  int q = global_thread();
  if (q >= n) return;
  int group = q % groups, row = q / groups;
  T z[4];
  normals(key, (unsigned)(row / batch), (unsigned)rows[row % batch], (unsigned)group, z);
  long long at = (long long)row * columns + 4 * group;
#pragma unroll
  for (int c = 0; c < 4; c++)
    if (group * 4 + c < columns) out[at + c] += square_root(variance[at + c]) * z[c];
}
REAL_KERNEL(256, output_noise,
            (int n, int batch, int columns, int groups, unsigned k0, unsigned k1, unsigned step, unsigned tail,
             unsigned strata, T *out, const T *variance, const int *rows),
            (n, batch, columns, groups, Key{k0, k1, step, tail, strata}, out, variance, rows))

// output_noise_backward: dvariance = dout ε/(2√variance), threads and grid as output_noise. 2 numbers in and one out an
// element. No sums.
template <typename T>
__device__ __forceinline__ void output_noise_backward(int n, int batch, int columns, int groups, Key key, T *dvariance,
                                                      const T *dout, const T *variance, const int *rows) {
  int q = global_thread();
  if (q >= n) return;
  int group = q % groups, row = q / groups;
  T z[4];
  normals(key, (unsigned)(row / batch), (unsigned)rows[row % batch], (unsigned)group, z);
  long long at = (long long)row * columns + 4 * group;
#pragma unroll
  for (int c = 0; c < 4; c++)
    if (group * 4 + c < columns) dvariance[at + c] = dout[at + c] * z[c] / (2 * square_root(variance[at + c]));
}
REAL_KERNEL(256, output_noise_backward,
            (int n, int batch, int columns, int groups, unsigned k0, unsigned k1, unsigned step, unsigned tail,
             unsigned strata, T *dvariance, const T *dout, const T *variance, const int *rows),
            (n, batch, columns, groups, Key{k0, k1, step, tail, strata}, dvariance, dout, variance, rows))
