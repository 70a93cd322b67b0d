package data

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// readCSV reads a table of text cells. It reads a training table twice: first to decide what each column becomes, and
// then to keep the values. Numbers that are not plain take one more reading.
func readCSV(in *input) (*table, error) {
	rec, err := newRecords(in)
	if err != nil {
		return nil, err
	}
	var lay *layout
	if in.opt.Schema != nil {
		lay, err = in.layoutLike(rec)
	} else if lay, err = in.ownLayout(rec); err == nil {
		rec, err = in.again(rec.notations)
	}
	if err != nil {
		return nil, err
	}
	made, err := lay.readRows(rec, math.MaxInt)
	if err != nil {
		return nil, err
	}
	if n := lay.read + lay.noTarget + lay.dropped + lay.weightless; n < lay.rows {
		return nil, in.errorf("has %s less than when it was read first: it is being written, try again when it is "+
			"whole", phrase.Plural(lay.rows-n, "row"))
	}
	if err := lay.checkClasses(made); err != nil {
		return nil, err
	}
	in.noteLeftOutRows(lay.noTarget, lay.dropped, len(made.lines))
	if lay.weightless > 0 {
		in.note("%s of weight 0 left out, %d stay", phrase.Plural(lay.weightless, "row"), len(made.lines))
	}
	lay.warnUnknownWords()
	in.settle(lay.unneeded, made, lay.read)
	if rec.dialect.comma {
		in.opt.Decimal = "comma"
	}
	return made, lay.codeTexts(made)
}

// ownLayout returns the layout of a training file. It finds the notations of its columns.
func (in *input) ownLayout(rec *records) (*layout, error) {
	targets, err := findTargets(rec.name, in.opt.Target, rec.columnNames(), rec.isIndex)
	if err != nil {
		return nil, err
	}
	p, err := profileOf(rec, targets, nil, in.opt.Text)
	if err != nil {
		return nil, err
	}
	unread, err := in.unread(rec)
	if err != nil {
		return nil, err
	}
	last := targets[0] // separators at the end of each line make empty columns
	for in.opt.Target == "" && targets[0] > 0 && (rec.header == nil || rec.bare[targets[0]]) &&
		p.columns[targets[0]].filled() == 0 {
		targets[0]--
	}
	ended := targets[0] < last
	notations, notes := p.notations(rec, unread, targets)
	late := slices.DeleteFunc(p.late(), func(i int) bool { return slices.Contains(unread, i) })
	rec.notations = notations
	if notations != nil || len(late) > 0 || ended {
		again, err := in.again(notations)
		if err != nil {
			return nil, err
		}
		if p, err = profileOf(again, targets, late, in.opt.Text); err != nil {
			return nil, err
		}
	}
	lay, err := newLayout(rec, p, targets)
	if err != nil {
		return nil, err
	}
	first := len(in.notes)
	for _, note := range notes {
		in.note("%s", note)
	}
	in.boundNotes(first)
	return lay, nil
}

// layoutLike returns the layout of a file that is like that of training.
func (in *input) layoutLike(rec *records) (*layout, error) {
	like := in.opt.Schema
	byPlace := rec.header == nil
	if byPlace {
		if err := rec.nameByPlace(like); err != nil {
			return nil, err
		}
	}
	lay, err := layoutByName(rec, like)
	if err != nil {
		return nil, err
	}
	if byPlace {
		in.note("no header, so its columns are taken in the order of the training data")
	}
	if bad := in.opt.bad; bad != nil {
		bad.columns = rec.columnNames()
		if lay.texts != nil {
			if lay.trial, err = lay.texts.encoder(); err != nil {
				return nil, err
			}
		}
	}
	lay.missing = cmp.Or(like.Missing, MissingError)
	if in.opt.TargetOptional { // rows to predict need no weights
		lay.roles = slices.DeleteFunc(lay.roles, func(c roleColumn) bool { return c.option == "weights" })
	}
	if like.Task == Classification {
		lay.target = targetKind{task: Classification, classes: like.Classes}
		lay.class = classFinder(like.Classes)
	}
	rec.titlesNote()
	known := like.notations()
	here := make([]*Notation, rec.width)
	for j, i := range lay.inputs {
		here[i] = lay.columns[j].Notation
	}
	for k, i := range lay.targets {
		here[i] = known[lay.names[k]]
	}
	for _, c := range lay.roles {
		here[c.at] = known[c.column]
	}
	if slices.ContainsFunc(here, func(n *Notation) bool { return n != nil }) {
		rec.notations = here
	}
	if err := lay.checkCells(rec); err != nil {
		return nil, err
	}
	return lay, in.severalClasses(len(lay.targets))
}

// readRows parses up to most rows.
func (l *layout) readRows(rec *records, most int) (*table, error) {
	made := &table{Dataset: Dataset{id: l.idName,
		schema: Schema{LeftOut: l.leftOut, ID: l.idName, TimeForm: l.timeForm}}}
	roles := &made.schema.Roles
	into := map[string]*string{"weights": &roles.Weights, "group": &roles.Group, "time": &roles.Time,
		"offset": &roles.Offset}
	for _, c := range l.roles {
		*into[c.option] = c.column
	}
	made.schema.describe(l.columns, l.missing)
	for _, n := range rec.notations {
		if n != nil {
			made.schema.Notations = append(made.schema.Notations, *n)
		}
	}
	if l.target.note != "" {
		made.kind = &l.target
	}
	x, err := l.readValues(rec, made, most)
	if err != nil {
		return nil, err
	}
	if l.targets != nil {
		made.nameTargets(l.targets, rec.columnNames())
	}
	if d := len(made.schema.Columns); d > 0 && len(made.lines) > 0 {
		made.X = matrix.New(len(x)/d, d, x)
	}
	return made, nil
}

// readValues keeps inputs, targets and names of the rows. Values gather in blocks, which are joined at the end, so that
// a large table is never held three times over as a growing slice would be.
func (l *layout) readValues(rec *records, made *table, most int) ([]float64, error) {
	d := len(made.schema.Columns)
	perBlock := d * max(1, 1<<16/max(1, d))
	var blocks [][]float64
	var block []float64
	cells := int64(0)
	for len(made.lines) < most {
		if err := rec.next(); err == io.EOF {
			break
		} else if err != nil {
			if err = l.setAside(rec, err); err != nil {
				return nil, err
			}
			continue
		}
		if l.drops(rec) {
			continue
		}
		if cells += int64(d + max(1, len(l.targets))); cells > l.lim.cells {
			return nil, rec.errorAt(position{line: rec.line}, "the table holds more than %d million "+
				"numbers up to here: too large for memory, take a part of it", l.lim.cells>>20)
		}
		if len(block) == perBlock && d > 0 {
			blocks = append(blocks, block)
			block = make([]float64, 0, perBlock)
		}
		with, err := l.appendRow(block, rec, made)
		if err != nil {
			if err = l.setAside(rec, ofRow(err)); err != nil {
				return nil, err
			}
			continue
		}
		block = with
		l.addRoles(rec, &made.Dataset)
		made.lines = append(made.lines, int32(rec.line))
		if l.id >= 0 {
			made.ids = append(made.ids, strings.Clone(strings.TrimSpace(rec.row[l.id])))
		}
	}
	if len(made.lines) > 0 || l.read > 0 {
		l.read += len(made.lines)
		return join(append(blocks, block)), nil
	}
	return nil, l.none(rec)
}

// appendRow appends the inputs of the current row, and adds its targets to the table.
func (l *layout) appendRow(to []float64, rec *records, made *table) (_ []float64, err error) {
	for j := range l.inputs {
		if to, err = l.appendValue(to, rec, j); err != nil {
			return nil, err
		}
	}
	if err := l.checkRoles(rec); err != nil {
		return nil, err
	}
	return to, l.addTargets(rec, made)
}

func (l *layout) addTargets(rec *records, made *table) error {
	if l.texts != nil {
		if err := l.addText(rec); err != nil {
			return err
		}
		if l.trial != nil {
			if wrong := l.texts.fault(l.trial, l.texts.n()-1); wrong != nil {
				t := l.texts
				last := t.n() - 1
				t.text, t.end, t.at = t.text[:len(t.text)-len(t.of(last))], t.end[:last], t.at[:last]
				return wrong
			}
		}
	}
	if l.labelled() {
		at := l.targets[0]
		l.texts.label(strings.Clone(strings.TrimSpace(rec.row[at])), rec.placeOf(at))
		return nil
	}
	labels, y, at, err := l.targetsOf(rec)
	if err != nil && !l.opt.TargetOptional {
		return err
	} else if err != nil {
		l.unneeded.meet(strings.TrimSpace(rec.row[at]), rec.placeOf(at))
	}
	made.Labels = append(made.Labels, labels...)
	made.y = append(made.y, y...)
	return nil
}

// What to do about a word in a column of numbers.
var (
	inputAdvice  = "correct it, or leave the column out with " + asFlag("ignore")
	targetAdvice = "correct it, or use the task classification, or name another target column with " + asFlag("target")
)

// targetsOf returns the class or the numbers of the current row. An error is about the cell at, and then they are not
// known.
func (l *layout) targetsOf(rec *records) (labels []int32, y []float64, at int, err error) {
	if l.class != nil && len(l.targets) == 1 {
		at = l.targets[0]
		cell := strings.TrimSpace(rec.row[at])
		c, known := l.class(rec.dialect.point(cell))
		if !known || rec.isStray(at) {
			c = -1
			err = rec.cellError(at, "%s", unknownClass(cell, l.names[0], l.target.classes))
		}
		return []int32{c}, nil, at, err
	}
	for _, at := range l.targets {
		v, err := rec.value(at, cmp.Or(l.oneByOne, targetAdvice))
		if err != nil {
			return nil, slices.Repeat([]float64{math.NaN()}, len(l.targets)), at, err
		}
		y = append(y, v)
	}
	return nil, y, 0, nil
}

// appendValue adds the inputs of column j: its number, or a 1 at its text and 0 at the others of the column.
func (l *layout) appendValue(to []float64, rec *records, j int) ([]float64, error) {
	c, i := &l.columns[j], l.inputs[j]
	cell := strings.TrimSpace(rec.row[i])
	missing := c.isMissing(cell)
	if missing && l.missing != MissingImpute {
		return nil, rec.missingCell(i, "fill it in or remove the row; a model trained with "+asFlag("missing")+
			" impute fills it in")
	}
	v, hot := c.Fill, -1
	switch {
	case missing:
	case c.Values != nil:
		var known bool
		if hot, known = c.find(cell); !known {
			l.unknown = append(l.unknown, make([]occurrences, len(l.columns)-len(l.unknown))...)
			l.unknown[j].countCell(rec, i, cell)
		}
	case c.Date != nil:
		var ok bool
		if v, ok = c.Date.parse(rec.dialect.point(cell)); !ok {
			return nil, rec.found(i, ", %s: %s", c.Date.like(cell),
				rec.remedy("correct it, or leave it empty with "+asFlag("missing")+" impute"))
		}
	default:
		var ok bool
		if v, ok = cellformat.Boolean(cell); ok && c.Boolean {
			break
		}
		var err error
		if v, err = rec.value(i, inputAdvice); err != nil {
			return nil, err
		}
		if fault := c.notBoolean(v); fault != "" {
			return nil, rec.found(i, ", %s", fault)
		}
	}
	return c.append(to, v, hot, missing), nil
}
