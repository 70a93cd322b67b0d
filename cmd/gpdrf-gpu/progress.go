package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/best"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// newReporter shows the progress of a run: a bar on a terminal, plain lines elsewhere. It also writes the metrics of
// the run folder, and calls stop if they cannot be written. begin is called before the first step.
func (p *program) newReporter(folder *rundir.Folder, events *events, begin, stop func()) train.Reporter {
	var shown train.Reporter = &lineReporter{console: &p.console}
	if p.terminal && !p.quiet {
		shown = &barReporter{w: p.err}
	}
	return &recorder{Reporter: shown, p: p, folder: folder, events: events, begin: begin, stop: stop}
}

// recorder writes the numbers of every reading to the run folder. Several goroutines may call it.
type recorder struct {
	train.Reporter
	p      *program
	mutex  sync.Mutex
	folder *rundir.Folder
	events *events
	begin  func()
	stop   func()
	phase  *phase // the bar of the work before the first step
}

func (r *recorder) Step(p rundir.Progress) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.folder.Step(p); r.folder.Err() != nil {
		r.stop()
	}
	r.events.step(p)
	r.Reporter.Step(p)
}

func (r *recorder) Note(format string, args ...any) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.phase.end()
	r.Reporter.Note(format, args...)
}

// Doing shows the work in progress. It may be called from any goroutine.
func (r *recorder) Doing(what string, share float64) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.phase = r.p.phaseOf(r.phase, what)
	r.phase.share(share)
}

func (r *recorder) Begin(total int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.phase.end()
	r.begin()
	r.Reporter.Begin(total)
}

func (r *recorder) End() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.events != nil {
		r.events.write(nil, true) // this writes the readings that wait
	}
	r.Reporter.End()
}

// lineReporter prints about linesPerRun lines, at least linePause apart. With --quiet it prints warnings only.
type lineReporter struct {
	train.Silent
	console *console
	next    int
	last    time.Duration
}

const (
	linesPerRun = 15
	linePause   = time.Second
)

func (l *lineReporter) Note(format string, args ...any) { l.console.note(format, args...) }

func (l *lineReporter) Begin(int) { l.next = 1 }

func (l *lineReporter) Step(p rundir.Progress) {
	due := p.Step >= l.next && (p.Step == 1 || p.Elapsed-l.last >= linePause)
	if !due && p.Step != p.Total {
		return
	}
	l.next, l.last = p.Step+p.Total/linesPerRun, p.Elapsed
	l.Note("step %*d of %d  %s", len(fmt.Sprint(p.Total)), p.Step, p.Total, describe(p))
}

// objectiveLabel returns ELBO if the objective is the bound.
func objectiveLabel(p *rundir.Progress) string {
	if p.Bound {
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

// barReporter is one line that is redrawn. It has no colours.
type barReporter struct {
	train.Silent
	w     io.Writer
	group *mpb.Progress
	bar   *mpb.Bar
	last  atomic.Pointer[rundir.Progress] // the last step, which another goroutine draws
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
func remainingTime(p rundir.Progress) string {
	left := p.Total - p.Step
	if p.StepsPerSecond <= 0 || left <= 0 {
		return ""
	}
	eta := time.Duration(float64(left) / p.StepsPerSecond * float64(time.Second))
	return eta.Round(time.Second).String() + " left"
}

func (b *barReporter) Note(format string, args ...any) {
	line := fmt.Sprintf(format+"\n", args...)
	if b.group != nil {
		b.group.Write([]byte(line)) // this writes above the bar
		return
	}
	io.WriteString(b.w, line)
}

func (b *barReporter) Begin(total int) {
	b.last.Store(&rundir.Progress{Total: total})
	b.group = mpb.New(mpb.WithOutput(b.w), mpb.WithWidth(24))
	// The text keeps its spaces if there is no room for the bar.
	b.bar = b.group.AddBar(0, mpb.BarFillerTrim(),
		mpb.PrependDecorators(decor.CountersNoUnit("step %d of %d ")),
		mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
			return barText(b.last.Load(), s.AvailableWidth)
		})),
	)
	b.bar.SetTotal(int64(total), false)
}

func (b *barReporter) Step(p rundir.Progress) {
	b.last.Store(&p)
	b.bar.SetTotal(int64(p.Total), false) // a time limit may change the total
	b.bar.SetCurrent(int64(p.Step))
}

func (b *barReporter) End() {
	b.bar.Abort(false)
	b.group.Wait()
	b.group = nil
}

// searchBar shows the progress of a search by a bar on a terminal. Elsewhere it only prints the notes of the search.
type searchBar struct {
	p       *program
	limit   time.Duration
	started time.Time // the start, moved back by the time that earlier sessions used
	group   *mpb.Progress
	bar     *mpb.Bar
	trial   atomic.Pointer[string] // the next trial, which another goroutine draws
}

func (p *program) newSearchBar(s *best.State, started time.Time) *searchBar {
	b := &searchBar{p: p, limit: s.Limit, started: started}
	if p.terminal && !p.quiet {
		what := "searching"
		b.trial.Store(&what)
		b.group = mpb.New(mpb.WithOutput(p.err), mpb.WithWidth(24))
		b.bar = b.group.AddBar(0, mpb.BarFillerTrim(), // the total is set later: the number of trials changes
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return *b.trial.Load() + " " })),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
				return b.progressText(s.Current, s.Total)
			})))
	}
	return b
}

// progressText describes the trials that have ended in a round, and the time.
func (b *searchBar) progressText(done, all int64) string {
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

// show shows the next trial, and the number of trials that have ended.
func (b *searchBar) show(done, all int, what string) {
	if b.group != nil {
		b.trial.Store(&what)
		b.bar.SetTotal(int64(all), false)
		b.bar.SetCurrent(int64(done))
	}
}

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
