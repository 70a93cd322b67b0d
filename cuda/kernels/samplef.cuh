// samplef.cuh: draws of F (reparam_F) and their gradient, CPU twin device/cpu/samplef.go. A thread has four latents,
// whose normals one Philox block gives. f, df Real [S,B,J]; mean, variance and their gradients Double [B,J].
#pragma once

// sample_f: f[s,b,j] = mean[b,j] + √var[b,j] ε(key; s, rows[b], j); n = S·B·groups threads, groups = ⌈J/4⌉, grid
// ⌈n/256⌉. It writes S·B·J numbers; mean and variance come from L2. 100 integer instructions and 2 logarithms, sines
// and cosines a thread.
template <typename T>
__device__ __forceinline__ void sample_f(int n, int batch, int latents, int groups, Key key, T *f, const double *mean,
                                         const double *variance, const int *rows) {
  int q = global_thread();
  if (q >= n) return;
  int group = q % groups, b = q / groups % batch, s = q / groups / batch;
  T z[4];
  normals(key, (unsigned)s, (unsigned)rows[b], (unsigned)group, z);
  long long from = (long long)b * latents, to = ((long long)s * batch + b) * latents;
#pragma unroll
  for (int c = 0; c < 4; c++) {
    int j = group * 4 + c;
    if (j < latents) f[to + j] = (T)(mean[from + j] + square_root(variance[from + j]) * (double)z[c]);
  }
}
REAL_KERNEL(256, sample_f,
            (int n, int batch, int latents, int groups, unsigned k0, unsigned k1, unsigned step, unsigned tail,
             unsigned strata, T *f, const double *mean, const double *variance, const int *rows),
            (n, batch, latents, groups, Key{k0, k1, step, tail, strata}, f, mean, variance, rows))

// sample_f_backward: dmean = Σ_s df and dvar = Σ_s df ε/(2√var), s in order in one thread; n = B·groups threads, grid
// ⌈n/64⌉. It reads S·B·J numbers, with a Philox block for four.
template <typename T>
__device__ __forceinline__ void sample_f_backward(int n, int samples, int batch, int latents, int groups, Key key,
                                                  double *dmean, double *dvariance, const T *df, const double *variance,
                                                  const int *rows) {
  int q = global_thread();
  if (q >= n) return;
  int group = q % groups, b = q / groups;
  unsigned row = (unsigned)rows[b];
  double first[4] = {}, second[4] = {};
  for (int s = 0; s < samples; s++) {
    T z[4];
    normals(key, (unsigned)s, row, (unsigned)group, z);
    long long at = ((long long)s * batch + b) * latents;
#pragma unroll
    for (int c = 0; c < 4; c++) {
      if (group * 4 + c >= latents) continue;
      double v = (double)df[at + group * 4 + c];
      first[c] += v;
      second[c] = fused(v, (double)z[c], second[c]);
    }
  }
#pragma unroll
  for (int c = 0; c < 4; c++) {
    int j = group * 4 + c;
    if (j >= latents) continue;
    long long to = (long long)b * latents + j;
    dmean[to] = first[c];
    dvariance[to] = second[c] / (2 * square_root(variance[to]));
  }
}
REAL_KERNEL(64, sample_f_backward,
            (int n, int samples, int batch, int latents, int groups, unsigned k0, unsigned k1, unsigned step,
             unsigned tail, unsigned strata, double *dmean, double *dvariance, const T *df, const double *variance,
             const int *rows),
            (n, samples, batch, latents, groups, Key{k0, k1, step, tail, strata}, dmean, dvariance, df, variance, rows))
