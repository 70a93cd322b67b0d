// ordinal.cuh: the likelihood of levels in order, CPU twin device/cpu/ordinal.go. Grids and sums as in likelihood.cuh,
// two sums a block.
#pragma once

// beyond stands for ∞ among cut points: the normal density and distribution are exact there.
constexpr double beyond = 1e30;

// erf_near is erf x for 0 ≤ x < 2: 2/√π e^−x² Σ_k 2ᵏx²ᵏ⁺¹/(2k+1)!!, whose terms are all positive.
__device__ __forceinline__ double erf_near(double x) {
  double term = x, sum = x;
#pragma unroll 1
  for (int k = 1; k <= 40; k++) {
    term *= 2 * x * x / (2 * k + 1);
    sum += term;
  }
  return 1.1283791670955126 * exponential(-x * x) * sum;
}

// erfc_far is eˣ² erfc x for x ≥ 2, by its continued fraction: 1/√π / (x + ½/(x + 1/(x + 1½/(x + …)))).
__device__ __forceinline__ double erfc_far(double x) {
  double f = x;
#pragma unroll 1
  for (int k = 40; k > 0; k--) f = x + 0.5 * k / f;
  return 0.5641895835477563 / f;
}

// normal_below is Φ(x) for x ≤ 0, or its logarithm.
__device__ __forceinline__ double normal_below(double x, bool log) {
  double t = -0.7071067811865476 * x;
  if (t < 2) {
    double p = 0.5 * (1 - erf_near(t));
    return log ? logarithm(p) : p;
  }
  double p = 0.5 * erfc_far(t);
  return log ? logarithm(p) - t * t : p * exponential(-t * t);
}

// log_probit is log(Φ(upper) − Φ(lower)) for lower < upper, with its digits in both tails. Logarithms near each other
// have a series of 1 − eᵈ.
__device__ __forceinline__ double log_probit(double lower, double upper) {
  if (lower > 0) {
    double mirrored = -lower;
    lower = -upper;
    upper = mirrored;
  }
  if (upper > 0) return logarithm(1 - (normal_below(lower, false) + normal_below(-upper, false)));
  double top = normal_below(upper, true), d = normal_below(lower, true) - top;
  return top + logarithm(d > -1e-5 ? -d * (1 + d * (0.5 + d / 6)) : 1 - exponential(d));
}

// density_over is the standard normal density at x over a probability, given by its logarithm.
__device__ __forceinline__ double density_over(double x, double log_p) {
  return exponential(-0.5 * x * x - 0.9189385332046727 - log_p); // ½ log 2π
}

// ordinal: log p = log(Φ(κ_y+1 − h) − Φ(κ_y − h)) for n = S·B outputs and labels y [B], which repeat. The cut points
// are κ_1 = cuts[0], κ_k+1 = κ_k + floor + exp cuts[k]. A row of blocks has a cut point and the rows with a level
// beside it: slopes[c,block] = Σ of the gradient in κ_c+1. The rows below it, and at the last cut point those above,
// too, have their value there, in values[c,block], and dh = scale·(φ(κ_y − h) − φ(κ_y+1 − h))/p. Grid of at most 1024
// blocks that stride over the rows, times K−1; some exponentials and 80 quotients a row. ordinal_sum adds up.
template <typename T>
__device__ __forceinline__ void ordinal(int n, int batch, double scale, double floor, T *dh, const T *h, const int *y,
                                        const T *weight, const T *cuts, double *values, double *slopes) {
  int c = (int)blockIdx.y, last = (int)gridDim.y - 1;
  double below = -beyond, at = (double)cuts[0], above = beyond, total = 0, slope = 0;
  for (int k = 1; k <= c; k++) {
    below = at;
    at += floor + exponential((double)cuts[k]);
  }
  if (c < last) above = at + floor + exponential((double)cuts[c + 1]);
  for (int row = global_thread(); row < n; row += (int)(gridDim.x * blockDim.x)) {
    int label = y[row % batch];
    if (label != c && label != c + 1) continue;
    bool under = label == c; // the level ends at κ_c+1; otherwise it begins there
    double w = row_weight(weight, row, batch), f = (double)h[row], edge = at - f, other = (under ? below : above) - f;
    double p = log_probit(under ? other : edge, under ? edge : other), sign = under ? 1 : -1;
    double along = sign * w * density_over(edge, p);
    slope += along;
    if (!under && c != last) continue;
    total += w * p;
    dh[row] = (T)(scale * (sign * w * density_over(other, p) - along));
  }
  total = block_sum(total);
  slope = block_sum(slope);
  if (threadIdx.x == 0) {
    values[c * gridDim.x + blockIdx.x] = total;
    slopes[c * gridDim.x + blockIdx.x] = slope;
  }
}
REAL_BOUNDED_KERNEL(256, 2, ordinal,
                    (int n, int batch, double scale, double floor, T *dh, const T *h, const int *y, const T *weight,
                     const T *cuts, double *values, double *slopes),
                    (n, batch, scale, floor, dh, h, y, weight, cuts, values, slopes))

// ordinal_sum: ell = scale·Σ of values, dcuts[0] += scale·Σ of all slopes and dcuts[k] += scale·exp cuts[k]·Σ of those
// of the cut points from k on, which gap k moves. Grid of one block, which takes the width cut points from the last to
// the first; 16 bytes a block of the launch before.
template <typename T>
__device__ __forceinline__ void ordinal_sum(int blocks, int width, double scale, double *ell, T *dcuts, const T *cuts,
                                            const double *values, const double *slopes) {
  double total = 0, above = 0;
  for (int k = width - 1; k >= 0; k--) {
    total += column_sum(values, blocks, k);
    above += column_sum(slopes, blocks, k);
    if (threadIdx.x == 0) dcuts[k] += (T)(scale * above * (k > 0 ? exponential((double)cuts[k]) : 1.0));
  }
  if (threadIdx.x == 0) ell[0] = scale * total;
}
REAL_KERNEL(256, ordinal_sum,
            (int blocks, int width, double scale, double *ell, T *dcuts, const T *cuts, const double *values,
             const double *slopes),
            (blocks, width, scale, ell, dcuts, cuts, values, slopes))
