package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// run runs the whole command and returns the exit code.
func (p *program) run(args []string) int { return p.end(p.do(args)) }

// fullDisk is a writer that always fails.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A command fails if its results cannot be written.
func TestOutputLost(t *testing.T) {
	for _, words := range []string{"--version", "help", "train --help", "info", "info --json", "info powerplant"} {
		var said bytes.Buffer
		p := &program{ctx: context.Background(), console: console{out: fullDisk{}, err: &said}}
		if code := p.run(strings.Fields("gpdrf-gpu " + words)); code != exitFailure ||
			!strings.Contains(said.String(), "no space left") {
			t.Errorf("%s: exit code %d, %q", words, code, said.String())
		}
	}
}
