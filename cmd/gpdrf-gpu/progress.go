package main

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8/decor"

	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// recorder shows every reading, and writes its numbers to the run folder. On a terminal it draws a bar. Elsewhere it
// prints about linesPerRun lines, at least linePause apart. Several goroutines may call it.
type recorder struct {
	mutex    sync.Mutex
	console  *console
	folder   *rundir.Folder
	events   *events
	begin    func() // is called before the first step
	stop     func() // is called if a reading cannot be written
	phase    *phase // the work before the first step
	bar      *bar
	last     atomic.Pointer[rundir.Progress] // the last step, which another goroutine draws
	nextLine int
	lastLine time.Duration
}

const (
	linesPerRun = 15
	linePause   = time.Second
)

func (r *recorder) Step(p rundir.Progress) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.folder.AppendReading(p); r.folder.Err() != nil {
		r.stop()
	}
	r.events.step(p)
	r.show(p)
}

func (r *recorder) Note(format string, args ...any) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.phase.end()
	r.console.relay(format, args...)
}

// Phase shows the work in progress. It may be called from any goroutine.
func (r *recorder) Phase(what string, share float64) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.phase = r.console.nextPhase(r.phase, what)
	r.phase.showFraction(share)
}

func (r *recorder) Begin(total int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.phase.end()
	r.begin()
	r.start(total)
}

func (r *recorder) End() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.events.write(nil, true) // this writes the readings that wait
	r.bar.end(false)
}

func (r *recorder) start(total int) {
	r.nextLine = 1
	if r.console.hasBars() {
		r.last.Store(&rundir.Progress{Total: total})
		r.bar = r.console.newBar(
			func(d decor.Statistics) string { return fmt.Sprintf("step %d of %d ", d.Current, d.Total) },
			func(d decor.Statistics) string { return barText(r.last.Load(), d.AvailableWidth) })
		r.bar.show(0, total)
	}
}

func (r *recorder) show(p rundir.Progress) {
	if r.bar != nil {
		r.last.Store(&p)
		r.bar.show(p.Step, p.Total) // a time limit may change the total
		return
	}
	due := p.Step >= r.nextLine && (p.Step == 1 || p.Elapsed-r.lastLine >= linePause)
	if !due && p.Step != p.Total {
		return
	}
	r.nextLine, r.lastLine = p.Step+p.Total/linesPerRun, p.Elapsed
	r.console.note("step %*d of %d  %s", len(fmt.Sprint(p.Total)), p.Step, p.Total, describe(p))
}

// objectiveLabel returns ELBO if the objective is the bound.
func objectiveLabel(p *rundir.Progress) string {
	if p.IsELBO {
		return "ELBO"
	}
	return "objective"
}

// describe returns the part of a progress line after the step: objective, validation, speed and remaining time.
func describe(p rundir.Progress) string {
	text := fmt.Sprintf("%s %11.5g", objectiveLabel(&p), p.Shown())
	if e := p.Validation; e != nil {
		text += fmt.Sprintf("  validation %s %8.4f", strings.ToUpper(e.ScoreName()), e.Score)
	}
	if p.StepsPerSecond > 0 {
		text += fmt.Sprintf("  %6.1f steps/s", p.StepsPerSecond)
		if left := remainingTime(p); left != "" {
			text += "  " + left
		}
	}
	return text
}

// barText returns the text of a bar. Its last parts are left out if they do not fit the columns.
func barText(p *rundir.Progress, columns int) (text string) {
	parts := []string{fmt.Sprintf("%s %.5g", objectiveLabel(p), p.Shown())}
	if e := p.Validation; e != nil {
		parts = append(parts, fmt.Sprintf("%s %.4f", strings.ToUpper(e.ScoreName()), e.Score))
	}
	if left := remainingTime(*p); left != "" {
		parts = append(parts, left)
	}
	for _, part := range parts {
		if len(text)+2+len(part) > columns {
			break
		}
		text += "  " + part
	}
	return text
}

// remainingTime returns the text of the remaining time of the run; "" if it is unknown.
func remainingTime(p rundir.Progress) string { return timeLeft(p.Total-p.Step, p.StepsPerSecond) }

// searchBar shows the progress of a search by a bar on a terminal, and nothing elsewhere.
type searchBar struct {
	*bar
	trial atomic.Pointer[string] // the next trial, which another goroutine draws
}

// newSearchBar returns the bar of a search with a time limit; 0 is none. started is earlier by the time that earlier
// sessions used.
func (c *console) newSearchBar(limit time.Duration, started time.Time) *searchBar {
	b := &searchBar{}
	if c.hasBars() {
		b.trial.Store(new("searching"))
		b.bar = c.newBar(func(decor.Statistics) string { return *b.trial.Load() + " " },
			func(s decor.Statistics) string { return searchText(s.Current, s.Total, limit, time.Since(started)) })
	}
	return b
}

// searchText describes the trials that have ended in a round, and the time.
func searchText(done, all int64, limit, used time.Duration) string {
	text := fmt.Sprintf(" %d of %d  %s", done, all, used.Round(time.Second))
	if limit > 0 {
		text += " of " + limit.String()
	}
	return text
}

// show shows the next trial, and the number of trials that have ended. The number of all trials may change.
func (b *searchBar) show(done, all int, what string) {
	if b.bar != nil {
		b.trial.Store(&what)
		b.bar.show(done, all)
	}
}

func (b *searchBar) trialEnded() {
	if b.bar != nil {
		b.line.Increment()
	}
}
