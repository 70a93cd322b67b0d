package main

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/gpdrf/gpdrf-gpu/train/best"
)

// searchBar shows the progress of a search: a bar on a terminal. Elsewhere there are only the lines
// of the trials that ended.
type searchBar struct {
	p       *program
	limit   time.Duration
	started time.Time // minus the time that the search used before
	group   *mpb.Progress
	bar     *mpb.Bar
	now     atomic.Pointer[string] // the next trial, which another goroutine draws
}

func (p *program) newSearchBar(s *best.State, started time.Time) *searchBar {
	b := &searchBar{p: p, limit: s.Limit, started: started}
	if p.terminal && !p.quiet {
		what := "searching"
		b.now.Store(&what)
		b.group = mpb.New(mpb.WithOutput(p.err), mpb.WithWidth(24))
		b.bar = b.group.AddBar(0, mpb.BarFillerTrim(), // 0: the number of trials changes
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return *b.now.Load() + " " })),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string { return b.spent(s.Current, s.Total) })))
	}
	return b
}

// spent is how many trials of a round have ended, and the time.
func (b *searchBar) spent(done, all int64) string {
	text := fmt.Sprintf(" %d of %d  %s", done, all, time.Since(b.started).Round(time.Second))
	if b.limit > 0 {
		text += " of " + b.limit.String()
	}
	return text
}

// note writes a line above the bar.
func (b *searchBar) note(format string, args ...any) {
	if b.group == nil {
		b.p.note(format, args...)
		return
	}
	io.WriteString(b.group, strings.TrimRight(fmt.Sprintf(format, args...), "\n")+"\n")
}

// doing shows the next trial, and how many trials of how many have ended.
func (b *searchBar) doing(done, all int, what string) {
	if b.group != nil {
		b.now.Store(&what)
		b.bar.SetTotal(int64(all), false)
		b.bar.SetCurrent(int64(done))
	}
}

// trialEnded counts a trial.
func (b *searchBar) trialEnded() {
	if b.group != nil {
		b.bar.Increment()
	}
}

// end takes the bar away.
func (b *searchBar) end() {
	if b.group != nil {
		b.bar.Abort(true)
		b.group.Wait()
		b.group = nil
	}
}
