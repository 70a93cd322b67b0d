//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// processorTime is what this process has used so far, on all its threads.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic("bench: getrusage: " + err.Error())
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// peakMemory is the most that a process held, in bytes.
func peakMemory(p *os.ProcessState) float64 {
	r, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // where it is in bytes
		return float64(r.Maxrss)
	}
	return float64(r.Maxrss) * 1024
}
