package fitted

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// LogDensities returns the log densities of the targets of rows under their prediction: under the mixture or, with
// draws, under the normal of the draws' moments.
func (m *Model) LogDensities(p *model.Prediction, ds *data.Dataset, draws int) metrics.Densities {
	if m.Schema.Task == data.Classification {
		d := metrics.ClassDensities(p.H, p.S, p.N, p.C, ds.Labels)
		d.Weights = ds.Weights
		return d
	}
	scaled := scaling.Standardise(ds.Y, m.Targets)
	targets := make([]metrics.Densities, p.C)
	for c := range targets {
		mixture := m.mixture(p, c, draws)
		s := m.Targets[c]
		targets[c] = metrics.RegressionDensities(mixture, column(scaled, p.C, c))
		if s.Log { // the densities are those of log y
			targets[c].FromLogScale(mixture, s.Mean, s.SD, column(ds.Y, p.C, c), s.Unit())
		}
	}
	mean := metrics.MeanDensities(targets)
	mean.Weights = ds.Weights
	return mean
}

// BaselineLogDensity returns the mean log density of rows under one prediction for all of them, in the units of
// LogDensities: the shares of their classes, or for each target a normal with their mean and variance.
func (m *Model) BaselineLogDensity(ds *data.Dataset) (mean float64) {
	if m.Schema.Task == data.Classification {
		for _, count := range ds.ClassCounts() {
			if share := float64(count) / float64(ds.N()); share > 0 {
				mean += share * math.Log(share)
			}
		}
		return mean
	}
	for c, s := range m.Targets {
		_, sd := stats.MeanSD(column(ds.Y, len(m.Targets), c))
		mean -= (math.Log(sd/s.Unit()) + 0.5*math.Log(2*math.Pi*math.E)) / float64(len(m.Targets))
	}
	return mean
}

// tailShare is the share of a mixture for long tails, which S samples do not have. It costs a row at most −log(1 −
// 0.01) = 0.01 nats.
const tailShare = 0.01

// Mixture returns a regression's prediction of target c as one mixture for each row, in training-sd units:
// metrics.CountMixture for counts, and otherwise a metrics.Mixture.
func (m *Model) Mixture(p *model.Prediction, c int) metrics.Distribution {
	if p.Dispersion != nil {
		return metrics.CountMixture{S: p.S, N: p.N, LogRate: column(p.H, p.C, c), Dispersion: p.Dispersion,
			Weight: p.Weight}
	}
	return m.numberMixture(p, c)
}

// numberMixture returns the Mixture of a target that is no count. A prediction of a single component has no tail
// share, and neither has a mixture of logarithms: the exponential of Student's t has no mean.
func (m *Model) numberMixture(p *model.Prediction, c int) metrics.Mixture {
	mixture := metrics.Mixture{S: p.S, N: p.N, Mean: column(p.H, p.C, c), Var: column(p.Var, p.C, c), Weight: p.Weight}
	if p.S > 1 && !m.Targets[c].Log {
		mixture.TailShare = tailShare
	}
	for s, dof := range p.DoF {
		switch {
		case dof == 0:
			mixture.Student = append(mixture.Student, nil)
		case s > 0 && dof == p.DoF[s-1]:
			mixture.Student = append(mixture.Student, mixture.Student[s-1])
		default:
			mixture.Student = append(mixture.Student, metrics.NewStudentT(dof))
		}
	}
	return mixture
}

// column returns column c of rows with a number of columns. It is a copy, unless there is one column.
func column(rows []float64, width, c int) []float64 { return columns(rows, len(rows)/width, c, 1) }

// AleatoricVariance returns the aleatoric part of the variance of target c of row n, in training-sd units squared. The
// rest is epistemic, also in a GP's prediction, which is a single normal whose variance holds both.
func AleatoricVariance(p *model.Prediction, m metrics.Distribution, c, n int) float64 {
	if p.Noise != nil {
		return p.Noise[n*p.C+c]
	}
	return m.MeanComponentVariance(n)
}

// LogNormal returns the distribution of a target whose logarithm has the distribution m, a metrics.Mixture.
func LogNormal(m metrics.Distribution, s scaling.TargetScale) metrics.LogNormalMixture {
	return metrics.LogNormalMixture{Mixture: m.(metrics.Mixture), Centre: s.Mean, Unit: s.SD, Top: s.Top()}
}

// mixture returns the Mixture of target c or, with draws, the normal of their moments.
func (m *Model) mixture(p *model.Prediction, c, draws int) metrics.Distribution {
	if draws > 0 {
		return Draws(m.numberMixture(p, c), c, draws, m.Seed)
	}
	return m.Mixture(p, c)
}
