package charts

import (
	"fmt"
	"math"
	"strings"
)

// Kind is the look of a mark: its class in the style sheet.
type Kind string

const (
	Line      Kind = "line"     // straight lines between points, broken where a value is not a number
	Rule      Kind = "rule"     // a line for comparison, which does not widen the axes
	Band      Kind = "band"     // the area between Y and High
	Intervals Kind = "interval" // upright lines from Y to High
	Points    Kind = "dots"     // dots, with Tips that describe each; many dots without Tips are smaller
	Bars      Kind = "bar"      // bars that stand on zero side by side: bar i from X[i] to X[i+1]
)

// Mark is something that is drawn by the values of both axes. Values that are not numbers, or not finite, are left out.
type Mark struct {
	Kind       Kind
	X, Y, High []float64
	Tips       []string // tip of each of Bars or Points, or nil for many points
	Series     int
	Light      bool // a thin and pale line, which another smooths; small dots
}

// extent widens the axes' ranges to the mark's values.
func (m Mark) extent(x, y *span) {
	if m.Kind == Rule {
		return
	}
	x.hold(m.X...)
	y.hold(m.Y...)
	y.hold(m.High...)
	if m.Kind == Bars {
		y.hold(0)
	}
}

// each visits the values that have a place in the chart: their index, and their coordinates.
func (m Mark) each(p *pen, visit func(i int, x, y, high float64)) {
	for i, y := range m.Y {
		high := y
		if m.High != nil {
			high = m.High[i]
		}
		if finite(m.X[i]) && finite(y) && finite(high) {
			visit(i, p.x.at(m.X[i]), p.y.at(y), p.y.at(high))
		}
	}
}

func (m Mark) draw(p *pen) {
	var path strings.Builder
	lower, next := "", 0 // a band's lower edge, and the index that continues a line
	m.each(p, func(i int, x, y, high float64) {
		at := coordinate(x) + " " + coordinate(y)
		switch m.Kind {
		case Line, Rule:
			if i != next || i == 0 {
				path.WriteString("M" + at)
			} else {
				path.WriteString("L" + at)
			}
			next = i + 1
		case Band:
			path.WriteString("L" + coordinate(x) + " " + coordinate(high))
			lower = "L" + at + lower
		case Intervals:
			path.WriteString("M" + at + "V" + coordinate(high))
		case Points:
			if m.Tips == nil {
				path.WriteString("M" + at + "h0")
			} else {
				p.printf(`<circle class="dot s%d" cx="%s" cy="%s" r="%g" data-tip="%s"/>`, m.Series, coordinate(x),
					coordinate(y), m.radius(), escaped(m.Tips[i], longest))
			}
		case Bars:
			m.bar(p, i, x, y)
		}
	})
	d := path.String()
	if d == "" {
		return
	}
	if m.Kind == Band {
		d = "M" + d[1:] + lower + "Z"
	}
	class := fmt.Sprintf("%s s%d", m.Kind, m.Series)
	if m.Light {
		class += " light"
	}
	p.printf(`<path class="%s" d="%s"/>`, class, d)
}

func (m Mark) radius() float64 {
	if m.Light {
		return 1.7
	}
	return 2.6
}

func (m Mark) bar(p *pen, i int, left, top float64) {
	if !(m.Y[i] > 0) || !finite(m.X[i+1]) {
		return
	}
	right, bottom := p.x.at(m.X[i+1]), p.y.at(math.Max(0, p.y.low))
	p.printf(`<rect class="bar s%d" x="%s" y="%s" width="%s" height="%s" data-tip="%s"/>`, m.Series,
		coordinate(left+0.5), coordinate(top), coordinate(math.Max(0.5, right-left-1)),
		coordinate(math.Max(0, bottom-top)),
		escaped(m.Tips[i], longest))
}
