package charts

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Chart is a picture with two axes.
type Chart struct {
	Label  string  // what it shows, for people who hear the page
	X, Y   Axis    // their ranges are widened to hold the marks, where they are not given
	Height float64 // of a width of 440; 0 is 270
	Marks  []Mark  // the first lies below the others
}

// Axis is one of the two axes. The range is that of the marks unless Low < High.
type Axis struct {
	Label     string
	Low, High float64
	Powers    bool // values are logarithms to base 10, and ticks stand at whole powers
}

// Mark is something that is drawn by the values of both axes. Values that are no numbers, or not
// finite, are left out.
type Mark interface {
	extent(x, y *span)
	draw(p *pen)
}

// The size of a chart, in the units of its viewBox.
const (
	width         = 440.0
	defaultHeight = 270.0
	glyph         = 6.6 // of a digit
	below         = 42.0
	above         = 10.0
	beside        = 14.0
)

// The values that an axis reaches, of which neither differences nor squares of places overflow; the
// powers of ten that it reaches; and how wide it is at least, as such and beside its values. What
// differs by less is drawn as equal.
const (
	largest      = 1e300
	largestPower = 400
	narrowest    = 1e-300
	nearlyEqual  = 1e-9
	farOutside   = 1e4 // beyond every chart: a place that is cut off stands there
)

// span is a range of values that grows.
type span struct{ low, high float64 }

func nothing() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) hold(values ...float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
		}
	}
}

// fixed is the range of an axis: as given, or that of the marks with a little room. It is finite,
// and wide enough for ticks with different labels.
func (a Axis) fixed(s span) span {
	given := a.Low < a.High
	if given {
		s = span{a.Low, a.High}
	} else if s.low > s.high {
		s = span{0, 1}
	}
	most := largest
	if a.Powers {
		most = largestPower
	}
	s.low, s.high = within(s.low, most), within(s.high, most)
	size := math.Max(math.Abs(s.low), math.Abs(s.high))
	room := 0.04 * (s.high - s.low)
	if s.high-s.low <= math.Max(narrowest, nearlyEqual*size) {
		room = math.Max(0.5, 0.05*size)
	} else if given {
		room = 0
	}
	return span{s.low - room, s.high + room}
}

// within is the nearest value that is no farther from zero than most.
func within(v, most float64) float64 { return math.Max(-most, math.Min(v, most)) }

// pen draws marks between two axes.
type pen struct {
	strings.Builder
	x, y                     span
	left, right, top, bottom float64
}

// at is the place of a pair of values.
func (p *pen) at(x, y float64) (px, py float64) {
	px = p.left + (x-p.x.low)/(p.x.high-p.x.low)*(p.right-p.left)
	py = p.bottom - (y-p.y.low)/(p.y.high-p.y.low)*(p.bottom-p.top)
	return within(px, farOutside), within(py, farOutside)
}

func (p *pen) printf(format string, args ...any) { fmt.Fprintf(&p.Builder, format, args...) }

// place is a coordinate in as few digits as a screen shows.
func place(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// drawn says whether a pair of values has a place.
func drawn(x, y float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0) && !math.IsNaN(y) && !math.IsInf(y, 0)
}

// SVG is the chart as an element of a page.
func (c Chart) SVG() template.HTML {
	x, y := nothing(), nothing()
	for _, m := range c.Marks {
		m.extent(&x, &y)
	}
	height := c.Height
	if height == 0 {
		height = defaultHeight
	}
	p := &pen{x: c.X.fixed(x), y: c.Y.fixed(y), top: above, bottom: height - below, right: width - beside}
	yTicks, xTicks := c.Y.ticks(p.y, int(height/45)), c.X.ticks(p.x, 5)
	if widest(xTicks) > 8 { // or they would touch
		xTicks = c.X.ticks(p.x, 2)
	}
	p.left = 26 + glyph*float64(widest(yTicks))

	p.printf(`<svg class="chart" viewBox="0 0 %g %g" role="img" tabindex="0" aria-label="%s">`, width,
		height, html.EscapeString(short(c.Label, longest)))
	for _, t := range yTicks {
		_, at := p.at(p.x.low, t.value)
		p.printf(`<path class="grid" d="M%s %sH%s"/><text class="tick end" x="%s" y="%s">%s</text>`,
			place(p.left), place(at), place(p.right), place(p.left-6), place(at+4), t.text)
	}
	for _, t := range xTicks {
		at, _ := p.at(t.value, p.y.low)
		p.printf(`<path class="grid" d="M%s %sV%s"/><text class="tick middle" x="%s" y="%s">%s</text>`,
			place(at), place(p.top), place(p.bottom), place(at), place(p.bottom+16), t.text)
	}
	p.printf(`<text class="axis middle" x="%s" y="%s">%s</text>`, place((p.left+p.right)/2),
		place(height-6), html.EscapeString(short(c.X.Label, 60)))
	p.printf(`<text class="axis middle" transform="translate(12 %s) rotate(-90)">%s</text>`,
		place((p.top+p.bottom)/2), html.EscapeString(short(c.Y.Label, 36)))
	// an svg within cuts off what lies outside the axes, with room for a dot at their ends
	const room = 4
	box := fmt.Sprintf("%s %s %s %s", place(p.left-room), place(p.top-room),
		place(p.right-p.left+2*room), place(p.bottom-p.top+2*room))
	at := strings.Fields(box)
	p.printf(`<svg x="%s" y="%s" width="%s" height="%s" viewBox="%s">`, at[0], at[1], at[2], at[3], box)
	for _, m := range c.Marks {
		m.draw(p)
	}
	p.WriteString("</svg></svg>")
	return template.HTML(p.String())
}

// longest is how many letters of a text are shown where it has a line of its own.
const longest = 300

// short is a label that fits its axis.
func short(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}
