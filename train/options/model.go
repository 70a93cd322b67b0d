package options

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// ChunkRows returns the largest number of rows of a chunk.
func (c Config) ChunkRows() int {
	if c.Chunk > 0 {
		return min(c.Chunk, c.Batch)
	}
	return c.Batch
}

// MapKinds returns the kinds of kernels between sequences in the model's configuration, one for each map.
func MapKinds(spec seq.Spec) (maps []string) {
	for _, t := range spec {
		kind := model.MapRBF
		if t.Linear {
			kind = model.MapLinear
		}
		maps = append(maps, kind)
	}
	return maps
}

// ModelConfig returns the architecture for these rows: that of the options, without the parts that this kind of model
// does not have.
func (c Config) ModelConfig(ds *data.Dataset) model.Config {
	m := c.Config
	m.Inputs = ds.D()
	m.Likelihood = c.likelihoodOf(ds.Task)
	m.Outputs = model.OutputsFor(m.Likelihood, max(len(ds.Outputs()), len(ds.Classes)))
	if m.Likelihood == model.OrdinalLikelihood {
		m.Levels = len(ds.Classes)
	}
	if m.Temperature == 1 { // 1 has no effect
		m.Temperature = 0
	}
	m.Skip = c.Skip && c.Model == model.GPDRF
	m.WCov = c.weightCovariance(ds)
	if c.Model == model.GP {
		m.Latents = m.Outputs
		m.Layers, m.Features, m.Hidden, m.FeatureKernel, m.Spectra = 0, 0, 0, "", ""
		m.LocalReparam, m.FeedForward, m.WCov = false, false, ""
	}
	if c.Model == model.DRF {
		m.Inducing, m.Latents, m.Lengthscales, m.QCov = 0, 0, "", ""
		m.Whiten, m.LearnInducing = false, false
		if ds.Sequences != nil {
			m.Inputs += c.Projection
		}
		return m
	}
	vectorKernels, maps := c.Kernels()
	m.Kernel, m.Maps = strings.Join(vectorKernels, "+"), MapKinds(maps)
	if ds.Gram != nil {
		m.Inputs, m.Maps = 0, []string{model.MapLinear}
	}
	return m
}
