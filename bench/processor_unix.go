//go:build unix

package main

import (
	"os"
	"syscall"
	"time"
)

// processorTime returns the processor time of this process so far, on all its threads.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic("bench: getrusage: " + err.Error())
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// processUsage returns the processor seconds of an ended process, and its largest resident set in bytes.
func processUsage(p *os.ProcessState) (seconds, bytes float64) {
	if r, ok := p.SysUsage().(*syscall.Rusage); ok {
		bytes = float64(r.Maxrss) * 1024 // Linux counts in KiB
	}
	return (p.UserTime() + p.SystemTime()).Seconds(), bytes
}
