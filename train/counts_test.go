// These tests train on counts, exposures and levels in order.

package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// countRows returns n rows whose counts have the rate t·exp(1 + sin 2a + b/2), with exposures t from 1 to 4, and a
// dispersion. It also returns the mean negative log probability of a count under the true rates.
func countRows(t *testing.T, n int, seed uint64, dispersion float64) (ds *data.Dataset, truth float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	var rows data.Rows
	var offset []float64
	for range n {
		a, b, exposure := 4*rng.Float64()-2, rng.NormFloat64(), 1+3*rng.Float64()
		rate := exposure * math.Exp(1+math.Sin(2*a)+0.5*b)
		p := distuv.Poisson{Lambda: rate, Src: rng}
		if dispersion > 0 {
			p.Lambda = distuv.Gamma{Alpha: 1 / dispersion, Beta: 1 / (dispersion * rate), Src: rng}.Rand()
		}
		y := p.Rand()
		rows.Inputs, rows.Values = append(rows.Inputs, []float64{a, b}), append(rows.Values, y)
		offset = append(offset, math.Log(exposure))
		if p.Lambda = rate; dispersion == 0 {
			truth -= p.LogProb(y) / float64(n)
			continue
		}
		r := 1 / dispersion
		up, _ := math.Lgamma(y + r)
		down, _ := math.Lgamma(r)
		factorial, _ := math.Lgamma(y + 1)
		truth -= (up - down - factorial + r*math.Log(r/(r+rate)) + y*math.Log(rate/(r+rate))) / float64(n)
	}
	ds = must.Get(data.FromRows(rows))(t)
	ds.Offset = offset
	return ds, truth
}

// predictOn predicts rows with a number of samples.
func predictOn(t *testing.T, trained *fitted.Model, ds *data.Dataset, samples int) *model.Prediction {
	t.Helper()
	dev := openCPU(t)
	return must.Get(trained.Predict(t.Context(), dev, ds, samples))(t)
}

// A model of counts with exposures comes near the truth that made them, in each kind of model; and a file brings it
// back.
func TestCountsRecover(t *testing.T) {
	learns(t)
	for _, c := range []struct {
		likelihood string
		dispersion float64
	}{{"poisson", 0}, {"negative-binomial", 0.5}} {
		set, _ := countRows(t, 500, 1, c.dispersion)
		test, truth := countRows(t, 300, 2, c.dispersion)
		for _, kind := range []string{"gpdrf", "gp", "drf"} {
			options := "batch=100 steps=400 eval-samples=50 lr=0.02 model=" + kind + " likelihood=" + c.likelihood
			if kind != "drf" {
				options += " inducing=30"
			}
			if kind != "gp" {
				options += " features=30"
			}
			out := mustFit(t, options, set)
			s := evaluate(t, out, test)
			if got := s.Regression; got.NLPD > truth+0.2 || got.Coverage90 < 0.84 ||
				s.Measure != fitted.CountingMeasure {
				t.Errorf("%s: NLPD %.3f, of the truth %.3f; coverage %.2f, measure %q", options, got.NLPD, truth,
					got.Coverage90, s.Measure)
			}
			out.Trained = reread(t, out.Trained)
			if again := evaluate(t, out, test); *again.Regression != *s.Regression {
				t.Errorf("%s: from the model file %v, not %v", options, *again.Regression, *s.Regression)
			}
		}
	}
}

// Where counts vary more than a Poisson, a negative binomial finds how much, and predicts them better.
func TestDispersionIsFound(t *testing.T) {
	learns(t)
	set, _ := countRows(t, 500, 3, 0.8)
	test, _ := countRows(t, 300, 4, 0.8)
	const options = "model=gp inducing=30 batch=100 steps=400 lr=0.02 likelihood="
	poisson, wide := mustFit(t, options+"poisson", set), mustFit(t, options+"negative-binomial", set)
	if a, b := evaluate(t, poisson, test).Regression.NLPD, evaluate(t, wide, test).Regression.NLPD; b > a-0.1 {
		t.Errorf("NLPD %.3f of a negative binomial, %.3f of a Poisson", b, a)
	}
	p := predictOn(t, wide.Trained, test, 50)
	if d := p.Dispersion[0]; d < 0.5 || d > 1.2 {
		t.Errorf("dispersion %.2f, of the truth 0.8", d)
	}
}

// An ensemble of counts gives each count the weighted sum of its members' probabilities.
func TestEnsembleOfCounts(t *testing.T) {
	set, _ := countRows(t, 60, 5, 0)
	weights := []float64{0.7, 0.3}
	e := ensemble(t, set, weights, "model=gp inducing=8 likelihood=poisson",
		"model=drf features=7 likelihood=negative-binomial")
	whole := e.LogDensities(predictOn(t, e, set, 20), set, 0).Log
	parts := make([][]float64, 2)
	for k, samples := range []int{14, 6} {
		parts[k] = e.LogDensities(predictOn(t, e.Members[k].Model, set, samples), set, 0).Log
	}
	for i, l := range whole {
		want := math.Log(weights[0]*math.Exp(parts[0][i]) + weights[1]*math.Exp(parts[1][i]))
		if math.Abs(l-want) > 1e-9 {
			t.Fatalf("row %d: log probability %g, of the members %g", i, l, want)
		}
	}
}

// Levels in order are found again: their probabilities are near the true probabilities.
func TestOrdinalRecovers(t *testing.T) {
	learns(t)
	levels := func(n int, seed uint64) (*data.Dataset, float64) {
		rng := rand.New(rand.NewPCG(seed, 6))
		var rows data.Rows
		cuts, truth := []float64{-1, 0, 1.5}, 0.0
		for range n {
			a, b := 4*rng.Float64()-2, rng.NormFloat64()
			f, level := 1.5*math.Sin(a)+b, 0
			for h := f + rng.NormFloat64(); level < 3 && h > cuts[level]; level++ {
			}
			lower, upper := -30.0, 30.0
			if level > 0 {
				lower = cuts[level-1] - f
			}
			if level < 3 {
				upper = cuts[level] - f
			}
			truth -= device.LogProbit(lower, upper) / float64(n)
			rows.Inputs, rows.Classes = append(rows.Inputs, []float64{a, b}), append(rows.Classes, fmt.Sprint(level))
		}
		ds := must.Get(data.FromRows(rows))(t)
		return ds, truth
	}
	set, _ := levels(500, 1)
	test, truth := levels(300, 2)
	for _, kind := range []string{"gpdrf features=30 inducing=30", "gp inducing=30", "drf features=30"} {
		out := mustFit(t, "likelihood=ordinal batch=100 steps=400 lr=0.02 eval-samples=50 model="+kind, set)
		if s := evaluate(t, out, test).Classification; s.NLL > truth+0.12 {
			t.Errorf("%s: NLL %.3f, of the truth %.3f", kind, s.NLL, truth)
		}
	}
}

// Rows to score need counts, too.
func TestCountsOfTest(t *testing.T) {
	set, _ := countRows(t, 40, 7, 0)
	out := mustFit(t, "model=gp inducing=5 steps=3 likelihood=poisson", set)
	dev := openCPU(t)
	other := *set
	other.Y = append([]float64{0.5}, set.Y[1:]...)
	request := fitted.EvaluateOptions{Samples: 5}
	if _, err := out.Trained.Evaluate(context.Background(), dev, &other, request); err == nil {
		t.Error("half a count was scored")
	}
}

// weighted returns a copy of a set whose rows have weights and, of counts, offsets.
func weighted(set *data.Dataset, counts bool) *data.Dataset {
	ds := *set
	ds.Weights = make([]float64, ds.N())
	for i := range ds.Weights {
		ds.Weights[i] = float64(i%3) + 0.5
	}
	if counts {
		ds.Y, ds.Offset = make([]float64, ds.N()), make([]float64, ds.N())
		for i := range ds.Y {
			ds.Y[i], ds.Offset[i] = math.Floor(max(0, set.Y[i]-180)/4), 0.01*float64(i)
		}
	}
	return &ds
}

// A target that is no count is an error with its place, and so is an offset without a log rate.
func TestCountsAreRefused(t *testing.T) {
	counts := weighted(table(t, 20, 1, wave), true)
	for name, change := range map[string]func(*data.Dataset){
		"negative": func(ds *data.Dataset) { ds.Y[3] = -1 },
		"half":     func(ds *data.Dataset) { ds.Y[3] = 2.5 },
		"huge":     func(ds *data.Dataset) { ds.Y[3] = 1e13 },
	} {
		ds := weighted(counts, true)
		change(ds)
		if _, _, err := jobOf(t, "model=gp likelihood=poisson").Config.ResolveFor(t.Context(), ds); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, _, err := jobOf(t, "model=gp likelihood=gaussian").Config.ResolveFor(t.Context(), counts); err == nil {
		t.Error("an offset with gaussian noise: no error")
	}
}
