package fitted

import (
	"context"
	"fmt"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Inputs gives the model's inputs of the rows lo … hi−1 of a data set: scaled columns or their projection, then
// distances to X̄ or the projection of features. After ctx has ended, they are incomplete.
func (t *Model) Inputs(ctx context.Context, ds *data.Dataset) func(lo, hi int) []float64 {
	ds = t.Featurizer.Coded(t.scores(ds))
	return func(lo, hi int) []float64 {
		var x []float64
		if t.Featurizer.readsColumns() {
			x = t.Numbers(ds)(lo, hi)
		}
		z := t.Featurizer.extraInputs(ctx, ds, lo, hi)
		return joinColumns(hi-lo, x, z)
	}
}

// scores returns a data set with effects of words and scores in place of its columns. It returns a set that has them
// already unchanged.
func (t *Model) scores(ds *data.Dataset) *data.Dataset {
	return t.Projection.Apply(t.Effects.Apply(ds))
}

// Numbers gives the scaled columns of the rows lo … hi−1: those of all images at once would fill the memory.
func (t *Model) Numbers(ds *data.Dataset) func(lo, hi int) []float64 {
	return func(lo, hi int) []float64 { return t.Scaler.Rows(ds.X, lo, hi) }
}

// SetInducing gives a model of sequences the distances among X̄.
func (t *Model) SetInducing(m *model.Model) {
	if own, _ := t.Featurizer.inducingDistances(); own != nil {
		m.SetInducing(own)
	}
}

// EmptyWarning returns a message with the numbers of sequences that have no feature under one of the maps; "" if all
// have.
func (t *Model) EmptyWarning(ctx context.Context, ds *data.Dataset) (warning string) {
	maps := t.Featurizer.maps()
	var parts []string
	for i, n := range t.Featurizer.empty(ctx, t.Featurizer.Coded(ds)) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d under %s", n, maps[i]))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("%s: %ss without any feature, which the model cannot tell apart: %s, of %d",
		ds.Path, ds.Sequences.Alphabet.Kind.Noun(), strings.Join(parts, ", "), ds.N())
}

// RowWarnings returns warnings about rows that are unlike those of training: far outside the range of a column, if
// their number is at least least, or sequences without features.
func (t *Model) RowWarnings(ctx context.Context, ds *data.Dataset, least int) (warnings []string) {
	t = t.singleModels()[0]
	if !t.Featurizer.readsColumns() {
		return nil // the model does not read the columns
	}
	var far scaling.FarRows
	if t.addFar(&far, ds); far.Rows >= max(1, least) {
		warnings = append(warnings, far.Describe())
	}
	if empty := t.EmptyWarning(ctx, ds); empty != "" {
		warnings = append(warnings, empty)
	}
	return warnings
}

// RequestWarnings returns the warnings of the command predict, for rows of a request. They name no file.
func (t *Model) RequestWarnings(ctx context.Context, given data.Request, ds *data.Dataset) []string {
	warnings := t.Schema.NewWords(given)
	for _, unlike := range t.RowWarnings(ctx, ds, 1) {
		warnings = append(warnings, strings.TrimPrefix(unlike, ds.Path+": "))
	}
	return warnings
}

// AddFar adds to far the rows of a part of a table that are far outside those of training.
func (t *Model) AddFar(far *scaling.FarRows, ds *data.Dataset) {
	t.singleModels()[0].addFar(far, ds)
}

// addFar compares columns with their ranges, or scores with theirs.
func (t *Model) addFar(far *scaling.FarRows, ds *data.Dataset) {
	if p := t.Projection; p != nil && p.Components && !ds.IsProjected() {
		far.Add(p.Scaler, ds)
		return
	}
	far.Add(t.Scaler, t.scores(ds))
}
