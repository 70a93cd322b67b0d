// math.cuh: exp, log, sine and cosine without libdevice. Each reduces the argument and takes a polynomial, in float or
// double. A test compares them with the Go library. Largest errors, in units of the last place: exponential 1.5,
// logarithm 1.5, sine_cosines 2 (absolute near its zeros).
#pragma once

// a·b + c, one rounding
__device__ __forceinline__ float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double fused(double a, double b, double c) { return fma(a, b, c); }
// product is a·b, rounded. Without it, a compiler may round a·b + c once.
__device__ __forceinline__ double product(double a, double b) {
#ifdef ON_GPU
  double p;
  asm("mul.rn.f64 %0, %1, %2;" : "=d"(p) : "d"(a), "d"(b));
  return p;
#else
  volatile double p = a * b;
  return p;
#endif
}
__device__ __forceinline__ float square_root(float v) { return sqrtf(v); }
__device__ __forceinline__ double square_root(double v) { return sqrt(v); }

// reciprocal is 1/v, to a unit in the last place, and reciprocal_root 1/√v, to two, for 2⁻¹⁰²² ≤ v ≤ 2¹⁰²²; beyond they
// are NaN, infinite or 0. The approximation of the hardware has a third of the digits, and one Newton step makes the
// others. Division would branch for subnormal numbers.
#ifdef ON_GPU
__device__ __forceinline__ double reciprocal(double v) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(v));
  double e = fused(-v, r, 1.0);
  return fused(r, fused(e, e, e), r);
}
__device__ __forceinline__ double reciprocal_root(double v) {
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(v));
  double e = fused(-v * r, r, 1.0);
  return fused(r * e, fused(0.375, e, 0.5), r);
}
#else
__device__ __forceinline__ double reciprocal(double v) { return 1 / v; }
__device__ __forceinline__ double reciprocal_root(double v) { return 1 / sqrt(v); }
#endif

__device__ __forceinline__ float absolute(float v) { return fabsf(v); }
__device__ __forceinline__ double absolute(double v) { return fabs(v); }
// NaN in either argument gives b: callers that must keep NaN put the tested value second.
template <typename T>
__device__ __forceinline__ T larger(T a, T b) {
  return a > b ? a : b;
}
template <typename T>
__device__ __forceinline__ T smaller(T a, T b) {
  return a < b ? a : b;
}

// not_a_number and infinity without a header.
template <typename T>
__device__ __forceinline__ T not_a_number();
template <>
__device__ __forceinline__ float not_a_number<float>() {
  return __int_as_float(0x7fc00000);
}
template <>
__device__ __forceinline__ double not_a_number<double>() {
  return __longlong_as_double(0x7ff8000000000000LL);
}
template <typename T>
__device__ __forceinline__ T infinity();
template <>
__device__ __forceinline__ float infinity<float>() {
  return __int_as_float(0x7f800000);
}
template <>
__device__ __forceinline__ double infinity<double>() {
  return __longlong_as_double(0x7ff0000000000000LL);
}

// power_of_two is 2ⁿ for −126 ≤ n ≤ 127, or −1022 ≤ n ≤ 1023.
template <typename T>
__device__ __forceinline__ T power_of_two(int n);
template <>
__device__ __forceinline__ float power_of_two<float>(int n) {
  return __int_as_float((int)((unsigned)(n + 127) << 23));
}
template <>
__device__ __forceinline__ double power_of_two<double>(int n) {
  return __longlong_as_double((long long)((unsigned long long)(n + 1023) << 52));
}

// exponential is eˣ: x = n ln 2 + r with |r| ≤ ½ ln 2, eʳ by its Taylor series, and 2ⁿ in two factors, so that the
// smallest results are rounded once.
__device__ __forceinline__ float exponential(float x) {
  x = x > 89.f ? 89.f : x;
  x = x < -104.f ? -104.f : x;
  float shifted = fmaf(x, 0x1.715476p+0f, 12582912.f); // adding 1.5·2²³ rounds to an integer
  int n = __float_as_int(shifted) - 0x4b400000;
  float whole = shifted - 12582912.f;
  float r = fmaf(whole, -0x1.62e43p-1f, x);
  r = fmaf(whole, 0x1.05c61p-29f, r);
  float p = 1.f / 5040;
  p = fmaf(p, r, 1.f / 720);
  p = fmaf(p, r, 1.f / 120);
  p = fmaf(p, r, 1.f / 24);
  p = fmaf(p, r, 1.f / 6);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p, r, 1.f);
  p = fmaf(p, r, 1.f);
  int half = n >> 1;
  return p * power_of_two<float>(half) * power_of_two<float>(n - half);
}

// exponentials are eˣ of N numbers, computed side by side, so that none waits for another.
template <int N>
__device__ __forceinline__ void exponentials(double (&x)[N]) {
  constexpr double taylor[] = {
      1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040,
      1. / 720,        1. / 120,       1. / 24,       1. / 6,       0.5,         1.,         1.};
  int n[N];
  double r[N], p[N];
#pragma unroll
  for (int q = 0; q < N; q++) {
    x[q] = x[q] > 710. ? 710. : x[q];
    x[q] = x[q] < -746. ? -746. : x[q];
    double shifted = fma(x[q], 0x1.71547652b82fep+0, 6755399441055744.); // 1.5·2⁵²
    n[q] = (int)(unsigned)__double_as_longlong(shifted);
    r[q] = shifted - 6755399441055744.; // the whole number
    p[q] = taylor[0];
  }
#pragma unroll
  for (int q = 0; q < N; q++) x[q] = fma(r[q], -0x1.62e42fefa39efp-1, x[q]);
#pragma unroll
  for (int q = 0; q < N; q++) r[q] = fma(r[q], -0x1.abc9e3b39803fp-56, x[q]);
#pragma unroll
  for (int k = 1; k < 14; k++) {
#pragma unroll
    for (int q = 0; q < N; q++) p[q] = fma(p[q], r[q], taylor[k]);
  }
#pragma unroll
  for (int q = 0; q < N; q++) {
    int half = n[q] >> 1;
    x[q] = p[q] * power_of_two<double>(half) * power_of_two<double>(n[q] - half);
  }
#ifdef ON_GPU
#pragma unroll
  // The compiler may not move one of them into a later branch.
  for (int q = 0; q < N; q++) asm volatile("" : "+d"(x[q]));
#endif
}
__device__ __forceinline__ double exponential(double x) {
  double v[1] = {x};
  exponentials(v);
  return v[0];
}

// logarithm is ln x: x = 2ᵉ(1+f) with √½ ≤ 1+f < √2, and with s = f/(2+f)
//
//	ln(1+f) = 2 artanh s = 2s + s³(2/3 + 2/5 s² + …) = f − (f²/2 − s(f²/2 + s²(2/3 + …)))
__device__ __forceinline__ float logarithm(float x) {
  if (!(x > 0.f)) return x == 0.f ? -infinity<float>() : not_a_number<float>();
  if (x == infinity<float>()) return x;
  int e = -127;
  if (x < 0x1p-126f) {
    x *= 0x1p25f;
    e -= 25;
  }
  int bits = __float_as_int(x);
  e += bits >> 23;
  float m = __int_as_float((bits & 0x7fffff) | 0x3f800000);
  if (m > 1.41421356f) {
    m *= 0.5f;
    e++;
  }
  float f = m - 1.f, s = f / (2.f + f), z = s * s, half = 0.5f * f * f;
  float p = 2.f / 11;
  p = fmaf(p, z, 2.f / 9);
  p = fmaf(p, z, 2.f / 7);
  p = fmaf(p, z, 2.f / 5);
  p = fmaf(p, z, 2.f / 3);
  p *= z;
  float exponent = (float)e;
  // ln 2 in two parts, of which the first times e is exact
  return exponent * 0.693359375f - ((half - (s * (half + p) + exponent * -2.12194440e-4f)) - f);
}

__device__ __forceinline__ double logarithm(double x) {
  if (!(x > 0.)) return x == 0. ? -infinity<double>() : not_a_number<double>();
  if (x == infinity<double>()) return x;
  int e = -1023;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    e -= 54;
  }
  long long bits = __double_as_longlong(x);
  e += (int)(bits >> 52);
  double m = __longlong_as_double((bits & 0xfffffffffffffLL) | 0x3ff0000000000000LL);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    e++;
  }
  double f = m - 1., s = f / (2. + f), z = s * s, half = 0.5 * f * f;
  double p = 2. / 23;
  p = fma(p, z, 2. / 21);
  p = fma(p, z, 2. / 19);
  p = fma(p, z, 2. / 17);
  p = fma(p, z, 2. / 15);
  p = fma(p, z, 2. / 13);
  p = fma(p, z, 2. / 11);
  p = fma(p, z, 2. / 9);
  p = fma(p, z, 2. / 7);
  p = fma(p, z, 2. / 5);
  p = fma(p, z, 2. / 3);
  p *= z;
  double exponent = (double)e;
  return exponent * 6.93147180369123816490e-01 -
         ((half - (s * (half + p) + exponent * 1.90821492927058770002e-10)) - f);
}

// sine_cosine_octant is sin r and cos r for |r| ≤ π/4: in float by the polynomials that are nearest to them there, in
// double by their Taylor series.
__device__ __forceinline__ void sine_cosine_octant(float r, float *s, float *c) {
  float z = r * r;
  float p = -0x1.994e5ap-13f;
  p = fmaf(p, z, 0x1.11076p-7f);
  p = fmaf(p, z, -0x1.555546p-3f);
  *s = fmaf(p * z, r, r);
  float q = 0x1.9a020ap-16f;
  q = fmaf(q, z, -0x1.6c0c8ap-10f);
  q = fmaf(q, z, 0x1.55554ap-5f);
  q = fmaf(q, z, -0.5f);
  *c = fmaf(q, z, 1.f);
}

__device__ __forceinline__ void sine_cosine_octant(double r, double *s, double *c) {
  double z = r * r;
  double p = 1. / 355687428096000;
  p = fma(p, z, -1. / 1307674368000);
  p = fma(p, z, 1. / 6227020800);
  p = fma(p, z, -1. / 39916800);
  p = fma(p, z, 1. / 362880);
  p = fma(p, z, -1. / 5040);
  p = fma(p, z, 1. / 120);
  p = fma(p, z, -1. / 6);
  *s = fma(p * z, r, r);
  double q = -1. / 6402373705728000;
  q = fma(q, z, 1. / 20922789888000);
  q = fma(q, z, -1. / 87178291200);
  q = fma(q, z, 1. / 479001600);
  q = fma(q, z, -1. / 3628800);
  q = fma(q, z, 1. / 40320);
  q = fma(q, z, -1. / 720);
  q = fma(q, z, 1. / 24);
  q = fma(q, z, -0.5);
  *c = fma(q, z, 1.);
}

// turn_quadrant turns (s, c) by n quarters of a circle.
template <typename T>
__device__ __forceinline__ void turn_quadrant(int n, T *s, T *c) {
  T sine = n & 1 ? *c : *s, cosine = n & 1 ? *s : *c;
  *s = n & 2 ? -sine : sine;
  *c = (n + 1) & 2 ? -cosine : cosine;
}

// sine_cosines are sin x and cos x of N numbers side by side: x = n π/2 + r, with π/2 in two parts. Beyond |x| = 10⁵
// float goes through double; beyond 2³⁰ the result is NaN: no phase of a model in order is so large. None depends on
// its neighbours. The cosines take the place of the numbers.
template <int N>
__device__ __forceinline__ void sine_cosines(double (&x)[N], double (&s)[N]) {
#pragma unroll
  for (int q = 0; q < N; q++) {
    double shifted = fma(x[q], 0x1.45f306dc9c883p-1, 6755399441055744.);
    int n = (int)(unsigned)__double_as_longlong(shifted);
    double whole = shifted - 6755399441055744.;
    double r = fma(whole, -0x1.921fb54442d18p+0, x[q]);
    r = fma(whole, -0x1.1a62633145c07p-54, r);
    r = absolute(x[q]) <= 0x1p30 ? r : not_a_number<double>();
    sine_cosine_octant(r, &s[q], &x[q]);
    turn_quadrant(n, &s[q], &x[q]);
  }
}

template <int N>
__device__ __forceinline__ void sine_cosines(float (&x)[N], float (&s)[N]) {
  int n[N];
  float r[N];
  bool near = true;
#pragma unroll
  for (int q = 0; q < N; q++) {
    float shifted = fmaf(x[q], 0x1.45f306p-1f, 12582912.f);
    n[q] = __float_as_int(shifted) - 0x4b400000;
    float whole = shifted - 12582912.f;
    r[q] = fmaf(whole, -0x1.921fb6p+0f, x[q]);
    r[q] = fmaf(whole, 0x1.777a5cp-25f, r[q]);
    near &= absolute(x[q]) <= 1e5f;
  }
  if (!near) {
#pragma unroll
    for (int q = 0; q < N; q++) {
      if (absolute(x[q]) <= 1e5f) continue;
      double far = (double)x[q];
      double wide = fma(far, 0x1.45f306dc9c883p-1, 6755399441055744.);
      n[q] = (int)(unsigned)__double_as_longlong(wide);
      far = fma(wide - 6755399441055744., -0x1.921fb54442d18p+0, far);
      r[q] = absolute(x[q]) <= 0x1p30f ? (float)far : not_a_number<float>();
    }
  }
#pragma unroll
  for (int q = 0; q < N; q++) {
    sine_cosine_octant(r[q], &s[q], &x[q]);
    turn_quadrant(n[q], &s[q], &x[q]);
  }
}

// sine_cosine is that of one number.
template <typename T>
__device__ __forceinline__ void sine_cosine(T v, T *s, T *c) {
  T x[1] = {v}, sine[1];
  sine_cosines(x, sine);
  *s = sine[0], *c = x[0];
}

// quantile is Φ⁻¹(p) for p from 1e-15 to 1 − 1e-15, of p and 1 − p: algorithm AS 241 of M. J. Wichura (1988), whose
// ratio for the tails serves their ends, too. Error some 1e-15 relative and 1e-12 at the ends, or in float some 1e-6.
template <typename T>
__device__ __forceinline__ T quantile(T p, T rest) {
  T q = (T)0.5 * (p - rest), r, above, below;
  if (absolute(q) <= (T)0.425) {
    r = (T)0.180625 - q * q;
    above = (T)2.5090809287301226727e3;
    above = fused(above, r, (T)3.3430575583588128105e4);
    above = fused(above, r, (T)6.7265770927008700853e4);
    above = fused(above, r, (T)4.5921953931549871457e4);
    above = fused(above, r, (T)1.3731693765509461125e4);
    above = fused(above, r, (T)1.9715909503065514427e3);
    above = fused(above, r, (T)1.3314166789178437745e2);
    above = fused(above, r, (T)3.3871328727963666080);
    below = (T)5.2264952788528545610e3;
    below = fused(below, r, (T)2.8729085735721942674e4);
    below = fused(below, r, (T)3.9307895800092710610e4);
    below = fused(below, r, (T)2.1213794301586595867e4);
    below = fused(below, r, (T)5.3941960214247511077e3);
    below = fused(below, r, (T)6.8718700749205790830e2);
    below = fused(below, r, (T)4.2313330701600911252e1);
    below = fused(below, r, (T)1);
    return q * above / below;
  }
  r = square_root(-logarithm(smaller(p, rest))) - (T)1.6;
  above = (T)7.74545014278341407640e-4;
  above = fused(above, r, (T)2.27238449892691845833e-2);
  above = fused(above, r, (T)2.41780725177450611770e-1);
  above = fused(above, r, (T)1.27045825245236838258);
  above = fused(above, r, (T)3.64784832476320460504);
  above = fused(above, r, (T)5.76949722146069140550);
  above = fused(above, r, (T)4.63033784615654529590);
  above = fused(above, r, (T)1.42343711074968357734);
  below = (T)1.05075007164441684324e-9;
  below = fused(below, r, (T)5.47593808499534494600e-4);
  below = fused(below, r, (T)1.51986665636164571966e-2);
  below = fused(below, r, (T)1.48103976427480074590e-1);
  below = fused(below, r, (T)6.89767334985100004550e-1);
  below = fused(below, r, (T)1.67638483018380384940);
  below = fused(below, r, (T)2.05319162663775882187);
  below = fused(below, r, (T)1);
  return q < 0 ? -above / below : above / below;
}

// log_one_plus is ln(1 + x) for x ≥ 0. The first term of the series adds the rounding error of 1 + x.
__device__ __forceinline__ double log_one_plus(double x) {
  double one = 1. + x;
  return one == infinity<double>() ? one : logarithm(one) + (x - (one - 1.)) / one;
}

// log_gamma is ln Γ(x) for x > 0: up to 10 by Γ(x+1) = x Γ(x), from there by Stirling's series.
__device__ __forceinline__ double log_gamma(double x) {
  double product = 1;
  for (; x < 10; x += 1) product *= x;
  double v = 1 / (x * x);
  double series =
      (1. / 12 - v * (1. / 360 - v * (1. / 1260 - v * (1. / 1680 - v * (1. / 1188 - v * (691. / 360360)))))) / x;
  // ½ log 2π
  return (x - 0.5) * logarithm(x) - x + 0.9189385332046727 + series - logarithm(product);
}

// digamma is d ln Γ(x)/dx, likewise.
__device__ __forceinline__ double digamma(double x) {
  double below = 0;
  for (; x < 10; x += 1) below -= 1 / x;
  double v = 1 / (x * x);
  return below + logarithm(x) - 0.5 / x - v * (1. / 12 - v * (1. / 120 - v * (1. / 252 - v * (1. / 240 - v / 132))));
}
