// Package usererror has the error for bad options and bad input, and the names of options in messages.
package usererror

import (
	"fmt"
	"runtime"
	"strings"
)

// Error is an error in a request, not in its execution. The command line answers it with exit
// code 2.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf formats an Error, as fmt.Errorf does.
func Errorf(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

// dashed is whether messages give options as the command line has them.
var dashed = true

// NameOptions makes messages give options by their names alone, for readers without a command line. The front of a
// process calls it from init.
func NameOptions() { dashed = false }

// Flag is an option in a message: --steps, or steps by NameOptions.
func Flag(name string) string {
	if dashed {
		return "--" + name
	}
	return name
}

// Key is an option that the command line takes behind --set: --set order, or order by NameOptions.
func Key(name string) string {
	if dashed {
		return "--set " + name
	}
	return name
}

// OfFlag formats an Error about an option, whose name it begins with.
func OfFlag(name, format string, args ...any) error {
	return Errorf("%s: %w", Flag(name), fmt.Errorf(format, args...))
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
