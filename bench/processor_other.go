//go:build !unix

package main

import (
	"os"
	"time"
)

var began = time.Now()

// processorTime is the wall clock where there is nothing better.
func processorTime() time.Duration { return time.Since(began) }

// used is what an ended process took: processor seconds; the memory is not known.
func used(p *os.ProcessState) (seconds, bytes float64) {
	return (p.UserTime() + p.SystemTime()).Seconds(), 0
}
