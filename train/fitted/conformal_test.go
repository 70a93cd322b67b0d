package fitted

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// wrongNumbers returns a prediction of n rows whose mean misses a curve, and whose sd falls where the noise rises. The
// targets are positive, with skewed noise.
func wrongNumbers(rng *rand.Rand, n int) (*model.Prediction, *data.Dataset) {
	p := &model.Prediction{S: 2, N: n, C: 1, Var: make([]float64, n), H: make([]float64, 2*n)}
	ds := &data.Dataset{Task: data.Regression, Target: "y", Y: make([]float64, n)}
	for i := range n {
		x := rng.Float64()
		p.H[i], p.H[n+i], p.Var[i] = x, 0.5*x-0.2, 0.02*(1.2-x)
		ds.Y[i] = math.Exp(math.Sin(6*x) + x*rng.ExpFloat64())
	}
	return p, ds
}

// wrongClasses returns a prediction of n rows that is too sure, and wrong about a third of them.
func wrongClasses(rng *rand.Rand, n int) (*model.Prediction, *data.Dataset) {
	p := &model.Prediction{S: 1, N: n, C: 4}
	ds := &data.Dataset{Task: data.Classification, Classes: []string{"a", "b", "c", "d"}}
	for range n {
		label := rng.IntN(4)
		for k := range 4 {
			h := 3 * rng.NormFloat64()
			if k == label {
				h += 4
			}
			p.H = append(p.H, h)
		}
		ds.Labels = append(ds.Labels, int32(label))
	}
	return p, ds
}

// Over 200 seeds, intervals and sets of a model that is wrong hold as many targets as their level says. With n rows
// behind numbers the expected share is ⌈(n+1)·level⌉/(n+1).
func TestConformalCoverage(t *testing.T) {
	const seeds, held, tested = 200, 59, 100
	regression := func(s scaling.TargetScale) *Model {
		return &Model{Schema: data.Schema{Task: data.Regression, Target: "y"}, Targets: []scaling.TargetScale{s}}
	}
	for _, c := range []struct {
		name  string
		t     *Model
		rows  func(*rand.Rand, int) (*model.Prediction, *data.Dataset)
		exact bool // the scores have no ties
	}{
		{"numbers", regression(scaling.TargetScale{Mean: 1, SD: 2}), wrongNumbers, true},
		{"logarithms", regression(scaling.TargetScale{Mean: 0.3, SD: 0.5, Log: true, OwnSD: 1, Max: 9}), wrongNumbers,
			true},
		{"classes", &Model{Schema: data.Schema{Task: data.Classification,
			Classes: []string{"a", "b", "c", "d"}}}, wrongClasses, false},
	} {
		for _, level := range []float64{0.5, 0.8, 0.9, 0.95} {
			shares := make([]float64, seeds)
			for seed := range shares {
				rng := rand.New(rand.NewPCG(uint64(seed), 7))
				c.t.Conformal = newConformal(c.t.conformalScores(c.rows(rng, held)), level)
				p, ds := c.rows(rng, tested)
				shares[seed] = c.t.conformalTest(p, ds, 0).Coverage
			}
			mean, sd := 0.0, 0.0
			for _, s := range shares {
				mean += s / seeds
			}
			for _, s := range shares {
				sd += (s - mean) * (s - mean) / (seeds - 1)
			}
			slack := 4 * math.Sqrt(sd/seeds)
			most := math.Ceil((held+1)*level)/(held+1) + slack
			if mean < level-slack || c.exact && mean > most {
				t.Errorf("%s at level %g: %.4f of the targets are inside, allowed %.4f to %.4f", c.name, level,
					mean, level-slack, most)
			}
		}
	}
}

// The coverage of counts is that of their intervals, which are rounded outward.
func TestConformalCoverageOfCounts(t *testing.T) {
	const n = 40
	trained := &Model{Schema: data.Schema{Task: data.Regression, Target: "y"}, Targets: []scaling.TargetScale{{SD: 1}},
		Conformal: &Conformal{0.5, [][]float64{{0.1, 0.2, 0.3}}}}
	p := &model.Prediction{S: 1, N: n, C: 1, H: make([]float64, n), Dispersion: []float64{0}}
	ds := &data.Dataset{Task: data.Regression, Target: "y", Y: make([]float64, n)}
	for i := range n {
		p.H[i], ds.Y[i] = math.Log(1.5), float64(i%4)
	}
	lower, upper := Interval(trained.Mixture(p, 0), trained.Targets[0], 0, 0.2)
	s := trained.conformalTest(p, ds, 0)
	if lower != 1 || upper != 2 || s.Coverage != 0.5 || math.Abs(s.Width-1) > 1e-12 {
		t.Errorf("%g to %g: coverage %g, width %g", lower, upper, s.Coverage, s.Width)
	}
}

// The interval of a score ends at the target with that score, in the target's own units, and holds it.
func TestIntervalHoldsItsScore(t *testing.T) {
	trained := &Model{Schema: data.Schema{Task: data.Regression, Target: "y"},
		Targets: []scaling.TargetScale{{Mean: 0.3, SD: 0.5, Log: true, OwnSD: 1, Max: 9}}}
	p, ds := wrongNumbers(rand.New(rand.NewPCG(1, 1)), 20)
	scores := trained.conformalScores(p, ds)[0]
	for n, y := range ds.Y {
		lower, upper := Interval(trained.Mixture(p, 0), trained.Targets[0], n, scores[n])
		if math.Min(math.Abs(y-lower), math.Abs(y-upper)) > 1e-9*y || lower <= 0 {
			t.Errorf("row %d: the target %g is at neither end of %g to %g", n, y, lower, upper)
		}
	}
}

// An interval that no float64 holds ends where these do.
func TestIntervalIsFinite(t *testing.T) {
	p, _ := wrongNumbers(rand.New(rand.NewPCG(1, 1)), 3)
	trained := &Model{Targets: []scaling.TargetScale{{SD: 500, Log: true, OwnSD: 1, Max: 9}}}
	lower, upper := Interval(trained.Mixture(p, 0), trained.Targets[0], 0, 1e6)
	if lower < 0 || !(upper > 1e300) || math.IsInf(3*(upper-lower), 0) {
		t.Errorf("an interval from %g to %g", lower, upper)
	}
}

// Scores that were changed in a file are refused.
func TestConformalCheck(t *testing.T) {
	sound := Conformal{0.8, [][]float64{{1, 2, 3, 4, 5}}}
	must.OK(t, sound.check(1))
	for name, c := range map[string]*Conformal{
		"no targets": {0.8, nil}, "unsorted": {0.8, [][]float64{{1, 2, 3, 5, 4}}}, "no level": {0, sound.Scores},
		"a level of more rows": {0.9, sound.Scores}, "infinite": {0.8, [][]float64{{1, 2, 3, 4, math.Inf(1)}}},
		"another length": {0.8, [][]float64{{1, 2, 3, 4, 5}, {1, 2}}},
	} {
		if c.check(max(1, len(c.Scores))) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A file keeps the scores, of one model and of an ensemble.
func TestConformalFile(t *testing.T) {
	one := smallTrained()
	one.Conformal = &Conformal{0.5, [][]float64{{0.1, 1.0 / 3, 2}}}
	several := must.Get(NewEnsemble([]Member{{1, smallTrained()}}))(t)
	several.Conformal = one.Conformal
	for _, trained := range []*Model{one, several} {
		text := modelBytes(t, trained)
		back, err := parse(bytes.NewReader(text), int64(len(text)))
		if err != nil || !reflect.DeepEqual(back.Conformal, one.Conformal) {
			t.Errorf("%v: came back as %+v", err, back)
		}
	}
}
