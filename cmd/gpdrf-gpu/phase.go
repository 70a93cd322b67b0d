package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8/decor"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// The times after which work other than training shows its progress. A bar appears after barDelay. Without a terminal,
// a line appears after lineDelay; the pause to the next line doubles each time, up to maxLinePause.
const (
	barDelay     = time.Second
	lineDelay    = 2 * time.Second
	maxLinePause = time.Minute
)

// phase shows the progress of long work other than training: by a bar on a terminal, by a line from time to time
// elsewhere. Several goroutines may report progress.
type phase struct {
	console *console
	what    string           // the name of the work, such as "predicted"
	count   func(int) string // the text of the finished part, such as "3 of 5 rows"
	total   int              // 0 if it is unknown

	mutex           sync.Mutex
	start           time.Time
	nextLine, pause time.Duration // time of the next line, and pause between it and the following one
	bar             *bar
}

func (c *console) newPhase(what string, total int, count func(done int) string) *phase {
	return &phase{console: c, what: what, count: count, total: total,
		start: time.Now(), nextLine: lineDelay, pause: lineDelay}
}

// newRowsPhase returns the phase of a prediction of total rows.
func (c *console) newRowsPhase(total int) *phase {
	return c.newPhase("predicted", total, func(done int) string { return fmt.Sprintf("%d of %d rows", done, total) })
}

// newPercentPhase returns a phase that shows its progress in percent.
func (c *console) newPercentPhase(what string) *phase {
	return c.newPhase(what, 100, func(done int) string { return fmt.Sprintf("%d %%", done) })
}

// showFraction shows the finished part, from 0 to 1.
func (p *phase) showFraction(done float64) { p.show(int(100 * done)) }

// show shows the finished part of total.
func (p *phase) show(done int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	elapsed := time.Since(p.start)
	switch {
	case p.bar == nil && p.total > 0 && done >= p.total:
	case !p.console.hasBars():
		if elapsed >= p.nextLine {
			p.console.note("%s", strings.TrimSpace(p.counted(done)+p.remaining(done)))
			p.pause = min(2*p.pause, maxLinePause)
			p.nextLine = elapsed + p.pause
		}
	case p.bar != nil || elapsed >= barDelay:
		if p.bar == nil {
			p.bar = p.console.newBar(func(s decor.Statistics) string { return p.counted(int(s.Current)) },
				func(s decor.Statistics) string { return " " + p.remaining(int(s.Current)) })
		}
		p.bar.show(done, p.total)
	}
}

func (p *phase) counted(done int) string { return p.what + ": " + p.count(done) + " " }

// remaining returns the text of the remaining time; "" if it is unknown.
func (p *phase) remaining(done int) string {
	return timeLeft(p.total-done, float64(done)/time.Since(p.start).Seconds())
}

// end takes the bar away.
func (p *phase) end() {
	if p != nil {
		p.bar.end(true)
		p.bar = nil
	}
}

// nextPhase returns the phase of the work what. It is f if f has this name; otherwise f ends, and a new phase begins.
func (c *console) nextPhase(f *phase, what string) *phase {
	if f != nil && f.what == what {
		return f
	}
	f.end()
	return c.newPercentPhase(what)
}

// reading returns the control of files that a command reads, with a bar. end takes the bar away.
func (p *program) reading(ctx context.Context) (control data.ReadControl, end func()) {
	var f *phase
	last := int64(0)
	control = data.ReadControl{Context: ctx, Piped: &p.piped, Progress: func(read, total int64) {
		if f == nil || read < last { // another file begins
			f.end()
			f = p.newPercentPhase("reading")
			if total == 0 {
				f = p.newPhase("reading", 0, func(done int) string { return fmt.Sprintf("%d MiB", done>>20) })
			}
		}
		last = read
		if total == 0 {
			f.show(int(read))
		} else {
			f.showFraction(float64(read) / float64(total))
		}
	}}
	return control, func() { f.end() }
}
