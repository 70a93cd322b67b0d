package gpdrf_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Models that are trained at the same time equal models that are trained one after the other. Targets of rows to
// predict are ignored.
func TestTrainSideBySide(t *testing.T) {
	rows := [2]gpdrf.Rows{}
	for i := range 60 {
		x := float64(i) / 10
		for k := range rows {
			rows[k].Inputs = append(rows[k].Inputs, []float64{x})
		}
		rows[0].Values = append(rows[0].Values, math.Sin(x))
		rows[1].Classes = append(rows[1].Classes, []string{"low", "high"}[i/30])
	}
	means := func(k int) []float64 {
		m, err := gpdrf.Train(t.Context(), rows[k], gpdrf.Options{Steps: 20, Device: "cpu"})
		if err != nil {
			t.Error(err)
			return nil
		}
		var all [2][]float64
		for i, given := range []gpdrf.Rows{{Inputs: rows[k].Inputs}, {Inputs: rows[k].Inputs,
			Classes: slices.Repeat([]string{"new"}, 60)}} {
			p, err := m.Predict(t.Context(), given)
			if err != nil {
				t.Error(err)
				return nil
			}
			all[i] = p.Mean
			if k == 1 {
				all[i] = slices.Concat(p.Probabilities...)
			}
		}
		if !slices.Equal(all[0], all[1]) {
			t.Error("targets of rows to predict matter")
		}
		return all[0]
	}
	want := [2][]float64{means(0), means(1)}
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			if got := means(i % 2); !slices.Equal(got, want[i%2]) {
				t.Errorf("training %d came out otherwise", i)
			}
		})
	}
	running.Wait()
}

// A model predicts for several goroutines at once, and closes or changes its device between them.
func TestPredictSideBySide(t *testing.T) {
	m := must.Get(gpdrf.Train(t.Context(), wave(), gpdrf.Options{Steps: 20, Device: "cpu"}))(t)
	inputs := wave().Inputs
	want := must.Get(m.Predict(t.Context(), gpdrf.Rows{Inputs: inputs}))(t)
	wantQ := must.Get(want.Quantiles(0.3))(t)
	var running sync.WaitGroup
	for g := range 4 {
		running.Go(func() {
			for i := g; i < len(inputs); i += 4 {
				p, err := m.Predict(t.Context(), gpdrf.Rows{Inputs: inputs[i : i+1]})
				if err != nil {
					t.Errorf("row %d: %v", i, err)
					return
				}
				q, err := p.Quantiles(0.3)
				if err != nil || p.Mean[0] != want.Mean[i] || q[0][0] != wantQ[i][0] {
					t.Errorf("row %d: %v, %v", i, p, err)
				}
				if i%20 == 0 {
					m.Close()
				}
				if i%30 == 0 {
					m.SetDevice([]string{"cpu", "cpu:f32"}[i/30%2])
				}
			}
		})
	}
	running.Wait()
}
