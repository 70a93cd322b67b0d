package options

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// RowsAtOnce is how many rows go through the model at once at most.
func (c *Config) RowsAtOnce() int {
	if c.Chunk > 0 {
		return min(c.Chunk, c.Batch)
	}
	return c.Batch
}

// MapKinds are the kernels between sequences as the model has them.
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

// ModelConfig is the architecture that the options ask for.
func (c *Config) ModelConfig(ds *data.Dataset) model.Config {
	m := model.Config{
		Model: c.Model, Inputs: ds.D(), Likelihood: c.likelihoodOf(ds.Task), Samples: c.Samples, ClassOffsets: c.ClassOffsets,
	}
	m.Outputs = model.OutputsFor(m.Likelihood, max(len(ds.Outputs()), len(ds.Classes)))
	if c.Model != model.DRF {
		m.Inducing, m.Lengthscales, m.QCov = c.Inducing, c.Lengthscales, c.QCov
		m.Whiten, m.LearnInducing = c.Whiten, c.LearnInducing
		shapes, maps := c.Kernels()
		m.Kernel, m.Maps = strings.Join(shapes, "+"), MapKinds(maps)
		if ds.Kernel != nil {
			m.Inputs, m.Maps = 0, []string{model.MapLinear}
		}
		m.Latents = c.Latents
		if c.Model == model.GP {
			m.Latents = m.Outputs
		}
	}
	if c.Model == model.DRF && ds.Sequences != nil {
		m.Inputs += c.Projection
	}
	if c.Model != model.GP {
		m.Layers, m.Features, m.Hidden = c.Layers, c.Features, c.Hidden
		m.FeatureKernel = c.FeatureKernel
		m.Spectra = c.Spectra
		m.LocalReparam, m.FeedForward, m.Skip = c.LocalReparam, c.FeedForward, c.Skip && c.Model == model.GPDRF
	}
	return m
}
