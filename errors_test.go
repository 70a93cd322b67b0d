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

// Each fault of the caller's input is an InputError, which tells its option, row or file.
func TestInputError(t *testing.T) {
	ctx, nan := t.Context(), math.NaN()
	good := wave()
	m := must.Get(gpdrf.Train(ctx, good, gpdrf.Options{Model: "gp", Steps: 2, Device: "cpu"}))(t)
	p := must.Get(m.Predict(ctx, gpdrf.Rows{Inputs: good.Inputs}))(t)
	text := filepath.Join(t.TempDir(), "text")
	must.OK(t, os.WriteFile(text, []byte("no model"), 0o600))
	train := func(rows gpdrf.Rows, o gpdrf.Options) error {
		_, err := gpdrf.Train(ctx, rows, o)
		return err
	}
	predict := func(rows gpdrf.Rows) error {
		_, err := m.Predict(ctx, rows)
		return err
	}
	evaluate := func(rows gpdrf.Rows) error {
		_, err := m.Evaluate(ctx, rows)
		return err
	}
	load := func(path string) error {
		_, err := gpdrf.Load(path)
		return err
	}
	quantile := func(i int, level float64) error {
		_, err := p.Quantile(i, level)
		return err
	}
	_, suggestErr := m.Suggest(ctx, gpdrf.Rows{Inputs: good.Inputs}, gpdrf.SuggestOptions{How: "foo"})
	_, _, intervalErr := p.Interval(0, 0.9)
	two := [][]float64{{1}, {2}}
	type fault = gpdrf.InputError
	more := func(key, text string) error {
		return train(good, gpdrf.Options{More: map[string]string{key: text}})
	}
	for name, c := range map[string]struct {
		err  error
		want gpdrf.InputError
	}{
		"a kernel":           {train(good, gpdrf.Options{Kernel: "rbg"}), fault{Option: "kernel"}},
		"a share":            {train(good, gpdrf.Options{Validation: 2}), fault{Option: "validation"}},
		"a device":           {train(good, gpdrf.Options{Device: "tpu"}), fault{Option: "device"}},
		"an unknown option":  {more("kernl", "rbf"), fault{Option: "kernl"}},
		"an option of files": {more("gram", "k.npz"), fault{Option: "gram"}},
		"too few for a fifth": {train(gpdrf.Rows{Inputs: two, Values: []float64{1, 2}}, gpdrf.Options{Conformal: true}),
			fault{Option: "conformal"}},
		"a criterion":  {suggestErr, fault{Option: "how"}},
		"no intervals": {intervalErr, fault{Option: "conformal"}},
		"no rows":      {train(gpdrf.Rows{}, gpdrf.Options{}), fault{}},
		"a row of training": {train(gpdrf.Rows{Inputs: two, Values: []float64{1, nan}}, gpdrf.Options{}),
			fault{Row: 2}},
		"too few weights": {predict(gpdrf.Rows{Inputs: two, Weights: []float64{1}}), fault{}},
		"a negative weight": {evaluate(gpdrf.Rows{Inputs: two, Values: []float64{1, 2}, Weights: []float64{1, -1}}),
			fault{Row: 2}},
		"a row to predict":     {predict(gpdrf.Rows{Inputs: [][]float64{{1}, {2}, {nan}}}), fault{Row: 3}},
		"a short row":          {predict(gpdrf.Rows{Inputs: [][]float64{{}}}), fault{Row: 1}},
		"a row to score":       {evaluate(gpdrf.Rows{Inputs: two, Values: []float64{nan, 1}}), fault{Row: 1}},
		"no targets to score":  {evaluate(gpdrf.Rows{Inputs: two}), fault{}},
		"classes for numbers":  {evaluate(gpdrf.Rows{Inputs: two, Classes: []string{"a", "b"}}), fault{}},
		"a level":              {quantile(0, 95), fault{}},
		"a row that is absent": {quantile(999, 0.5), fault{}},
		"no file":              {load("absent"), fault{File: "absent"}},
		"another file":         {load(text), fault{File: text}},
	} {
		bad, ok := errors.AsType[*gpdrf.InputError](c.err)
		if !ok {
			t.Errorf("%s: %v is no InputError", name, c.err)
			continue
		}
		if bad.Option != c.want.Option || bad.Row != c.want.Row || bad.File != c.want.File {
			t.Errorf("%s: %+v, expected %+v", name, bad, c.want)
		}
	}
	if err := load("absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := gpdrf.Train(ended, good, gpdrf.Options{}); errors.As(err, new(*gpdrf.InputError)) {
		t.Errorf("the end of a context is an InputError: %v", err)
	}
}
