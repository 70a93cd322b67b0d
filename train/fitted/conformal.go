package fitted

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Conformal makes intervals and sets of predictions by split conformal inference. It has the scores of n rows that the
// training has not used otherwise. A new row that is exchangeable with these has its target in the interval of a level
// with at least that probability, however wrong the model is.
type Conformal struct {
	Level  float64     `json:"level"`  // default level of an interval
	Scores [][]float64 `json:"scores"` // scores [T][n], ascending, of each target or of the class
}

// n returns the number of rows behind the scores.
func (c *Conformal) n() int { return len(c.Scores[0]) }

// Quantile returns the score of target t that a new row does not exceed with at least the probability level: the
// ⌈(n+1)·level⌉-th of the n scores. The error is that of metrics.CheckConformal.
func (c *Conformal) Quantile(t int, level float64) (float64, error) {
	if err := metrics.CheckConformal(c.n(), level); err != nil {
		return 0, err
	}
	return c.Scores[t][metrics.ConformalRank(c.n(), level)-1], nil
}

// DefaultQuantile returns the Quantile of target t at the default level; ok is false without scores.
func (c *Conformal) DefaultQuantile(t int) (q float64, ok bool) {
	if c == nil {
		return 0, false
	}
	q, err := c.Quantile(t, c.Level)
	return q, err == nil
}

// WithLevel returns the model with another default level of intervals.
func (m *Model) WithLevel(level float64) (*Model, error) {
	if m.Conformal == nil {
		return nil, usererror.Errorf("the model has no conformal intervals: train it with %s",
			usererror.Flag("conformal"))
	}
	if err := metrics.CheckConformal(m.Conformal.n(), level); err != nil {
		return nil, err
	}
	other := *m
	other.Conformal = &Conformal{level, m.Conformal.Scores}
	return &other, nil
}

// FitConformal sets Conformal to the scores of rows that were held out, for intervals of a level.
func (m *Model) FitConformal(ctx context.Context, dev device.Device, heldOut *data.Dataset, level float64) error {
	if err := m.checkRowTargets(heldOut); err != nil {
		return err
	}
	p, err := m.Predict(ctx, dev, heldOut, m.EvalSamples)
	if err != nil {
		return err
	}
	m.Conformal = newConformal(m.conformalScores(p, heldOut), level)
	return nil
}

func newConformal(scores [][]float64, level float64) *Conformal {
	for _, s := range scores {
		slices.Sort(s)
	}
	return &Conformal{level, scores}
}

// conformalScores returns the scores of rows with targets, in the order of the rows.
func (m *Model) conformalScores(p *model.Prediction, ds *data.Dataset) [][]float64 {
	if m.Schema.Task == data.Classification {
		probabilities := metrics.Probabilities(p.H, p.S, p.N, p.C)
		scores := make([]float64, p.N)
		for n, label := range ds.Labels {
			scores[n] = metrics.AdaptiveSetScores(probabilities[n*p.C : (n+1)*p.C])[label]
		}
		return [][]float64{scores}
	}
	var all [][]float64
	scaled := scaling.Standardise(ds.Y, m.Targets)
	for c := range m.Targets {
		mixture := m.Mixture(p, c)
		scores := make([]float64, p.N)
		for n, y := range column(scaled, p.C, c) {
			mean, sd := centre(mixture, n)
			scores[n] = math.Abs(y-mean) / sd
		}
		all = append(all, scores)
	}
	return all
}

// centre returns the mean and the standard deviation of row n, in the units of the mixture.
func centre(m metrics.Distribution, n int) (mean, sd float64) {
	const least = 1e-12 // least standard deviation, without noise
	mean, variance := m.Moments(n)
	return mean, max(math.Sqrt(variance), least)
}

// Interval returns the interval of row n with normalised residuals up to q, in own units:
//
//	Unscale(mean − q·sd) … Unscale(mean + q·sd),   mean and sd of y, or of log y where the model predicts that
//
// The interval of a count is rounded outward to whole numbers from 0.
func Interval(m metrics.Distribution, s scaling.TargetScale, n int, q float64) (lower, upper float64) {
	const most = math.MaxFloat64 / 4 // largest absolute bound, so that the width is finite
	mean, sd := centre(m, n)
	lower, upper = max(s.Unscale(mean-q*sd), -most), min(s.Unscale(mean+q*sd), most)
	if _, counts := m.(metrics.CountMixture); counts {
		return math.Floor(max(lower, 0)), math.Ceil(upper)
	}
	return lower, upper
}

// ConformalScores is the block "conformal" of a result: scores of intervals or sets.
type ConformalScores struct {
	Level    float64 `json:"level"`
	N        int     `json:"n"`                    // number of rows behind the intervals
	Coverage float64 `json:"coverage"`             // share of the scored rows whose target is inside
	Width    float64 `json:"mean_width,omitempty"` // mean width of intervals, in the target's own units
	Size     float64 `json:"mean_size,omitempty"`  // mean number of classes in a set
}

// conformalTest scores the intervals of a target, or the sets, at the default level; nil without intervals.
func (m *Model) conformalTest(p *model.Prediction, ds *data.Dataset, target int) *ConformalScores {
	q, ok := m.Conformal.DefaultQuantile(target)
	if !ok {
		return nil
	}
	s := &ConformalScores{Level: m.Conformal.Level, N: m.Conformal.n()}
	inside, size := 0, 0
	scores := m.conformalScores(p, ds)[target]
	if m.Schema.Task == data.Classification {
		probabilities := metrics.Probabilities(p.H, p.S, p.N, p.C)
		for n := range p.N {
			if scores[n] <= q {
				inside++
			}
			for _, mass := range metrics.AdaptiveSetScores(probabilities[n*p.C : (n+1)*p.C]) {
				if mass <= q {
					size++
				}
			}
		}
		s.Coverage, s.Size = float64(inside)/float64(p.N), float64(size)/float64(p.N)
		return s
	}
	mixture := m.Mixture(p, target)
	for n, y := range column(ds.Y, p.C, target) {
		lower, upper := Interval(mixture, m.Targets[target], n, q)
		if scores[n] <= q || lower <= y && y <= upper { // the interval of a count is rounded outward
			inside++
		}
		s.Width += (upper - lower) / float64(p.N)
	}
	s.Coverage = float64(inside) / float64(p.N)
	return s
}

// check refuses scores that do not fit a number of targets.
func (c *Conformal) check(targets int) error {
	if c == nil {
		return nil
	}
	if len(c.Scores) != max(targets, 1) {
		return fmt.Errorf("conformal scores of %d targets for %d", len(c.Scores), max(targets, 1))
	}
	for _, scores := range c.Scores {
		if len(scores) != c.n() || !slices.IsSorted(scores) || !stats.AllFinite(scores) {
			return fmt.Errorf("conformal scores that are not sorted numbers of %d rows", c.n())
		}
	}
	return metrics.CheckConformal(c.n(), c.Level)
}
