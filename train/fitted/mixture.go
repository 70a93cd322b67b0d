package fitted

import (
	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// DensitiesOf are the log densities that a prediction gives the targets of its rows, by the mixture or
// by the normal of its draws, as in Score.
func (t *Model) DensitiesOf(p *model.Prediction, ds *data.Dataset, draws int) metrics.Densities {
	if t.Schema.Task == data.Classification {
		d := metrics.ClassDensities(p.H, p.S, p.N, p.C, ds.Labels)
		d.Weights = ds.Weights
		return d
	}
	scaled := data.Standardise(ds.Y, t.Targets)
	targets := make([]metrics.Densities, p.C)
	for c := range targets {
		m, s := t.mixture(p, c, draws), t.Targets[c]
		targets[c] = metrics.RegressionDensities(m, every(scaled, p.C, c))
		if s.Log { // densities of log y
			targets[c].OfLogs(m, s.Mean, s.SD, every(ds.Y, p.C, c), s.Unit())
		}
	}
	mean := metrics.MeanDensities(targets)
	mean.Weights = ds.Weights
	return mean
}

// outerShare is the share of a mixture for long tails, where S samples end. It costs a row at most
// −log(1 − 0.01) = 0.01 nats; and from 4.6 standard deviations of the mixture on, the density is above that
// of the normal with the mixture's mean and variance.
const outerShare = 0.01

// Mixture is a regression's prediction of target c as one mixture for each row, in training-sd
// units. Of counts it is metrics.Counts, elsewhere a metrics.Mixture.
func (t *Model) Mixture(p *model.Prediction, c int) metrics.Distribution {
	if p.Dispersion != nil {
		return metrics.Counts{S: p.S, N: p.N, LogRate: every(p.H, p.C, c), Dispersion: p.Dispersion, Weight: p.Weight}
	}
	return t.numbers(p, c)
}

// numbers is the Mixture of a target that is no count. A prediction that is a single component stays that. So
// does the mixture of a logarithm: the exponential of Student's t has no mean.
func (t *Model) numbers(p *model.Prediction, c int) metrics.Mixture {
	m := metrics.Mixture{S: p.S, N: p.N, Mean: every(p.H, p.C, c), Var: every(p.Var, p.C, c), Weight: p.Weight}
	if p.S > 1 && !t.Targets[c].Log {
		m.Outer = outerShare
	}
	for s, dof := range p.DoF {
		switch {
		case dof == 0:
			m.Student = append(m.Student, nil)
		case s > 0 && dof == p.DoF[s-1]:
			m.Student = append(m.Student, m.Student[s-1])
		default:
			m.Student = append(m.Student, metrics.NewStudent(dof))
		}
	}
	return m
}

// every is column c of rows of a width; the rows themselves where there is one column.
func every(rows []float64, width, c int) []float64 { return columns(rows, len(rows)/width, c, 1) }

// Noise is the aleatoric part of the variance of target c of row n, in training-sd units squared.
// The rest is epistemic, also where a GP's prediction is a single normal whose variance holds both.
func Noise(p *model.Prediction, m metrics.Distribution, c, n int) float64 {
	switch {
	case len(p.Noise) > p.C:
		return p.Noise[n*p.C+c]
	case p.Noise != nil:
		return p.Noise[c]
	}
	return m.Within(n)
}

// Logs is the density of a target, of whose logarithm a metrics.Mixture is.
func Logs(m metrics.Distribution, s data.TargetScale) metrics.LogMixture {
	return metrics.LogMixture{Mixture: m.(metrics.Mixture), Centre: s.Mean, Unit: s.SD, Top: s.Top()}
}

// mixture is the Mixture of target c or, with draws, the normal of their moments.
func (t *Model) mixture(p *model.Prediction, c, draws int) metrics.Distribution {
	if draws > 0 {
		return Draws(t.numbers(p, c), c, draws, t.Seed)
	}
	return t.Mixture(p, c)
}
