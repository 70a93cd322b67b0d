//go:build !unix

package main

import "time"

var began = time.Now()

// processorTime is the wall clock where there is nothing better.
func processorTime() time.Duration { return time.Since(began) }
