package gpdrf_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
)

// Rows with a target are not chosen, the least can be the best, and a second model counts.
func TestSuggest(t *testing.T) {
	ctx := context.Background()
	model, err := gpdrf.Train(ctx, wave(), gpdrf.Options{Kind: gpdrf.GP, Steps: 200, Device: "cpu:f64"})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	rows := gpdrf.Rows{Inputs: [][]float64{{0.75}, {-0.8}, {0.7}, {2.4}}, Values: []float64{1, nan, nan, nan}}
	search := gpdrf.Search{How: "thompson", Batch: 3}
	got, err := model.Suggest(ctx, rows, search)
	if err != nil || len(got) != 3 || got[0].Row != 2 || got[0].Feasible != 1 {
		t.Fatal(got, err)
	}
	if again, _ := model.Suggest(ctx, rows, search); !reflect.DeepEqual(again, got) {
		t.Error("the same seed gives", again)
	}
	search.Minimize, search.Feasible = true, model // feasible is what is 0 or more
	search.Batch, search.How = 1, "ucb"
	if got, err := model.Suggest(ctx, rows, search); err != nil || got[0].Row != 2 || got[0].Feasible < 0.9 {
		t.Error(got, err)
	}
	search.Feasible = nil
	if got, err := model.Suggest(ctx, rows, search); err != nil || math.Abs(got[0].Mean+1) > 0.1 {
		t.Error(got, err)
	}
	rows.Values = rows.Values[:2]
	if _, err := model.Suggest(ctx, rows, search); err == nil || !strings.Contains(err.Error(), "2 targets of 4 rows") {
		t.Error(err)
	}
	if _, err := new(gpdrf.Model).Suggest(ctx, rows, search); err == nil {
		t.Error("an empty model suggests")
	}
}
