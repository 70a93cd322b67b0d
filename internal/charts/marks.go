package charts

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// Line joins points by straight lines. It is broken where a value is no number.
type Line struct {
	X, Y   []float64
	Series int
	Dashed bool
	Faint  bool // thin and pale: what another line smooths
}

func (l Line) extent(x, y *span) {
	x.hold(l.X...)
	y.hold(l.Y...)
}

func (l Line) draw(p *pen) {
	class := fmt.Sprintf("line s%d", l.Series)
	if l.Dashed {
		class += " dashed"
	}
	if l.Faint {
		class += " faint"
	}
	p.printf(`<path class="%s" d="`, class)
	down := false
	for i := range l.X {
		if !drawn(l.X[i], l.Y[i]) {
			down = false
			continue
		}
		x, y := p.at(l.X[i], l.Y[i])
		p.WriteString(map[bool]string{false: "M", true: "L"}[down])
		p.WriteString(place(x) + " " + place(y))
		down = true
	}
	p.WriteString(`"/>`)
}

// Band is the area between two lines.
type Band struct {
	X, Low, High []float64
	Series       int
}

func (b Band) extent(x, y *span) {
	x.hold(b.X...)
	y.hold(b.Low...)
	y.hold(b.High...)
}

func (b Band) draw(p *pen) {
	var upper, lower []string
	for i := range b.X {
		if drawn(b.X[i], b.Low[i]) && drawn(b.X[i], b.High[i]) {
			x, low := p.at(b.X[i], b.Low[i])
			_, high := p.at(b.X[i], b.High[i])
			upper, lower = append(upper, place(x)+" "+place(high)), append(lower, place(x)+" "+place(low))
		}
	}
	if upper == nil {
		return
	}
	slices.Reverse(lower)
	places := append(upper, lower...)
	p.printf(`<path class="band s%d" d="M%sZ"/>`, b.Series, strings.Join(places, "L"))
}

// Points are dots. Those with Tips can be asked what they are; many without take little room.
type Points struct {
	X, Y   []float64
	Tips   []string // of each, or nil
	Series int
	Small  bool
}

func (d Points) extent(x, y *span) {
	x.hold(d.X...)
	y.hold(d.Y...)
}

func (d Points) draw(p *pen) {
	radius := 2.6
	if d.Small {
		radius = 1.7
	}
	var together strings.Builder
	for i := range d.X {
		if !drawn(d.X[i], d.Y[i]) {
			continue
		}
		x, y := p.at(d.X[i], d.Y[i])
		if d.Tips == nil {
			together.WriteString("M" + place(x) + " " + place(y) + "h0")
			continue
		}
		p.printf(`<circle class="dot s%d" cx="%s" cy="%s" r="%g" data-tip="%s"/>`, d.Series, place(x),
			place(y), radius, html.EscapeString(short(d.Tips[i], longest)))
	}
	if d.Tips == nil {
		p.printf(`<path class="dots s%d" stroke-width="%g" d="%s"/>`, d.Series, 2*radius, together.String())
	}
}

// Intervals are upright lines from Low to High, of predictions for example.
type Intervals struct {
	X, Low, High []float64
	Series       int
}

func (v Intervals) extent(x, y *span) {
	x.hold(v.X...)
	y.hold(v.Low...)
	y.hold(v.High...)
}

func (v Intervals) draw(p *pen) {
	p.printf(`<path class="interval s%d" d="`, v.Series)
	for i := range v.X {
		if drawn(v.X[i], v.Low[i]) && drawn(v.X[i], v.High[i]) {
			x, low := p.at(v.X[i], v.Low[i])
			_, high := p.at(v.X[i], v.High[i])
			p.WriteString("M" + place(x) + " " + place(low) + "V" + place(high))
		}
	}
	p.WriteString(`"/>`)
}

// Bars stand on zero side by side: bar i from Edges[i] to Edges[i+1].
type Bars struct {
	Edges, Heights []float64
	Tips           []string // of each, or nil
	Series         int
}

func (b Bars) extent(x, y *span) {
	x.hold(b.Edges...)
	y.hold(0)
	y.hold(b.Heights...)
}

func (b Bars) draw(p *pen) {
	for i, h := range b.Heights {
		if !(h > 0) || !drawn(b.Edges[i], h) || !drawn(b.Edges[i+1], h) {
			continue
		}
		left, top := p.at(b.Edges[i], h)
		right, bottom := p.at(b.Edges[i+1], math.Max(0, p.y.low))
		p.printf(`<rect class="bar s%d" x="%s" y="%s" width="%s" height="%s"`, b.Series, place(left+0.5),
			place(top), place(math.Max(0.5, right-left-1)), place(math.Max(0, bottom-top)))
		if b.Tips != nil {
			p.printf(` data-tip="%s"`, html.EscapeString(short(b.Tips[i], longest)))
		}
		p.WriteString("/>")
	}
}

// Rule is a straight line across the chart from one pair of values to another: what would be
// perfect, for example. It does not widen the axes.
type Rule struct{ FromX, FromY, ToX, ToY float64 }

func (Rule) extent(*span, *span) {}

func (r Rule) draw(p *pen) {
	if !drawn(r.FromX, r.FromY) || !drawn(r.ToX, r.ToY) {
		return
	}
	for _, v := range []*float64{&r.FromX, &r.FromY, &r.ToX, &r.ToY} {
		*v = within(*v, largest)
	}
	// the part of it between the axes
	low, high := 0.0, 1.0
	clip := func(from, to float64, s span) {
		if from == to {
			return
		}
		a, b := (s.low-from)/(to-from), (s.high-from)/(to-from)
		low, high = math.Max(low, math.Min(a, b)), math.Min(high, math.Max(a, b))
	}
	clip(r.FromX, r.ToX, p.x)
	clip(r.FromY, r.ToY, p.y)
	if low >= high {
		return
	}
	x1, y1 := p.at(r.FromX+low*(r.ToX-r.FromX), r.FromY+low*(r.ToY-r.FromY))
	x2, y2 := p.at(r.FromX+high*(r.ToX-r.FromX), r.FromY+high*(r.ToY-r.FromY))
	p.printf(`<path class="rule" d="M%s %sL%s %s"/>`, place(x1), place(y1), place(x2), place(y2))
}
