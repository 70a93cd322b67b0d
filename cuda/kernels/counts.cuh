// counts.cuh: likelihoods of counts by their log rates, CPU twin device/cpu/counts.go. Grids and sums as in
// likelihood.cuh, two or three sums a block.
#pragma once

// log_rate is the part of f = h + b_c + offset that is not h; offset [B] or none.
template <typename T>
__device__ __forceinline__ double log_rate(const T *rates, const T *offset, int c, int row, int batch) {
  return (double)rates[c] + (offset ? (double)offset[row % batch] : 0.0);
}

// poisson_of is poisson, poisson_expected and poisson_moments, for moments of type E; variance may be null.
template <typename T, typename E>
__device__ __forceinline__ void poisson_of(int n, int batch, double scale, double most, E *dmean, E *dvariance,
                                           const E *mean, const E *variance, const T *y, const T *weight,
                                           const T *offset, const T *rates, double *values, double *slopes) {
  int c = (int)blockIdx.y, width = (int)gridDim.y;
  double total = 0, slope = 0;
  for (int row = global_thread(); row < n; row += (int)(gridDim.x * blockDim.x)) {
    long long i = (long long)row * width + c;
    double w = row_weight(weight, row, batch), count = (double)y[(long long)(row % batch) * width + c];
    double f = (double)mean[i] + log_rate(rates, offset, c, row, batch),
           u = variance ? f + 0.5 * (double)variance[i] : f;
    double over = u > most ? u - most : 0, rate = exponential(u - over), along = w * (count - rate);
    total += w * (count * f - rate * (1 + over) - log_gamma(count + 1));
    slope += along;
    dmean[i] = (E)(scale * along);
    if (variance) dvariance[i] = (E)(-0.5 * scale * w * rate);
  }
  total = block_sum(total);
  slope = block_sum(slope);
  if (threadIdx.x == 0) {
    values[c * gridDim.x + blockIdx.x] = total;
    slopes[c * gridDim.x + blockIdx.x] = slope;
  }
}

// poisson: with f = h + rates[c] + offset[b], dh = scale·(y − exp f), values[c,block] = Σ y f − exp f − log y! and
// slopes[c,block] = Σ y − exp f, for n = S·B rows of C numbers; y [B,C] repeats. From most on, exp f is its tangent.
// Grid as gaussian; 2 numbers in, 1 out, an exponential and some logarithms an element. slope_sum adds up.
template <typename T>
__device__ __forceinline__ void poisson(int n, int batch, double scale, double most, T *dh, const T *h, const T *y,
                                        const T *weight, const T *offset, const T *rates, double *values,
                                        double *slopes) {
  poisson_of(n, batch, scale, most, dh, (T *)nullptr, h, (const T *)nullptr, y, weight, offset, rates, values, slopes);
}
REAL_KERNEL(256, poisson,
            (int n, int batch, double scale, double most, T *dh, const T *h, const T *y, const T *weight,
             const T *offset, const T *rates, double *values, double *slopes),
            (n, batch, scale, most, dh, h, y, weight, offset, rates, values, slopes))

// poisson_expected: E_q of the same, with exp(f + variance/2) in place of exp f, which has half the slope in the
// variance, for n = B rows of C numbers. Grid as gaussian; 3 numbers in, 2 out.
template <typename T>
__device__ __forceinline__ void poisson_expected(int n, double scale, double most, double *dmean, double *dvariance,
                                                 const double *mean, const double *variance, const T *y,
                                                 const T *weight, const T *offset, const T *rates, double *values,
                                                 double *slopes) {
  poisson_of(n, n, scale, most, dmean, dvariance, mean, variance, y, weight, offset, rates, values, slopes);
}
REAL_KERNEL(256, poisson_expected,
            (int n, double scale, double most, double *dmean, double *dvariance, const double *mean,
             const double *variance, const T *y, const T *weight, const T *offset, const T *rates, double *values,
             double *slopes),
            (n, scale, most, dmean, dvariance, mean, variance, y, weight, offset, rates, values, slopes))

// poisson_moments: poisson_expected for the Real moments of n = S·B rows; y [B,C] repeats for each sample. Grid as
// gaussian; 3 numbers in, 2 out.
template <typename T>
__device__ __forceinline__ void poisson_moments(int n, int batch, double scale, double most, T *dmean, T *dvariance,
                                                const T *mean, const T *variance, const T *y, const T *weight,
                                                const T *offset, const T *rates, double *values, double *slopes) {
  poisson_of(n, batch, scale, most, dmean, dvariance, mean, variance, y, weight, offset, rates, values, slopes);
}
REAL_KERNEL(256, poisson_moments,
            (int n, int batch, double scale, double most, T *dmean, T *dvariance, const T *mean, const T *variance,
             const T *y, const T *weight, const T *offset, const T *rates, double *values, double *slopes),
            (n, batch, scale, most, dmean, dvariance, mean, variance, y, weight, offset, rates, values, slopes))

// negative_binomial: with δ = floor + exp tail, r = 1/δ, λ = exp f of f as in poisson and σ = λ/(r+λ),
//
//	values[c,block] = Σ log Γ(y+r) − log Γ(r) − log y! + r log(1−σ) + y log σ
//	slopes[c,block] = Σ y(1−σ) − rσ, which is dh without scale
//	tails[c,block]  = −r²·exp tail·Σ (ψ(y+r) − ψ(r) + log(1−σ) + 1 − (1 + y/r)(1−σ))
//
// the last of which is the slope in tail. Grid as gaussian; 2 numbers in, 1 out, some logarithms and quotients an
// element. slope_sum and fold add up.
template <typename T>
__device__ __forceinline__ void negative_binomial(int n, int batch, double scale, double floor, T *dh, const T *h,
                                                  const T *y, const T *weight, const T *offset, const T *rates,
                                                  const T *tail, double *values, double *slopes, double *tails) {
  int c = (int)blockIdx.y, width = (int)gridDim.y;
  double own = exponential((double)tail[0]), r = 1 / (floor + own), log_r = logarithm(r), base = log_gamma(r),
         rise = digamma(r);
  double total = 0, slope = 0, along_r = 0;
  for (int row = global_thread(); row < n; row += (int)(gridDim.x * blockDim.x)) {
    long long i = (long long)row * width + c;
    double w = row_weight(weight, row, batch), count = (double)y[(long long)(row % batch) * width + c];
    double u = (double)h[i] + log_rate(rates, offset, c, row, batch) - log_r, e = exponential(-absolute(u));
    double below = (u > 0 ? u : 0) + log_one_plus(e), share = (u > 0 ? 1 : e) / (1 + e),
           rest = (u > 0 ? e : 1) / (1 + e);
    double along = w * (count * rest - r * share);
    total += w * (log_gamma(count + r) - base - log_gamma(count + 1) - r * below + count * (u - below));
    along_r += w * (digamma(count + r) - rise - below + 1 - (1 + count / r) * rest);
    slope += along;
    dh[i] = (T)(scale * along);
  }
  total = block_sum(total);
  slope = block_sum(slope);
  along_r = block_sum(along_r);
  if (threadIdx.x == 0) {
    values[c * gridDim.x + blockIdx.x] = total;
    slopes[c * gridDim.x + blockIdx.x] = slope;
    tails[c * gridDim.x + blockIdx.x] = -r * r * own * along_r;
  }
}
REAL_KERNEL(256, negative_binomial,
            (int n, int batch, double scale, double floor, T *dh, const T *h, const T *y, const T *weight,
             const T *offset, const T *rates, const T *tail, double *values, double *slopes, double *tails),
            (n, batch, scale, floor, dh, h, y, weight, offset, rates, tail, values, slopes, tails))
