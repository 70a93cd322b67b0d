package simd

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

func TestNormals(t *testing.T) {
	key := [2]uint32{0xdeadbeef, 42}
	for _, n := range []int{0, 1, 3, 4, 5, 63, 64, 65, 1000} {
		x, y := make([]float32, n+1), make([]float64, n+1)
		x[n], y[n] = gap, gap
		Normals32(x[:n], key, 7, 8, 9)
		Normals64(y[:n], key, 7, 8, 9)
		for i := range n {
			want := philox.Normal(key, 7, 8, 9, i)
			if !(math.Abs(float64(x[i])-want) <= 1e-5) {
				t.Fatalf("n %d, element %d: %g, want %g", n, i, x[i], want)
			}
			if y[i] != want {
				t.Fatalf("n %d, element %d: %g, want %g", n, i, y[i], want)
			}
		}
		if x[n] != gap || y[n] != gap {
			t.Fatalf("n %d: wrote past the end", n)
		}
	}
}

func TestDotAxpy(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 7, 33, 100} {
		x, y := random[float64](1, n), random[float64](2, n)
		want := 0.0
		for i := range x {
			want += x[i] * y[i]
		}
		if got := Dot64(x, y); !(math.Abs(got-want) <= 1e-14*float64(n+1)) {
			t.Errorf("n %d: dot %g, want %g", n, got, want)
		}
		z := append([]float64(nil), y...)
		Axpy64(0.5, x, z)
		for i := range z {
			if want := y[i] + 0.5*x[i]; !(math.Abs(z[i]-want) <= 1e-15*(1+math.Abs(want))) {
				t.Errorf("n %d, axpy[%d] = %g, want %g", n, i, z[i], want)
			}
		}
	}
}
