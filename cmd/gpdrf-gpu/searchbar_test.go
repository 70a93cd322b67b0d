package main

import (
	"io"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/best"
)

// The bar of a search follows its trials, and ends.
func TestSearchBar(t *testing.T) {
	state := &best.State{Limit: time.Minute}
	b := (&program{err: io.Discard, terminal: true}).newSearchBar(state, time.Now().Add(-20*time.Second))
	b.doing(2, 12, "round 1 of 3: setting 0")
	b.trialEnded()
	if got := b.bar.Current(); got != 3 {
		t.Errorf("%d trials have ended, expected 3", got)
	}
	if got, want := b.spent(3, 12), " 3 of 12  20s of 1m0s"; got != want {
		t.Errorf("got %q, expected %q", got, want)
	}
	b.end()
}
