package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// When work other than training shows its progress: a bar appears after barAfter. Without a
// terminal, a line appears after lineAfter; each pause to the next line doubles, up to mostBetween.
const (
	barAfter    = time.Second
	lineAfter   = 2 * time.Second
	mostBetween = time.Minute
)

// unknown is the total where nobody knows it.
const unknown = math.MaxInt

// phase shows how far something other than training is, where it takes long: a bar on a terminal, a
// line now and then elsewhere. Several goroutines may report progress.
type phase struct {
	w        io.Writer // nil: nobody is to hear
	terminal bool
	what     string           // "predicted"
	count    func(int) string // how far it is: "3 of 5 rows"
	total    int

	mutex      sync.Mutex
	start      time.Time
	due, pause time.Duration // time of the next line, and the pause until the one after it
	group      *mpb.Progress
	bar        *mpb.Bar
}

func (c *console) newPhase(what string, total int, count func(done int) string) *phase {
	f := &phase{w: c.err, terminal: c.terminal, what: what, count: count, total: total,
		start: time.Now(), due: lineAfter, pause: lineAfter}
	if c.quiet {
		f.w = nil
	}
	return f
}

// newRowsBar is the phase of a prediction of total rows.
func (c *console) newRowsBar(total int) *phase {
	return c.newPhase("predicted", total, func(done int) string { return fmt.Sprintf("%d of %d rows", done, total) })
}

// newShare is a phase that tells its share, from 0 to 1.
func (c *console) newShare(what string) *phase {
	return c.newPhase(what, 100, func(done int) string { return fmt.Sprintf("%d %%", done) })
}

// share shows the share that is done, from 0 to 1.
func (f *phase) share(done float64) { f.show(int(100 * done)) }

// show shows how much is done.
func (f *phase) show(done int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	elapsed := time.Since(f.start)
	switch {
	case f.w == nil || done >= f.total && f.group == nil:
		return
	case !f.terminal:
		if elapsed >= f.due {
			fmt.Fprintf(f.w, "%s: %s%s\n", f.what, f.count(done), f.left(done))
			f.pause = min(2*f.pause, mostBetween)
			f.due = elapsed + f.pause
		}
		return
	case f.group == nil && elapsed < barAfter:
		return
	case f.group == nil:
		f.group = mpb.New(mpb.WithOutput(f.w), mpb.WithWidth(24))
		f.bar = f.group.AddBar(int64(f.total), mpb.BarFillerTrim(), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string {
				return f.what + ": " + f.count(int(s.Current)) + " "
			})),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string { return f.left(int(s.Current)) })))
	}
	f.bar.SetCurrent(int64(done))
}

// left is how long it will still take, "" where nobody can say.
func (f *phase) left(done int) string {
	if done <= 0 || f.total == unknown {
		return ""
	}
	left := time.Duration(float64(time.Since(f.start)) * (float64(f.total)/float64(done) - 1))
	return " " + left.Round(time.Second).String() + " left"
}

// end takes the bar away.
func (f *phase) end() {
	if f == nil || f.group == nil {
		return
	}
	f.bar.Abort(true) // without effect on a bar that is complete
	f.group.Wait()
	f.group = nil
}

// after is the phase of what: f where it is that, else a new one, with which f ends.
func (c *console) after(f *phase, what string) *phase {
	if f != nil && f.what == what {
		return f
	}
	f.end()
	return c.newShare(what)
}

// reading is for the files that a command reads until ctx ends. end takes its bar away.
func (p *program) reading(ctx context.Context) (w data.Watch, end func()) {
	var f *phase
	last := int64(0)
	w = data.Watch{Context: ctx, Piped: &p.piped, Progress: func(read, total int64) {
		if f == nil || read < last { // another file
			f.end()
			f = p.newShare("reading")
			if total == 0 {
				f = p.newPhase("reading", unknown, func(done int) string { return fmt.Sprintf("%d MB", done>>20) })
			}
		}
		if last = read; total == 0 {
			f.show(int(read))
		} else {
			f.share(float64(read) / float64(total))
		}
	}}
	return w, func() { f.end() }
}
