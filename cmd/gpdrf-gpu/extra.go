package main

import (
	"context"
	"fmt"
	"time"
)

// soon is how long after its bound an extra ends that heeds its context.
const soon = 5 * time.Second

// bound is how long an extra of a run may take: as long as the run so far, from a minute to an
// hour.
func bound(began time.Time) time.Duration {
	return min(max(time.Minute, time.Since(began)), time.Hour)
}

// extra is work that a result is complete without: the result is on disk. The guard ends the
// command in the middle of it. Work that panics or takes longer than its bound is an error, and is
// left to itself. What it is to write, it gives back, so that nothing of it is written later.
func extra(guard *exitGuard, bound time.Duration, work func(context.Context) (write func() error, err error)) error {
	late := fmt.Errorf("it took more than %v", bound.Round(time.Millisecond))
	ctx, cancel := context.WithTimeoutCause(guard.ctx, bound, late)
	defer cancel()
	type outcome struct {
		write func() error
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if fault := recover(); fault != nil {
				o.err = fmt.Errorf("a fault of the program: %v", fault)
			}
			done <- o
		}()
		o.write, o.err = work(ctx)
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return guard.unless(o.err)
		}
		return guard.write(o.write)
	case <-time.After(bound + soon):
		return late
	}
}
