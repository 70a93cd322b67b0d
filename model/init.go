package model

import (
	"math"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// Init is where the parameters start. Length-scales start at factor·√d, since the
// squared distance of standardised rows grows with d.
type Init struct {
	Seed                 uint64
	PseudoInputs         []float64 // X̄ [M,D], scaled like the data; nil for DRF
	Sigma                []float64 // [I]: σ of each kernel between sequences
	GPLengthscaleFactor  float64
	DRFLengthscaleFactor float64
	NoiseVariance        float64 // σ² in training-variance units
	DoF                  float64 // ν of Student's t, above 2
	// how many training rows each class has; nil for targets that are numbers
	ClassRows []int
}

// Starting values that are not options.
const (
	initQSqrt     = 0.1 // standard deviations of q(F̄)
	initQMu       = 0.5 // spread of the means of q(F̄) below DRF layers, so that latents differ
	initSpread    = 0.3 // spread of log ℓ_j over the latents with kernels of their own
	initSecond    = 0.5 // length-scales of the second kernel of a sum, over those of the first
	initSkipAlpha = 0.3 // α of the last DRF layer where the latents already reach the output
	// s² of layers below the last, whose means start as a draw from the prior
	initHiddenVar   = 0.01
	initRho         = 0.1 // ρ of integrated layers
	initLastLayerS2 = 1.0 // s² of the last layer, whose means start at 0
	// the same for outputs that are log-variances: they start at one variance for all rows
	initLogVarS2 = 0.01
)

// Init sets all parameters.
func (m *Model) Init(v Init) {
	c := &m.cfg
	flat := make([]float64, m.params.total)
	for i := range m.params.blocks {
		b := &m.params.blocks[i]
		m.initBlock(flat[b.offset:b.offset+b.size()], b, v, func(dst []float64) { normals(dst, v.Seed, i) })
	}
	if c.Skip {
		// The skipped latents start at zero: the output starts as the GP's prior mean.
		b := m.find("gp.q_mu")
		clear(flat[b.offset : b.offset+c.Outputs*c.Inducing])
	}
	m.dev.Upload(m.params.Value, flat)
}

func (m *Model) initBlock(dst []float64, b *block, v Init, normal func([]float64)) {
	c := &m.cfg
	layer, name := 0, b.Name
	if rest, ok := strings.CutPrefix(name, "drf."); ok {
		number, field, _ := strings.Cut(rest, ".")
		for _, digit := range number {
			layer = 10*layer + int(digit-'0')
		}
		name = "drf." + field
	}
	last := layer == c.Layers-1
	switch name {
	case "gp.log_lengthscale", "gp.log_lengthscale_2":
		fill(dst, math.Log(math.Sqrt(float64(c.Inputs))*v.GPLengthscaleFactor))
		if name == "gp.log_lengthscale_2" {
			for i := range dst {
				dst[i] += math.Log(initSecond)
			}
		}
		spreadOver(dst, b.Shape, normal)
	case "gp.log_sigma":
		for i := range dst {
			dst[i] = math.Log(v.Sigma[i%len(v.Sigma)])
		}
		spreadOver(dst, b.Shape, normal)
	case "gp.pseudo_inputs":
		copy(dst, v.PseudoInputs)
	case "gp.q_mu":
		if c.Model == GPDRF {
			normal(dst)
			scale(dst, initQMu)
		}
	case "gp.q_sqrt":
		if c.QCov == Diagonal {
			fill(dst, initQSqrt)
			return
		}
		for j, n := 0, c.Inducing; j < c.Latents; j++ {
			for i := range n {
				dst[(j*n+i)*n+i] = initQSqrt
			}
		}
	case "drf.log_alpha":
		if c.Skip && last {
			fill(dst, math.Log(initSkipAlpha))
		}
	case "drf.log_lengthscale":
		fill(dst, m.initLogL(layer, v))
	case "drf.logvar_omega":
		if c.integrates() {
			break // q(ζ) starts at its prior
		}
		fill(dst, -2*m.initLogL(layer, v))
	case "drf.log_rho":
		fill(dst, math.Log(initRho))
	case "drf.tau":
		normal(dst)
	case "drf.mixing":
		c.mixing(dst, normal)
	case "drf.mean_w":
		if !last {
			normal(dst)
		}
	case "drf.logvar_w":
		if last {
			fill(dst, math.Log(initLastLayerS2))
			for i := range dst {
				if i%c.Outputs >= c.targets() {
					dst[i] = math.Log(initLogVarS2)
				}
			}
		} else {
			fill(dst, math.Log(initHiddenVar))
		}
	case "likelihood.log_variance":
		fill(dst, math.Log(v.NoiseVariance))
	case "likelihood.log_tail":
		fill(dst, tailOf(v.DoF))
	case "likelihood.offset":
		initOffsets(dst, v.ClassRows)
	}
}

// spreadOver makes the logarithms [K,D] of kernels of their own differ.
func spreadOver(dst []float64, shape []int, normal func([]float64)) {
	if shape[0] == 1 {
		return
	}
	spread := make([]float64, shape[0])
	normal(spread)
	for i := range dst {
		dst[i] += initSpread * spread[i/shape[1]]
	}
}

func (m *Model) initLogL(layer int, v Init) float64 {
	return math.Log(math.Sqrt(float64(m.cfg.layerInputs(layer))) * v.DRFLengthscaleFactor)
}

func (m *Model) find(name string) *block {
	for i := range m.params.blocks {
		if m.params.blocks[i].Name == name {
			return &m.params.blocks[i]
		}
	}
	panic("model: no parameter block " + name)
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

func scale(dst []float64, v float64) {
	for i := range dst {
		dst[i] *= v
	}
}
