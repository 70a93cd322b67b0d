package main

import (
	"context"
	"fmt"
	"time"
)

// soon is how long after its bound, or the end of its context, an extra ends that heeds them.
const soon = time.Second

// bound is how long an extra of a run may take: as long as the run so far, from a minute to an
// hour.
func bound(began time.Time) time.Duration {
	return min(max(time.Minute, time.Since(began)), time.Hour)
}

// extra is work that a result is complete without: the result is on disk. The guard ends the
// command in the middle of it. Work that panics, or takes longer than its bound or its context, is an
// error, and is left to itself. What it is to write, it gives back, so that nothing of it is written
// later.
func extra(ctx context.Context, guard *exitGuard, bound time.Duration,
	work func(context.Context) (write func() error, err error)) error {
	late := fmt.Errorf("it took more than %v", bound.Round(time.Millisecond))
	ctx, cancel := context.WithTimeoutCause(ctx, bound, late)
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
	over := make(chan struct{})
	defer context.AfterFunc(ctx, func() { time.AfterFunc(soon, func() { close(over) }) })()
	select {
	case o := <-done:
		if o.err != nil {
			return guard.unless(o.err)
		}
		return guard.write(o.write)
	case <-over:
		return guard.unless(context.Cause(ctx))
	}
}
