package data

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// unfitForArray returns the first column that an array of plain numbers cannot give: words, a date, gaps that have an
// input, or the offset. It is "" if the array can give all columns.
func (s Schema) unfitForArray() string {
	for _, c := range s.FileColumns() {
		if c.Values != nil || c.Date != nil || c.Flag {
			return c.Name
		}
	}
	return s.Roles.Offset
}

// checkBooleans refuses other numbers where the training rows have true and false alone.
func (t *table) checkBooleans(in *input) error {
	for j, c := range in.opt.Schema.FileColumns() {
		if !c.TrueFalse {
			continue
		}
		for i, v := range matrix.Column(make([]float64, t.N()), t.X, j) {
			if fault := c.notBoolean(v); fault != "" {
				return in.errorf("row %d: found %s in place of column %s, %s", i+1, phrase.Number(v),
					phrase.Quote(c.Name), fault)
			}
		}
	}
	return nil
}

func isNpy(head []byte) bool { return bytes.HasPrefix(head, []byte(npyMagic)) }

// openArray reads the header of an array, of numpy or in an IDX file.
func openArray(name string, head []byte, r io.Reader) (*npyArray, error) {
	if isIDX(head) {
		return openIDX(name, r)
	}
	return openNpy(name, r)
}

// readArray reads an array of the inputs, whose targets are in another file, or of a whole table.
func readArray(in *input) (*table, error) {
	a, err := openArray(in.name, in.head, in.bytes)
	if err != nil {
		return nil, err
	}
	if a.idx && len(a.shape) == 1 {
		return nil, in.errorf("holds %d labels, not images: give the file of the images, and this one with %s "+
			"where its name does not tell", a.shape[0], asFlag("labels"))
	}
	if in.opt.Labels == "" && len(a.shape) == 2 && !a.idx && !startsWithX(filepath.Base(in.name)) {
		return in.wholeTable(a)
	}
	t, err := in.arrayTable(a)
	if err != nil {
		return nil, err
	}
	return t, in.takeTargets(t)
}

// arrayTable reads the inputs. Bytes of three or more dimensions are images, whose pixels become fractions of the
// brightest.
func (in *input) arrayTable(a *npyArray) (*table, error) {
	if err := in.ownTarget(a.name, 1+strings.Count(in.opt.Target, ","),
		"is an array of inputs, and its targets are in another file"); err != nil {
		return nil, err
	}
	n, d, err := a.rows(in.lim)
	if err != nil {
		return nil, err
	}
	if like := in.opt.Schema; like != nil && len(like.Columns) != d {
		return nil, errorf(a.name,
			"holds an array of %s values, the training data have %s: give the same inputs in the same order",
			sides(a.shape), phrase.Plural(len(like.Columns), "input"))
	}
	t := &table{}
	factor := 1.0
	if strings.HasSuffix(a.dtype, "u1") && (len(a.shape) > 2 || a.idx) {
		t.AutoScaling = imageScaling
		factor = 1.0 / brightest
	}
	if t.X, err = a.matrix(n, d, factor); err != nil {
		return nil, err
	}
	// The names have the true width: the header of the file may state a wrong one.
	t.schema.Columns = plainColumns(d)
	return t, nil
}

// wholeTable reads an array one of whose columns is the target.
func (in *input) wholeTable(a *npyArray) (*table, error) {
	n, width, err := a.rows(in.lim)
	if err != nil {
		return nil, err
	}
	if like := in.opt.Schema; like != nil && in.opt.TargetOptional && width == len(like.Columns)+len(like.places()) {
		a.free = func(i int) bool { return slices.Contains(like.keptPlaces(), i%width) }
	}
	whole, err := a.matrix(n, width, 1) // the values come first: the header of the file may state a wrong size
	if err != nil {
		return nil, err
	}
	names := plainColumns(width)
	at, err := in.targetColumns(a.name, names)
	if err != nil {
		return nil, err
	}
	kept := matrix.Others(width, at)
	t := &table{Dataset: Dataset{X: whole, schema: Schema{Columns: matrix.Pick(names, kept)}}}
	if at == nil {
		return t, nil
	}
	y := make([]float64, n*len(at))
	for k, c := range at {
		for i, v := range matrix.Column(make([]float64, n), whole, c) {
			y[i*len(at)+k] = v
		}
	}
	t.X = matrix.Columns(whole, kept)
	place := func(i int) string { return fmt.Sprintf("value [%d, %d]", i/len(at), at[i%len(at)]) }
	if err := in.setTargets(t, a, y, place); err != nil {
		return nil, err
	}
	t.schema.TargetAt = at[0]
	if in.opt.Schema == nil {
		t.nameTargets(at, names)
	}
	return t, nil
}

// targetColumns returns the places of the targets in an array with these columns: those of the training data or of the
// option Target, else the last. They are nil if the targets are optional and missing.
func (in *input) targetColumns(file string, names []string) (at []int, err error) {
	width := len(names)
	if like := in.opt.Schema; like != nil {
		switch d, at := len(like.Columns), like.keptPlaces(); {
		case width == d+len(at) && slices.Max(at) < width:
			return at, nil
		case width == d && in.opt.TargetOptional:
			return nil, nil
		default:
			return nil, errorf(file, "has %s, the training data have %s and %s: give the same columns in the same "+
				"order, or the targets with %s", phrase.Plural(width, "column"), phrase.Plural(d, "input"),
				aTarget(len(at)), asFlag("labels"))
		}
	}
	if in.opt.Target == "" && width < 2 {
		return nil, errorf(file,
			"has one column only: at least one input is needed beside the target; give the targets with %s",
			asFlag("labels"))
	}
	return findTargets(file, in.opt.Target, names, func(int) bool { return false })
}

// arrayTargets reads an array with a target, or several, for each row of t. Targets of IDX files are classes.
func (in *input) arrayTargets(t *table, a *npyArray) error {
	n := t.N()
	rows, d, err := a.rows(in.lim)
	switch {
	case err != nil:
		return err
	case d != 1 && (len(a.shape) != 2 || d < 1 || in.task == Classification):
		return errorf(a.name, "holds an array of %s values: one target per row is needed, or a row of numbers for a "+
			"regression of several", sides(a.shape))
	case rows != n:
		return errorf(a.name, "holds %d targets for %d rows: give those that belong to the rows", rows, n)
	}
	if err := in.ownTarget(a.name, d, "holds "+phrase.Plural(d, "target")+" per row"); err != nil {
		return err
	}
	if in.opt.TargetOptional {
		a.free = func(int) bool { return true }
	}
	y, err := npyValues(a, n*d, func(v float64) float64 { return v })
	if err != nil {
		return err
	}
	return in.setTargets(t, a, y, func(i int) string { return "value " + a.place(i) })
}
