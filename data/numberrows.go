package data

import (
	"slices"
)

// numberReader is a rowReader that reads a row of numbers in much less time.
type numberReader interface {
	// readNumbers reads the next row into values [width] if it has so many cells, and those that
	// are needed are numbers in plain notation of at most ±largest. Otherwise it leaves the row to
	// Read.
	readNumbers(values []float64, needed []bool) bool
	// rowLine is the line where the row starts.
	rowLine() int
}

// numberRows are the rows of a table that are plain numbers, as far as they come one after another.
type numberRows struct {
	rec    *records
	lay    *layout
	from   numberReader // nil where a row needs its text
	values []float64    // of a row, by cell
	needed []bool
}

func (l *layout) numberRows(rec *records) *numberRows {
	p := &numberRows{rec: rec, lay: l}
	from, ok := rec.rows.(numberReader)
	words := slices.ContainsFunc(l.columns, func(c inputColumn) bool { return c.values != nil })
	if !ok || words || l.id >= 0 || l.texts != nil || l.class != nil && len(l.targets) > 0 || l.labelled() {
		return p
	}
	p.from, p.values, p.needed = from, make([]float64, rec.width), make([]bool, rec.width)
	for _, i := range slices.Concat(l.inputs, l.targets) {
		p.needed[i] = true
	}
	return p
}

// next reads the next row; false leaves it to records.next.
func (p *numberRows) next() bool {
	if p.from == nil || p.rec.first {
		return false
	}
	p.rec.guard.mark = p.rec.rows.InputOffset()
	if !p.from.readNumbers(p.values, p.needed) {
		return false
	}
	p.rec.line = p.from.rowLine() + p.rec.before
	return true
}

// append adds the inputs of the row, and keeps its targets and its line.
func (p *numberRows) append(to []float64, made *table) []float64 {
	for j, i := range p.lay.inputs {
		if to = append(to, p.values[i]); p.lay.columns[j].flag {
			to = append(to, 0)
		}
	}
	for _, i := range p.lay.targets {
		made.y = append(made.y, p.values[i])
	}
	made.lines = append(made.lines, int32(p.rec.line))
	return to
}
