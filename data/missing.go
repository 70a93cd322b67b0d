package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// These are the ways to handle missing cells, TableOptions.Missing.
const (
	MissingError  = "error"  // refuse the table
	MissingImpute = "impute" // use the median of the training rows, and an input that marks the cell
	MissingDrop   = "drop"   // leave the row out
)

// MissingWays returns the values of TableOptions.Missing.
func MissingWays() []string { return []string{MissingError, MissingImpute, MissingDrop} }

// Imputation replaces the missing cells of an input column.
type Imputation struct {
	Column string  `json:"column"`
	At     int     `json:"at"`    // position among the input columns of the file, from 0
	Value  float64 `json:"value"` // the median of the training rows; 0 if cells are text
	Flag   bool    `json:"flag"`  // an input, COLUMN=missing, is 1 where the cell is missing
}

// checkMissing refuses missing cells of inputs if no way to handle them is set. Otherwise columns with such cells get
// an input that marks them.
func (l *layout) checkMissing(rec *records, p *profile) error {
	if l.texts != nil && l.missing == MissingError {
		if missing := p.columns[l.sequence].missing; missing.n > 0 {
			return l.errorAt(missing.at, "the column %s lacks %s: %s drop leaves their rows out",
				phrase.Quote(l.sequenceName), phrase.Plural(missing.n, "sequence"), asFlag("missing"))
		}
	}
	var columns []string
	var first position
	for j, i := range l.inputs {
		c := &l.columns[j]
		cells := p.columns[i].missingCells()
		c.Flag = l.missing == MissingImpute && cells.n > 0
		if l.missing == MissingImpute && c.Values == nil {
			c.Fill = math.NaN() // the median is not known before the rows are split
		}
		if cells.n == 0 {
			continue
		}
		columns = append(columns, fmt.Sprintf("%s %d", phrase.Quote(c.Name), cells.n))
		if first.line == 0 || cells.at.line < first.line ||
			cells.at.line == first.line && cells.at.column < first.column {
			first = cells.at
		}
	}
	if len(columns) == 0 {
		return nil
	}
	const shown = 8
	if more := len(columns) - shown; more > 0 {
		columns = append(columns[:shown], fmt.Sprintf("and in %s more", phrase.Plural(more, "column")))
	}
	where := strings.Join(columns, ", ")
	if l.missing == MissingError {
		return rec.errorAt(first, "cells are missing, in %s: %s impute fills them in, "+
			"%s drop leaves their rows out", where, asFlag("missing"), asFlag("missing"))
	}
	if l.missing == MissingImpute {
		hint := ""
		if l.opt.Describe && l.opt.Missing == "" {
			hint = fmt.Sprintf(" (train needs %s impute or drop)", asFlag("missing"))
		}
		l.note("missing cells are filled in with medians, and an input tells where, in %s%s", where, hint)
	}
	return nil
}

// isMissing reports whether the cell of input column j is missing in the current row.
func (l *layout) isMissing(rec *records, j int) bool {
	return l.columns[j].isMissing(strings.TrimSpace(rec.row[l.inputs[j]]))
}

// isMissing reports whether the cell of the column says that there is no value.
func (c *InputColumn) isMissing(cell string) bool {
	if c.Text {
		return cell == ""
	}
	if !cellformat.IsNoNumber(cell) {
		return false
	}
	_, known := c.find(cell) // the word may also be NaT, which the training data have as a text
	return !known
}

func (l *layout) isTargetMissing(rec *records, k int) bool {
	cell := strings.TrimSpace(rec.row[l.targets[k]])
	if l.class != nil {
		if _, known := l.class(cell); known {
			return false
		}
	}
	return cellformat.IsMissing(cell) || cellformat.IsDoubtful(cell) && !l.labelled()
}

// drops counts the current row if it is left out. A row to train on, or to test, needs its target.
func (l *layout) drops(rec *records) bool {
	if l.opt.TargetOptional {
		return false
	}
	if l.isWeightless(rec) {
		l.weightless++
		return true
	}
	for k := range l.targets {
		if l.isTargetMissing(rec, k) {
			l.noTarget++
			return true
		}
	}
	lacks := l.missing != MissingError && l.isSequenceMissing(rec) // nothing can replace a missing sequence
	if l.missing == MissingDrop {
		lacks = lacks || slices.ContainsFunc(l.roles, func(c roleColumn) bool {
			return !c.optional && c.isMissing(strings.TrimSpace(rec.row[c.at]))
		})
		for j := range l.inputs {
			lacks = lacks || l.isMissing(rec, j)
		}
	}
	if lacks {
		l.dropped++
	}
	return lacks
}

// noteLeftOutRows adds notes about rows left out: those without a target, and those that lack something else. stay is
// the number of rows that stay.
func (in *input) noteLeftOutRows(noTarget, dropped, stay int) {
	for _, rows := range []struct {
		n   int
		why string
	}{{noTarget, "without a target"}, {dropped, "with missing cells"}} {
		if rows.n > 0 {
			in.note("%s %s left out, %d stay", phrase.Plural(rows.n, "row"), rows.why, stay)
		}
	}
}

// impute replaces missing numbers of the training rows and the others by the medians of the training rows. Any of these
// data sets may be nil.
func impute(train *Dataset, others ...*Dataset) {
	if train == nil || train.X == nil ||
		!slices.ContainsFunc(train.schema.Fills, func(f Imputation) bool { return math.IsNaN(f.Value) }) {
		return
	}
	all := append(slices.DeleteFunc(others, func(ds *Dataset) bool { return ds == nil }), train)
	columns := train.Schema().FileColumns()
	medians := slices.Clone(train.schema.Fills)
	n, d := matrix.Size(train.X)
	col := make([]float64, n)
	at := 0
	for j, c := range columns {
		k, ok := slices.BinarySearchFunc(medians, j, func(f Imputation, at int) int { return f.At - at })
		if ok && math.IsNaN(medians[k].Value) {
			known := slices.DeleteFunc(matrix.Column(col, train.X, at), math.IsNaN)
			slices.Sort(known)
			medians[k].Value = 0
			if len(known) > 0 {
				medians[k].Value = (known[(len(known)-1)/2] + known[len(known)/2]) / 2
			}
			for _, ds := range all {
				ds.fill(at, d, medians[k].Value)
			}
		}
		at += c.width()
	}
	for _, ds := range all {
		ds.schema.Fills = medians
		ds.Fingerprint = ds.fingerprint()
	}
}

// fill replaces missing values of input j by v.
func (d *Dataset) fill(j, width int, v float64) {
	x := d.X.Float64s()
	for i := j; i < len(x); i += width {
		if math.IsNaN(x[i]) {
			x[i] = v
		}
	}
}

// Sequences, molecules and graphs outside a table may lack their text or their label. MissingDrop leaves them out.
// Nothing replaces them.

// drops reports whether rows without text or label are left out.
func (in *input) drops() bool {
	way := in.opt.Missing
	if like := in.opt.Schema; like != nil {
		way = like.Missing
	}
	return (way == MissingDrop || way == "" && in.opt.Describe) && !in.opt.TargetOptional
}

// leaveOut returns an additional remedy for training rows that lack something.
func (in *input) leaveOut() string {
	if in.opt.Schema != nil {
		return ""
	}
	return ", or leave such rows out by " + asFlag("missing") + " drop"
}

// checkMissing refuses options that do not apply to sequences.
func (in *input) checkMissing(f format) error {
	o := in.opt.TableOptions
	if f.sequences && o.Missing == MissingImpute {
		return in.errorf("is %s, and nothing can fill in what its rows lack: %s drop leaves them out", f.what,
			asFlag("missing"))
	}
	if f.sequences {
		o.Missing = ""
	}
	if graph.IsMol(in.head) {
		o.ID = ""
	}
	if o.Roles.Group == scaffold { // scaffold is not a column
		o.Roles.Group = ""
	}
	if given := o.firstOption(); given != "" && !f.text {
		return in.errorf("is %s, not a table of text: leave %s out", f.what, given)
	}
	return nil
}

// dropMissing leaves out the rows without text or label.
func (t *sequenceTexts) dropMissing() error {
	n, width := t.n(), max(1, len(t.targets))
	noTarget, dropped := 0, 0
	t.keep(func(i int) bool {
		switch {
		case t.labels != nil && !t.opt.TargetOptional &&
			slices.ContainsFunc(t.labels[i*width:(i+1)*width], cellformat.IsMissing):
			noTarget++
		case t.drops() && t.graphs == nil && cellformat.IsMissing(strings.TrimSpace(string(t.of(i)))):
			dropped++
		default:
			return true
		}
		return false
	})
	if n > 0 && t.n() == 0 {
		named := ""
		if t.targets != nil {
			named = " " + phrase.List(t.targets)
		}
		return t.errorf("lacks the %s or its target%s in each of its %s", t.kind.Noun(), named, phrase.Plural(n, "row"))
	}
	t.noteLeftOutRows(noTarget, dropped, t.n())
	return nil
}

// keep leaves out the rows that want does not accept.
func (t *sequenceTexts) keep(want func(i int) bool) {
	kept := matrix.Which(t.n(), want)
	if len(kept) == t.n() {
		return
	}
	all := *t
	t.text, t.end = nil, nil
	for _, i := range kept {
		t.text = append(t.text, all.of(i)...)
		t.end = append(t.end, len(t.text))
	}
	width := max(1, len(t.targets))
	t.labels, t.where = matrix.Gather(t.labels, width, kept), matrix.Gather(t.where, width, kept)
	t.at, t.names, t.graphs = matrix.Pick(t.at, kept), matrix.Pick(t.names, kept), matrix.Pick(t.graphs, kept)
}
