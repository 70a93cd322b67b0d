// kl.cuh: the KL terms of elbo with their gradients in one pass, CPU twin device/cpu/kl.go. Sums are in double: one
// partial sum a block, folded in order by fold or kl_fold.
#pragma once

// kl_diag: KL of N(m, s²) from N(0, p), p = ℓ⁻² or 1, for d rows of r numbers with one ℓ each:
//
//	kl   = Σ ½ (log p − log s² + (s²+m²)/p − 1)
//	dm  += −weight·m/p,  dlog s² += −weight·½ (s²/p − 1),  dlogl_d += −weight·Σ_r ((s²+m²)/p − 1)
//
// mean, logvar and their gradients [d,r]; logl [d], or null for p = 1. Where logvar is null, kl = ½ Σ m². Grid (d,
// pieces of rows), 1024 elements a block; kl and dlogl [pieces,d] get one partial sum a block, dlogl with the weight,
// which may be live. Thread t sums t, t+256, …, then block_sum. 4 numbers in, 2 out and an exponential an element:
// bound by memory.
template <typename T>
__device__ __forceinline__ void kl_diag(int r, double weight, T *dmean, T *dlogvar, const T *mean, const T *logvar,
                                        const T *logl, double *kl, double *dlogl) {
  constexpr int piece = 1024;
  weight = number_of(weight, live.weight);
  int row = (int)blockIdx.x, lo = (int)blockIdx.y * piece, hi = smaller(lo + piece, r);
  double logp = logl ? -2 * (double)logl[row] : 0.0, inverse = exponential(-logp);
  T pull = (T)(-weight * inverse), half = (T)(0.5 * weight);
  double moments = 0, logs = 0;
  for (int c = lo + (int)threadIdx.x; c < hi; c += (int)blockDim.x) {
    long long i = (long long)row * r + c;
    T m = mean[i];
    moments += (double)m * (double)m;
    dmean[i] += pull * m;
    if (!logvar) continue;
    T l = logvar[i], s2 = exponential(l);
    moments += (double)s2;
    logs += (double)l;
    dlogvar[i] += (T)0.5 * pull * s2 + half;
  }
  double n = logvar ? (double)(hi - lo) : 0.0, excess = inverse * block_sum(moments) - n;
  logs = block_sum(logs);
  if (threadIdx.x == 0) {
    long long at = (long long)blockIdx.y * gridDim.x + row;
    kl[at] = 0.5 * (excess - logs + n * logp);
    dlogl[at] = -weight * excess;
  }
}
REAL_KERNEL(256, kl_diag,
            (int r, double weight, T *dmean, T *dlogvar, const T *mean, const T *logvar, const T *logl, double *kl,
             double *dlogl),
            (r, weight, dmean, dlogvar, mean, logvar, logl, kl, dlogl))

// kl_fold: kl = Σ sums over [pieces,d], and, unless dlogl is null, dlogl_d += Σ excess[piece, d]. The first block makes
// kl, as fold does; the others have one thread an element: grid 1 + ⌈d/256⌉, or 1. 16·pieces·d bytes.
template <typename T>
__device__ __forceinline__ void kl_fold(int d, int pieces, double *kl, T *dlogl, const double *sums,
                                        const double *excess) {
  if (blockIdx.x == 0) {
    fold(d * pieces, 0, 1.0, kl, sums);
    return; // the whole block
  }
  int i = global_thread() - (int)blockDim.x;
  if (i < d) dlogl[i] += (T)part_sum(d, pieces, excess, i);
}
REAL_KERNEL(256, kl_fold, (int d, int pieces, double *kl, T *dlogl, const double *sums, const double *excess),
            (d, pieces, kl, dlogl, sums, excess))

// kl_inducing: KL of the whitened q(F̄) from N(0, I) for a latent j:
//
//	kl   = ½ (‖m_j‖² + ‖s_j‖² − M) − Σ log|diag s_j|
//	dm  += −weight·m,  ds += −weight·(s − diag(1/s_ii))
//
// m [J,M]; s [J,M,M] lower, or [J,M] where diagonal is set. Grid (⌈M/8⌉, J): a warp takes a row, its lanes the columns
// up to the diagonal in order, then warp_sum and the warps in order; partial [J,⌈M/8⌉]. The weight may be live. 2
// numbers in, 1 out and 4 FLOP an element of the triangle: bound by memory.
DOUBLE_KERNEL(256, kl_inducing,
              (int m, int diagonal, double weight, double *dmean, double *dfactor, const double *mean,
               const double *factor, double *partial)) {
  int lane = (int)threadIdx.x & 31, i = (int)(blockIdx.x * 8 + threadIdx.x / 32), j = (int)blockIdx.y;
  double sum = 0;
  weight = number_of(weight, live.weight);
  if (i < m) {
    long long row = (long long)j * m + i, at = diagonal ? row - i : row * m; // of column 0
    for (int c = diagonal ? i + lane : lane; c <= i; c += 32) {
      double s = factor[at + c], d = -weight * s;
      sum += 0.5 * s * s;
      if (c == i) {
        d += weight / s;
        sum -= logarithm(absolute(s)) + 0.5;
      }
      dfactor[at + c] += d;
    }
    if (lane == 0) {
      double v = mean[row];
      sum += 0.5 * v * v;
      dmean[row] -= weight * v;
    }
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[(long long)j * gridDim.x + blockIdx.x] = sum;
}
