package charts

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Ticks are multiples of a round step inside the range, and as many as a reader can take.
func TestTicks(t *testing.T) {
	for _, ends := range [][2]float64{{0, 1}, {-3, 17}, {0.4192, 0.4196}, {-28000, 400}, {1e-9, 3e-9}, {0, 1.2e9},
		{-7, -6.5}} {
		s := span{low: ends[0], high: ends[1]}
		ticks := Axis{}.ticks(s, 5)
		if len(ticks) < 3 || len(ticks) > 11 {
			t.Errorf("%v: %d ticks", s, len(ticks))
		}
		for i, tick := range ticks {
			if tick.value < s.low-1e-9*(s.high-s.low) || tick.value > s.high+1e-9*(s.high-s.low) {
				t.Errorf("%v: tick %g lies outside", s, tick.value)
			}
			read, err := strconv.ParseFloat(tick.text, 64)
			if err != nil || math.Abs(read-tick.value) > 0.006*math.Max(math.Abs(tick.value), (s.high-s.low)/10) {
				t.Errorf("%v: tick %g is labelled %s", s, tick.value, tick.text)
			}
			if i > 0 && tick.text == ticks[i-1].text {
				t.Errorf("%v: two ticks are labelled %s", s, tick.text)
			}
		}
	}
	var texts []string
	for _, tick := range (Axis{Powers: true}).ticks(span{low: -4, high: 5}, 5) {
		texts = append(texts, tick.text)
	}
	if got := strings.Join(texts, " "); got != "0.0001 0.01 1 100 10000" {
		t.Errorf("powers %s", got)
	}
}

// degenerate are lists of values that no axis may choke on: none, one, constants, neighbours, denormals, NaN and
// infinities, and the largest floats.
var degenerate = [][]float64{
	{}, {0}, {3.7}, {3.7, 3.7, 3.7}, {3.7, math.Nextafter(3.7, 4)}, {-1e16, -1e16 + 2}, {1e16, 1e16 + 2, 1e16 + 4},
	{1.7e9, 1.7e9 + 10}, {1, 1 + 1e-8}, {1, 1 + 2e-9}, {123456789, 123456799}, {0, 5e-324}, {5e-324}, {5e-324, 1e-310},
	{1e-300}, {1e-300, 3e-300}, {-1e-300, 1e300}, {1e300}, {-1e300, 1e300}, {-1e308, 1e308}, {1e308, 1.1e308},
	{math.MaxFloat64}, {-math.MaxFloat64, math.MaxFloat64}, {math.Nextafter(math.MaxFloat64, 0), math.MaxFloat64},
	{math.NaN()}, {math.NaN(), math.Inf(1), math.Inf(-1)}, {math.NaN(), 2, math.Inf(1), 3},
	{math.Inf(-1), -3, math.Inf(-1)},
	{math.Copysign(0, -1), 0}, {5, 5, 5, 6}, {0.1, 0.2, 0.30000000000000004}, {-320, -308, -1}, {-12.5}, {0.2, 0.4},
}

// Every chart of any values ends, is well-formed and small, lies inside its view box, and has ticks whose labels
// differ.
func TestDegenerate(t *testing.T) {
	for _, x := range degenerate {
		for _, y := range degenerate {
			n := min(len(x), len(y))
			for _, powers := range []bool{false, true} {
				checkChart(t, every(x[:n], y[:n], Axis{Powers: powers}, Axis{}))
			}
		}
		for _, y := range degenerate { // values are ends of given axes
			if len(x) > 1 && len(y) > 1 {
				checkChart(t, every(x, x, Axis{Low: y[0], High: y[1]}, Axis{Low: x[0], High: x[1], Powers: true}))
			}
		}
	}
}

// The same of random values of any exponent and sign.
func TestRandomValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := func(n int) (v []float64) {
		for range n {
			v = append(v, math.Float64frombits(r.Uint64()))
		}
		return v
	}
	for range 1000 {
		n, ends := r.IntN(6), values(4)
		x, y := values(n), values(n)
		checkChart(t, every(x, y, Axis{Powers: r.IntN(2) == 0}, Axis{}))
		checkChart(t, every(x, y, Axis{Low: ends[0], High: ends[1]},
			Axis{Low: ends[2], High: ends[3], Powers: r.IntN(2) == 0}))
	}
}

// FuzzChart does with any values what TestDegenerate does.
func FuzzChart(f *testing.F) {
	for _, v := range degenerate {
		if len(v) > 1 {
			f.Add(v[0], v[1], v[0], v[1], v[1], v[0], 3, false)
			f.Add(v[0], v[1], v[1], v[0], v[0], v[1], 1, true)
		}
	}
	f.Fuzz(func(t *testing.T, a, b, c, d, low, high float64, n int, powers bool) {
		x, y := []float64{a, b, a + b, a * b}, []float64{c, d, c - d, c / d}
		n = min(max(n, 0), len(x))
		checkChart(t, every(x[:n], y[:n], Axis{Low: low, High: high, Powers: powers}, Axis{}))
		checkChart(t, every(x[:n], y[:n], Axis{Powers: powers}, Axis{Low: low, High: high}))
	})
}

// every returns a chart with all kinds of marks at some values.
func every(x, y []float64, horizontal, upright Axis) Chart {
	c := Chart{X: horizontal, Y: upright, Marks: []Mark{
		{Kind: Line, X: x, Y: y}, {Kind: Band, X: x, Y: y, High: x},
		{Kind: Points, X: x, Y: y, Tips: make([]string, len(x))},
		{Kind: Points, X: x, Y: y}, {Kind: Intervals, X: x, Y: y, High: x}, {Kind: Rule, X: x, Y: y},
	}}
	if len(x) > 1 {
		c.Marks = append(c.Marks, Mark{Kind: Bars, X: x, Y: y[1:], Tips: make([]string, len(y))})
	}
	return c
}

// checkChart checks the promises of every chart. Marks may reach beyond the axes up to the edge of the inner svg, which
// clips them.
func checkChart(t *testing.T, c Chart) {
	t.Helper()
	svg := string(c.SVG())
	if len(svg) > 10_000 {
		t.Fatalf("%d bytes: %s", len(svg), svg)
	}
	x, y, depth := map[string]bool{}, map[string]bool{}, 0
	eachElement(t, svg, func(e xml.StartElement) {
		if e.Name.Local == "svg" {
			depth++
		}
		reach := farOutside
		if depth == 1 {
			reach = width
		}
		coordinates(t, e, reach)
		if depth == 1 && e.Name.Local == "text" {
			switch attribute(e, "class") {
			case "tick middle":
				x[attribute(e, "x")] = true
			case "tick end":
				y[attribute(e, "y")] = true
			}
		}
	})
	for _, axis := range []struct {
		axis   Axis
		places map[string]bool
	}{{c.X, x}, {c.Y, y}} {
		if n := len(axis.places); n > maxTicks || n < 2 {
			t.Fatalf("%d ticks of %+v: %s", n, axis.axis, svg)
		}
	}
	checkTicks(t, c)
}

// coordinates checks that all numbers of an element are finite and not beyond a reach.
func coordinates(t *testing.T, e xml.StartElement, reach float64) {
	t.Helper()
	for _, a := range e.Attr {
		far := reach
		switch a.Name.Local {
		case "width", "height":
			far *= 2
			fallthrough
		case "x", "y", "cx", "cy", "d", "viewBox", "r":
			between := func(r rune) bool { return strings.ContainsRune("MLHVZh ", r) }
			for _, word := range strings.FieldsFunc(a.Value, between) {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil || !(math.Abs(v) <= far+1) {
					t.Fatalf("%s %s=%q: %q", e.Name.Local, a.Name.Local, a.Value, word)
				}
			}
		}
	}
}

// checkTicks finds two ticks with one label.
func checkTicks(t *testing.T, c Chart) {
	t.Helper()
	x, y := nothing(), nothing()
	for _, m := range c.Marks {
		m.extent(&x, &y)
	}
	for _, ticks := range [][]tick{c.X.ticks(c.X.axisRange(x), 5), c.Y.ticks(c.Y.axisRange(y), 6)} {
		known := map[string]bool{}
		for _, tick := range ticks {
			known[tick.text] = true
		}
		if len(known) != len(ticks) {
			t.Fatalf("%+v of %v and %v: ticks %v", c, x, y, ticks)
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// A dot stands where a ruler puts it, and NaN is left out.
func TestPlaces(t *testing.T) {
	c := Chart{
		X: Axis{Low: 0, High: 10}, Y: Axis{Low: 0, High: 1}, Height: 200,
		Marks: []Mark{{Kind: Points, X: []float64{0, 5, 10, math.NaN(), 3},
			Y: []float64{0, 0.5, 1, 0.5, math.Inf(1)}, Tips: []string{"a", "b", "c", "d", "e"}}},
	}
	type circle struct {
		X, Y float64
		Tip  string
	}
	var circles []circle
	eachElement(t, string(c.SVG()), func(e xml.StartElement) {
		if e.Name.Local != "circle" {
			return
		}
		var at circle
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "cx":
				fmt.Sscan(a.Value, &at.X)
			case "cy":
				fmt.Sscan(a.Value, &at.Y)
			case "data-tip":
				at.Tip = a.Value
			}
		}
		circles = append(circles, at)
	})
	if len(circles) != 3 {
		t.Fatalf("%v", circles)
	}
	if a, b, c := circles[0], circles[1], circles[2]; math.Abs((a.X+c.X)/2-b.X) > 0.1 ||
		math.Abs((a.Y+c.Y)/2-b.Y) > 0.1 ||
		a.Y != 200-bottomMargin || c.Y != topMargin || c.X != width-rightMargin {
		t.Errorf("%v", circles)
	}
}

// Every mark is well-formed XML, whatever the labels hold, and without a NaN.
func TestWellFormed(t *testing.T) {
	x, y := []float64{0, 1, 2}, []float64{3, math.NaN(), -1}
	evil := `<script>"&'`
	c := Chart{Label: evil, X: Axis{Label: evil}, Y: Axis{Label: evil}, Marks: []Mark{
		{Kind: Line, X: x, Y: y}, {Kind: Line, X: x, Y: y, Light: true},
		{Kind: Band, X: x, Y: []float64{0, 0, 0}, High: []float64{1, 1, 2}},
		{Kind: Points, X: x, Y: y, Tips: []string{evil, evil, evil}}, {Kind: Points, X: x, Y: y, Light: true},
		{Kind: Intervals, X: x, Y: y, High: x},
		{Kind: Bars, X: []float64{0, 1, 2, 3}, Y: y, Tips: []string{evil, evil, evil}},
		{Kind: Rule, X: []float64{0, 100}, Y: []float64{0, 100}}, {Kind: Rule, X: []float64{5, 5}, Y: []float64{5, 5}},
	}}
	svg := string(c.SVG())
	eachElement(t, svg, func(xml.StartElement) {})
	must.Lack(t, svg, "NaN", "<script")
	eachElement(t, string(Chart{}.SVG()), func(xml.StartElement) {})
}

func eachElement(t *testing.T, text string, visit func(xml.StartElement)) {
	t.Helper()
	in := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := in.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			visit(e)
		}
	}
}
