package main

import (
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// bar is a line on a terminal that is redrawn, without colours. Notes are written above it.
type bar struct {
	console *console
	group   *mpb.Progress
	line    *mpb.Bar
}

// hasBars reports whether the console draws bars.
func (c *console) hasBars() bool { return c.terminal && !c.quiet }

// newBar draws a bar between two texts, which another goroutine asks for.
func (c *console) newBar(before, after func(decor.Statistics) string) *bar {
	group := mpb.New(mpb.WithOutput(c.err), mpb.WithWidth(24))
	c.above.Store(group)
	// The texts keep their spaces if there is no room for the bar. The total is set later, since it may change.
	return &bar{c, group, group.AddBar(0, mpb.BarFillerTrim(),
		mpb.PrependDecorators(decor.Any(before)), mpb.AppendDecorators(decor.Any(after)))}
}

// show moves the bar; a total of 0 is unknown.
func (b *bar) show(done, total int) {
	b.line.SetTotal(int64(total), false)
	b.line.SetCurrent(int64(done))
}

// end stops the drawing. The bar stays as it is, unless drop takes it away. b may be nil.
func (b *bar) end(drop bool) {
	if b == nil {
		return
	}
	b.console.above.CompareAndSwap(b.group, nil)
	b.line.Abort(drop)
	b.group.Wait()
}

// timeLeft returns the text of the time for the rest of some work; "" if it is unknown.
func timeLeft(rest int, perSecond float64) string {
	if rest <= 0 || perSecond <= 0 {
		return ""
	}
	return time.Duration(float64(rest)/perSecond*float64(time.Second)).Round(time.Second).String() + " left"
}
