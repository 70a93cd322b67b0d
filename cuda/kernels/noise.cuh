// noise.cuh: likelihoods of a real number whose noise has heavy tails, or a variance of its own everywhere, CPU twins
// device/cpu/likelihood.go and likelihood_moments.go. Grids and sums as in likelihood.cuh, two sums a block.
#pragma once

// student: with z = (y−h)²/νσ²_c, dh = scale·(ν+1)(y−h)/(νσ²_c(1+z)), logs[c,block] = Σ log(1+z) and shares[c,block] =
// Σ z/(1+z), for n = S·B rows of C numbers; y [B,C] repeats. Grid as gaussian; 2 numbers in, 1 out, a logarithm and two
// divisions an element.
template <typename T>
__device__ __forceinline__ void student(int n, int batch, double scale, T *dh, const T *h, const T *y, const T *weight,
                                        const T *logvar, const T *tail, double *logs, double *shares) {
  int c = (int)blockIdx.y, width = (int)gridDim.y;
  double nu = 2 + exponential((double)tail[0]), per_square = exponential(-(double)logvar[c]) / nu;
  double of_logs = 0, of_shares = 0;
  for (int row = global_thread(); row < n; row += (int)(gridDim.x * blockDim.x)) {
    long long i = (long long)row * width + c;
    double miss = (double)y[(long long)(row % batch) * width + c] - (double)h[i];
    double w = row_weight(weight, row, batch), z = miss * miss * per_square, share = 1 / (1 + z);
    of_logs += w * log_one_plus(z);
    of_shares += w * z * share;
    dh[i] = (T)(scale * w * (nu + 1) * per_square * miss * share);
  }
  of_logs = block_sum(of_logs);
  of_shares = block_sum(of_shares);
  if (threadIdx.x == 0) {
    logs[c * gridDim.x + blockIdx.x] = of_logs;
    shares[c * gridDim.x + blockIdx.x] = of_shares;
  }
}
REAL_KERNEL(256, student,
            (int n, int batch, double scale, T *dh, const T *h, const T *y, const T *weight, const T *logvar,
             const T *tail, double *logs, double *shares),
            (n, batch, scale, dh, h, y, weight, logvar, tail, logs, shares))

// student_sum: ell, and the gradients of log σ²_c and of the tail, from the columns' sums P_c of logs and Q_c of
// shares, n = S·Σ w of rows:
//
//	ell         = scale·Σ_c (n (log Γ((ν+1)/2) − log Γ(ν/2) − ½ log πνσ²_c) − ½(ν+1) P_c)
//	dlogvar[c] += ½ scale·((ν+1) Q_c − n)
//	dtail      += ½ scale·(ν−2)·Σ_c (n (ψ((ν+1)/2) − ψ(ν/2) − 1/ν) − P_c + (ν+1)/ν Q_c)
//
// Grid of one block, which takes the width columns in order; 16 bytes a block of the launch before.
template <typename T>
__device__ __forceinline__ void student_sum(double n, int batch, int blocks, int width, double scale, double *ell,
                                            T *dlogvar, T *dtail, const T *weight, const T *logvar, const T *tail,
                                            const double *logs, const double *shares) {
  n = weighted_rows(n, batch, weight);
  double excess = exponential((double)tail[0]), nu = 2 + excess, upper = 0.5 * (nu + 1), lower = 0.5 * nu, total = 0,
         along = 0;
  double norm = log_gamma(upper) - log_gamma(lower), rise = digamma(upper) - digamma(lower) - 1 / nu;
  for (int c = 0; c < width; c++) {
    double p = column_sum(logs, blocks, c), q = column_sum(shares, blocks, c), noise = (double)logvar[c];
    total += n * (norm - 0.5 * (logarithm(3.141592653589793 * nu) + noise)) - upper * p;
    along += n * rise - p + (nu + 1) / nu * q;
    if (threadIdx.x == 0) dlogvar[c] += (T)(0.5 * scale * ((nu + 1) * q - n));
  }
  if (threadIdx.x == 0) {
    ell[0] = scale * total;
    dtail[0] += (T)(0.5 * scale * excess * along);
  }
}
REAL_BOUNDED_KERNEL(256, 1, student_sum,
                    (double n, int batch, int blocks, int width, double scale, double *ell, T *dlogvar, T *dtail,
                     const T *weight, const T *logvar, const T *tail, const double *logs, const double *shares),
                    (n, batch, blocks, width, scale, ell, dlogvar, dtail, weight, logvar, tail, logs, shares))

// heteroscedastic: log v = max(floor, logvar[c] + h[s,b,C+c]); dh[s,b,c] = scale·(y−h)/v and dh[s,b,C+c] = ½
// scale·((y−h)²/v − 1), or 0 at the floor; values[c,block] = Σ −½(log 2πv + (y−h)²/v), slopes[c,block] = Σ of the
// second gradient without scale. For n = S·B rows, h [S,B,2C], y [B,C]. Grid as gaussian; 3 numbers in, 2 out, an
// exponential an element.
template <typename T>
__device__ __forceinline__ void heteroscedastic(int n, int batch, double scale, double floor, T *dh, const T *h,
                                                const T *y, const T *weight, const T *logvar, double *values,
                                                double *slopes) {
  int c = (int)blockIdx.y, width = (int)gridDim.y;
  double noise = (double)logvar[c], total = 0, slope = 0;
  for (int row = global_thread(); row < n; row += (int)(gridDim.x * blockDim.x)) {
    long long at = (long long)row * 2 * width + c;
    double miss = (double)y[(long long)(row % batch) * width + c] - (double)h[at],
           log_v = noise + (double)h[at + width];
    bool floored = log_v < floor;
    log_v = floored ? floor : log_v;
    double w = row_weight(weight, row, batch);
    double precision = exponential(-log_v), misfit = precision * miss * miss, along = floored ? 0 : 0.5 * (misfit - 1);
    total -= 0.5 * w * (1.8378770664093453 + log_v + misfit); // log 2π
    slope += w * along;
    dh[at] = (T)(scale * w * precision * miss);
    dh[at + width] = (T)(scale * w * along);
  }
  total = block_sum(total);
  slope = block_sum(slope);
  if (threadIdx.x == 0) {
    values[c * gridDim.x + blockIdx.x] = total;
    slopes[c * gridDim.x + blockIdx.x] = slope;
  }
}
REAL_KERNEL(256, heteroscedastic,
            (int n, int batch, double scale, double floor, T *dh, const T *h, const T *y, const T *weight,
             const T *logvar, double *values, double *slopes),
            (n, batch, scale, floor, dh, h, y, weight, logvar, values, slopes))

// predictive_gaussian is gaussian_predictive and predictive_moments, for moments of type E.
template <typename T, typename E>
__device__ __forceinline__ void predictive_gaussian(int n, int batch, double scale, double bound, E *dmean,
                                                    E *dvariance, const E *mean, const E *variance, const T *y,
                                                    const T *weight, const T *logvar, double *values, double *slopes) {
  int c = (int)blockIdx.y, width = (int)gridDim.y;
  double log_noise = (double)logvar[c], noise = exponential(log_noise), precision = exponential(-log_noise),
         own = 1 - bound, total = 0, slope = 0;
  for (int row = global_thread(); row < n; row += (int)(gridDim.x * blockDim.x)) {
    long long i = (long long)row * width + c;
    double miss = (double)y[(long long)(row % batch) * width + c] - (double)mean[i], spread = (double)variance[i],
           v = noise + spread;
    double along = 0.5 * (miss * miss / v - 1) / v, misfit = precision * (miss * miss + spread);
    double w = row_weight(weight, row, batch);
    total -= 0.5 * w *
             (1.8378770664093453 + own * (logarithm(v) + miss * miss / v) + bound * (log_noise + misfit)); // log 2π
    slope += w * (own * noise * along + 0.5 * bound * (misfit - 1));
    dmean[i] = (E)(scale * w * miss * (own / v + bound * precision));
    dvariance[i] = (E)(scale * w * (own * along - 0.5 * bound * precision));
  }
  total = block_sum(total);
  slope = block_sum(slope);
  if (threadIdx.x == 0) {
    values[c * gridDim.x + blockIdx.x] = total;
    slopes[c * gridDim.x + blockIdx.x] = slope;
  }
}

// gaussian_predictive: (1−δ) log N(y; mean, v) + δ E_q log N(y; F, σ²_c) with v = σ²_c + variance and δ = bound; the
// first has the slopes (y−mean)/v in the mean and ½((y−mean)²/v² − 1/v) in the variance. values[c,block] = Σ of the
// value and slopes[c,block] = Σ of the gradient in log σ², without scale, for n = B rows of C numbers. Grid as
// gaussian; 3 numbers in, 2 out, a logarithm an element. slope_sum adds up.
template <typename T>
__device__ __forceinline__ void gaussian_predictive(int n, double scale, double bound, double *dmean, double *dvariance,
                                                    const double *mean, const double *variance, const T *y,
                                                    const T *weight, const T *logvar, double *values, double *slopes) {
  predictive_gaussian(n, n, scale, bound, dmean, dvariance, mean, variance, y, weight, logvar, values, slopes);
}
REAL_KERNEL(256, gaussian_predictive,
            (int n, double scale, double bound, double *dmean, double *dvariance, const double *mean,
             const double *variance, const T *y, const T *weight, const T *logvar, double *values, double *slopes),
            (n, scale, bound, dmean, dvariance, mean, variance, y, weight, logvar, values, slopes))

// predictive_moments: gaussian_predictive for the Real moments of n = S·B rows; y [B,C] repeats for each sample. Grid
// as gaussian; 3 numbers in, 2 out.
template <typename T>
__device__ __forceinline__ void predictive_moments(int n, int batch, double scale, double bound, T *dmean, T *dvariance,
                                                   const T *mean, const T *variance, const T *y, const T *weight,
                                                   const T *logvar, double *values, double *slopes) {
  predictive_gaussian(n, batch, scale, bound, dmean, dvariance, mean, variance, y, weight, logvar, values, slopes);
}
REAL_KERNEL(256, predictive_moments,
            (int n, int batch, double scale, double bound, T *dmean, T *dvariance, const T *mean, const T *variance,
             const T *y, const T *weight, const T *logvar, double *values, double *slopes),
            (n, batch, scale, bound, dmean, dvariance, mean, variance, y, weight, logvar, values, slopes))

// slope_sum: ell = scale·Σ of values and dlogvar[c] += scale·Σ of the column's slopes. Grid of one block, which takes
// the width columns in order; 16 bytes a block of the launch before.
template <typename T>
__device__ __forceinline__ void slope_sum(int blocks, int width, double scale, double *ell, T *dlogvar,
                                          const double *values, const double *slopes) {
  double total = 0;
  for (int c = 0; c < width; c++) {
    total += column_sum(values, blocks, c);
    double slope = column_sum(slopes, blocks, c);
    if (threadIdx.x == 0) dlogvar[c] += (T)(scale * slope);
  }
  if (threadIdx.x == 0) ell[0] = scale * total;
}
REAL_KERNEL(256, slope_sum,
            (int blocks, int width, double scale, double *ell, T *dlogvar, const double *values, const double *slopes),
            (blocks, width, scale, ell, dlogvar, values, slopes))
