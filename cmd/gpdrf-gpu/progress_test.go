package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// A long run prints about linesPerRun lines, a short one the first and the last step.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		total       int
		step        time.Duration
		least, most int
	}{
		{total: 100000, step: 10 * time.Millisecond, least: 12, most: 20},
		{total: 100, step: time.Millisecond, least: 2, most: 2},
		{total: 7, step: 5 * time.Second, least: 7, most: 7},
		{total: 1, step: time.Second, least: 1, most: 1},
	} {
		var out bytes.Buffer
		l := &recorder{console: &console{err: &out}}
		l.start(c.total)
		for step := 1; step <= c.total; step++ {
			if step == 1 || step%10 == 0 || step == c.total || c.total < 10 {
				l.show(rundir.Progress{Step: step, Total: c.total, Elapsed: time.Duration(step) * c.step,
					StepsPerSecond: 1 / c.step.Seconds()})
			}
		}
		l.End()
		if n := strings.Count(out.String(), "\n"); n < c.least || n > c.most {
			t.Errorf("%d steps: %d lines, expected %d to %d", c.total, n, c.least, c.most)
		}
	}
}

// A bar that stops early, as after Ctrl-C, ends. Without a terminal nothing is drawn.
func TestBarEnds(t *testing.T) {
	var out bytes.Buffer
	c := &console{err: &out, terminal: true}
	b := &recorder{console: c}
	c.note("before")
	b.start(100)
	b.show(rundir.Progress{Step: 40, Total: 100, StepsPerSecond: 20})
	done := make(chan bool)
	go func() { b.End(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the bar does not end")
	}
	c.note("after")
	if got := out.String(); got != "before\nafter\n" {
		t.Errorf("got %q", got)
	}
}

func TestDescribe(t *testing.T) {
	p := rundir.Progress{Step: 10, Total: 130, Objective: -1234.56, StepsPerSecond: 2, IsELBO: true}
	if got, want := describe(p), "ELBO     -1234.6     2.0 steps/s  1m0s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.IsELBO = false
	if got, want := describe(p), "objective     -1234.6     2.0 steps/s  1m0s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The line of a bar fits its columns, has the most important parts first, and has no colours.
func TestBarText(t *testing.T) {
	p := &rundir.Progress{
		Step: 1200, Total: 15000, Objective: -1234.56, StepsPerSecond: 100, IsELBO: true,
		Validation: &rundir.Evaluation{Task: data.Regression, Score: -0.1234},
	}
	for columns, want := range map[int]string{
		50: "  ELBO -1234.6  NLPD -0.1234  2m18s left",
		30: "  ELBO -1234.6  NLPD -0.1234", 3: "",
	} {
		if got := barText(p, columns); got != want {
			t.Errorf("in %d columns %q, want %q", columns, got, want)
		}
	}
	if counter := "step 1200 of 15000 "; len(counter)+len(barText(p, 80-len(counter))) > 80 {
		t.Error("a terminal of 80 columns has no room for it")
	}
}

func TestWrap(t *testing.T) {
	if got := wrap("one two  three\nfour", "  ", 9); got != "one two\n  three\n  four" {
		t.Errorf("got %q", got)
	}
}

// The bar of a long prediction appears on a terminal only, and can end at any place.
func TestRowsPhase(t *testing.T) {
	late := time.Now().Add(-barDelay - barDelay/2)
	for _, c := range []struct {
		terminal bool
		start    time.Time
		done     []int
		want     int
	}{
		{terminal: true, start: late, done: []int{0, 256, 512}, want: 512},
		{terminal: true, start: late, done: []int{0, 256, 600}, want: 600},
		{terminal: true, start: time.Now(), done: []int{0, 256}, want: -1},
		{terminal: false, start: late, done: []int{0, 256}, want: -1},
		{terminal: true, start: late, done: []int{600}, want: -1},
	} {
		var out bytes.Buffer
		b := (&program{console: console{err: &out, terminal: c.terminal}}).newRowsPhase(600)
		b.start = c.start
		for _, done := range c.done {
			b.show(done)
		}
		got := -1
		if b.bar != nil {
			got = int(b.bar.line.Current())
		}
		if got != c.want {
			t.Errorf("%+v: the bar is at %d", c, got)
		}
		done := make(chan bool)
		go func() { b.end(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatal("the bar does not end")
		}
	}
}

// The bar of a search follows its trials, and ends.
func TestSearchBar(t *testing.T) {
	p := &program{console: console{err: io.Discard, terminal: true}}
	b := p.newSearchBar(time.Minute, time.Now())
	b.show(2, 12, "round 1 of 3: setting 0")
	b.trialEnded()
	if got := b.bar.line.Current(); got != 3 {
		t.Errorf("%d trials have ended, expected 3", got)
	}
	if got, want := searchText(3, 12, time.Minute, 20*time.Second), " 3 of 12  20s of 1m0s"; got != want {
		t.Errorf("got %q, expected %q", got, want)
	}
	b.end(true)
}

// Intervals that hold far too many or too few of the test rows have a warning.
func TestCoverageWarning(t *testing.T) {
	for _, c := range []struct {
		coverage float64
		n        int
		want     string
	}{{1, 300, "too wide"}, {0.7, 300, "too narrow"}, {0.95, 300, ""}, {1, 40, ""}} {
		scores := fitted.ResultScores{TestScores: fitted.TestScores{
			Regression: &metrics.Regression{Coverage90: c.coverage}}}
		if got := coverageWarning(scores, c.n); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%g of %d rows: %q", c.coverage, c.n, got)
		}
	}
}
