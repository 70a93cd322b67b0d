package data

import (
	"fmt"
	"math"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Request converts the rows to the columns of the schema, for Schema.Rows. Columns are matched by name, or by order if
// they have no names.
func (r Rows) Request(s Schema) (Request, error) {
	g := Request{N: r.n(), Sequences: r.Sequences}
	names := s.NumberColumns()
	if err := r.checkLengths(); err != nil {
		return g, err
	}
	if r.Sequences != nil && s.Alphabet == nil {
		return g, errorf("", "the rows have sequences, and the training rows have none: leave them out")
	}
	if text := s.TextColumns(); len(text) > 0 {
		return g, errorf("", "the model has columns of text: %s: give such rows in a file", phrase.List(text))
	}
	offsets := s.Roles.Offset != ""
	if !offsets && r.Offset != nil {
		return g, errorf("", "the rows have offsets, and the training rows have none: leave them out")
	}
	if offsets && r.Offset == nil && r.n() > 0 {
		return g, errorf("", "0 offsets for %s: the training rows have offsets, so give a number for each row",
			phrase.Plural(r.n(), "row"))
	}
	at, err := r.placesOf(names)
	if err != nil {
		return g, err
	}
	for i := range r.n() {
		var row []float64
		if r.Inputs != nil {
			row = r.Inputs[i]
		}
		if r.Columns == nil && len(row) != len(names) {
			return g, rowErrorf(i, " has %s, the training data have %s", phrase.Plural(len(row), "number"),
				phrase.Plural(len(names), "column"))
		}
		if r.Columns != nil && len(row) != len(r.Columns) {
			return g, lengthError(i, len(row), phrase.Plural(len(r.Columns), "column"), true)
		}
		for _, k := range at {
			g.Numbers = append(g.Numbers, row[k])
		}
		if offsets {
			g.Numbers = append(g.Numbers, r.Offset[i])
		}
	}
	return g, nil
}

// placesOf finds columns of a model among those of the rows, by name, or by order if they have no names.
func (r Rows) placesOf(names []string) (at []int, err error) {
	if r.Columns == nil {
		return matrix.Every(len(names)), nil
	}
	places := make(map[string]int, len(r.Columns))
	twice := map[string]bool{}
	for i, name := range r.Columns {
		_, twice[name] = places[name]
		places[name] = i
	}
	for _, name := range names {
		i, there := places[name]
		if !there {
			return nil, errorf("", "column %s is missing: the model was trained with it; the columns here are %s",
				phrase.Quote(name), phrase.List(r.Columns))
		}
		if twice[name] {
			return nil, errorf("", "there are two columns %s: names must differ", phrase.Quote(name))
		}
		at = append(at, i)
	}
	return at, nil
}

// Request holds N rows that are in no file, such as those of an HTTP request. They have the columns of the training
// file.
type Request struct {
	N         int
	Numbers   []float64           // [N,len(RequestNumbers)]; NaN for a missing cell
	Texts     map[string][]string // [N] texts of each of TextColumns; "" for a missing cell
	Sequences []string            // [N]; nil if rows have none
}

// Rows makes a data set of rows to be predicted. They are checked, filled in and expanded as OpenStream does with those
// of a file, so that their predictions are the same. Errors name the row, from 1, and the column.
func (s Schema) Rows(g Request) (*Dataset, error) {
	d := &Dataset{Name: "request", Path: "request", Columns: s.Columns, Task: s.Task, Classes: s.Classes, schema: s}
	if g.N < 1 {
		return nil, errorf("", "there are no rows: give at least one")
	}
	if err := s.checkRequest(g); err != nil {
		return nil, err
	}
	var err error
	if d.Offset, err = g.offsets(s); err != nil {
		return nil, err
	}
	if columns := s.FileColumns(); len(columns) > 0 {
		x, err := g.expand(columns, s)
		if err != nil {
			return nil, err
		}
		d.X = matrix.New(g.N, len(s.Columns), x)
	}
	if s.Alphabet != nil {
		if d.Sequences, err = encodeRows(seq.EncoderFor(s.Alphabet), g.Sequences, s.SequenceColumn()); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// checkRequest compares the sizes of g with those of the schema.
func (s Schema) checkRequest(g Request) error {
	if width := len(s.RequestNumbers()); len(g.Numbers) != g.N*width {
		return errorf("", "%s of %s for %s", phrase.Plural(len(g.Numbers), "number"), phrase.Plural(width, "column"),
			phrase.Plural(g.N, "row"))
	}
	for _, name := range s.TextColumns() {
		if len(g.Texts[name]) != g.N {
			return errorf("", "%s in column %s for %s", phrase.Plural(len(g.Texts[name]), "cell"), phrase.Quote(name),
				phrase.Plural(g.N, "row"))
		}
		for i, cell := range g.Texts[name] {
			if strings.IndexByte(cell, 0) >= 0 {
				return rowErrorf(i, ": %s: correct column %s", zeroByte, phrase.Quote(name))
			}
		}
	}
	if s.Alphabet != nil && len(g.Sequences) != g.N {
		return errorf("", "%s for %s", phrase.Plural(len(g.Sequences), "sequence"), phrase.Plural(g.N, "row"))
	}
	return nil
}

// offsets returns the offsets of the rows, the last number of each; nil if the schema has none.
func (r Request) offsets(s Schema) (offset []float64, err error) {
	width := len(s.RequestNumbers())
	for i := 0; i < r.N && s.Roles.Offset != ""; i++ {
		v := r.Numbers[(i+1)*width-1]
		if math.IsNaN(v) {
			return nil, rowErrorf(i, ": column %s is missing: each row needs its offset", phrase.Quote(s.Roles.Offset))
		}
		if math.Abs(v) > maxOffset {
			return nil, rowErrorf(i, ": column %s is %s: %s", phrase.Quote(s.Roles.Offset), phrase.Number(v),
				areOffsets)
		}
		offset = append(offset, v)
	}
	return offset, nil
}

// value returns the number or the time of row i in a column without words, NaN for a missing one. rest are the
// remaining numbers of the row.
func (r Request) value(c InputColumn, i int, numbers []float64) (v float64, rest []float64, err error) {
	wrong := func(found, what string) (float64, []float64, error) {
		return 0, nil, rowErrorf(i, ": found %s in column %s%s", found, phrase.Quote(c.Name), what)
	}
	var ok bool
	switch {
	case !c.isText():
		v, numbers = numbers[0], numbers[1:]
		if c.Date != nil {
			v = c.Date.Seconds(v)
		}
	case c.Date != nil:
		cell := r.Texts[c.Name][i]
		if v, ok = c.Date.parse(cell); !ok {
			return wrong(phrase.Quote(cell), ", "+c.Date.like(cell))
		}
	default:
		cell := r.Texts[c.Name][i]
		if v, ok = c.Notation.parse(cell); !ok {
			return wrong(phrase.Quote(cell), ": "+c.Notation.like(cell))
		}
	}
	if fault := c.notBoolean(v); fault != "" {
		return wrong(phrase.Number(v), ", "+fault)
	}
	if math.Abs(v) > maxMagnitude {
		return wrong(phrase.Number(v), fmt.Sprintf(", which is beyond ±%g: only smaller numbers can be used",
			maxMagnitude))
	}
	return v, numbers, nil
}

// expand computes the inputs [N,len(s.Columns)] of the cells.
func (r Request) expand(columns []InputColumn, s Schema) ([]float64, error) {
	x := make([]float64, 0, r.N*len(s.Columns))
	width := len(s.RequestNumbers())
	impute := s.Missing == MissingImpute
	for i := range r.N {
		numbers := r.Numbers[i*width:]
		for _, c := range columns {
			v, hot, missing := 0.0, -1, false
			if c.Values == nil {
				var err error
				if v, numbers, err = r.value(c, i, numbers); err != nil {
					return nil, err
				}
				if missing = math.IsNaN(v); missing {
					v = c.Fill
				}
			} else {
				cell := strings.TrimSpace(r.Texts[c.Name][i])
				hot, _ = c.find(cell)
				if c.isMissing(cell) {
					hot, missing = -1, true
				}
			}
			if missing && !impute {
				return nil, rowErrorf(i,
					": column %s is missing: fill it in; a model trained with %s impute does so "+
						"itself", phrase.Quote(c.Name), asFlag("missing"))
			}
			x = c.append(x, v, hot, missing)
		}
	}
	return x, nil
}

// UnknownWords returns warnings about words that the training data do not have, one for each column.
func (s Schema) UnknownWords(g Request) (warnings []string) {
	for _, c := range s.FileColumns() {
		if c.Values == nil {
			continue
		}
		var words occurrences
		for i, text := range g.Texts[c.Name] {
			cell := strings.TrimSpace(text)
			if _, known := c.find(cell); !known && !c.isMissing(cell) {
				words.countAt(text, position{line: i + 1})
			}
		}
		if words.n > 0 {
			warnings = append(warnings, fmt.Sprintf("row %d: %s", words.at.line, unknownWord(c, words)))
		}
	}
	return warnings
}

// warnUnknownWords warns of texts that the training data do not have.
func (l *layout) warnUnknownWords() {
	for j, words := range l.unknown {
		if words.n > 0 {
			l.warnAt(words.at, "%s", unknownWord(l.columns[j], words))
		}
	}
}

// unknownWord writes the message about words of a column that the training data lack.
func unknownWord(c InputColumn, words occurrences) string {
	others, becomes := "", "all inputs of the column are 0 there"
	switch {
	case c.Numbered:
		becomes = "the prediction allows for the effect of any word"
	case c.Others != nil:
		becomes = "it counts as other"
	}
	if words.n > 1 {
		others = fmt.Sprintf(", the first of %d new cells", words.n)
	}
	return fmt.Sprintf("%s in column %s is not in the training data%s: %s", phrase.Quote(words.cell),
		phrase.Quote(c.Name), others, becomes)
}
