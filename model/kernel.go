package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Kernels returns the names of the kernels of the GP layer, in the order of device.Correlation. A kernel is one of
// them, or the sum of two, "rbf+matern12".
func Kernels() []string { return []string{"rbf", "matern12", "matern32", "matern52"} }

// kernelOf returns a kernel by its name; no name is RBF, the paper's.
func kernelOf(name string) (device.Correlation, bool) {
	if name == "" {
		return device.RBF, true
	}
	at := slices.Index(Kernels(), name)
	return device.Correlation(max(0, at)), at >= 0
}

// FeatureKernels returns the names of the kernels of the random features: Kernels, by Fourier features, and the
// arc-cosine kernels of Cho and Saul (2009) by their degree.
func FeatureKernels() []string { return append(Kernels(), "arccos0", "arccos1", "arccos2") }

// activation returns the function φ of the DRF layers. Arc-cosine features have the same frequencies as RBF.
func (c *Config) activation() device.Activation {
	if at := slices.Index(FeatureKernels(), c.FeatureKernel) - len(Kernels()); at >= 0 {
		return device.ArcCos0 + device.Activation(at)
	}
	return device.Fourier
}

// mixes reports whether the frequencies of the DRF layers have the heavier tails of a Matérn kernel: frequencies of RBF
// times √u, u being inverse-gamma (ν, ν), one for each frequency, drawn once. Given u, q(Ω) and its KL are the same as
// for RBF.
func (c *Config) mixes() bool {
	kernel, _ := kernelOf(c.FeatureKernel)
	return kernel != device.RBF
}

// mixing makes √u for Matérn ν from standard normals, 2ν for each: 2ν/u is χ² with 2ν degrees of freedom. √u is held
// below 10⁴√(2ν).
func (c *Config) mixing(s blockStart) {
	kernel, _ := kernelOf(c.FeatureKernel)
	n := kernel.TwiceNu()
	z := make([]float64, n*len(s.dst))
	s.normal(z)
	for r := range s.dst {
		chi2 := 0.0
		for _, v := range z[r*n : (r+1)*n] {
			chi2 += v * v
		}
		s.dst[r] = math.Sqrt(float64(n) / max(chi2, minChi2))
	}
}

const minChi2 = 1e-8

// vectorKernels returns the terms of the GP layer's kernel.
func (c *Config) vectorKernels() ([]device.Correlation, error) {
	names := strings.Split(c.Kernel, "+")
	terms := make([]device.Correlation, len(names))
	for i, name := range names {
		kernel, ok := kernelOf(name)
		if !ok || len(names) > 2 || (name == "" && len(names) > 1) {
			return nil, fmt.Errorf("model: kernel is %q: expected one of %s, or two with a + "+
				"between them", c.Kernel, strings.Join(Kernels(), ", "))
		}
		terms[i] = kernel
	}
	return terms, nil
}
