package predict

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Regression is the prediction of one target, in its own units.
type Regression struct {
	p       *model.Prediction
	c       int
	mixture metrics.Distribution
	whole   metrics.Distribution // mixture, also where draws replace it
	scale   scaling.TargetScale
}

// NewRegression returns the prediction of target c.
func NewRegression(t *fitted.Model, p *model.Prediction, c int) *Regression {
	mixture := t.Mixture(p, c)
	return &Regression{p, c, mixture, mixture, t.Targets[c]}
}

// WithDraws replaces the mixture, which is not of counts, by a normal with the moments of a number of draws.
func (r *Regression) WithDraws(draws int, seed uint64) *Regression {
	return &Regression{r.p, r.c, fitted.Draws(r.mixture.(metrics.Mixture), r.c, draws, seed), r.whole, r.scale}
}

// QuantileLevels returns the levels of the quantiles in the table of a prediction.
func QuantileLevels() []float64 { return []float64{0.05, 0.25, 0.5, 0.75, 0.95} }

// QuantileColumn returns the name of the column of the quantiles at a level: q05 for 0.05.
func QuantileColumn(level float64) string { return fmt.Sprintf("q%02.0f", 100*level) }

// QuantileColumns returns the names of the columns of the quantiles at QuantileLevels.
func QuantileColumns() (names []string) {
	for _, level := range QuantileLevels() {
		names = append(names, QuantileColumn(level))
	}
	return names
}

// Moments returns mean and standard deviation of row i, and the two parts of its variance: noise, and what the model
// does not know.
func (r *Regression) Moments(i int) (mean, sd, aleatoric, epistemic float64) {
	noise := fitted.AleatoricVariance(r.p, r.whole, r.c, i)
	if r.scale.Log {
		logs := fitted.LogNormal(r.mixture, r.scale)
		m, total := logs.Moments(i)
		noise = min(total, logs.NoiseVariance(i, noise)) // rounding may leave more than all
		return m, math.Sqrt(total), noise, total - noise
	}
	m, total := r.mixture.Moments(i)
	noise = min(total, noise)
	unit := r.scale.SD
	return r.scale.Unscale(m), unit * math.Sqrt(total), unit * unit * noise, unit * unit * (total - noise)
}

// LogDensity returns the log density of the target y of row i, by unit of the target; the log probability of a count.
func (r *Regression) LogDensity(i int, y float64) float64 {
	if r.scale.Log {
		return fitted.LogNormal(r.mixture, r.scale).LogDensity(i, y)
	}
	return r.mixture.LogDensity(i, r.scale.Scale(y)) - math.Log(r.scale.SD)
}

// PIT returns the probability integral transform of the target y of row i: a number from 0 to 1, uniform where
// predictions are right. It is the probability of at most y or, of counts, a random number from that of less than y to
// that. The number belongs to the row, which has one among all rows, and to a seed.
func (r *Regression) PIT(i, row int, y float64, seed uint64) float64 {
	below, upTo := r.mixture.PIT(i, r.scale.Scale(y))
	if below == upTo {
		return upTo
	}
	return below + (upTo-below)*fitted.Uniform(row, r.c, seed)
}

// QuantileFunc returns the quantile of row i as a function of the level.
func (r *Regression) QuantileFunc(i int) func(q float64) float64 {
	quantile := r.mixture.QuantileFunc(i)
	return func(q float64) float64 { return r.scale.Unscale(quantile(q)) }
}

// quantilesAt writes the quantiles of a row at several levels. It is the fastest where these are the same for many
// rows. Several goroutines may call it.
func (r *Regression) quantilesAt(levels []float64) func(i int, into []float64) {
	find := metrics.Quantiles(r.mixture, levels)
	return func(i int, into []float64) {
		find(i, into)
		for k, y := range into {
			into[k] = r.scale.Unscale(y)
		}
	}
}

// Interval returns the interval of row i with normalised residuals up to q: fitted.Interval. Draws do not change it.
func (r *Regression) Interval(i int, q float64) (lower, upper float64) {
	return fitted.Interval(r.whole, r.scale, i, q)
}

// Draw returns draw t of row i, which has a number among all rows: fitted.Draw.
func (r *Regression) Draw(i, row, t int, seed uint64) float64 {
	return r.scale.Unscale(fitted.Draw(r.mixture, i, row, r.c, t, seed))
}

// Sample returns the mean of component s of row i's mixture, or its median where the model predicts logarithms: a
// sample of the function, without noise.
func (r *Regression) Sample(s, i int) float64 {
	return r.scale.Unscale(r.mixture.ComponentMean(s, i))
}

// Classification is the prediction of a classification. It lets go of the logits, which may fill the memory.
type Classification struct {
	names []string
	width int       // number C of classes
	mean  []float64 // [N,C]
}

// NewClassification returns the prediction of the classes that the model knows.
func NewClassification(t *fitted.Model, p *model.Prediction) *Classification {
	return &Classification{t.Schema.Classes, p.C, metrics.Probabilities(p.H, p.S, p.N, p.C)}
}

// Probabilities returns the probabilities of row i, in the order of the classes.
func (c *Classification) Probabilities(i int) []float64 { return c.mean[i*c.width : (i+1)*c.width] }

// Label returns the most probable class of row i.
func (c *Classification) Label(i int) string { return c.names[metrics.Argmax(c.Probabilities(i))] }

// PredictionSet returns the classes of row i whose metrics.AdaptiveSetScores is at most q, in their order.
func (c *Classification) PredictionSet(i int, q float64) (classes []string) {
	for k, mass := range metrics.AdaptiveSetScores(c.Probabilities(i)) {
		if mass <= q {
			classes = append(classes, c.names[k])
		}
	}
	return classes
}

// Entropy returns the entropy of row i, in nats.
func (c *Classification) Entropy(i int) (entropy float64) {
	for _, v := range c.Probabilities(i) {
		if v > 0 {
			entropy -= v * math.Log(v)
		}
	}
	return entropy
}

// Sample returns the probabilities of the classes of row i in sample s alone.
func Sample(p *model.Prediction, s, i int) []float64 {
	return metrics.Probabilities(p.H[(s*p.N+i)*p.C:][:p.C], 1, 1, p.C)
}
