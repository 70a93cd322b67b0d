package data

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// RowsForSchema makes a training set of rows in memory in the form of a model's schema, to train that model further.
// Columns are matched as for a prediction. Weights, groups and times are those of the rows.
func RowsForSchema(r Rows, s Schema) (*Dataset, error) {
	d, err := r.forSchema(s)
	if err != nil {
		return nil, err
	}
	d.likeModel = true
	return d.toTrain()
}

// TestRowsForSchema makes a data set of rows in memory with their targets and weights in the form of a model's schema,
// to score the model.
func TestRowsForSchema(r Rows, s Schema) (*Dataset, error) {
	r.Groups, r.Times = nil, nil
	d, err := r.forSchema(s)
	if err != nil {
		return nil, err
	}
	return d.weighted()
}

// forSchema makes a data set of rows with known targets in the form of a schema.
func (r Rows) forSchema(s Schema) (*Dataset, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	request, err := r.Request(s)
	if err != nil {
		return nil, err
	}
	d, err := s.Rows(request)
	if err != nil {
		return nil, err
	}
	d.Name, d.Path = inMemory, inMemory
	d.schema.Roles, d.schema.TimeForm = RowRoles{}, nil // those of these rows
	d.setFacts(r)
	d.schema.Roles.Offset = s.Roles.Offset
	return d, d.SetTargets(s, r)
}

// SetTargets gives rows to predict the targets of r in the form of a model's schema. Where they are not known, they are
// NaN, or "" for a class.
func (d *Dataset) SetTargets(s Schema, r Rows) error {
	numbers, outputs := len(r.Values)+len(r.Targets) > 0, s.Outputs()
	switch {
	case s.Task == Regression && len(r.Classes) > 0:
		return errorf("", "the model predicts numbers: give Values or Targets, and no Classes")
	case s.Task == Classification && numbers:
		return errorf("", "the model predicts classes: give Classes, and no Values or Targets")
	case len(r.Values) > 0 && len(r.Targets) > 0:
		return errorf("", "both Values and Targets are given: leave one of them out")
	case len(r.Values) > 0 && len(outputs) > 1:
		return errorf("", "the model predicts %d targets, and Values are of one: give Targets", len(outputs))
	case numbers:
		d.Target, d.Targets = s.Target, s.Targets
	case len(r.Classes) > 0:
		d.Target = s.Target
	}
	for i, row := range r.Targets {
		if len(row) != len(outputs) {
			return rowErrorf(i, " has %d targets, and the model %d: give each of them, NaN where it is not known",
				len(row), len(outputs))
		}
	}
	if r.Targets != nil && r.TargetNames != nil && !slices.Equal(r.TargetNames, outputs) {
		return errorf("", "the targets are %s, and those of the model %s: give them in its order",
			phrase.List(r.TargetNames), phrase.List(outputs))
	}
	d.Y = slices.Concat(append([][]float64{r.Values}, r.Targets...)...)
	for i, name := range r.Classes {
		label := slices.Index(s.Classes, name)
		if label < 0 && name != "" {
			return rowErrorf(i, ": the model has no class %q%s", name, didyoumean.Hint(name, s.Classes))
		}
		d.Labels = append(d.Labels, int32(label))
	}
	return nil
}
