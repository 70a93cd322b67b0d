package seq

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// manyLines returns random DNA of a length; at 400 symbols, their features take a core a second.
func manyLines(length int) []string {
	r := rand.New(rand.NewPCG(3, 4))
	lines := make([]string, 300)
	for i := range lines {
		lines[i] = string(letters(r, dnaText, length))
	}
	return lines
}

// TestStop: whatever counts features ends soon after its context is done, with the context's error where it returns
// one.
func TestStop(t *testing.T) {
	length := 400
	if testing.Short() { // the race detector makes a second of work long
		length = 100
	}
	set := encode(t, DNA, manyLines(length)...)
	spec := must.Get(Parse("gapped:10,4/rc/sqrt+gapped:8,3/tfidf"))(t)
	small := must.Get(NewInducingSequences(t.Context(), spec, set.Subset([]int{0, 1}), []int{0, 1}))(t)
	projection := must.Get(NewSignProjection(t.Context(), spec[1:], 10, set.Subset([]int{0, 1}), 1))(t)
	targets, all := make([]float64, set.N()), make([]int, set.N())
	for i := range targets {
		targets[i], all[i] = float64(i%2), i
	}
	for _, c := range []struct {
		name string
		call func(ctx context.Context) error
	}{
		{"Fit", func(ctx context.Context) error { _, err := Fit(ctx, spec[0], set); return err }},
		{"NewInducingSequences", func(ctx context.Context) error {
			_, err := NewInducingSequences(ctx, spec, set, all)
			return err
		}},
		{"ChooseInducing", func(ctx context.Context) error {
			_, err := ChooseInducing(ctx, spec, set, InducingOptions{ChooseKMedoids, 200, 1})
			return err
		}},
		{"Select", func(ctx context.Context) error {
			_, err := Select(ctx, []Spec{spec[1:]}, set, Targets{Values: targets, Columns: 1}, 1, 0)
			return err
		}},
		{"NewProjection", func(ctx context.Context) error {
			_, err := NewSignProjection(ctx, spec, 10, set, 1)
			return err
		}},
		{"Distances", func(ctx context.Context) error { small.Distances(ctx, set, 0, set.N()); return ctx.Err() }},
		{"Vectors", func(ctx context.Context) error { small.Vectors(ctx, set, 0, set.N()); return ctx.Err() }},
		{"Sizes", func(ctx context.Context) error { small.Sizes(ctx, set); return ctx.Err() }},
		{"Rows", func(ctx context.Context) error { projection.Rows(ctx, set, 0, set.N()); return ctx.Err() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var stopped time.Time
			heard, last := 0, 0.0
			ctx = WithProgress(ctx, func(share float64) {
				if share <= last || share > 1 {
					t.Errorf("a share of %g after %g", share, last)
				}
				if heard, last = heard+1, share; heard == 2 {
					stopped = time.Now()
					cancel()
				}
			})
			err := c.call(ctx)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v is not the cause of the context", err)
			}
			if took := time.Since(stopped); took > time.Second {
				t.Errorf("stopped after %s", took)
			}
			cancel()
		})
	}
}

// TestProgress: the shares of a work that is not stopped end with 1.
func TestProgress(t *testing.T) {
	set := encode(t, DNA, randomLines(DNA, 2*partSize+50, 40, 9)...)
	spec := must.Get(Parse("gapped:4,1+spectrum:3/tfidf"))(t)
	last, heard := 0.0, 0
	ctx := WithProgress(t.Context(), func(share float64) { last, heard = share, heard+1 })
	if _, err := NewInducingSequences(ctx, spec, set, []int{1, 2, 3}); err != nil || last != 1 || heard < 5 {
		t.Errorf("%d shares, the last %g: %v", heard, last, err)
	}
}

// TestStopBetween: what follows the counts stops, too: the lists of keys, of columns, and the sums of products.
func TestStopBetween(t *testing.T) {
	set := encode(t, DNA, randomLines(DNA, 50, 40, 9)...)
	f := must.Get(Fit(t.Context(), must.Get(Parse("gapped:4,1"))(t)[0], set))(t)
	rows := f.Rows(set)
	v, dots := invert(t.Context(), rows), make([]float64, rows.N()*rows.N())
	if v.dots(t.Context(), dots, rows, 0, rows.N()); dots[0] == 0 {
		t.Error("no products")
	}
	ctx, cancel := context.WithCancel(t.Context())
	counted := WithProgress(ctx, func(share float64) {
		if share == 1 {
			cancel()
		}
	})
	if keys := f.documentFrequencies(counted, set).keys; len(keys) > 0 {
		t.Errorf("%d keys are listed", len(keys))
	}
	v.dots(ctx, dots, rows, 0, rows.N())
	for name, values := range map[string][]float64{"products": dots, "lists": invert(ctx, rows).Value,
		"rows": f.join(ctx, []SparseRows{*rows}, rows.N()).Value} {
		if slices.ContainsFunc(values, func(v float64) bool { return v != 0 }) {
			t.Errorf("%s are filled", name)
		}
	}
}
