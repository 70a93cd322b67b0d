//go:build !unix

package main

import (
	"os"
	"time"
)

var began = time.Now()

// processorTime is the wall clock where there is nothing better.
func processorTime() time.Duration { return time.Since(began) }

// peakMemory is not known.
func peakMemory(*os.ProcessState) float64 { return 0 }
