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
func (m *Model) Inputs(ctx context.Context, ds *data.Dataset) func(lo, hi int) []float64 {
	ds = m.Featurizer.Encode(m.project(ds))
	return func(lo, hi int) []float64 {
		var x []float64
		if m.Featurizer.readsColumns() {
			x = m.ScaledColumns(ds)(lo, hi)
		}
		z := m.Featurizer.extraInputs(ctx, ds, lo, hi)
		return joinColumns(hi-lo, x, z)
	}
}

// project returns a data set with effects of words and scores in place of its columns. It returns a set that has them
// already unchanged.
func (m *Model) project(ds *data.Dataset) *data.Dataset {
	return m.Projection.Apply(m.Effects.Apply(ds))
}

// ScaledColumns gives the scaled columns of the rows lo … hi−1: those of all images at once would fill the memory.
func (m *Model) ScaledColumns(ds *data.Dataset) func(lo, hi int) []float64 {
	return func(lo, hi int) []float64 { return m.Scaler.Rows(ds.X, lo, hi) }
}

// SetInducing gives a model of sequences the distances among X̄.
func (m *Model) SetInducing(to *model.Model) {
	if own, _ := m.Featurizer.inducingDistances(); own != nil {
		to.SetInducing(own)
	}
}

// EmptyWarning returns a message with the numbers of sequences that have no feature under one of the maps; "" if all
// have.
func (m *Model) EmptyWarning(ctx context.Context, ds *data.Dataset) (warning string) {
	maps := m.Featurizer.maps()
	var parts []string
	for i, n := range m.Featurizer.countEmpty(ctx, m.Featurizer.Encode(ds)) {
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
func (m *Model) RowWarnings(ctx context.Context, ds *data.Dataset, least int) (warnings []string) {
	m = m.singleModels()[0]
	if !m.Featurizer.readsColumns() {
		return nil // the model does not read the columns
	}
	var far scaling.FarRows
	if m.addFar(&far, ds); far.Rows >= max(1, least) {
		warnings = append(warnings, far.Describe())
	}
	if empty := m.EmptyWarning(ctx, ds); empty != "" {
		warnings = append(warnings, empty)
	}
	return warnings
}

// RequestWarnings returns the warnings of the command predict, for rows of a request. They name no file.
func (m *Model) RequestWarnings(ctx context.Context, given data.Request, ds *data.Dataset) []string {
	warnings := m.Schema.UnknownWords(given)
	for _, unlike := range m.RowWarnings(ctx, ds, 1) {
		warnings = append(warnings, strings.TrimPrefix(unlike, ds.Path+": "))
	}
	return warnings
}

// AddFar adds to far the rows of a part of a table that are far outside those of training.
func (m *Model) AddFar(far *scaling.FarRows, ds *data.Dataset) {
	m.singleModels()[0].addFar(far, ds)
}

// addFar compares columns with their ranges, or scores with theirs.
func (m *Model) addFar(far *scaling.FarRows, ds *data.Dataset) {
	if p := m.Projection; p != nil && p.Components && !ds.IsProjected() {
		far.Add(p.Scaler, ds)
		return
	}
	far.Add(m.Scaler, m.project(ds))
}
