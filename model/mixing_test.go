package model

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Frequencies of Matérn kernels: over many of them E cos(ωr) is the kernel, ω being a standard normal times mixing.
func TestMixing(t *testing.T) {
	const n = 60000
	for name, kernel := range map[string]func(r float64) float64{
		"matern12": func(r float64) float64 { return math.Exp(-r) },
		"matern32": func(r float64) float64 { return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r) },
		"matern52": func(r float64) float64 { return (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r) },
	} {
		c := Config{FeatureKernel: name}
		root, z := make([]float64, n), make([]float64, n)
		c.mixing(blockStart{dst: root, normal: func(dst []float64) { normals(dst, 5, 0) }})
		normals(z, 5, 1)
		for _, r := range []float64{0.1, 0.5, 1, 2} {
			mean := 0.0
			for i, v := range root {
				mean += math.Cos(v*z[i]*r) / n
			}
			if e := math.Abs(mean - kernel(r)); e > 0.012 { // four standard errors
				t.Errorf("%s: %g at distance %g, want %g", name, mean, r, kernel(r))
			}
		}
	}
}

// Mixing is drawn by the seed, and is no parameter that learns.
func TestMixingIsFixed(t *testing.T) {
	c := gpdrfConfig()
	c.FeatureKernel = "matern12"
	dev := openDevice(t, "cpu:f64")
	m := must.Get(New(dev, c))(t)
	m.Init(Init{Seed: 3, InducingPoints: make([]float64, c.Inducing*c.Inputs), GPLengthscaleFactor: 1,
		DRFLengthscaleFactor: 1, NoiseVariance: 1})
	for _, n := range m.Export() {
		if n.Name != "drf.1.mixing" {
			continue
		}
		for _, v := range n.Data {
			if !(v > 0) || v > 1e4 {
				t.Errorf("factor %g", v)
			}
		}
		if f := newFixture(t, dev, c); findBlock(f.m, n.Name).Role != Fixed {
			t.Error("it learns")
		}
		return
	}
	t.Error("the second layer has none")
}
