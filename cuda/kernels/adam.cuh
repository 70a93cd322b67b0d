// adam.cuh: the update of the flat parameter vector (Kingma & Ba), CPU twin device/cpu/adam.go.
#pragma once

// adam, one element a thread:
//
//	ĝ = scale·g + l2·p
//	m = β1 m + (1−β1) ĝ,  v = β2 v + (1−β2) ĝ²
//	p −= rate·size·m/(√v·root + eps)        size = lr/(1−β1ᵗ), root = 1/√(1−β2ᵗ); both may be live
//
// p, g, m, v, rate [n]. Grid ⌈n/256⌉, no shared memory. It moves 5 numbers in and 3 out, 15 FLOP an element: bound by
// memory. No sums.
template <typename T>
__device__ __forceinline__ void adam(int n, T *p, const T *g, T *m, T *v, const T *rate, T beta1, T rest1, T beta2,
                                     T rest2, double size, double root, T eps, T l2, T scale) {
  int i = global_thread();
  if (i >= n) return;
  T x = p[i];
  T grad = scale * g[i] + l2 * x;
  T mean = beta1 * m[i] + rest1 * grad;
  T square = beta2 * v[i] + rest2 * (grad * grad);
  m[i] = mean;
  v[i] = square;
  p[i] =
      x - rate[i] * (T)number_of(size, live.size) * mean / (square_root(square) * (T)number_of(root, live.root) + eps);
}
REAL_KERNEL(256, adam,
            (int n, T *p, const T *g, T *m, T *v, const T *rate, T beta1, T rest1, T beta2, T rest2, double size,
             double root, T eps, T l2, T scale),
            (n, p, g, m, v, rate, beta1, rest1, beta2, rest2, size, root, eps, l2, scale))
