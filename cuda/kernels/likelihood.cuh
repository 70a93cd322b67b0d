// likelihood.cuh: log p(y | h) and its gradients in one pass (ell_n_estim), CPU twin
// device/cpu/likelihood.go. Sums are in double: one partial sum a block of a grid that depends on the
// sizes alone, folded in order by a second launch.
#pragma once

// gaussian: dh[i] = grad·(y−h)/σ² for n = S·B·C elements, and partial[block] = Σ (y−h)²; y [B,C] has
// period elements and repeats for each sample. Grid of at most 1024 blocks that stride over the
// elements; thread sums in order of i, then block_sum. 2 numbers in, 1 out and 5 FLOP an element:
// bound by memory.
template <typename T>
__device__ void gaussian(int n, int period, double grad, T *dh, const T *h, const T *y, const T *logvar, double *partial) {
  double precision = exponential(-(double)logvar[0]), squares = 0;
  for (long long i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
    double miss = (double)y[i % period] - (double)h[i];
    squares += miss * miss;
    dh[i] = (T)(grad * precision * miss);
  }
  squares = block_sum(squares);
  if (threadIdx.x == 0) partial[blockIdx.x] = squares;
}
REAL_KERNEL(256, gaussian, (int n, int period, double grad, T *dh, const T *h, const T *y, const T *logvar, double *partial),
            (n, period, grad, dh, h, y, logvar, partial))

// gaussian_expected: E_q log N(y; F, σ²): dmean = grad·(y−mean)/σ², dvariance = −grad/2σ², and
// partial[block] = Σ (y−mean)² + variance, for n = B·C elements. As gaussian; 3 numbers in, 2 out.
template <typename T>
__device__ void gaussian_expected(int n, double grad, double *dmean, double *dvariance, const double *mean, const double *variance, const T *y, const T *logvar, double *partial) {
  double precision = exponential(-(double)logvar[0]), squares = 0;
  for (long long i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
    double miss = (double)y[i] - mean[i];
    squares += miss * miss + variance[i];
    dmean[i] = grad * precision * miss;
    dvariance[i] = -0.5 * grad * precision;
  }
  squares = block_sum(squares);
  if (threadIdx.x == 0) partial[blockIdx.x] = squares;
}
REAL_KERNEL(256, gaussian_expected,
            (int n, double grad, double *dmean, double *dvariance, const double *mean, const double *variance, const T *y, const T *logvar, double *partial),
            (n, grad, dmean, dvariance, mean, variance, y, logvar, partial))

// gaussian_sum: ell = −½ value·(n log 2πσ² + Σ/σ²) and dlogvar += ½ grad·(Σ/σ² − n), where Σ is the
// sum of the blocks' partial sums. One block; 8 bytes a block of the launch before.
template <typename T>
__device__ void gaussian_sum(double n, int blocks, double value, double grad, double *ell, T *dlogvar, const T *logvar, const double *partial) {
  double sum = 0;
  for (int i = (int)threadIdx.x; i < blocks; i += (int)blockDim.x) sum += partial[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    double noise = (double)logvar[0], misfit = sum * exponential(-noise);
    ell[0] = -0.5 * value * (n * (1.8378770664093453 + noise) + misfit); // log 2π
    dlogvar[0] += (T)(0.5 * grad * (misfit - n));
  }
}
REAL_KERNEL(256, gaussian_sum, (double n, int blocks, double value, double grad, double *ell, T *dlogvar, const T *logvar, const double *partial),
            (n, blocks, value, grad, ell, dlogvar, logvar, partial))

// softmax: dh[s,b,c] = grad·([c = y_b] − softmax(h)_c), and partial[block] = Σ h_y − log Σ_c exp h_c,
// for rows = S·B rows of c numbers and y [B]. A warp takes a row: the largest of it, the sum of exp(h
// − largest) in double, then the gradient; the row is read three times, from the first level of cache
// after the first. Grid of at most 1024 blocks of 8 warps that stride over the rows. Lanes sum their
// columns in order, then a butterfly; a warp its rows in order, then the warps. One number in, one out
// and two exponentials an element.
template <typename T>
__device__ void softmax(int rows, int batch, int c, double grad, T *dh, const T *h, const int *y, double *partial) {
  int lane = (int)threadIdx.x & 31;
  double total = 0;
  for (int row = global_thread() / 32; row < rows; row += (int)(gridDim.x * blockDim.x) / 32) {
    const T *x = h + (long long)row * c;
    T *d = dh + (long long)row * c;
    T top = -infinity<T>();
    for (int i = lane; i < c; i += 32) top = larger(top, x[i]);
    for (int o = 16; o > 0; o >>= 1) top = larger(top, __shfl_xor_sync(0xffffffffu, top, o));
    double sum = 0;
    for (int i = lane; i < c; i += 32) sum += (double)exponential(x[i] - top);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    int label = y[row % batch];
    T scale = (T)(-grad / sum);
    for (int i = lane; i < c; i += 32) d[i] = scale * exponential(x[i] - top) + (i == label ? (T)grad : (T)0);
    total += (double)(x[label] - top) - logarithm(sum);
  }
  total = block_sum(lane == 0 ? total : 0.0);
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
}
REAL_KERNEL(256, softmax, (int rows, int batch, int c, double grad, T *dh, const T *h, const int *y, double *partial),
            (rows, batch, c, grad, dh, h, y, partial))

// bernoulli: dh = ±grad·(1 − σ(±h)) and partial[block] = Σ log σ(±h), + where y [B] is 1, for n = S·B elements. Grid and
// sums as gaussian. One number in, one out, an exponential and a logarithm an element.
template <typename T>
__device__ void bernoulli(int n, int batch, double grad, T *dh, const T *h, const int *y, double *partial) {
  double total = 0;
  for (long long i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
    double sign = 2 * y[i % batch] - 1, with = sign * (double)h[i];
    double e = exponential(-absolute(with));
    total += (with < 0 ? with : 0) - log_one_plus(e);
    dh[i] = (T)(grad * sign * (with < 0 ? 1 : e) / (1 + e));
  }
  total = block_sum(total);
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
}
REAL_KERNEL(256, bernoulli, (int n, int batch, double grad, T *dh, const T *h, const int *y, double *partial), (n, batch, grad, dh, h, y, partial))
