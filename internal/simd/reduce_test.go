package simd

import (
	"math"
	"testing"
)

func testReduce[T Float](t *testing.T, dot func(x, y []T) T, axpy func(alpha T, x, y []T)) {
	for n := range 200 {
		if n > 150 {
			n *= 113
		}
		x, y := random[T](1, n), random[T](2, n)
		want, size := 0.0, 0.0
		for i := range x {
			want += float64(x[i]) * float64(y[i])
			size += math.Abs(float64(x[i]) * float64(y[i]))
		}
		if got := float64(dot(x, y)); !(math.Abs(got-want) <= epsilon[T]()*(2+math.Sqrt(float64(n)))*size) {
			t.Fatalf("n %d: dot %g, want %g", n, got, want)
		}
		z := append(y[:n:n], gap)
		axpy(0.5, x, z[:n])
		for i := range x {
			want := float64(y[i]) + 0.5*float64(x[i])
			if !(math.Abs(float64(z[i])-want) <= epsilon[T]()*(1+math.Abs(want))) {
				t.Fatalf("n %d: axpy[%d] = %g, want %g", n, i, z[i], want)
			}
		}
		inBounds(t, n, z)
	}
}

func TestReduce(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		t.Run("float32", func(t *testing.T) { testReduce(t, Dot32, Axpy32) })
		t.Run("float64", func(t *testing.T) { testReduce(t, Dot64, Axpy64) })
	})
}
