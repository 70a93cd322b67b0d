package data

import (
	"errors"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/seq"
)

// badRows are rows of a file that is read whole, set aside for a Stream.
type badRows struct {
	columns []string // the names of their cells
	rows    []BadRow
}

// take is the callback of a layout, nil where bad rows are errors.
func (b *badRows) take() func(BadRow) error {
	if b == nil {
		return nil
	}
	return func(row BadRow) error {
		b.rows = append(b.rows, row)
		return nil
	}
}

// fault is the error about a text that stands there, which has no symbols or a wrong one.
func (t *texts) fault(e *seq.Encoder, i int) *Error {
	var bad *seq.SymbolError
	switch err := t.add(e, i); {
	case errors.As(err, &bad):
		return t.errorAt(t.placeOf(i, bad.At), "found %s, %s", quote(bad.Symbol), bad.Msg)
	case e.Empty():
		return t.errorAt(t.at[i], "the sequence is empty: remove it, or write at least one symbol")
	}
	return nil
}

// setAside takes the texts out that cannot be read, where the input has a place for them.
func (t *texts) setAside(in *input) error {
	to := in.opt.bad
	if to == nil || t.graphs != nil {
		return nil
	}
	e, err := t.encoder(in.opt)
	if err != nil {
		return err
	}
	if to.columns = []string{"sequence"}; t.names != nil {
		to.columns = []string{nameColumn, "sequence"}
	}
	t.keep(func(i int) bool {
		wrong := t.fault(e, i)
		if wrong == nil {
			return true
		}
		cells := []string{strings.TrimSpace(string(t.of(i)))}
		if t.names != nil {
			cells = []string{t.names[i], cells[0]}
		}
		to.rows = append(to.rows, BadRow{wrong, cells})
		return false
	})
	if t.n() == 0 {
		return noneToPredict(in.name, len(to.rows))
	}
	return nil
}

// noneToPredict is the error about a file whose rows are all bad.
func noneToPredict(file string, bad int) error {
	return errorf(file, "has no row that can be predicted: %s set aside", plural(bad, "row"))
}
