package model

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// Init is the start of the parameters. Length-scales start at factor·√d, since the squared distance of standardised
// rows grows with d. LengthScales replaces the length-scales of the GP layer, and length-scales of model drf that are
// longer.
type Init struct {
	Seed           uint64
	InducingPoints []float64 // X̄ [M,D], scaled like the data; nil for DRF
	Sigma          []float64 // σ of each kernel between sequences [I]
	// length-scales of vectors [D], in place of length-scales by the factors; nil: by the factors
	LengthScales         []float64
	GPLengthscaleFactor  float64
	DRFLengthscaleFactor float64
	NoiseVariance        float64 // σ² in training-variance units
	DoF                  float64 // ν of Student's t, above 2
	// number of training rows of each class; nil for targets that are numbers
	ClassRows []int
	LogRate   []float64 // constants of the log rates of counts [C], by LogRates
}

// Starting values that are not options.
const (
	initQSqrt     = 0.1 // standard deviations of q(F̄)
	initQMu       = 0.5 // spread of the means of q(F̄) below DRF layers, so that latents differ
	initSpread    = 0.3 // spread of log ℓ_j over the latents with kernels of their own
	initSecond    = 0.5 // length-scales of the second kernel of a sum, in length-scales of the first
	initSkipAlpha = 0.3 // α of the last DRF layer where the latents already reach the output
	// s² of layers below the last, whose means start as a draw from the prior
	initHiddenVar   = 0.01
	initRho         = 0.1 // ρ of integrated layers
	initLastLayerS2 = 1.0 // s² of the last layer, whose means start at 0
	initDispersion  = 0.5
	initLeastGap    = 0.01
	// the same for outputs that are log-variances: they start at one variance for all rows
	initLogVarS2 = 0.01
)

// Init sets all parameters.
func (m *Model) Init(v Init) {
	flat := make([]float64, m.params.total)
	for i, b := range m.params.blocks {
		if b.start != nil {
			b.start(blockStart{flat[b.offset : b.offset+b.size()], &v,
				func(dst []float64) { normals(dst, v.Seed, i) }})
		}
	}
	m.dev.Upload(m.params.Value, flat)
}

// constant starts all numbers of a block at the same value.
func constant(at float64) initializer {
	return func(s blockStart) { fill(s.dst, at) }
}

// spreadOver makes the logarithms of the length-scales of K separate kernels [K,D] differ.
func spreadOver(dst []float64, kernels int, normal func([]float64)) {
	if kernels == 1 {
		return
	}
	spread := make([]float64, kernels)
	normal(spread)
	for i := range dst {
		dst[i] += initSpread * spread[i/(len(dst)/kernels)]
	}
}

// normals draws the starting values of block i.
func normals(dst []float64, seed uint64, i int) {
	key, c1, c2, c3 := device.Key{Seed: seed, Site: device.SiteInit}.Words(0, i)
	for j := range dst {
		dst[j] = philox.Normal(key, c1, c2, c3, j)
	}
}

func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}
