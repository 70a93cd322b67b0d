package main

import (
	"os"
	"sync"
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

// write runs f to its end before Ctrl-C counts.
func (g *exitGuard) write(f func() error) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	return f()
}

// end leaves Ctrl-C to the verb.
func (g *exitGuard) end() { g.writing.Lock() }
