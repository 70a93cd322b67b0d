package predict

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Regression is the prediction of one target, in its own units.
type Regression struct {
	p       *model.Prediction
	c       int
	mixture metrics.Mixture
	centre  float64
	sd      float64
}

// NewRegression is the prediction of target c.
func NewRegression(t *fitted.Trained, p *model.Prediction, c int) *Regression {
	return &Regression{p, c, fitted.Mixture(p, c), t.Targets[c].Mean, t.Targets[c].SD}
}

// Levels are those of the quantiles q05 q25 q50 q75 q95.
func Levels() []float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.95} }

// Moments are mean and standard deviation of row i, and the two parts of its variance: noise, and
// what the model does not know.
func (r *Regression) Moments(i int) (mean, sd, aleatoric, epistemic float64) {
	m, total := r.mixture.Moments(i)
	noise := fitted.Noise(r.p, r.mixture, r.c, i)
	mean, sd = r.inUnits(m, total)
	return mean, sd, r.sd * r.sd * noise, r.sd * r.sd * max(0, total-noise)
}

// inUnits takes moments in training-sd units to mean and standard deviation.
func (r *Regression) inUnits(mean, variance float64) (m, sd float64) {
	return r.centre + r.sd*mean, r.sd * math.Sqrt(variance)
}

// Quantile is that of row i at level q.
func (r *Regression) Quantile(i int, q float64) float64 { return r.Quantiles(i)(q) }

// Quantiles is Quantile of row i. It is faster where several levels are asked for.
func (r *Regression) Quantiles(i int) func(q float64) float64 {
	row := r.mixture.Row(i)
	return func(q float64) float64 { return r.centre + r.sd*row.Quantile(q) }
}

// QuantilesAt writes those of a row at several levels. It is the fastest where these are the same
// for many rows. Several goroutines may call it.
func (r *Regression) QuantilesAt(levels []float64) func(i int, into []float64) {
	find := r.mixture.Quantiles(levels)
	return func(i int, into []float64) {
		find(i, into)
		for k, y := range into {
			into[k] = r.centre + r.sd*y
		}
	}
}

// Draw is draw t of row i, which has a number among all rows: fitted.Draw.
func (r *Regression) Draw(i, row, t int, seed uint64) float64 {
	return r.centre + r.sd*fitted.Draw(r.mixture, i, row, r.c, t, seed)
}

// Sample is the mean of component s of row i's mixture: a sample of the function, without noise.
func (r *Regression) Sample(s, i int) float64 {
	return r.centre + r.sd*r.mixture.Mean[s*r.mixture.N+i]
}
