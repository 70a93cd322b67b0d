package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Shapes are the names of the kernels of the GP layer, in the order of device.Shape. A kernel is
// one of them, or the sum of two, "rbf+matern12".
func Shapes() []string { return []string{"rbf", "matern12", "matern32", "matern52"} }

// shapeOf is a kernel by its name; no name is RBF, the paper's.
func shapeOf(name string) (device.Shape, bool) {
	if name == "" {
		return device.RBF, true
	}
	at := slices.Index(Shapes(), name)
	return device.Shape(max(0, at)), at >= 0
}

// FeatureKernels are the names of the kernels of the random features: Shapes, whose features are
// waves, and the arc-cosine kernels of Cho and Saul (2009) by their degree.
func FeatureKernels() []string { return append(Shapes(), "arccos0", "arccos1", "arccos2") }

// activation is what the DRF layers make of their phases. Arc-cosine features have the frequencies
// of RBF.
func (c *Config) activation() device.Activation {
	if at := slices.Index(FeatureKernels(), c.FeatureKernel) - len(Shapes()); at >= 0 {
		return device.ArcCos0 + device.Activation(at)
	}
	return device.Waves
}

// mixes says whether the frequencies of the DRF layers have the heavier tails of a Matérn kernel:
// those of RBF times √u, u being inverse-gamma (ν, ν), one for each frequency, drawn once. Given u,
// q(Ω) and its KL are those of RBF.
func (c *Config) mixes() bool {
	shape, _ := shapeOf(c.FeatureKernel)
	return shape != device.RBF
}

// mixing makes √u for Matérn ν of standard normals, 2ν for each: 2ν/u is χ² with 2ν degrees of
// freedom. It is held below 10⁴√(2ν).
func (c *Config) mixing(dst []float64, normal func([]float64)) {
	shape, _ := shapeOf(c.FeatureKernel)
	n := shape.TwiceNu()
	z := make([]float64, n*len(dst))
	normal(z)
	for r := range dst {
		chi2 := 0.0
		for _, v := range z[r*n : (r+1)*n] {
			chi2 += v * v
		}
		dst[r] = math.Sqrt(float64(n) / max(chi2, leastChi2))
	}
}

const leastChi2 = 1e-8

// shapes are the terms of the GP layer's kernel.
func (c *Config) shapes() ([]device.Shape, error) {
	names := strings.Split(c.Kernel, "+")
	terms := make([]device.Shape, len(names))
	for i, name := range names {
		shape, ok := shapeOf(name)
		if !ok || len(names) > 2 || (name == "" && len(names) > 1) {
			return nil, fmt.Errorf("model: kernel is %q: expected one of %v, or two with a + between them", c.Kernel, Shapes())
		}
		terms[i] = shape
	}
	return terms, nil
}
