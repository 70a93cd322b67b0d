package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// endSignals lists the signals that ask a command to end: Ctrl-C, kill, and the closing of its terminal. The last one
// is left out under nohup.
func endSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// exitGuard ends the command as soon as a context is done, but not while it writes. It is for work that has nothing to
// save.
type exitGuard struct {
	ctx     context.Context
	writing sync.Mutex
	ended   func() error // prints the last messages, once, and returns an endedError
	exit    func()       // makes main exit with the error of ended
	unwatch func() bool
}

// endedError ends a command that has printed all its messages.
type endedError struct{ code int }

func (e *endedError) Error() string { return fmt.Sprintf("ended with exit code %d", e.code) }

func hasEnded(err error) bool { return errors.As(err, new(*endedError)) }

// newExitGuard makes main exit when the context is done. leave prints the last messages, and its error decides the exit
// code.
func (p *program) newExitGuard(ctx context.Context, leave func() error) *exitGuard {
	g := &exitGuard{}
	g.ended = sync.OnceValue(func() error {
		g.writing.Lock() // it stays locked: nothing more is written
		return &endedError{exitCode(leave())}
	})
	g.exit = func() { p.exit(g.ended()) }
	g.watch(ctx)
	return g
}

// watch ends the command when ctx is done.
func (g *exitGuard) watch(ctx context.Context) {
	g.ctx = ctx
	g.unwatch = context.AfterFunc(ctx, g.exit)
}

// stop ends the watch: the command goes on when the context is done.
func (g *exitGuard) stop() bool { return g.unwatch() }

// exit makes main exit, at the end of the command or while it is still at work.
func (p *program) exit(err error) {
	select {
	case p.quit <- err:
	default: // main exits already
	}
}

// endedOr returns err, or the error that ends the command if the context is done.
func (g *exitGuard) endedOr(err error) error {
	if g.ctx.Err() != nil {
		return g.ended()
	}
	return err
}

// liftLimit watches ctx in place of a context with a time limit.
func (g *exitGuard) liftLimit(ctx context.Context) error {
	if err := g.disarm(); err != nil {
		return err
	}
	g.watch(ctx)
	return nil
}

// disarm ends the watch. If the context is done already, it returns the error that ends the command.
func (g *exitGuard) disarm() error {
	if !g.stop() && g.ctx.Err() != nil {
		return g.ended()
	}
	return nil
}

// write runs f; the command cannot end before f has returned.
func (g *exitGuard) write(f func() error) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	return f()
}

// set runs f, which changes what the last messages are about.
func (g *exitGuard) set(f func()) { g.write(func() error { f(); return nil }) }

// onSecondSignal lets a second Ctrl-C end a verb that has something to save, until stop is called. It waits while the
// verb writes, then calls discard; a third Ctrl-C kills. A closed terminal may send its signal twice: this does not
// count as a second.
func (p *program) onSecondSignal(g *exitGuard, discard func() error) (stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, endSignals()...)
	done := make(chan struct{})
	go func() {
		for n := 0; n < 2; { // the first signal also makes the context done
			select {
			case s := <-signals:
				if n == 0 || s != syscall.SIGHUP {
					n++
				}
			case <-done:
				return
			}
		}
		signal.Stop(signals)
		g.writing.Lock()
		if err := discard(); err != nil {
			p.printLine("%v", err)
		}
		p.exit(errInterrupted)
	}()
	return func() { signal.Stop(signals); close(done) }
}

// interrupted prints what an interrupt has left. If the context is done for another reason, it prints and returns that
// instead.
func (p *program) interrupted(ctx context.Context, what string) error {
	if p.ctx.Err() != nil { // an interrupt counts more than a time limit
		ctx = p.ctx
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		p.printLine("gpdrf-gpu: %v", cause)
		return cause
	}
	p.printLine("interrupted%s", what)
	return errInterrupted
}

// nothingWritten prints the state after an interrupt of a verb that writes nothing.
func (p *program) nothingWritten() error { return p.interrupted(p.ctx, ": nothing was written") }

// onInterrupt calls say at Ctrl-C, unless end was called before. end waits for say.
func (p *program) onInterrupt(say func()) (end func()) {
	if p.ctx.Err() != nil { // the interrupt was reported before
		return func() {}
	}
	once := sync.OnceFunc(say)
	stop := context.AfterFunc(p.ctx, once)
	return func() {
		if !stop() {
			once() // this waits for the call that is under way
		}
	}
}
