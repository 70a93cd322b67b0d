package allocs

import "testing"

var kept *[64]float64

func TestPerRun(t *testing.T) {
	if n := PerRun(10, func() {}); n != 0 {
		t.Errorf("a function that does nothing makes %g allocations", n)
	}
	if n := PerRun(10, func() { kept = new([64]float64) }); n != 1 {
		t.Errorf("a function that allocates once makes %g allocations", n)
	}
	calls := 0
	if n := PerRun(10, func() {
		if calls++; calls < 20 {
			kept = new([64]float64)
		}
	}); n != 0 {
		t.Errorf("a function that stops allocating makes %g allocations", n)
	}
}
