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

// leaders is how many candidates a leaderboard shows: it must not fill a small terminal.
const leaders = 8

// leaderboard shows how a search goes. On a terminal it is a bar with the leading candidates below
// it, and is redrawn; elsewhere there are only the lines of the trials that ended.
type leaderboard struct {
	p       *program
	limit   time.Duration
	started time.Time // less what the search used before
	group   *mpb.Progress
	bar     *mpb.Bar
	now     atomic.Pointer[standing] // which another goroutine draws
}

// standing is what a leaderboard shows: what is done next, and the table of candidates.
type standing struct {
	doing string
	table []string
}

func (p *program) newLeaderboard(s *best.State, started time.Time) *leaderboard {
	b := &leaderboard{p: p, limit: s.Limit, started: started.Add(-s.Used)}
	b.now.Store(&standing{doing: "searching", table: s.Lines()})
	if p.terminal && !p.quiet {
		b.group = mpb.New(mpb.WithOutput(p.err), mpb.WithWidth(24))
		b.bar = b.group.AddBar(0, mpb.BarFillerTrim(), // 0: the number of trials changes
			mpb.BarExtender(mpb.BarFillerFunc(b.fill), false),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return b.now.Load().doing + " " })),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string { return b.spent(s.Current, s.Total) })))
	}
	return b
}

// fill writes the head of the table, in lines that fit the terminal.
func (b *leaderboard) fill(w io.Writer, s decor.Statistics) error {
	table := b.now.Load().table
	for _, line := range table[:min(len(table), 1+leaders)] {
		if _, err := fmt.Fprintln(w, line[:min(len(line), max(s.AvailableWidth, 1))]); err != nil {
			return err
		}
	}
	return nil
}

// spent is how many trials of a round have ended, and the time.
func (b *leaderboard) spent(done, all int64) string {
	text := fmt.Sprintf(" %d of %d  %s", done, all, time.Since(b.started).Round(time.Second))
	if b.limit > 0 {
		text += " of " + b.limit.String()
	}
	return text
}

// note writes a line above the bar.
func (b *leaderboard) note(format string, args ...any) {
	if b.group == nil {
		b.p.note(format, args...)
		return
	}
	io.WriteString(b.group, strings.TrimRight(fmt.Sprintf(format, args...), "\n")+"\n")
}

// doing says what is done next, and how many trainings of how many have ended.
func (b *leaderboard) doing(done, all int, what string) {
	b.now.Store(&standing{doing: what, table: b.now.Load().table})
	if b.bar != nil {
		b.bar.SetTotal(int64(all), false)
		b.bar.SetCurrent(int64(done))
	}
}

// show shows the candidates as they stand after a training.
func (b *leaderboard) show(s *best.State) {
	b.now.Store(&standing{doing: b.now.Load().doing, table: s.Lines()})
	if b.bar != nil {
		b.bar.Increment()
	}
}

// end takes the bar away.
func (b *leaderboard) end() {
	if b.group != nil {
		b.bar.Abort(true)
		b.group.Wait()
		b.group = nil
	}
}
