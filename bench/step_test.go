package main

import (
	"math"
	"testing"
)

// The step that is compared is a training step: the bound rises.
func TestStepTrains(t *testing.T) {
	for _, n := range []shape{{d: 5, j: 3, m: 8, r: 10, b: 20, s: 2, classes: 4}, {d: 5, j: 3, m: 8, r: 10, b: 20, s: 2}} {
		s, err := newStep(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		s.run()
		first, err := s.model.Report(1)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			s.run()
		}
		last, err := s.model.Report(1)
		if err != nil || !(last.Value > first.Value) || math.IsNaN(last.Value) {
			t.Errorf("bound from %g to %g, %v", first.Value, last.Value, err)
		}
		if err := s.dev.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	for name, n := range shapes {
		b.Run(name, func(b *testing.B) {
			s, err := newStep(n, 1)
			if err != nil {
				b.Fatal(err)
			}
			defer s.dev.Close()
			s.run()
			b.ResetTimer()
			for range b.N {
				s.run()
			}
		})
	}
}
