package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// An extra that fails, panics or takes too long returns an error, and writes nothing.
func TestFailingExtra(t *testing.T) {
	p := &program{ctx: context.Background()}
	guard := p.newExitGuard(p.ctx, nil)
	defer guard.stop()
	written := 0
	write := func() error { written++; return nil }
	for _, c := range []struct {
		what, want string
		work       func(context.Context) (func() error, error)
	}{
		{"whole", "", func(context.Context) (func() error, error) { return write, nil }},
		{"failed", "no room", func(context.Context) (func() error, error) { return write, errors.New("no room") }},
		{"panic", "a fault of the program: runtime error: index out of range",
			func(context.Context) (func() error, error) {
				none := make([]int, 0)
				return write, errors.New(string(rune(none[0])))
			}},
		{"late", "it took more than 50ms", func(ctx context.Context) (func() error, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}},
	} {
		err := runExtra(p.ctx, guard, 50*time.Millisecond, c.work)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
	if written != 1 {
		t.Errorf("written %d times", written)
	}
}
