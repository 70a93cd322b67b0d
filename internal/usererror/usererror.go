// Package usererror has the error for bad options and bad input, and the names of options in messages.
package usererror

import (
	"fmt"
	"runtime"
	"strings"
)

// Error is an error in a request, not in its execution. The command line answers it with exit code 2.
type Error struct {
	Err    error
	Option string // name of the option that is wrong; "" if the error is about none
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf formats an Error, as fmt.Errorf does.
func Errorf(format string, args ...any) error { return &Error{Err: fmt.Errorf(format, args...)} }

// dashed reports whether messages give options as the command line takes them, and not by their names alone.
var dashed bool

// DashOptions makes messages give options as the command line takes them. A command calls it from init; a library
// leaves the process as it is.
func DashOptions() { dashed = true }

// Flag returns an option in a message: steps, or --steps after DashOptions.
func Flag(name string) string {
	if dashed {
		return "--" + name
	}
	return name
}

// Key returns an option that the command line takes after --set: order, or --set order after DashOptions.
func Key(name string) string {
	if dashed {
		return "--set " + name
	}
	return name
}

// OfFlag formats an Error about an option, whose name it begins with.
func OfFlag(name, format string, args ...any) error {
	return &Error{Err: fmt.Errorf("%s: %w", Flag(name), fmt.Errorf(format, args...)), Option: name}
}

// ShellWord quotes a word for the system's shell: cmd on Windows, else sh.
func ShellWord(word string) string { return shellWord(word, runtime.GOOS) }

func shellWord(word, system string) string {
	special, quote, inside := " \t\n\"'\\$&|;<>()*?[]#~`!{}", "'", `'\''`
	if system == "windows" {
		special, quote, inside = " \t\n\"'&|;<>()*?[]^%!,=", `"`, `\"`
	}
	if word != "" && !strings.ContainsAny(word, special) {
		return word
	}
	return quote + strings.ReplaceAll(word, quote, inside) + quote
}
