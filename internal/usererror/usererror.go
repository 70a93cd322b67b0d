// Package usererror has the error for bad options and bad input.
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
