package data

import (
	"cmp"
	"errors"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// ErrNoRow is the cause of the error about a file whose rows are all bad.
var ErrNoRow = errors.New("no row can be predicted")

// BadRow is a row that cannot be predicted: its fault, and its cells if they are known.
type BadRow struct {
	Err   *Error
	Cells []string
}

// badRows takes the bad rows of a file.
type badRows struct {
	take    func(BadRow) error
	columns []string // names of the cells
	n       int
	first   *Error
}

func (b *badRows) add(row BadRow) error {
	b.n++
	b.first = cmp.Or(b.first, row.Err)
	return b.take(row)
}

// setAside passes an error about the current row to the callback. It returns other errors.
func (l *layout) setAside(rec *records, err error) error {
	var e *Error
	if l.opt.bad == nil || !errors.As(err, &e) || !e.row {
		return err
	}
	return l.opt.bad.add(BadRow{e, mapSlice(rec.written, strings.Clone)})
}

// none returns the error about a file without usable rows.
func (l *layout) none(rec *records) error {
	switch {
	case l.opt.bad != nil && l.opt.bad.n > 0:
		return l.noneToPredict()
	case l.weightless+l.dropped+l.noTarget > 0:
		return rec.errorf("has no row that can be used: %d have the weight 0, %d lack the target, and %d lack "+
			"other cells, which %s impute fills in", l.weightless, l.noTarget, l.dropped, asFlag("missing"))
	}
	return rec.errorf("has a header but no rows: a table with at least one row is needed")
}

// fault returns the error about text i, which has no symbols or an invalid one; nil if it is valid.
func (t *sequenceTexts) fault(e *seq.Encoder, i int) *Error {
	if bad, ok := errors.AsType[*seq.SymbolError](t.add(e, i)); ok {
		return t.errorAt(t.placeOf(i, bad.At), "found %s, %s", phrase.Quote(bad.Symbol), bad.Msg)
	}
	if e.Empty() {
		return t.errorAt(t.at[i], "the sequence is empty: remove it, or write at least one symbol%s", t.leaveOut())
	}
	return nil
}

// setAside removes the texts that cannot be read, if the input collects them.
func (t *sequenceTexts) setAside() error {
	to := t.opt.bad
	if to == nil || t.graphs != nil {
		return nil
	}
	e, err := t.encoder()
	if err != nil {
		return err
	}
	to.columns = []string{"sequence"}
	if t.names != nil {
		to.columns = []string{nameColumn, "sequence"}
	}
	t.keep(func(i int) bool {
		wrong := t.fault(e, i)
		if wrong == nil || err != nil {
			return true
		}
		cells := []string{strings.TrimSpace(string(t.of(i)))}
		if t.names != nil {
			cells = []string{t.names[i], cells[0]}
		}
		err = to.add(BadRow{wrong, cells})
		return false
	})
	if t.n() == 0 {
		return t.noneToPredict()
	}
	return err
}

// noneToPredict returns the error about a file whose rows are all bad.
func (in *input) noneToPredict() error {
	bad := in.opt.bad
	e := in.errorf("has no row that can be predicted: %s set aside, at first %s", phrase.Plural(bad.n, "row"),
		bad.first)
	e.Err = ErrNoRow
	return e
}
