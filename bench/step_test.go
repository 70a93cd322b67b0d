package main

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// BenchmarkStep times the steps that are compared with other libraries, ours alone.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"mnist-small", "protein"} {
		b.Run(name, func(b *testing.B) {
			n, err := workload.Preset(name)
			must.OK(b, err)
			dev := cpu.New[float32](1)
			defer dev.Close()
			s, err := workload.NewStep(dev, n)
			must.OK(b, err)
			s.Run()
			for b.Loop() {
				s.Run()
			}
		})
	}
}
