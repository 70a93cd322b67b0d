package gpdrf_test

import (
	"context"
	"errors"
	"math"
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
		{"a long row of names", "row 2 has 2 numbers for 1 column: give one for each", gpdrf.Rows{
			Columns: []string{"a"}, Inputs: [][]float64{{1}, {3, 4}}, Values: []float64{1, 2}}, gpdrf.Options{}},
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
			gpdrf.Options{Extra: map[string]string{"kernl": "rbf"}}},
		{"a value of one", `gpdrf.Options: kernel: "rbg" is not a kernel`, gpdrf.Rows{},
			gpdrf.Options{Kernel: "rbg"}},
		{"a field in More", "gpdrf.Options: kernel: set the field Kernel instead", gpdrf.Rows{},
			gpdrf.Options{Extra: map[string]string{"kernel": "rbf"}}},
		{"a target too few", "row 2 has 1 number, and row 1 has 2 targets: give each row as many",
			gpdrf.Rows{Inputs: numbers[:2], Targets: [][]float64{{1, 2}, {3}}}, gpdrf.Options{}},
		{"one name", "1 target name for 2 targets", gpdrf.Rows{Inputs: numbers[:2],
			Targets: [][]float64{{1, 2}, {3, 4}}, TargetNames: []string{"a"}}, gpdrf.Options{}},
		{"one target", "give values instead", gpdrf.Rows{Inputs: numbers[:2], Targets: [][]float64{{1}, {3}}},
			gpdrf.Options{}},
		{"an option of files", "gpdrf.Options: gram: is about files", gpdrf.Rows{},
			gpdrf.Options{Extra: map[string]string{"gram": "k.npz"}}},
		{"a field", "gpdrf.Options: steps: set the field Steps instead", gpdrf.Rows{},
			gpdrf.Options{Extra: map[string]string{"steps": "3"}}},
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
		`column "x" is missing`: {Columns: []string{"noise"}, Inputs: [][]float64{{3}}},
		"row 1 has 1 number":    {Inputs: [][]float64{{3}}},
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
	m, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{Model: gpdrf.ModelGP, Steps: 2, Device: "cpu"})
	must.OK(t, err)
	_, err = m.Predict(t.Context(), gpdrf.Rows{Columns: []string{"x"}, Inputs: [][]float64{{3}}})
	if want := `column "max --depth \"m" is missing`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
