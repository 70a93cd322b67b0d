// frequencies.cuh: q(Ω) of frequencies around a fixed draw, ω = (τ + ρζ)/ℓ, and its gradient, CPU twin
// device/cpu/frequencies.go. All arrays are Real [d,R], except log ρ [1] and log ℓ [d].
#pragma once

// frequencies: eta = (τ + ρm)/ℓ and logvar = log s² + 2 log ρ/ℓ for n = d·R elements. One element a thread, grid
// ⌈n/256⌉; 3 numbers in, 2 out, two exponentials: bound by memory.
template <typename T>
__device__ __forceinline__ void frequencies(int n, int r, T *eta, T *logvar, const T *tau, const T *mean,
                                            const T *logs2, const T *logrho, const T *logl) {
  int i = global_thread();
  if (i >= n) return;
  double log_rho = (double)logrho[0], log_l = (double)logl[i / r];
  T rho = (T)exponential(log_rho), inverse = (T)exponential(-log_l);
  eta[i] = (tau[i] + rho * mean[i]) * inverse;
  logvar[i] = logs2[i] + (T)(2 * (log_rho - log_l));
}
REAL_KERNEL(256, frequencies,
            (int n, int r, T *eta, T *logvar, const T *tau, const T *mean, const T *logs2, const T *logrho,
             const T *logl),
            (n, r, eta, logvar, tau, mean, logs2, logrho, logl))

// frequencies_backward: dm += ρ/ℓ dη, dlog s² += dlog β², dlog ℓ −= Σ_r dη∘η + 2 dlog β², and partial[d] = Σ_r dη∘ρm/ℓ
// + 2 dlog β², whose sum is dlog ρ. One block a row of Ω, grid d: thread t sums columns t, t+256, … in double, then
// block_sum. 6 numbers in, 2 out an element.
template <typename T>
__device__ __forceinline__ void frequencies_backward(int r, T *dmean, T *dlogs2, T *dlogl, double *partial,
                                                     const T *deta, const T *dlogvar, const T *tau, const T *mean,
                                                     const T *logrho, const T *logl) {
  int row = (int)blockIdx.x;
  double inverse = exponential(-(double)logl[row]), step = exponential((double)logrho[0]) * inverse, along = 0,
         length = 0;
  for (int c = (int)threadIdx.x; c < r; c += (int)blockDim.x) {
    long long i = (long long)row * r + c;
    double slope = (double)deta[i], spread = 2 * (double)dlogvar[i];
    dmean[i] += (T)(step * slope);
    dlogs2[i] += dlogvar[i];
    along += slope * step * (double)mean[i] + spread;
    length += slope * (double)tau[i] * inverse;
  }
  along = block_sum(along);
  length = block_sum(length);
  if (threadIdx.x != 0) return;
  partial[row] = along;
  dlogl[row] -= (T)(along + length);
}
REAL_KERNEL(256, frequencies_backward,
            (int r, T *dmean, T *dlogs2, T *dlogl, double *partial, const T *deta, const T *dlogvar, const T *tau,
             const T *mean, const T *logrho, const T *logl),
            (r, dmean, dlogs2, dlogl, partial, deta, dlogvar, tau, mean, logrho, logl))
