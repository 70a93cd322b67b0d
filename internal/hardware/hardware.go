// Package hardware names the machine that a program runs on.
package hardware

import (
	"os"
	"runtime"
	"strings"
)

// Processor returns the model of the processor, or its architecture if the system does not tell the model.
func Processor() string {
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.SplitSeq(string(text), "\n") {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}
