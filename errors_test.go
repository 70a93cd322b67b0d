package gpdrf_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// fault is the place that an InputError has to tell.
type fault = gpdrf.InputError

// failed is an error, and the place of its fault.
type failed struct {
	err  error
	want fault
}

func checkFaults(t *testing.T, all map[string]failed) {
	t.Helper()
	for name, c := range all {
		bad, ok := errors.AsType[*gpdrf.InputError](c.err)
		if !ok {
			t.Errorf("%s: %v is no InputError", name, c.err)
			continue
		}
		if bad.Option != c.want.Option || bad.Row != c.want.Row || bad.File != c.want.File {
			t.Errorf("%s: %+v, expected %+v", name, bad, c.want)
		}
	}
}

// errorOf returns the error of a call.
func errorOf[T any](_ T, err error) error { return err }

// Bad options and rows of a training are InputErrors. The end of a context is none.
func TestInputErrorOfTrain(t *testing.T) {
	good, two := wave(), [][]float64{{1}, {2}}
	train := func(rows gpdrf.Rows, o gpdrf.Options) error { return errorOf(gpdrf.Train(t.Context(), rows, o)) }
	more := func(key, text string) error {
		return train(good, gpdrf.Options{Extra: map[string]string{key: text}})
	}
	few := gpdrf.Rows{Inputs: two, Values: []float64{1, 2}}
	bad := gpdrf.Rows{Inputs: two, Values: []float64{1, math.NaN()}}
	half := gpdrf.Rows{Inputs: two, Values: []float64{1, 0.5}}
	checkFaults(t, map[string]failed{
		"a kernel":            {train(good, gpdrf.Options{Kernel: "rbg"}), fault{Option: "kernel"}},
		"a share":             {train(good, gpdrf.Options{Validation: 2}), fault{Option: "validation"}},
		"a device":            {train(good, gpdrf.Options{Device: "tpu"}), fault{Option: "device"}},
		"an unknown option":   {more("kernl", "rbf"), fault{Option: "kernl"}},
		"an option of files":  {more("gram", "k.npz"), fault{Option: "gram"}},
		"too few for a fifth": {train(few, gpdrf.Options{Conformal: true}), fault{Option: "conformal"}},
		"no rows":             {train(gpdrf.Rows{}, gpdrf.Options{}), fault{}},
		"a value":             {train(bad, gpdrf.Options{}), fault{Row: 2}},
		"a count":             {train(half, gpdrf.Options{Likelihood: gpdrf.LikelihoodPoisson}), fault{Row: 2}},
	})
	ended, end := context.WithCancel(t.Context())
	end()
	if err := errorOf(gpdrf.Train(ended, good, gpdrf.Options{})); errors.As(err, new(*gpdrf.InputError)) {
		t.Errorf("the end of a context is an InputError: %v", err)
	}
}

// Bad rows and arguments of a model are InputErrors.
func TestInputErrorOfModel(t *testing.T) {
	ctx, nan, two := t.Context(), math.NaN(), [][]float64{{1}, {2}}
	m := must.Get(gpdrf.Train(ctx, wave(), gpdrf.Options{Model: gpdrf.ModelGP, Steps: 2, Device: "cpu"}))(t)
	p := must.Get(m.Predict(ctx, gpdrf.Rows{Inputs: two}))(t)
	predict := func(rows gpdrf.Rows) error { return errorOf(m.Predict(ctx, rows)) }
	evaluate := func(rows gpdrf.Rows) error { return errorOf(m.Evaluate(ctx, rows)) }
	_, _, intervalErr := p.ConformalIntervals(0.9)
	checkFaults(t, map[string]failed{
		"a number":            {predict(gpdrf.Rows{Inputs: [][]float64{{1}, {2}, {nan}}}), fault{Row: 3}},
		"a short row":         {predict(gpdrf.Rows{Inputs: [][]float64{{}}}), fault{Row: 1}},
		"too few weights":     {predict(gpdrf.Rows{Inputs: two, Weights: []float64{1}}), fault{}},
		"a row to score":      {evaluate(gpdrf.Rows{Inputs: two, Values: []float64{nan, 1}}), fault{Row: 1}},
		"no targets to score": {evaluate(gpdrf.Rows{Inputs: two}), fault{}},
		"classes for numbers": {evaluate(gpdrf.Rows{Inputs: two, Classes: []string{"a", "b"}}), fault{}},
		"a weight": {evaluate(gpdrf.Rows{Inputs: two, Values: []float64{1, 2}, Weights: []float64{1, -1}}),
			fault{Row: 2}},
		"a criterion": {errorOf(m.Suggest(ctx, gpdrf.Rows{Inputs: two}, gpdrf.SuggestOptions{Acquisition: "foo"})),
			fault{Option: "how"}},
		"a level":      {errorOf(p.Quantiles(95)), fault{}},
		"no intervals": {intervalErr, fault{Option: "conformal"}},
	})
}

// A file that is absent or holds no model is an InputError, with the cause.
func TestInputErrorOfLoad(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	must.OK(t, os.WriteFile(text, []byte("no model"), 0o600))
	absent := errorOf(gpdrf.Load("absent"))
	checkFaults(t, map[string]failed{
		"no file":      {absent, fault{File: "absent"}},
		"another file": {errorOf(gpdrf.Load(text)), fault{File: text}},
		"no name":      {errorOf(gpdrf.Load("")), fault{}},
	})
	if !errors.Is(absent, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", absent)
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
