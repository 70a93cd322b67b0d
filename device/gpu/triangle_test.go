//go:build cuda && cgo

package gpu

import (
	"math"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// The inverse of a factor is made with it, and of no other triangle.
func TestInverseOnce(t *testing.T) {
	const k, m, n = 2, 70, 3
	d := open(t, true)
	double := func(shape ...int) *device.Tensor { return d.New(device.Double, shape...) }
	matrix := func(diagonal float64) []float64 {
		c := make([]float64, k*m*m)
		for i := range c {
			row, column := i/m%m, i%m
			c[i] = math.Sin(float64(row*column)) / m
			if row == column {
				c[i] += diagonal
			}
		}
		return c
	}
	l, c, jitter, a, b, da, dl := double(k, m, m), double(k, m, m), double(k), double(k, m, n), double(k, m, n),
		double(k, m, n), double(k, m, m)
	d.Upload(b, slices.Repeat([]float64{1, -2, 3}, k*m))
	calls := func(f func()) int {
		before := d.Usage().Calls
		f()
		return d.Usage().Calls - before
	}
	solve := func() []float64 {
		d.Trsm(a, l, b)
		return download(d, a)
	}
	d.Upload(c, matrix(2))
	for range 2 { // the first looks the kernels up
		d.Potrf(l, jitter, c)
		d.Trsm(a, l, b)
		d.TrsmBackward(da, dl, b, l, a)
	}
	d.Potrf(l, jitter, c)
	for range 2 {
		if n := calls(func() { d.Trsm(a, l, b) }); n != 1 {
			t.Errorf("a solve takes %d calls of the driver instead of 1", n)
		}
	}
	if again := calls(func() { d.TrsmBackward(da, dl, b, l, a) }); again != 2 {
		t.Errorf("the gradient of a solve takes %d calls instead of 2", again)
	}
	small := solve()

	d.Upload(c, matrix(3))
	d.Potrf(l, jitter, c)
	large, factor := solve(), download(d, l)
	if slices.Equal(small, large) {
		t.Error("a new factor has the inverse of the one before")
	}

	for name, write := range map[string]func(){
		"Upload": func() { d.Upload(l, factor) },
		"Copy":   func() { same := double(k, m, m); d.Upload(same, factor); d.Copy(l, same) },
	} {
		d.Upload(c, matrix(2))
		d.Potrf(l, jitter, c)
		solve()
		write()
		for i, v := range solve() { // not by the kernels that factor: other roundings
			if math.Abs(v-large[i]) > 1e-13 {
				t.Fatalf("a factor that %s wrote: element %d of a solution is %g, and %g by Potrf's inverse", name, i,
					v, large[i])
			}
		}
	}
}
