package fitted

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/model"
)

// MapKernel is the kernel between sequences under one feature map: the paper's α_i and σ_i, for each latent function.
type MapKernel struct {
	Map   string    `json:"map"`
	Alpha []float64 `json:"alpha"`           // α_ji = α_j ω_ji [J]
	Sigma []float64 `json:"sigma,omitempty"` // σ_ji [J]; nil if the kernel is linear
}

// MapKernels returns the kernels of the feature maps of a model of sequences; nil for other models.
func (m *Model) MapKernels() (all []MapKernel) {
	inducing := m.Featurizer.Inducing
	if inducing == nil {
		return nil
	}
	named := map[string][]float64{}
	for _, n := range m.Parameters {
		named[n.Name] = n.Data
	}
	maps := len(inducing.Spec)
	alpha, logits, mix := named[model.GPLogAlpha], named[model.GPMapLogit], named[model.GPMixLogit]
	kernels := len(logits) / maps
	for i, term := range inducing.Spec {
		kernel := MapKernel{Map: term.String()}
		for j, a := range alpha {
			k := j % kernels
			total := 0.0
			for _, l := range logits[k*maps : (k+1)*maps] {
				total += math.Exp(l - logits[k*maps+i])
			}
			v := math.Exp(a) / total
			if mix != nil { // mix holds the logits of the kernel between vectors
				v /= 1 + math.Exp(mix[k])
			}
			kernel.Alpha = append(kernel.Alpha, v)
			if !term.Linear {
				kernel.Sigma = append(kernel.Sigma, math.Exp(named[model.GPLogSigma][k*maps+i]))
			}
		}
		all = append(all, kernel)
	}
	return all
}

// String describes the kernel in words.
func (m MapKernel) String() string {
	span := func(letter string, v []float64) string {
		low, high := fmt.Sprintf("%.3g", slices.Min(v)), fmt.Sprintf("%.3g", slices.Max(v))
		if low == high {
			return letter + " " + low
		}
		return letter + " " + low + " to " + high
	}
	s := m.Map + ": " + span("α", m.Alpha)
	if m.Sigma != nil {
		s += ", " + span("σ", m.Sigma)
	}
	return s
}
