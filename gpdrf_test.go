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

// Wrong rows and options are errors that name the fault.
func TestBadInput(t *testing.T) {
	numbers := [][]float64{{1, 2}, {3, 4}, {5, 7}}
	for _, c := range []struct {
		name, want string
		rows       gpdrf.Rows
		o          gpdrf.Options
	}{
		{"no rows", "there are no rows", gpdrf.Rows{}, gpdrf.Options{}},
		{"no targets", "give either values or targets, for a regression, or classes",
			gpdrf.Rows{Inputs: numbers}, gpdrf.Options{}},
		{"too few targets", "2 values for 3 rows",
			gpdrf.Rows{Inputs: numbers, Values: []float64{1, 2}}, gpdrf.Options{}},
		{"a short row", "row 2 has 1 number, and row 1 has 2 columns: give each row as many",
			gpdrf.Rows{Inputs: [][]float64{{1, 2}, {3}}, Values: []float64{1, 2}}, gpdrf.Options{}},
		{"a long row of names", "row 2 has 2 numbers for 1 column: give one for each", gpdrf.Rows{Columns: []string{"a"},
			Inputs: [][]float64{{1}, {3, 4}}, Values: []float64{1, 2}}, gpdrf.Options{}},
		{"no number", `row 2: column "b" is NaN`, gpdrf.Rows{Columns: []string{"a", "b"},
			Inputs: [][]float64{{1, 2}, {3, math.NaN()}}, Values: []float64{1, 2}}, gpdrf.Options{}},
		{"dashes in a name", `row 2: column "pre--a" is NaN`, gpdrf.Rows{Columns: []string{"pre--a"},
			Inputs: [][]float64{{1}, {math.NaN()}}, Values: []float64{1, 2}}, gpdrf.Options{}},
		{"no value", "row 2: the value is +Inf",
			gpdrf.Rows{Inputs: numbers[:2], Values: []float64{1, math.Inf(1)}}, gpdrf.Options{}},
		{"one value", "there is nothing to learn",
			gpdrf.Rows{Inputs: numbers, Values: []float64{1, 1, 1}}, gpdrf.Options{}},
		{"one class", "at least two classes are needed",
			gpdrf.Rows{Inputs: numbers, Classes: []string{"a", "a", "a"}}, gpdrf.Options{}},
		{"two names", `there are two columns "a"`, gpdrf.Rows{Columns: []string{"a", "a"},
			Inputs: numbers, Values: []float64{1, 2, 3}}, gpdrf.Options{}},
		{"a symbol", `row 1: found "!" at byte 3`, gpdrf.Rows{Sequences: []string{"AC!", "ACG"},
			Tokens: "dna", Values: []float64{1, 2}}, gpdrf.Options{}},
		{"an option", `unknown option "kernl": did you mean "kernel"?`, gpdrf.Rows{},
			gpdrf.Options{More: map[string]string{"kernl": "rbf"}}},
		{"a value of one", `gpdrf.Options: kernel: "rbg" is not one of its values`, gpdrf.Rows{},
			gpdrf.Options{Kernel: "rbg"}},
		{"a field in More", "gpdrf.Options: kernel: set the field Kernel instead", gpdrf.Rows{},
			gpdrf.Options{More: map[string]string{"kernel": "rbf"}}},
		{"a target too few", "row 2 has 1 number, and row 1 has 2 targets: give each row as many",
			gpdrf.Rows{Inputs: numbers[:2], Targets: [][]float64{{1, 2}, {3}}}, gpdrf.Options{}},
		{"one name", "1 target name for 2 targets", gpdrf.Rows{Inputs: numbers[:2],
			Targets: [][]float64{{1, 2}, {3, 4}}, TargetNames: []string{"a"}}, gpdrf.Options{}},
		{"one target", "give values instead", gpdrf.Rows{Inputs: numbers[:2], Targets: [][]float64{{1}, {3}}},
			gpdrf.Options{}},
		{"an option of files", "gpdrf.Options: gram: is about files", gpdrf.Rows{},
			gpdrf.Options{More: map[string]string{"gram": "k.npz"}}},
		{"a field", "gpdrf.Options: steps: set the field Steps instead", gpdrf.Rows{},
			gpdrf.Options{More: map[string]string{"steps": "3"}}},
		{"an ensemble of the best", "preset best makes an ensemble of the models that it finds", gpdrf.Rows{},
			gpdrf.Options{Preset: "best", Ensemble: 3}},
		{"a device", `device "tpu" is not known`, gpdrf.Rows{Inputs: numbers, Values: []float64{1, 2, 4}},
			gpdrf.Options{Device: "tpu"}},
	} {
		if _, err := gpdrf.Train(context.Background(), c.rows, c.o); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// Columns are matched by name, and a missing one is an error.
func TestColumns(t *testing.T) {
	rows := wave()
	for i, r := range rows.Inputs {
		rows.Inputs[i] = []float64{r[0], float64(i % 5)}
	}
	rows.Columns = []string{"x", "noise"}
	m := must.Get(gpdrf.Train(t.Context(), rows, gpdrf.Options{Steps: 20, Device: "cpu"}))(t)
	a, errA := m.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{0.5, 3}}})
	b, errB := m.Predict(t.Context(), gpdrf.Rows{Columns: []string{"noise", "more", "x"},
		Inputs: [][]float64{{3, 9, 0.5}}})
	if err := errors.Join(errA, errB); err != nil || a.Mean[0] != b.Mean[0] {
		t.Errorf("%v, %v: %v", a, b, err)
	}
	far, err := m.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{0.5, 1e4}}})
	if err != nil || len(far.Warnings) != 1 || !strings.Contains(far.Warnings[0], `column "noise" is 10000`) ||
		a.Warnings != nil {
		t.Errorf("a far row: %v, %v; another: %v", far, err, a.Warnings)
	}
	for want, bad := range map[string]gpdrf.Rows{
		`there is no column "x"`: {Columns: []string{"noise"}, Inputs: [][]float64{{3}}},
		"row 1 has 1 number":     {Inputs: [][]float64{{3}}},
	} {
		if _, err := m.Predict(t.Context(), bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	m.SetDevice("cuda:70") // A change after a prediction must have an effect.
	if _, err := m.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{0.5, 3}}}); err == nil {
		t.Error("a device that is not there predicted")
	}
}

// Errors keep the dashes of a column's name, also behind a blank.
func TestDashesOfColumns(t *testing.T) {
	rows := wave()
	rows.Columns = []string{`max --depth "m`}
	m, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{Model: "gp", Steps: 2, Device: "cpu"})
	must.OK(t, err)
	_, err = m.Predict(t.Context(), gpdrf.Rows{Columns: []string{"x"}, Inputs: [][]float64{{3}}})
	if want := `there is no column "max --depth \"m"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

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
	for objective, want := range map[string]bool{"elbo": true, "predictive": false} {
		var last gpdrf.Progress
		if _, err := gpdrf.Train(t.Context(), wave(), gpdrf.Options{Steps: 2, Device: "cpu",
			More:     map[string]string{"objective": objective},
			Progress: func(p gpdrf.Progress) { last = p }}); err != nil || last.Bound != want ||
			last.Objective == 0 {
			t.Errorf("%s: %+v, %v", objective, last, err)
		}
	}
}

// A quantile is an error in a classification, and at levels that are no probability.
func TestNoQuantile(t *testing.T) {
	inputs := [][]float64{{1}, {2}, {3}, {4}, {5}, {6}}
	o := gpdrf.Options{Model: "gp", Steps: 2, Device: "cpu"}
	predict := func(rows gpdrf.Rows) *gpdrf.Prediction {
		rows.Inputs = inputs
		m := must.Get(gpdrf.Train(context.Background(), rows, o))(t)
		p := must.Get(m.Predict(context.Background(), gpdrf.Rows{Inputs: inputs}))(t)
		return p
	}
	classes := predict(gpdrf.Rows{Classes: []string{"a", "b", "a", "b", "a", "b"}})
	if q, err := classes.Quantile(0, 0.5); err == nil {
		t.Errorf("%g of a classification", q)
	}
	for _, likelihood := range []string{"gaussian", "student-t"} {
		o.Likelihood = likelihood
		values := predict(gpdrf.Rows{Values: []float64{1, 2, 1, 3, 2, 4}})
		for _, level := range []float64{0, 1, -1, 2, math.NaN(), math.Inf(1)} {
			if q, err := values.Quantile(0, level); err == nil || !strings.Contains(err.Error(), "must be above 0") {
				t.Errorf("%s: %g at the level %g, %v", likelihood, q, level, err)
			}
		}
		if q, err := values.Quantile(0, 0.5); err != nil || math.IsNaN(q) {
			t.Errorf("%s: no median: %v", likelihood, err)
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

// TestUntrained checks the errors of an empty Model.
func TestUntrained(t *testing.T) {
	var m gpdrf.Model
	_, err := m.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{1}}})
	_, scoreErr := m.Evaluate(t.Context(), wave())
	for _, err := range []error{err, scoreErr, m.Save(filepath.Join(t.TempDir(), "model"))} {
		if !errors.Is(err, gpdrf.ErrUntrained) {
			t.Errorf("an empty model: %v", err)
		}
	}
	if m.Classes() != nil || m.Close() != nil {
		t.Error("an empty model has classes, or does not close")
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
		gpdrf.Options{Model: "gp", Steps: 300, Inducing: 20, Device: "cpu"}))(t)
	p := must.Get(m.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{1}, {-1}}}))(t)
	for c, want := range []float64{100, -1} {
		y := p.Targets[c]
		if y.Name != []string{"y0", "y1"}[c] || math.Abs(y.Mean[0]/want-1) > 0.2 || math.Abs(y.Mean[1]/want+1) > 0.2 ||
			!(must.Get(y.Quantile(0, 0.01))(t) < y.Mean[0] && y.Mean[0] < must.Get(y.Quantile(0, 0.99))(t)) {
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
func TestTrainFrom(t *testing.T) {
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
		after := must.Get(gpdrf.Train(t.Context(), weighted, gpdrf.Options{From: from}))(t)
		means[i] = must.Get(after.Predict(t.Context(), gpdrf.Rows{Inputs: [][]float64{{2.5}}}))(t).Mean[0]
	}
	if means[0] != means[1] {
		t.Errorf("from a model in memory the mean is %g, and from its file %g", means[0], means[1])
	}
	for want, c := range map[string]struct {
		rows gpdrf.Rows
		o    gpdrf.Options
	}{
		`there is no column "x0"`:     {other, gpdrf.Options{From: before}},
		"the model predicts numbers":  {classes, gpdrf.Options{From: loaded}},
		"set the field From":          {rows, gpdrf.Options{More: map[string]string{"from": "runs/1"}}},
		"From: this Model is empty":   {rows, gpdrf.Options{From: new(gpdrf.Model)}},
		`inducing: the model of Opti`: {rows, gpdrf.Options{From: loaded, Inducing: 2}},
	} {
		if _, err := gpdrf.Train(t.Context(), c.rows, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// An ensemble is the mean of models with the seeds from its own on. It is saved and loaded, and cannot be trained
// further.
func TestEnsemble(t *testing.T) {
	o, rows := gpdrf.Options{Model: "gp", Steps: 20, Device: "cpu"}, wave()
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
	o.More = map[string]string{"predict-draws": "20"} // scores are those of draws, which the file has to tell
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
		_, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{From: m})
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
			gpdrf.Options{More: map[string]string{"order": "low,high"}}},
		"with order=LOW,…,HIGH": {classes, gpdrf.Options{Likelihood: "ordinal"}},
		"weight its rows with weights": {numbers,
			gpdrf.Options{More: map[string]string{"class-weights": "balanced"}}},
		"gpdrf.Options: level: is that of conformal intervals: give conformal, too": {numbers,
			gpdrf.Options{More: map[string]string{"level": "0.9"}}},
		"give validation=0.1":               {numbers, gpdrf.Options{More: map[string]string{"early-stop": "3"}}},
		"must be a fraction of at most 0.5": {numbers, gpdrf.Options{Validation: 2}},
	} {
		_, err := gpdrf.Train(t.Context(), c.rows, c.o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "--") ||
			strings.Contains(err.Error(), "file") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	train := func(rows gpdrf.Rows) *gpdrf.Model {
		m, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{Model: "gp", Steps: 2, EvalSamples: 10,
			Note: func(line string) {
				if strings.Contains(line, "--") {
					t.Errorf("note %q", line)
				}
			}})
		must.OK(t, err)
		return m
	}
	m := train(classes)
	for want, s := range map[string]gpdrf.SuggestOptions{"how ei: is for numbers": {How: "ei"},
		"minimize: is for": {Minimize: true}, "give batch 6, or more rows": {}} {
		if _, err := m.Suggest(t.Context(), rows, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	p := must.Get(m.Predict(t.Context(), rows))(t)
	if _, err := p.Set(0, 0.9); err == nil || !strings.Contains(err.Error(), "train it with Options.Conformal") {
		t.Error(err)
	}
}

// The quantile, the interval and the set of a row that a prediction does not have are errors.
func TestNoSuchRow(t *testing.T) {
	var numbers, classes gpdrf.Rows
	for i := range 40 {
		numbers.Inputs = append(numbers.Inputs, []float64{float64(i)})
		numbers.Values = append(numbers.Values, float64(i*7%11))
		classes.Classes = append(classes.Classes, []string{"low", "high"}[i/3%2])
	}
	classes.Inputs = numbers.Inputs
	for _, rows := range []gpdrf.Rows{numbers, classes} {
		m := must.Get(gpdrf.Train(t.Context(), rows, gpdrf.Options{Model: "gp", Steps: 2, Conformal: true,
			EvalSamples: 10, More: map[string]string{"level": "0.5"}}))(t)
		p := must.Get(m.Predict(t.Context(), gpdrf.Rows{Inputs: rows.Inputs[:3]}))(t)
		for _, i := range []int{-1, 3} {
			_, err := p.Quantile(i, 0.5)
			errs := []error{err}
			if rows.Classes != nil {
				_, err = p.Set(i, 0.5)
				errs = []error{err}
			} else {
				_, _, err = p.Interval(i, 0.5)
				errs = append(errs, err)
			}
			for _, err := range errs {
				if err == nil || !strings.Contains(err.Error(), "of a prediction of 3 rows: they count from 0") {
					t.Errorf("row %d: %v", i, err)
				}
			}
		}
	}
}

// If a context is done after the last step, before the intervals are made, Train returns the model.
func TestCancelAfterLastStep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Model: "gp", Steps: 20, Conformal: true, Device: "cpu",
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
