package charts

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

// Ticks are multiples of a round step inside the range, and as many as a reader can take.
func TestTicks(t *testing.T) {
	for _, s := range []span{{0, 1}, {-3, 17}, {0.4192, 0.4196}, {-28000, 400}, {1e-9, 3e-9}, {0, 1.2e9}, {-7, -6.5}} {
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
	for _, tick := range (Axis{Powers: true}).ticks(span{-4, 5}, 5) {
		texts = append(texts, tick.text)
	}
	if got := strings.Join(texts, " "); got != "1e-4 0.01 1 100 10000" {
		t.Errorf("powers %s", got)
	}
}

// A dot stands where a ruler puts it, and what is no number is left out.
func TestPlaces(t *testing.T) {
	c := Chart{
		X: Axis{Low: 0, High: 10}, Y: Axis{Low: 0, High: 1}, Height: 200,
		Marks: []Mark{Points{X: []float64{0, 5, 10, math.NaN(), 3},
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
		a.Y != 200-below || c.Y != above || c.X != width-beside {
		t.Errorf("%v", circles)
	}
}

// Every mark is well-formed XML, whatever the labels hold, and without a NaN.
func TestWellFormed(t *testing.T) {
	x, y := []float64{0, 1, 2}, []float64{3, math.NaN(), -1}
	evil := `<script>"&'`
	c := Chart{Label: evil, X: Axis{Label: evil}, Y: Axis{Label: evil}, Marks: []Mark{
		Line{X: x, Y: y, Dashed: true}, Line{X: x, Y: y, Faint: true},
		Band{X: x, Low: []float64{0, 0, 0}, High: []float64{1, 1, 2}},
		Points{X: x, Y: y, Tips: []string{evil, evil, evil}}, Points{X: x, Y: y, Small: true},
		Intervals{X: x, Low: y, High: x},
		Bars{Edges: []float64{0, 1, 2, 3}, Heights: y, Tips: []string{evil, evil, evil}},
		Rule{0, 0, 100, 100}, Rule{5, 5, 5, 5},
	}}
	svg := string(c.SVG())
	eachElement(t, svg, func(xml.StartElement) {})
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "<script") {
		t.Error(svg)
	}
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
