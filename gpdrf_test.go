package gpdrf_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A training stops when its context is done, and returns the model so far.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := gpdrf.Options{Steps: 100000, Device: "cpu", Progress: func(p gpdrf.Progress) {
		if p.Step >= 10 {
			cancel()
		}
	}}
	m, err := gpdrf.Train(ctx, wave(), o)
	if !errors.Is(err, context.Canceled) || m == nil {
		t.Fatalf("%v, %v", m, err)
	}
	if _, err := m.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{0}}}); err != nil {
		t.Error(err)
	}
	if m, err := gpdrf.Train(ctx, wave(), o); !errors.Is(err, context.Canceled) || m != nil {
		t.Errorf("a context that has ended: %v, %v", m, err)
	}
}

// Progress reports the objective, and whether it is a bound.
func TestProgressOfBound(t *testing.T) {
	for objective, want := range map[gpdrf.Objective]bool{gpdrf.ObjectiveELBO: true, gpdrf.ObjectivePredictive: false} {
		var last gpdrf.Progress
		if _, err := gpdrf.Train(t.Context(), wave(), gpdrf.Options{Steps: 2, Device: "cpu",
			Objective: objective,
			Progress:  func(p gpdrf.Progress) { last = p }}); err != nil || last.IsELBO != want ||
			last.Objective == 0 {
			t.Errorf("%s: %+v, %v", objective, last, err)
		}
	}
}

// Times of texts are numbers, as Rows need them.
func TestParseTime(t *testing.T) {
	if s, ok := gpdrf.ParseTime("dmy", "02.01.1970 00:01"); !ok || s != 86460 {
		t.Errorf("%g, %v", s, ok)
	}
	if s, ok := gpdrf.ParseTime("", "1970-02-31"); ok {
		t.Errorf("31 February is %g", s)
	}
}

// A regression of several targets has a prediction of each. Without names they are y0, y1, ….
func TestSeveralTargets(t *testing.T) {
	rows := gpdrf.Rows{Columns: []string{"x"}}
	for i := range 80 {
		x := float64(i)/20 - 2
		rows.Inputs = append(rows.Inputs, []float64{x})
		rows.Targets = append(rows.Targets, []float64{100 * x, -x})
	}
	m := must.Get(gpdrf.Train(t.Context(), rows,
		gpdrf.Options{Model: gpdrf.ModelGP, Steps: 300, Inducing: 20, Device: "cpu"}))(t)
	p := must.Get(m.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{1}, {-1}}}))(t)
	for c, want := range []float64{100, -1} {
		y := p.Targets[c]
		q := must.Get(y.Quantiles(0.01, 0.99))(t)[0]
		if y.Name != []string{"y0", "y1"}[c] || math.Abs(y.Mean[0]/want-1) > 0.2 || math.Abs(y.Mean[1]/want+1) > 0.2 ||
			!(q[0] < y.Mean[0] && y.Mean[0] < q[1]) {
			t.Errorf("target %d: %+v, want ±%g", c, y, want)
		}
	}
	if &p.Mean[0] != &p.Targets[0].Mean[0] {
		t.Error("Mean is not that of the first target")
	}
}

// A prediction has the same bits for rows alone, together, and after Close.
func TestPredictAgain(t *testing.T) {
	m := must.Get(gpdrf.Train(t.Context(), wave(), gpdrf.Options{Steps: 20, Device: "cpu"}))(t)
	rows := gpdrf.Rows{Inputs: slices.Repeat(wave().Inputs, 30)}
	all := must.Get(m.Predict(t.Context(), rows))(t)
	for _, i := range []int{0, 5, 120, 3000} {
		must.OK(t, m.Close())
		for range 2 {
			one, err := m.Predict(t.Context(), gpdrf.Rows{Inputs: rows.Inputs[i : i+1]})
			if err != nil || one.Mean[0] != all.Mean[i] || one.SD[0] != all.SD[i] ||
				one.Distance[0] != all.Distance[i] {
				t.Errorf("row %d: %v among others, %v alone, %v", i, all.Mean[i], one, err)
			}
		}
	}
}

func BenchmarkPredictRow(b *testing.B) {
	m, err := gpdrf.Train(b.Context(), wave(), gpdrf.Options{Steps: 20, Device: "cpu"})
	must.OK(b, err)
	defer m.Close()
	row := gpdrf.Rows{Inputs: [][]float64{{0.5}}}
	for b.Loop() {
		if _, err := m.Predict(b.Context(), row); err != nil {
			b.Fatal(err)
		}
	}
}

// A training can start at a model of Train or Load, on rows with the same columns, with weights or without. Other rows
// are refused.
func TestWarmStart(t *testing.T) {
	rows := gpdrf.Rows{Inputs: [][]float64{{1}, {2}, {3}, {4}, {5}}, Values: []float64{1, 2, 1, 2, 3}}
	before := must.Get(gpdrf.Train(t.Context(), rows, gpdrf.Options{Steps: 10, Inducing: 3}))(t)
	weighted, other, classes := rows, rows, rows
	weighted.Weights, other.Columns = []float64{1, 2, 1, 2, 1}, []string{"z"}
	classes.Values, classes.Classes = nil, []string{"a", "b", "a", "b", "a"}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	must.OK(t, before.Save(path))
	must.Get(gpdrf.Load(filepath.Dir(path)))(t) // the folder is read like a run folder
	loaded := must.Get(gpdrf.Load(path))(t)
	var means [2]float64
	for i, from := range []*gpdrf.Model{before, loaded} {
		after := must.Get(gpdrf.Train(t.Context(), weighted, gpdrf.Options{WarmStart: from}))(t)
		means[i] = must.Get(after.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{2.5}}}))(t).Mean[0]
	}
	if means[0] != means[1] {
		t.Errorf("from a model in memory the mean is %g, and from its file %g", means[0], means[1])
	}
	for want, c := range map[string]struct {
		rows gpdrf.Rows
		o    gpdrf.Options
	}{
		`column "x0" is missing`:         {other, gpdrf.Options{WarmStart: before}},
		"the model predicts numbers":     {classes, gpdrf.Options{WarmStart: loaded}},
		"set the field WarmStart":        {rows, gpdrf.Options{Extra: map[string]string{"from": "runs/1"}}},
		"WarmStart: this Model is empty": {rows, gpdrf.Options{WarmStart: new(gpdrf.Model)}},
		`inducing: the model of Opti`:    {rows, gpdrf.Options{WarmStart: loaded, Inducing: 2}},
	} {
		if _, err := gpdrf.Train(t.Context(), c.rows, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// An ensemble is the mean of models with the seeds from its own on. It is saved and loaded, and cannot be trained
// further.
func TestEnsemble(t *testing.T) {
	o, rows := gpdrf.Options{Model: gpdrf.ModelGP, Steps: 20, Device: "cpu"}, wave()
	given := gpdrf.Rows{Inputs: [][]float64{{0.3}, {2}}}
	sums := make([]float64, 2)
	for seed := range 2 {
		o.Seed = uint64(1 + seed)
		m := must.Get(gpdrf.Train(t.Context(), rows, o))(t)
		for i, mean := range must.Get(m.Predict(t.Context(), given))(t).Mean {
			sums[i] += mean / 2
		}
	}
	var seen gpdrf.Progress
	o.Seed, o.Ensemble, o.Progress = 1, 2, func(p gpdrf.Progress) { seen = p }
	o.Extra = map[string]string{"predict-draws": "20"} // scores are those of draws, which the file has to tell
	m := must.Get(gpdrf.Train(t.Context(), rows, o))(t)
	path := filepath.Join(t.TempDir(), "model.safetensors")
	must.OK(t, m.Save(path))
	scores := must.Get(m.Evaluate(t.Context(), rows))(t).Regression.RMSE
	for _, m := range []*gpdrf.Model{m, must.Get(gpdrf.Load(path))(t)} {
		if got := must.Get(m.Evaluate(t.Context(), rows))(t).Regression.RMSE; got != scores {
			t.Errorf("the RMSE is %g, and %g once the model is saved", scores, got)
		}
		p := must.Get(m.Predict(t.Context(), given))(t)
		for i := range sums {
			if math.Abs(p.Mean[i]-sums[i]) > 1e-6 {
				t.Errorf("the mean is %g, and those of the models have the mean %g", p.Mean[i], sums[i])
			}
		}
		_, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{WarmStart: m})
		if err == nil || !strings.Contains(err.Error(), "the model is an ensemble") {
			t.Errorf("an ensemble is trained further: %v", err)
		}
	}
	if seen.Step != 2 || seen.Steps != 2 {
		t.Errorf("%+v", seen)
	}
}

// Errors and notes name options, and no flags.
func TestWords(t *testing.T) {
	rows := gpdrf.Rows{Columns: []string{"a"}, Inputs: [][]float64{{1}, {2}, {3}, {4}, {5}, {6}}}
	numbers, classes := rows, rows
	numbers.Values = []float64{1, 3, 2, 5, 4, 6}
	classes.Classes = []string{"low", "high", "low", "high", "low", "high"}
	for want, c := range map[string]struct {
		rows gpdrf.Rows
		o    gpdrf.Options
	}{
		"is of the levels of likelihood ordinal": {classes,
			gpdrf.Options{Extra: map[string]string{"order": "low,high"}}},
		"with order=LOW,…,HIGH": {classes, gpdrf.Options{Likelihood: gpdrf.LikelihoodOrdinal}},
		"weight its rows with weights": {numbers,
			gpdrf.Options{Extra: map[string]string{"class-weights": "balanced"}}},
		"gpdrf.Options: level: is that of conformal intervals: give conformal, too": {numbers,
			gpdrf.Options{Extra: map[string]string{"level": "0.9"}}},
		"give validation=0.1":               {numbers, gpdrf.Options{Extra: map[string]string{"early-stop": "3"}}},
		"must be a fraction of at most 0.5": {numbers, gpdrf.Options{Validation: 2}},
	} {
		_, err := gpdrf.Train(t.Context(), c.rows, c.o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "--") ||
			strings.Contains(err.Error(), "file") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	train := func(rows gpdrf.Rows) *gpdrf.Model {
		m, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{Model: gpdrf.ModelGP, Steps: 2, EvalSamples: 10,
			Note: func(line string) {
				if strings.Contains(line, "--") {
					t.Errorf("note %q", line)
				}
			}})
		must.OK(t, err)
		return m
	}
	m := train(classes)
	for want, s := range map[string]gpdrf.SuggestOptions{"how ei: is for numbers": {Acquisition: gpdrf.AcquisitionEI},
		"minimize: is for": {Minimize: true}, "give batch 6, or more rows": {Batch: 7}} {
		if _, err := m.Suggest(t.Context(), rows, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	p := must.Get(m.Predict(t.Context(), rows))(t)
	if _, err := p.ConformalSets(0.9); err == nil || !strings.Contains(err.Error(), "train it with Options.Conformal") {
		t.Error(err)
	}
}

// If a context is done after the last step, before the intervals are made, Train returns the model.
func TestCancelAfterLastStep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Model: gpdrf.ModelGP, Steps: 20, Conformal: true, Device: "cpu",
		Progress: func(p gpdrf.Progress) {
			if p.Step == 20 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) || m == nil {
		t.Fatalf("%v, %v", m, err)
	}
	if _, err := m.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{0}}}); err != nil {
		t.Error(err)
	}
}
