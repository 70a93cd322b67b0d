//go:build !unix

package main

import (
	"os"
	"time"
)

var began = time.Now()

// processorTime returns the wall clock, since this system has nothing better.
func processorTime() time.Duration { return time.Since(began) }

// processUsage returns the processor seconds of an ended process. Its memory is unknown.
func processUsage(p *os.ProcessState) (seconds, bytes float64) {
	return (p.UserTime() + p.SystemTime()).Seconds(), 0
}
