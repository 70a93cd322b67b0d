// likelihood.cuh: log p(y | h) and its gradients in one pass (ell_n_estim), CPU twin device/cpu/likelihood.go. Sums are
// in double: one partial sum a block of a grid that depends on the sizes alone, folded in order by a second launch.
#pragma once

// row_weight is the weight of a row, 1 without weights [B], which repeat for each sample. Products begin with it, so
// that a weight of 1 leaves all bits as they are.
template <typename T>
__device__ __forceinline__ double row_weight(const T *weight, int row, int batch) {
  return weight ? (double)weight[row % batch] : 1.0;
}

// weighted_rows is n = S·B rows with their weights, S·Σ w, by one block, for every thread of it.
template <typename T>
__device__ __forceinline__ double weighted_rows(double n, int batch, const T *weight) {
  if (!weight) return n;
  double sum = 0;
  for (int i = (int)threadIdx.x; i < batch; i += (int)blockDim.x) sum += (double)weight[i];
  return n / batch * block_sum(sum);
}

// gaussian: dh[i] = scale·(y−h)/σ²_c for n = S·B rows of C numbers, and partial[c,block] = Σ (y−h)²; y [B,C] repeats
// for each sample, logvar [C]. Grid of at most 1024 blocks that stride over the rows, times C: a row of blocks has a
// column; thread sums in order of rows, then block_sum. 2 numbers in, 1 out and 5 FLOP an element: bound by memory.
template <typename T>
__device__ __forceinline__ void gaussian(int n, int batch, double scale, T *dh, const T *h, const T *y, const T *weight,
                                         const T *logvar, double *partial) {
  int c = (int)blockIdx.y, width = (int)gridDim.y;
  double precision = exponential(-(double)logvar[c]), squares = 0;
  for (int row = global_thread(); row < n; row += (int)(gridDim.x * blockDim.x)) {
    long long i = (long long)row * width + c;
    double w = row_weight(weight, row, batch), miss = (double)y[(long long)(row % batch) * width + c] - (double)h[i];
    squares += w * miss * miss;
    dh[i] = (T)(scale * w * precision * miss);
  }
  squares = block_sum(squares);
  if (threadIdx.x == 0) partial[c * gridDim.x + blockIdx.x] = squares;
}
REAL_KERNEL(256, gaussian,
            (int n, int batch, double scale, T *dh, const T *h, const T *y, const T *weight, const T *logvar,
             double *partial),
            (n, batch, scale, dh, h, y, weight, logvar, partial))

// expected_gaussian is gaussian_expected and gaussian_moments, for moments of type E.
template <typename T, typename E>
__device__ __forceinline__ void expected_gaussian(int n, int batch, double scale, E *dmean, E *dvariance, const E *mean,
                                                  const E *variance, const T *y, const T *weight, const T *logvar,
                                                  double *partial) {
  int c = (int)blockIdx.y, width = (int)gridDim.y;
  double precision = exponential(-(double)logvar[c]), squares = 0;
  for (int row = global_thread(); row < n; row += (int)(gridDim.x * blockDim.x)) {
    long long i = (long long)row * width + c;
    double w = row_weight(weight, row, batch), miss = (double)y[(long long)(row % batch) * width + c] - (double)mean[i];
    squares += w * (miss * miss + (double)variance[i]);
    dmean[i] = (E)(scale * w * precision * miss);
    dvariance[i] = (E)(-0.5 * scale * w * precision);
  }
  squares = block_sum(squares);
  if (threadIdx.x == 0) partial[c * gridDim.x + blockIdx.x] = squares;
}

// gaussian_expected: E_q log N(y; F, σ²_c): dmean = scale·(y−mean)/σ²_c, dvariance = −scale/2σ²_c, and partial[c,block]
// = Σ (y−mean)² + variance, for n = B rows of C numbers. Grid as gaussian; 3 numbers in, 2 out.
template <typename T>
__device__ __forceinline__ void gaussian_expected(int n, double scale, double *dmean, double *dvariance,
                                                  const double *mean, const double *variance, const T *y,
                                                  const T *weight, const T *logvar, double *partial) {
  expected_gaussian(n, n, scale, dmean, dvariance, mean, variance, y, weight, logvar, partial);
}
REAL_KERNEL(256, gaussian_expected,
            (int n, double scale, double *dmean, double *dvariance, const double *mean, const double *variance,
             const T *y, const T *weight, const T *logvar, double *partial),
            (n, scale, dmean, dvariance, mean, variance, y, weight, logvar, partial))

// gaussian_moments: gaussian_expected for the Real moments of n = S·B rows; y [B,C] repeats for each sample. Grid as
// gaussian; 3 numbers in, 2 out.
template <typename T>
__device__ __forceinline__ void gaussian_moments(int n, int batch, double scale, T *dmean, T *dvariance, const T *mean,
                                                 const T *variance, const T *y, const T *weight, const T *logvar,
                                                 double *partial) {
  expected_gaussian(n, batch, scale, dmean, dvariance, mean, variance, y, weight, logvar, partial);
}
REAL_KERNEL(256, gaussian_moments,
            (int n, int batch, double scale, T *dmean, T *dvariance, const T *mean, const T *variance, const T *y,
             const T *weight, const T *logvar, double *partial),
            (n, batch, scale, dmean, dvariance, mean, variance, y, weight, logvar, partial))

// column_sum is the sum of the blocks' partial sums [C,blocks] of a column, by one block, for every thread of it.
__device__ __forceinline__ double column_sum(const double *partial, int blocks, int c) {
  double sum = 0;
  for (int i = (int)threadIdx.x; i < blocks; i += (int)blockDim.x) sum += partial[c * blocks + i];
  return block_sum(sum);
}

// gaussian_sum: ell = −½ scale·Σ_c (n log 2πσ²_c + Σ/σ²_c) and dlogvar[c] += ½ scale·(Σ/σ²_c − n), where Σ is the sum
// of a column's partial sums, n = S·Σ w of rows. Grid of one block, which takes the width columns in order; 8 bytes a
// block of the launch before.
template <typename T>
__device__ __forceinline__ void gaussian_sum(double n, int batch, int blocks, int width, double scale, double *ell,
                                             T *dlogvar, const T *weight, const T *logvar, const double *partial) {
  double total = 0;
  n = weighted_rows(n, batch, weight);
  for (int c = 0; c < width; c++) {
    double sum = column_sum(partial, blocks, c), noise = (double)logvar[c], misfit = sum * exponential(-noise);
    total += n * (1.8378770664093453 + noise) + misfit; // log 2π
    if (threadIdx.x == 0) dlogvar[c] += (T)(0.5 * scale * (misfit - n));
  }
  if (threadIdx.x == 0) ell[0] = -0.5 * scale * total;
}
REAL_KERNEL(256, gaussian_sum,
            (double n, int batch, int blocks, int width, double scale, double *ell, T *dlogvar, const T *weight,
             const T *logvar, const double *partial),
            (n, batch, blocks, width, scale, ell, dlogvar, weight, logvar, partial))

// softmax: dh[s,b,c] = scale·([c = y_b] − softmax(h)_c), and partial[block] = Σ h_y − log Σ_c exp h_c, for rows = S·B
// rows of c numbers and y [B]. A warp takes a row: the largest of it, the sum of exp(h − largest) in double, then the
// gradient; the row is read three times, from the first level of cache after the first. Grid of at most 1024 blocks of
// 8 warps that stride over the rows. Lanes sum their columns in order, then a butterfly; a warp its rows in order, then
// the warps. One number in, one out and two exponentials an element.
template <typename T>
__device__ __forceinline__ void softmax(int rows, int batch, int c, double scale, T *dh, const T *h, const int *y,
                                        const T *weight, double *partial) {
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
    double w = row_weight(weight, row, batch);
    T slope = (T)(-scale * w / sum);
    for (int i = lane; i < c; i += 32) d[i] = slope * exponential(x[i] - top) + (i == label ? (T)(scale * w) : (T)0);
    total += w * ((double)(x[label] - top) - logarithm(sum));
  }
  total = block_sum(lane == 0 ? total : 0.0);
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
}
REAL_BOUNDED_KERNEL(256, 4, softmax,
                    (int rows, int batch, int c, double scale, T *dh, const T *h, const int *y, const T *weight,
                     double *partial),
                    (rows, batch, c, scale, dh, h, y, weight, partial))

// bernoulli: dh = ±scale·(1 − σ(±h)) and partial[block] = Σ log σ(±h), + where y [B] is 1, for n = S·B elements. Grid
// and sums as gaussian. One number in, one out, an exponential and a logarithm an element.
template <typename T>
__device__ __forceinline__ void bernoulli(int n, int batch, double scale, T *dh, const T *h, const int *y,
                                          const T *weight, double *partial) {
  double total = 0;
  for (long long i = global_thread(); i < n; i += gridDim.x * blockDim.x) {
    double sign = 2 * y[i % batch] - 1, with = sign * (double)h[i];
    double e = exponential(-absolute(with));
    double w = row_weight(weight, (int)(i % batch), batch);
    total += w * ((with < 0 ? with : 0) - log_one_plus(e));
    dh[i] = (T)(scale * w * sign * (with < 0 ? 1 : e) / (1 + e));
  }
  total = block_sum(total);
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
}
REAL_KERNEL(256, bernoulli,
            (int n, int batch, double scale, T *dh, const T *h, const int *y, const T *weight, double *partial),
            (n, batch, scale, dh, h, y, weight, partial))

// add_offset: h[row,c] += offset[c] for n = S·B·C elements of rows of c numbers. One element a thread, grid ⌈n/256⌉;
// one number in and out: bound by memory.
template <typename T>
__device__ __forceinline__ void add_offset(int n, int c, T *h, const T *offset) {
  int i = global_thread();
  if (i < n) h[i] += offset[i % c];
}
REAL_KERNEL(256, add_offset, (int n, int c, T *h, const T *offset), (n, c, h, offset))

// add_offset_backward: doffset[c] += Σ_row dh[row,c] for rows = S·B of C numbers. Grid C: a block takes a column;
// thread t sums rows t, t+256, … in double, then block_sum. One number in and an addition an element.
template <typename T>
__device__ __forceinline__ void add_offset_backward(int rows, T *doffset, const T *dh) {
  int c = (int)blockIdx.x, width = (int)gridDim.x;
  double sum = 0;
  for (int row = (int)threadIdx.x; row < rows; row += (int)blockDim.x) sum += (double)dh[(long long)row * width + c];
  sum = block_sum(sum);
  if (threadIdx.x == 0) doffset[c] += (T)sum;
}
REAL_KERNEL(256, add_offset_backward, (int rows, T *doffset, const T *dh), (rows, doffset, dh))
