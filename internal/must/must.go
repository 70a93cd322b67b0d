// Package must ends a test whose check fails, and prints what it got and what it wanted. It also tells tests what a
// function panics with, and counts its allocations.
package must

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// OK ends the test where err is not nil.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns v, in a test that an error ends: must.Get(f())(t).
func Get[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// OrSkip skips the test where err is not nil, or ends it if the environment sets a variable such as REQUIRE_CUDA.
func OrSkip(t testing.TB, err error, variable string) {
	t.Helper()
	if os.Getenv(variable) != "" {
		OK(t, err)
	}
	if err != nil {
		t.Skip(err)
	}
}

// Equal ends the test where got is not want.
func Equal[T any](t testing.TB, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// Contain ends the test where text lacks one of the parts.
func Contain(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Fatalf("got %s\nwant in it %s", text, part)
		}
	}
}

// Lack ends the test where text has one of the parts.
func Lack(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Fatalf("got %s\nwant none of %s", text, part)
		}
	}
}

// PanicOf calls f and returns the value of its panic, or nil.
func PanicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// AllocsPerRun returns the average number of allocations that f makes in a call, after a first call.
//
// [testing.AllocsPerRun] counts the allocations of the whole program. The runtime allocates now and then, for instance
// when a goroutine first waits after a garbage collection. An allocation of f is there every time, so that this returns
// the least of up to five counts.
func AllocsPerRun(runs int, f func()) float64 {
	n := testing.AllocsPerRun(runs, f)
	for try := 1; try < 5 && n > 0; try++ {
		n = min(n, testing.AllocsPerRun(runs, f))
	}
	return n
}
