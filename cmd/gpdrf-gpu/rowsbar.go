package main

import (
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// barAfter is how long a prediction takes before a bar shows how far it is.
const barAfter = time.Second

// rowsBar is the bar of a prediction: nothing where there is no terminal, or where it is soon over.
type rowsBar struct {
	w     io.Writer // nil: no terminal
	total int
	start time.Time
	group *mpb.Progress
	bar   *mpb.Bar
}

// newRowsBar is the bar of so many rows.
func (p *program) newRowsBar(total int) *rowsBar {
	b := &rowsBar{total: total, start: time.Now()}
	if p.terminal {
		b.w = p.err
	}
	return b
}

// show says how many rows are done.
func (b *rowsBar) show(done int) {
	if b.group == nil {
		if b.w == nil || time.Since(b.start) < barAfter || done == b.total {
			return
		}
		b.group = mpb.New(mpb.WithOutput(b.w), mpb.WithWidth(24))
		b.bar = b.group.AddBar(int64(b.total), mpb.BarFillerTrim(), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.CountersNoUnit("predicted: %d of %d rows ")), mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
				if s.Current == 0 {
					return ""
				}
				left := time.Duration(float64(time.Since(b.start)) * (float64(s.Total)/float64(s.Current) - 1))
				return " " + left.Round(time.Second).String() + " left"
			})))
	}
	b.bar.SetCurrent(int64(done))
}

// end takes the bar away.
func (b *rowsBar) end() {
	if b.group != nil {
		b.bar.Abort(true) // without effect on a bar that is complete
		b.group.Wait()
	}
}
