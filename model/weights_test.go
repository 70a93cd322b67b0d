package model

import (
	"math"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// objective computes the bound's ELL of all rows of a data set at the fixture's parameters, and the gradient.
func (f *fixture) objective(t *testing.T, rows HostRows, y []float64, labels []int32, klWeight float64) (
	ell float64, g []float64) {
	t.Helper()
	data, pass := f.m.UploadRows(rows, y, labels), f.m.NewWorkspace(f.m.cfg.Samples, rows.N)
	all := make([]int32, rows.N)
	for i := range all {
		all[i] = int32(i)
	}
	f.m.dev.UploadInts(pass.Rows(), all)
	step := f.step
	step.KLWeight = device.Scalar{Value: klWeight}
	f.m.Gradient(pass, data, step)
	e := must.Get(f.m.ReadELBO(klWeight))(t)
	g = make([]float64, len(f.flat))
	f.m.dev.Download(g, f.m.params.Grad)
	return e.ELL, g
}

// Rows of weight 2 count twice, for every likelihood and model: the gradient is twice that with half the KL, bit for
// bit. Weights of 1 have the bits of none.
func TestWeights(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for i, c := range configs() {
		if i%7 > 0 { // a seventh has all likelihoods and all models
			continue
		}
		t.Run(c.testName(), func(t *testing.T) {
			f := newFixture(t, dev, c)
			v := f.naive
			rows := HostRows{N: v.n, X: f.x, Offset: v.offset}
			ell, half := f.objective(t, rows, v.y, v.labels, 0.35)
			_, plain := f.objective(t, rows, v.y, v.labels, 0.7)
			rows.Weight = slices.Repeat([]float64{2}, v.n)
			twice, g := f.objective(t, rows, v.y, v.labels, 0.7)
			if twice != 2*ell {
				t.Errorf("ELL is %.17g, want %.17g", twice, 2*ell)
			}
			for i := range g {
				if g[i] != 2*half[i] {
					t.Fatalf("%s: the gradient of element %d is %.17g, want %.17g", f.blockOf(i).Name, i, g[i],
						2*half[i])
				}
			}
			rows.Weight = slices.Repeat([]float64{1}, v.n)
			if _, ones := f.objective(t, rows, v.y, v.labels, 0.7); !slices.Equal(ones, plain) {
				t.Error("weights of 1 are not the same as none")
			}
		})
	}
}

// A row of weight 2 is two rows, where nothing is drawn.
func TestWeightsAreCopies(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for _, likelihood := range []string{GaussianLikelihood, PoissonLikelihood} {
		f := newFixture(t, dev, Config{Model: GP, Inputs: 3, Outputs: 1, Likelihood: likelihood, Samples: 1, Latents: 1,
			Inducing: 5, Lengthscales: ARD, QCov: Full, Whiten: true})
		v, width := f.naive, 3
		copies := HostRows{N: 2 * v.n, X: func(lo, hi int) (x []float64) {
			for i := lo; i < hi; i++ {
				x = append(x, v.x[i%v.n][:width]...)
			}
			return x
		}}
		if v.offset != nil {
			copies.Offset = append(slices.Clone(v.offset), v.offset...)
		}
		want, copied := f.objective(t, copies, append(slices.Clone(v.y), v.y...), nil, 0.7)
		rows := HostRows{N: v.n, X: f.x, Offset: v.offset, Weight: slices.Repeat([]float64{2}, v.n)}
		ell, g := f.objective(t, rows, v.y, nil, 0.7)
		if math.Abs(ell-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s: ELL is %.15g, of copies %.15g", likelihood, ell, want)
		}
		for i := range g {
			if math.Abs(g[i]-copied[i]) > 1e-10*(1+math.Abs(copied[i])) {
				t.Errorf("%s: the gradient of element %d is %.15g, of copies %.15g", likelihood, i, g[i], copied[i])
			}
		}
	}
}
