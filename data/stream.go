package data

import (
	"cmp"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Stream gives the rows of a file to be predicted, some at a time. It holds no more than these rows of a table. For
// another format, it holds and gives all rows at once.
type Stream struct {
	in    *input
	file  *controlledFile
	rec   *records // nil for another format
	lay   *layout
	whole *Dataset // all rows of another format, until they were given
	notes []string
	ended bool
	bad   *badRows // nil if bad rows are errors

	held []BadRow // bad rows of another format, until they were given
	none error    // the error that all of these rows are bad
	give func(BadRow) error
}

// ErrNoRow is the cause of the error about a file whose rows are all bad.
var ErrNoRow = errors.New("no row can be predicted")

// BadRow is a row that cannot be predicted: its fault, and its cells if they are known.
type BadRow struct {
	Err   *Error
	Cells []string
}

// forPrediction returns the options for a file to be predicted by a model whose training set has this schema. With a
// header, columns are matched by name in any order, and other columns are ignored. Without one, the file must have the
// inputs in order, with or without the target in its place. The target may be missing. Only the options ID and Dialect
// are used.
func forPrediction(s Schema, o TableOptions, control ReadControl) ReadOptions {
	return ReadOptions{Schema: &s, TargetOptional: true, TableOptions: o, ReadControl: control}
}

// OpenStream opens a file to be predicted. A row without a target has the target NaN, or the class −1. A callback takes
// bad rows, which are left out; without a callback they are errors.
func OpenStream(path string, schema Schema, o TableOptions, control ReadControl, bad func(BadRow) error) (s *Stream,
	err error) {
	opt := forPrediction(schema, o, control)
	if bad != nil {
		opt.bad = &badRows{take: bad}
	}
	if schema.Alphabet != nil || IsFolder(path) {
		return openWhole(path, opt)
	}
	file, err := opt.open(path)
	if err != nil {
		return nil, err
	}
	name := path
	if path == standardInput {
		name = "stdin"
	}
	s = &Stream{file: file, bad: opt.bad}
	lim := fileLimits()
	lim.text = math.MaxInt64 // some rows at a time fit into memory, whatever their total number
	fail := func(err error) (*Stream, error) {
		return nil, errors.Join(cmp.Or(opt.stopped(name), err), file.Close())
	}
	if s.in, err = newInput(name, file, opt, lim); err != nil {
		return fail(err)
	}
	if err := s.in.open(); err != nil {
		return fail(err)
	}
	if !formatOf(s.in.head).text {
		file.Close()
		return openWhole(path, opt)
	}
	if s.rec, err = newRecords(s.in); err != nil {
		return fail(err)
	}
	if s.lay, err = s.in.layoutLike(s.rec); err != nil {
		return fail(err)
	}
	s.notes = s.in.notes
	return s, nil
}

// openWhole reads a file whose rows come at once. Some sequences may be bad.
func openWhole(path string, opt ReadOptions) (s *Stream, err error) {
	s = &Stream{bad: opt.bad}
	if s.bad != nil {
		if opt.Schema.Alphabet == nil {
			return nil, errorf(path, "is not a table whose rows stand one after the other: leave %s out",
				asFlag("skip-bad"))
		}
		s.give = s.bad.take
		s.bad.take = func(row BadRow) error {
			s.held = append(s.held, row)
			return nil
		}
	}
	s.whole, s.notes, err = ReadFile(path, opt)
	if errors.Is(err, ErrNoRow) {
		s.none, err = err, nil
	}
	return s, err
}

// OpenWhole does as OpenStream does, but gives all rows at once.
func OpenWhole(path string, schema Schema, o TableOptions, control ReadControl) (*Stream, error) {
	return openWhole(path, forPrediction(schema, o, control))
}

// Whole reports whether all rows come at once.
func (s *Stream) Whole() bool { return s.rec == nil }

// All returns the rows if they come at once, else nil. It is nil, too, if all of them are bad.
func (s *Stream) All() *Dataset { return s.whole }

// Next returns at most the given number of rows, or io.EOF after the last.
func (s *Stream) Next(rows int) (*Dataset, error) {
	if s.rec == nil {
		for _, row := range s.held {
			if err := s.give(row); err != nil {
				return nil, err
			}
		}
		ds := s.whole
		s.held, s.whole = nil, nil
		if ds == nil {
			return nil, cmp.Or(s.none, io.EOF)
		}
		return ds, nil
	}
	if s.ended {
		return nil, io.EOF
	}
	made, err := s.lay.readRows(s.rec, rows)
	if stopped := s.in.opt.stopped(s.in.name); stopped != nil {
		return nil, stopped
	}
	if err != nil {
		return nil, err
	}
	if n := len(made.lines); n < rows {
		s.ended = true
		if n == 0 {
			return nil, io.EOF
		}
	}
	ds, _, err := made.dataset(s.in)
	return ds, err
}

// Notes returns lines for the user, each given once. They name what was ignored and, after the last row, which words
// are new.
func (s *Stream) Notes() (notes []string) {
	notes, s.notes = s.notes, nil
	if s.ended {
		s.in.notes = nil
		s.in.noteUnneeded(s.lay.unneeded, s.lay.read)
		s.lay.warnUnknownWords()
		notes = s.in.notes
	}
	return notes
}

// Columns returns the names of the cells of a bad row.
func (s *Stream) Columns() []string {
	if s.bad == nil {
		return nil
	}
	return s.bad.columns
}

// Close ends the reading.
func (s *Stream) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
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
