package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/vbauerster/mpb/v8/decor"

	"github.com/gpdrf/gpdrf-gpu/train/best"
)

// The table has the leading candidates in lines that fit the terminal, and follows the search.
func TestLeaderboard(t *testing.T) {
	state := &best.State{Limit: time.Minute, Used: 20 * time.Second}
	for k := range 12 {
		state.Candidates = append(state.Candidates, best.Candidate{Name: fmt.Sprint("setting ", k)})
	}
	b := (&program{err: io.Discard, terminal: true}).newLeaderboard(state, time.Now())
	table := func(columns int) []string {
		var text strings.Builder
		if err := b.fill(&text, decor.Statistics{AvailableWidth: columns}); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	}
	if lines := table(80); len(lines) != 1+leaders || !strings.HasPrefix(lines[1], "setting 0 ") {
		t.Errorf("at first:\n%s", strings.Join(lines, "\n"))
	}
	b.doing(0, 12, "round 1 of 3: setting 0")
	state.Candidates[7].Trials = []best.Trial{{Round: 1, Fold: 1, LogDensity: -0.5}}
	state.Candidates[3].Trials = []best.Trial{{Round: 1, Fold: 1, Failure: "numbers ran away"}}
	b.show(state)
	if lines := table(70); !strings.HasPrefix(lines[1], "setting 7 ") || !strings.Contains(lines[1], "-0.5000") {
		t.Errorf("after a trial:\n%s", strings.Join(lines, "\n"))
	}
	for _, line := range table(30) {
		if len(line) > 30 {
			t.Errorf("%q is longer than the terminal", line)
		}
	}
	if got, want := b.spent(3, 12), " 3 of 12  20s of 1m0s"; got != want {
		t.Errorf("got %q, expected %q", got, want)
	}
	b.end()
}
