package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// exitGuard lets Ctrl-C end a verb that has nothing to save yet, but not while it writes.
type exitGuard struct{ writing sync.Mutex }

func (p *program) newExitGuard() *exitGuard {
	g := &exitGuard{}
	go func() {
		<-p.ctx.Done()
		g.writing.Lock()
		os.Exit(exitInterrupted)
	}()
	return g
}

// newQuitGuard lets a second Ctrl-C end a verb that has something to save, after discard, but not while it writes; a third
// does not wait for that.
func (p *program) newQuitGuard(discard func() error) *exitGuard {
	g := &exitGuard{}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals // which ends the context, too
		<-signals
		signal.Stop(signals)
		g.writing.Lock()
		if err := discard(); err != nil {
			p.note("%v", err)
		}
		os.Exit(exitInterrupted)
	}()
	return g
}

// write runs f to its end before Ctrl-C counts.
func (g *exitGuard) write(f func() error) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	return f()
}

// end leaves Ctrl-C to the verb.
func (g *exitGuard) end() { g.writing.Lock() }

// onInterrupt says something at Ctrl-C, if it comes before end is called; end waits until it is said.
func (p *program) onInterrupt(say func()) (end func()) {
	if p.ctx.Err() != nil { // it was said before
		return func() {}
	}
	said := make(chan struct{})
	stop := context.AfterFunc(p.ctx, func() {
		say()
		close(said)
	})
	return func() {
		if !stop() {
			<-said
		}
	}
}
