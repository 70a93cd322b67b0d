package train

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// wideRows are rows of 300 columns of noise, of which two say the class where there is something to
// learn.
func wideRows(t *testing.T, n int, seed uint64, signal bool) *data.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	rows := data.Rows{Inputs: make([][]float64, n), Labels: make([]string, n)}
	for i := range n {
		x := make([]float64, 300)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		rows.Labels[i] = "no"
		if y := r.NormFloat64(); signal && x[3]+x[7] > 0 || !signal && y > 0 {
			rows.Labels[i] = "yes"
		}
		rows.Inputs[i] = x
	}
	ds, err := data.FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

// trainWide trains a job on wide rows, and scores others.
func trainWide(t *testing.T, signal bool) (*Outcome, *data.Dataset, *fitted.Scores) {
	t.Helper()
	ctx := context.Background()
	dev := open(t)
	out, err := (&Job{Config: config(t, "steps=400"), Device: dev, Train: wideRows(t, 40, 1, signal)}).Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	test := wideRows(t, 200, 2, signal)
	p, err := out.Trained.Predict(ctx, dev, test, 20)
	if err != nil {
		t.Fatal(err)
	}
	scores := out.Trained.Score(p, test, 0)
	return out, test, &scores
}
