package gpdrf

import (
	"errors"
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// ErrUntrained is the error of a Model that was made neither by Train nor by Load.
var ErrUntrained = errors.New("this Model is empty: Train and Load make one")

// InputError is the error of bad input: of Options, of Rows, of other arguments, or of the file of a model. errors.As
// finds it in the error of any function or method. All other errors are ErrUntrained, the cause of a context, or
// failures of the machine, such as too little memory.
type InputError struct {
	Option string // option that is wrong, by its name in docs/cli.md, such as "kernel"; "" if it is no option
	Row    int    // row of Rows that is wrong, counted from 1; 0 if it is not a single row
	File   string // path that Load was given; "" if it is no file
	Err    error  // the fault and its remedy in words, and the cause, such as fs.ErrNotExist
}

// Error returns the fault and its remedy.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// inputErrorf formats an InputError about an option, or about none.
func inputErrorf(option, format string, args ...any) error {
	return &InputError{Option: option, Err: fmt.Errorf(format, args...)}
}

// asInput makes errors about input, of the packages below, an InputError. It returns others as they are.
func asInput(err error) error {
	if _, done := errors.AsType[*InputError](err); done {
		return err
	}
	rows, ofRows := errors.AsType[*data.Error](err)
	user, ofUser := errors.AsType[*usererror.Error](err)
	if !ofRows && !ofUser {
		return err
	}
	e := &InputError{Err: err}
	if ofRows {
		e.Row = rows.Line
	}
	if ofUser {
		e.Option = user.Option
	}
	return e
}
