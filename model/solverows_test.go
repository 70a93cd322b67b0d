package model

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Rows that were solved once have the bound and the gradient of rows whose distances are solved in every step,
// whatever the batch and its chunks; and predictions, too.
func TestSolveRows(t *testing.T) {
	for _, name := range []string{"cpu:f64", "cpu:f32"} {
		dev := openDevice(t, name)
		c := gpdrfConfig()
		c.Inputs, c.Maps, c.Lengthscales, c.LearnInducing, c.FeedForward = 0, []string{MapLinear}, Shared, false, false
		f := newFixture(t, dev, c)
		gradient := func() (float64, []float64) {
			f.m.Gradient(f.pass, f.data, f.step)
			g := make([]float64, f.m.params.total)
			dev.Download(g, f.m.params.Grad)
			e := must.Get(f.m.ReadELBO(1))(t)
			return e.Value, g
		}
		bound, before := gradient()
		p := must.Get(f.m.Predict(f.data, 3, 1))(t)
		f.m.SolveRows(f.m.NewChunkedWorkspace(1, 5, 3), f.data, func(int) bool { return true })
		if !f.data.solved {
			t.Fatal("the rows are not solved")
		}
		after, got := gradient()
		tolerance := 1e-12
		if name == "cpu:f32" {
			tolerance = 1e-5
		}
		if math.Abs(after-bound) > tolerance*math.Abs(bound) {
			t.Errorf("%s: the bound is %v, and was %v", name, after, bound)
		}
		largest := 0.0
		for _, v := range before {
			largest = max(largest, math.Abs(v))
		}
		for i, v := range before {
			if !(math.Abs(got[i]-v) <= tolerance*largest) {
				t.Errorf("%s: gradient %d is %v, and was %v", name, i, got[i], v)
			}
		}
		q := must.Get(f.m.Predict(f.data, 3, 1))(t)
		for i, v := range p.H {
			if !(math.Abs(q.H[i]-v) <= 10*tolerance) {
				t.Errorf("%s: prediction %d is %v, and was %v", name, i, q.H[i], v)
			}
		}
	}
}
