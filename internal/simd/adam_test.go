package simd

import (
	"math"
	"testing"
)

// testAdam compares with the formulas of Kingma & Ba, element by element.
func testAdam[T Float](t *testing.T, adam func(p, g, m, v, rate []T, co AdamCoeffs)) {
	const beta1, beta2, lr, eps, l2, scale = 0.9, 0.999, 0.01, 1e-8, 0.3, -0.25
	for _, n := range []int{0, 1, 7, 16, 33, 100, 20000} {
		p, rate := random[T](1, n+1), random[T](2, n+1)
		m, v := make([]T, n+1), make([]T, n+1)
		for i := range rate {
			rate[i] = T(i % 3)
		}
		want, m0, v0 := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range want {
			want[i] = float64(p[i])
		}
		last := p[n]
		for step := 1; step <= 3; step++ {
			g := random[T](uint64(step+5), n)
			c1, c2 := 1-math.Pow(beta1, float64(step)), 1-math.Pow(beta2, float64(step))
			adam(p[:n], g, m[:n], v[:n], rate[:n], AdamCoeffs{Beta1: beta1, Beta2: beta2, StepSize: lr / c1,
				RootScale: 1 / math.Sqrt(c2), Eps: eps, L2: l2, Scale: scale})
			for i := range want {
				grad := scale*float64(g[i]) + l2*want[i]
				m0[i] = beta1*m0[i] + (1-beta1)*grad
				v0[i] = beta2*v0[i] + (1-beta2)*grad*grad
				want[i] -= float64(rate[i]) * lr * (m0[i] / c1) / (math.Sqrt(v0[i]/c2) + eps)
			}
		}
		for i := range want {
			if tol := 40 * epsilon[T]() * (1 + math.Abs(want[i])); !(math.Abs(float64(p[i])-want[i]) <= tol) {
				t.Fatalf("n %d, p[%d] = %g, want %g", n, i, p[i], want[i])
			}
		}
		if p[n] != last || m[n] != 0 || v[n] != 0 {
			t.Fatalf("n %d: wrote past the end", n)
		}
	}
}

func TestAdam(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		t.Run("float32", func(t *testing.T) { testAdam(t, Adam32) })
		t.Run("float64", func(t *testing.T) { testAdam(t, Adam64) })
	})
}
