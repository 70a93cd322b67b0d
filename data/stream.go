package data

import (
	"cmp"
	"errors"
	"io"
	"math"
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

	heldBad   []BadRow // bad rows of another format, until they were given
	onBad     func(BadRow) error
	allBadErr error // the error that all of these rows are bad
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
		s.onBad = s.bad.take
		s.bad.take = func(row BadRow) error {
			s.heldBad = append(s.heldBad, row)
			return nil
		}
	}
	s.whole, s.notes, err = ReadFile(path, opt)
	if errors.Is(err, ErrNoRow) {
		s.allBadErr, err = err, nil
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
		for _, row := range s.heldBad {
			if err := s.onBad(row); err != nil {
				return nil, err
			}
		}
		ds := s.whole
		s.heldBad, s.whole = nil, nil
		if ds == nil {
			return nil, cmp.Or(s.allBadErr, io.EOF)
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
