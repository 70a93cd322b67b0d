package train

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
)

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
