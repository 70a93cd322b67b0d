//go:build !unix

package main

import (
	"os"
	"time"
)

var began = time.Now()

// processorTime returns the wall clock, since this system has nothing better.
func processorTime() time.Duration { return time.Since(began) }

// used returns the processor seconds of an ended process. Its memory is unknown.
func used(p *os.ProcessState) (seconds, bytes float64) {
	return (p.UserTime() + p.SystemTime()).Seconds(), 0
}
