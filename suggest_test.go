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

// Rows with a target are not chosen, the least target can be the best, and a second model can tell feasible rows.
func TestSuggest(t *testing.T) {
	ctx := context.Background()
	model := must.Get(gpdrf.Train(ctx, wave(), gpdrf.Options{Model: gpdrf.ModelGP, Steps: 200, Device: "cpu:f64"}))(t)
	nan := math.NaN()
	rows := gpdrf.Rows{Inputs: [][]float64{{0.75}, {-0.8}, {0.7}, {2.4}}, Values: []float64{1, nan, nan, nan}}
	search := gpdrf.SuggestOptions{Acquisition: gpdrf.AcquisitionThompson, Batch: 3}
	got := must.Get(model.Suggest(ctx, rows, search))(t)
	must.Equal(t, len(got), 3)
	must.Equal(t, got[0].Row, 2)
	must.Equal(t, got[0].Feasible, 1)
	must.Equal(t, must.Get(model.Suggest(ctx, rows, search))(t), got) // the same seed
	search.Minimize, search.Feasible = true, model                    // rows with a target of 0 or more are feasible
	search.Batch, search.Acquisition = 1, "ucb"
	if got, err := model.Suggest(ctx, rows, search); err != nil || got[0].Row != 2 || got[0].Feasible < 0.9 {
		t.Errorf("the least feasible: %v, %v, want row 2", got, err)
	}
	if _, err := model.Suggest(ctx, rows, gpdrf.SuggestOptions{Acquisition: "foo"}); err == nil ||
		!strings.HasPrefix(err.Error(), `gpdrf.SuggestOptions: how: there is no "foo"`) {
		t.Error(err)
	}
	search.Feasible = nil
	if got, err := model.Suggest(ctx, rows, search); err != nil || math.Abs(got[0].Mean+1) > 0.1 {
		t.Errorf("the least: %v, %v, want the mean -1", got, err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if got, err := model.Suggest(ended, rows, search); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v, %v", got, err)
	}
	rows.Values = rows.Values[:2]
	if _, err := model.Suggest(ctx, rows, search); err == nil || !strings.Contains(err.Error(), "2 values for 4 rows") {
		t.Error(err)
	}
	if _, err := new(gpdrf.Model).Suggest(ctx, rows, search); !errors.Is(err, gpdrf.ErrUntrained) {
		t.Errorf("an empty model suggests: %v", err)
	}
}

// Measured rows must have all targets of the model; other targets are errors.
func TestSuggestTargets(t *testing.T) {
	nan, rows := math.NaN(), wave()
	o := gpdrf.Options{Model: gpdrf.ModelGP, Steps: 5, Device: "cpu"}
	one := must.Get(gpdrf.Train(t.Context(), rows, o))(t)
	for _, y := range rows.Values {
		rows.Targets = append(rows.Targets, []float64{y, -y})
	}
	rows.Values = nil
	two := must.Get(gpdrf.Train(t.Context(), rows, o))(t)
	rows.Targets = nil
	for _, x := range rows.Inputs {
		rows.Classes = append(rows.Classes, map[bool]string{true: "high", false: "low"}[x[0] > 0])
	}
	classes := must.Get(gpdrf.Train(t.Context(), rows, o))(t)
	inputs := [][]float64{{0.5}, {1}, {2}}
	found, err := classes.Suggest(t.Context(), gpdrf.Rows{Inputs: inputs, Classes: []string{"low", "", "high"}},
		gpdrf.SuggestOptions{Batch: 1})
	if err != nil || found[0].Row != 1 {
		t.Errorf("%v, %v", found, err)
	}
	both := gpdrf.Rows{Inputs: inputs, Values: []float64{1, nan, 2}, Targets: [][]float64{{nan, 1}, {1, nan}, {2, 2}}}
	_, err = two.Suggest(t.Context(), both, gpdrf.SuggestOptions{Batch: 1})
	if err == nil || !strings.Contains(err.Error(), "both Values and Targets") {
		t.Error("Values beside Targets are taken")
	}
	search := gpdrf.SuggestOptions{Batch: 1, Target: "y1"}
	found, err = two.Suggest(t.Context(), gpdrf.Rows{Inputs: inputs,
		Targets: [][]float64{{nan, 1}, {1, nan}, {2, 2}}}, search)
	if err != nil || found[0].Row != 1 {
		t.Errorf("%v, %v", found, err)
	}
	for want, c := range map[string]struct {
		model *gpdrf.Model
		rows  gpdrf.Rows
	}{
		"the model predicts classes: give Classes": {classes,
			gpdrf.Rows{Inputs: inputs, Values: []float64{1, nan, nan}}},
		`row 2: the model has no class "hihg"`: {classes,
			gpdrf.Rows{Inputs: inputs, Classes: []string{"low", "hihg", ""}}},
		"the model predicts numbers": {one, gpdrf.Rows{Inputs: inputs, Classes: []string{"a", "", ""}}},
		"row 1 has 0 targets, and the model 1": {one,
			gpdrf.Rows{Inputs: inputs, Targets: [][]float64{{}, {1, 2}, {nan}}}},
		"the model predicts 2 targets": {two, gpdrf.Rows{Inputs: inputs, Values: []float64{1, nan, nan}}},
	} {
		s := search
		if c.model != two {
			s.Target = ""
		}
		if _, err := c.model.Suggest(t.Context(), c.rows, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
