// noise.cuh: likelihoods of a real number whose noise has heavy tails, or a variance of its own everywhere, CPU twin
// device/cpu/noise.go. Grids and sums as in likelihood.cuh, two sums a block.
#pragma once

// student: with z = (y−h)²/νσ², dh = grad·(ν+1)(y−h)/(νσ²(1+z)), logs[block] = Σ log(1+z) and shares[block] = Σ z/(1+z), for
// n = S·B·C elements; y repeats after period. 2 numbers in, 1 out, a logarithm and two divisions an element.
template <typename T>
__device__ void student(int n, int period, double grad, T *dh, const T *h, const T *y, const T *logvar, const T *tail, double *logs, double *shares) {
  double nu = 2 + exponential((double)tail[0]), per_square = exponential(-(double)logvar[0]) / nu;
  double of_logs = 0, of_shares = 0;
  for (long long i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
    double miss = (double)y[i % period] - (double)h[i];
    double z = miss * miss * per_square, share = 1 / (1 + z);
    of_logs += log_one_plus(z);
    of_shares += z * share;
    dh[i] = (T)(grad * (nu + 1) * per_square * miss * share);
  }
  of_logs = block_sum(of_logs);
  of_shares = block_sum(of_shares);
  if (threadIdx.x == 0) {
    logs[blockIdx.x] = of_logs;
    shares[blockIdx.x] = of_shares;
  }
}
REAL_KERNEL(256, student, (int n, int period, double grad, T *dh, const T *h, const T *y, const T *logvar, const T *tail, double *logs, double *shares),
            (n, period, grad, dh, h, y, logvar, tail, logs, shares))

// student_sum: ell, and the gradients of log σ² and of the tail, from the blocks' sums P of logs and Q of shares:
//
//	ell      = value·(n (log Γ((ν+1)/2) − log Γ(ν/2) − ½ log πνσ²) − ½(ν+1) P)
//	dlogvar += ½ grad·((ν+1) Q − n)
//	dtail   += ½ grad·(ν−2)·(n (ψ((ν+1)/2) − ψ(ν/2) − 1/ν) − P + (ν+1)/ν Q)
//
// One block; 16 bytes a block of the launch before.
template <typename T>
__device__ void student_sum(double n, int blocks, double value, double grad, double *ell, T *dlogvar, T *dtail, const T *logvar, const T *tail, const double *logs,
                            const double *shares) {
  double p = 0, q = 0;
  for (int i = (int)threadIdx.x; i < blocks; i += (int)blockDim.x) {
    p += logs[i];
    q += shares[i];
  }
  p = block_sum(p);
  q = block_sum(q);
  if (threadIdx.x == 0) {
    double excess = exponential((double)tail[0]), nu = 2 + excess, noise = (double)logvar[0];
    double upper = 0.5 * (nu + 1), lower = 0.5 * nu;
    ell[0] = value * (n * (log_gamma(upper) - log_gamma(lower) - 0.5 * (logarithm(3.141592653589793 * nu) + noise)) - upper * p);
    dlogvar[0] += (T)(0.5 * grad * ((nu + 1) * q - n));
    dtail[0] += (T)(0.5 * grad * excess * (n * (digamma(upper) - digamma(lower) - 1 / nu) - p + (nu + 1) / nu * q));
  }
}
REAL_KERNEL(256, student_sum,
            (double n, int blocks, double value, double grad, double *ell, T *dlogvar, T *dtail, const T *logvar, const T *tail, const double *logs, const double *shares),
            (n, blocks, value, grad, ell, dlogvar, dtail, logvar, tail, logs, shares))

// heteroscedastic: log v = max(floor, logvar + h[s,b,C+c]); dh[s,b,c] = grad·(y−h)/v and dh[s,b,C+c] = ½ grad·((y−h)²/v − 1), or 0
// at the floor; values[block] = Σ −½(log 2πv + (y−h)²/v), slopes[block] = Σ of the second gradient without grad. For n = S·B·C
// elements, h [S,B,2C], y [B,C]. 3 numbers in, 2 out, an exponential an element.
template <typename T>
__device__ void heteroscedastic(int n, int batch, int c, double grad, double floor, T *dh, const T *h, const T *y, const T *logvar, double *values, double *slopes) {
  double noise = (double)logvar[0], total = 0, slope = 0;
  for (long long i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
    int row = (int)(i / c), column = (int)(i % c);
    long long at = (long long)row * 2 * c + column;
    double miss = (double)y[row % batch * c + column] - (double)h[at], log_v = noise + (double)h[at + c];
    bool floored = log_v < floor;
    log_v = floored ? floor : log_v;
    double precision = exponential(-log_v), misfit = precision * miss * miss, along = floored ? 0 : 0.5 * (misfit - 1);
    total -= 0.5 * (1.8378770664093453 + log_v + misfit); // log 2π
    slope += along;
    dh[at] = (T)(grad * precision * miss);
    dh[at + c] = (T)(grad * along);
  }
  total = block_sum(total);
  slope = block_sum(slope);
  if (threadIdx.x == 0) {
    values[blockIdx.x] = total;
    slopes[blockIdx.x] = slope;
  }
}
REAL_KERNEL(256, heteroscedastic,
            (int n, int batch, int c, double grad, double floor, T *dh, const T *h, const T *y, const T *logvar, double *values, double *slopes),
            (n, batch, c, grad, floor, dh, h, y, logvar, values, slopes))
