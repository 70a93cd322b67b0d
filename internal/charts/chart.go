// Package charts draws charts as SVG that stands inside an HTML page. Colours are left to the page's style sheet: marks
// have the classes s0, s1, … of their series. The tip of a mark is in its attribute data-tip, for a script of the page.
package charts

import (
	"cmp"
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
	X, Y   Axis    // axes; ranges that are not given hold the marks
	Height float64 // height for a width of 440; 0 is 270
	Marks  []Mark  // marks, the first one below the others
}

// Axis is one of the two axes. Its range holds the marks, unless Low < High give it.
type Axis struct {
	Label     string
	Low, High float64
	Powers    bool // values are logarithms to base 10, and ticks stand at whole powers
}

// The size of a chart, in the units of its viewBox.
const (
	width         = 440.0
	defaultHeight = 270.0
	glyph         = 6.6 // width of a digit
	bottomMargin  = 42.0
	topMargin     = 10.0
	rightMargin   = 14.0
	overlap       = 4.0 // room for a dot at the ends of the axes
)

// The largest values and powers of ten of an axis, whose differences do not overflow. Then the least width of its
// range, absolute and relative to its values: values that differ by less are drawn as equal.
const (
	largest      = 1e300
	largestPower = 300
	narrowest    = 1e-300
	nearlyEqual  = 1e-9
	farOutside   = 1e4 // place of what is cut off, outside of every chart
)

// span is a range of values that grows, and where its ends lie in the chart.
type span struct{ low, high, from, to float64 }

func nothing() span { return span{low: math.Inf(1), high: math.Inf(-1)} }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func (s *span) hold(values ...float64) {
	for _, v := range values {
		if finite(v) {
			s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
		}
	}
}

// at returns the coordinate of a value.
func (s span) at(v float64) float64 {
	return clamp(s.from+(v-s.low)/(s.high-s.low)*(s.to-s.from), farOutside)
}

// axisRange returns the range of an axis: as given, or the range of the marks with a little room. It is finite, and
// wide enough for ticks with different labels. The range of an axis of powers ends at whole powers.
func (a Axis) axisRange(s span) span {
	given := a.Low < a.High
	if given {
		s = span{low: a.Low, high: a.High}
	} else if s.low > s.high { // there are no marks
		s = span{high: 1}
	}
	if a.Powers {
		low := math.Floor(clamp(s.low, largestPower))
		return span{low: low, high: math.Max(low+1, math.Ceil(clamp(s.high, largestPower)))}
	}
	s.low, s.high = clamp(s.low, largest), clamp(s.high, largest)
	size := math.Max(math.Abs(s.low), math.Abs(s.high))
	room := 0.04 * (s.high - s.low)
	if s.high-s.low <= math.Max(narrowest, nearlyEqual*size) {
		room = math.Max(0.5, 0.05*size)
	} else if given {
		room = 0
	}
	return span{low: s.low - room, high: s.high + room}
}

// clamp limits v to −limit … limit.
func clamp(v, limit float64) float64 { return math.Max(-limit, math.Min(v, limit)) }

// pen draws marks between two axes.
type pen struct {
	text strings.Builder
	x, y span
}

func (p *pen) printf(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

// coordinate formats a coordinate with one decimal.
func coordinate(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// SVG returns the chart as an element of a page.
func (c Chart) SVG() template.HTML {
	x, y := nothing(), nothing()
	for _, m := range c.Marks {
		m.extent(&x, &y)
	}
	height := cmp.Or(c.Height, defaultHeight)
	p := &pen{x: c.X.axisRange(x), y: c.Y.axisRange(y)}
	xTicks, yTicks := c.X.ticks(p.x, fewest), c.Y.ticks(p.y, max(fewest, int(height/45)))
	if n := (len(xTicks) + 1) / 2; widestLabel(xTicks) > 8 { // wide labels would touch
		xTicks = []tick{xTicks[0], xTicks[n]}
	}
	left, right, top, bottom := 26+glyph*float64(widestLabel(yTicks)), width-rightMargin, topMargin, height-bottomMargin
	p.x.from, p.x.to, p.y.from, p.y.to = left, right, bottom, top

	p.printf(`<svg class="chart" viewBox="0 0 %g %g" role="img" tabindex="0" aria-label="%s">`, width,
		height, escaped(c.Label, longest))
	for _, t := range yTicks {
		at := p.y.at(t.value)
		p.printf(`<path class="grid" d="M%s %sH%s"/><text class="tick end" x="%s" y="%s">%s</text>`,
			coordinate(left), coordinate(at), coordinate(right), coordinate(left-6), coordinate(at+4), t.text)
	}
	for _, t := range xTicks {
		at := coordinate(p.x.at(t.value))
		p.printf(`<path class="grid" d="M%s %sV%s"/><text class="tick middle" x="%s" y="%s">%s</text>`,
			at, coordinate(top), coordinate(bottom), at, coordinate(bottom+16), t.text)
	}
	p.printf(`<text class="axis middle" x="%s" y="%s">%s</text>`, coordinate((left+right)/2),
		coordinate(height-6), escaped(c.X.Label, 60))
	p.printf(`<text class="axis middle" transform="translate(12 %s) rotate(-90)">%s</text>`,
		coordinate((top+bottom)/2), escaped(c.Y.Label, 36))
	// an svg within clips the marks at the axes
	box := []any{coordinate(left - overlap), coordinate(top - overlap), coordinate(right - left + 2*overlap),
		coordinate(bottom - top + 2*overlap)}
	p.printf(`<svg x="%[1]s" y="%[2]s" width="%[3]s" height="%[4]s" viewBox="%[1]s %[2]s %[3]s %[4]s">`, box...)
	for _, m := range c.Marks {
		m.draw(p)
	}
	p.printf("</svg></svg>")
	return template.HTML(p.text.String())
}

// longest is the largest number of letters of a text on a separate line.
const longest = 300

// escaped returns a text of at most limit letters, escaped for SVG.
func escaped(text string, limit int) string {
	if letters := []rune(text); len(letters) > limit {
		text = string(letters[:limit-1]) + "…"
	}
	return html.EscapeString(text)
}
