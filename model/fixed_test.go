package model

import (
	"slices"
	"testing"
)

// The kernel of one linear map is factorised once, and its gradients are left out: every other gradient is the same, to
// the bit, as if all were computed in every step. Other distances among X̄ have another factor.
func TestFixedKernel(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for _, whiten := range []bool{true, false} {
		c := gpdrfConfig()
		c.Inputs, c.Maps, c.Lengthscales, c.LearnInducing, c.FeedForward, c.Whiten = 0,
			[]string{MapLinear}, Isotropic, false, false, whiten
		f := newFixture(t, dev, c)
		if !f.m.gp.fixed {
			t.Fatal("one linear map is not fixed")
		}
		gradient := func() []float64 {
			f.m.Gradient(f.pass, f.data, f.step)
			g := make([]float64, f.m.params.total)
			dev.Download(g, f.m.params.Grad)
			return g
		}
		gradient()
		if !f.m.gp.factorised {
			t.Error("the factor is not kept")
		}
		short := gradient()
		f.m.gp.fixed, f.m.gp.factorised = false, false
		if whole := gradient(); !slices.Equal(short, whole) {
			t.Errorf("whiten %v: %v\nall of it: %v", whiten, short, whole)
		}

		f.m.gp.fixed = true
		gradient()
		apart := make([]float64, c.Inducing*c.Inducing)
		for i := range apart {
			if i%(c.Inducing+1) != 0 {
				apart[i] = 1.9
			}
		}
		f.m.SetInducing(apart)
		if slices.Equal(gradient(), short) {
			t.Errorf("whiten %v: other distances, the same gradient", whiten)
		}
	}
	c := gpdrfConfig()
	c.Inputs, c.LearnInducing, c.FeedForward = 0, false, false
	for _, maps := range [][]string{{MapRBF}, {MapLinear, MapLinear}} {
		if c.Maps = maps; newFixture(t, dev, c).m.gp.fixed {
			t.Errorf("%v has parameters and is taken for fixed", maps)
		}
	}
}
