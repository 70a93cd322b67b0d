package data

import (
	"errors"
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Error describes a fault of the user's data or of the request for them, and its remedy. It reads `train.csv:17:3:
// found "abc" in column "AP": …`.
type Error struct {
	File   string // "" if no file is concerned
	Line   int    // from 1; 0 if the whole file is meant; of rows in no file, the number of the row
	Column int    // position in the line in bytes, from 1; 0 if the whole line is meant
	Msg    string
	Err    error // the cause, where there is one

	row bool // the error is about one row, and the rows after it can be read
}

// ofRow marks an error as an error about one row.
func ofRow(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Line > 0 {
		e.row = true
	}
	return err
}

func (e *Error) Error() string {
	switch {
	case e.File == "":
		return e.Msg
	case e.Line == 0:
		return e.File + ": " + e.Msg
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func errorf(file, format string, args ...any) *Error {
	return errorAt(file, position{}, format, args...)
}

// position is a line and a byte in it, from 1; 0 if the whole file or line is meant.
type position struct{ line, column int }

func errorAt(file string, at position, format string, args ...any) *Error {
	return &Error{File: file, Line: at.line, Column: at.column, Msg: fmt.Sprintf(format, args...)}
}

// rowErrorf returns an error about row i, from 0, of rows in no file: "row 1" and the text.
func rowErrorf(i int, format string, args ...any) *Error {
	return errorAt("", position{line: i + 1}, "row %d%s", i+1, fmt.Sprintf(format, args...))
}

// RowErrorf returns an error about row i, from 0, by its place in a file or its number.
func (d *Dataset) RowErrorf(i int, format string, args ...any) error {
	if d.Path == inMemory && d.lines == nil {
		return rowErrorf(i, ": %s", fmt.Sprintf(format, args...))
	}
	return errorf(d.RowLocation(i), format, args...)
}

// asFlag names an option in a message.
func asFlag(name string) string { return usererror.Flag(name) }

// asKey names an option in a message that has no flag of its own.
func asKey(name string) string { return usererror.Key(name) }
