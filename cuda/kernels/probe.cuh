// probe.cuh: the functions of math.cuh and philox.cuh, for the tests that compare them with the Go library, on the
// double and on a card. No operation launches it. No CPU twin.
#pragma once

// probe: out[i] = f(x[i]), f by its number: eˣ, ln x, sin x, cos x, Φ⁻¹(x); 1/x, 1/√x in double; or element i of the
// stream of normals with key {1, 2}, row 3, step 4, tail 5. Sines and cosines are taken beside those of the next three
// elements. Grid ⌈n/256⌉, no shared memory.
template <typename T>
__device__ __forceinline__ void probe(int n, int f, T *out, const T *x) {
  int i = global_thread();
  if (i >= n) return;
  T sines[4], cosines[4];
  switch (f) {
  case 0:
    out[i] = exponential(x[i]);
    break;
  case 1:
    out[i] = logarithm(x[i]);
    break;
  case 2:
  case 3:
    for (int q = 0; q < 4; q++) cosines[q] = x[(i + q) % n];
    sine_cosines(cosines, sines);
    out[i] = f == 2 ? sines[0] : cosines[0];
    break;
  case 4:
    out[i] = quantile(x[i], 1 - x[i]);
    break;
  case 6:
    out[i] = (T)reciprocal((double)x[i]);
    break;
  case 7:
    out[i] = (T)reciprocal_root((double)x[i]);
    break;
  default: {
    T z[4];
    normals<T>(Key{1, 2, 4, 5}, 0, 3, (unsigned)i / 4, z);
    out[i] = z[i % 4];
  }
  }
}
REAL_KERNEL(256, probe, (int n, int f, T *out, const T *x), (n, f, out, x))
