package predict

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Regression is the prediction of one target, in its own units.
type Regression struct {
	p       *model.Prediction
	c       int
	mixture metrics.Mixture
	scale   data.TargetScale
}

// NewRegression is the prediction of target c.
func NewRegression(t *fitted.Trained, p *model.Prediction, c int) *Regression {
	return &Regression{p, c, t.Mixture(p, c), t.Targets[c]}
}

// Drawn replaces the mixture by a normal with the moments of a number of draws.
func (r *Regression) Drawn(draws int, seed uint64) *Regression {
	return &Regression{r.p, r.c, fitted.Draws(r.mixture, r.c, draws, seed), r.scale}
}

// Levels are those of the quantiles q05 q25 q50 q75 q95.
func Levels() []float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.95} }

// Moments are mean and standard deviation of row i, and the two parts of its variance: noise, and
// what the model does not know.
func (r *Regression) Moments(i int) (mean, sd, aleatoric, epistemic float64) {
	noise := fitted.Noise(r.p, r.mixture, r.c, i)
	if r.scale.Log {
		logs := fitted.Logs(r.mixture, r.scale)
		m, total := logs.Moments(i)
		noise = min(total, logs.Noise(i, noise))
		return m, math.Sqrt(total), noise, total - noise
	}
	m, total := r.mixture.Moments(i)
	unit := r.scale.SD
	return r.scale.Own(m), unit * math.Sqrt(total), unit * unit * noise, unit * unit * max(0, total-noise)
}

// LogDensity is that of the target y of row i, by unit of the target.
func (r *Regression) LogDensity(i int, y float64) float64 {
	if r.scale.Log {
		return fitted.Logs(r.mixture, r.scale).LogDensity(i, y)
	}
	return r.mixture.LogDensity(i, r.scale.Scaled(y)) - math.Log(r.scale.SD)
}

// CDF is the probability that the target of row i is at most y.
func (r *Regression) CDF(i int, y float64) float64 { return r.mixture.CDF(i, r.scale.Scaled(y)) }

// Quantile is that of row i at level q.
func (r *Regression) Quantile(i int, q float64) float64 { return r.Quantiles(i)(q) }

// Quantiles is Quantile of row i. It is faster where several levels are asked for.
func (r *Regression) Quantiles(i int) func(q float64) float64 {
	row := r.mixture.Row(i)
	return func(q float64) float64 { return r.scale.Own(row.Quantile(q)) }
}

// QuantilesAt writes those of a row at several levels. It is the fastest where these are the same
// for many rows. Several goroutines may call it.
func (r *Regression) QuantilesAt(levels []float64) func(i int, into []float64) {
	find := r.mixture.Quantiles(levels)
	return func(i int, into []float64) {
		find(i, into)
		for k, y := range into {
			into[k] = r.scale.Own(y)
		}
	}
}

// Interval is that of row i with normalised residuals up to q: fitted.Interval.
func (r *Regression) Interval(i int, q float64) (lower, upper float64) {
	return fitted.Interval(r.mixture, r.scale, i, q)
}

// Draw is draw t of row i, which has a number among all rows: fitted.Draw.
func (r *Regression) Draw(i, row, t int, seed uint64) float64 {
	return r.scale.Own(fitted.Draw(r.mixture, i, row, r.c, t, seed))
}

// Sample is the mean of component s of row i's mixture, or its median where the model predicts
// logarithms: a sample of the function, without noise.
func (r *Regression) Sample(s, i int) float64 {
	return r.scale.Own(r.mixture.Mean[s*r.mixture.N+i])
}
