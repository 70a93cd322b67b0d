package plots

import (
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ranks are the ranks of several methods on several sets, 1 the best, and the least significant difference between two
// average ranks.
type Ranks struct {
	Title, XLabel string
	Methods       []RankedMethod // methods, the best first
	Difference    float64
}

// RankedMethod is one line of the picture.
type RankedMethod struct {
	Name    string
	Average float64
	Each    []float64 // rank on each set
	Ours    bool
}

// Write draws the picture: for each method a point at its average rank, a bar as long as the critical difference, and a
// faint point for each set. Two methods differ if their bars do not overlap.
func (r Ranks) Write(w io.Writer) error {
	p := newPlot(r.Title, r.XLabel, "")
	var names []plot.Tick
	for i, m := range r.Methods {
		y := float64(len(r.Methods) - 1 - i)
		names = append(names, plot.Tick{Value: y, Label: m.Name})
		if err := m.draw(p, y, r.Difference/2); err != nil {
			return err
		}
	}
	p.X.Min, p.X.Max = 0.6, float64(len(r.Methods))+0.4
	p.Y.Min, p.Y.Max = -0.6, float64(len(r.Methods))-0.4
	p.X.Tick.Marker = plot.TickerFunc(integers)
	p.Y.Tick.Marker = plot.ConstantTicks(names)
	p.Y.LineStyle.Width, p.Y.Tick.LineStyle.Width, p.Y.Tick.Length = 0, 0, vg.Points(2)
	p.Y.Tick.Label.Font.Size = text + 1
	height := vg.Length(float64(len(r.Methods))*0.3+0.9) * vg.Inch
	return write(w, [][]*plot.Plot{{p}}, 6.6*vg.Inch, height)
}

// draw puts a method at height y. half is half the length of its bar.
func (m RankedMethod) draw(p *plot.Plot, y, half float64) error {
	colour := dark
	if m.Ours {
		colour = blue
	}
	var small plotter.XYs
	for rank, n := range rankCounts(m.Each) {
		for i := range n { // points of one rank stand above each other
			small = append(small, plotter.XY{X: rank, Y: y + 0.06*(float64(i)-float64(n-1)/2)})
		}
	}
	slices.SortFunc(small, func(a, b plotter.XY) int { return int(1e6 * (a.X + a.Y - b.X - b.Y)) })
	bar, err := plotter.NewLine(plotter.XYs{{X: m.Average - half, Y: y}, {X: m.Average + half, Y: y}})
	if err != nil {
		return err
	}
	bar.Color, bar.Width = faint(colour, 0.30), vg.Points(7)
	sets, err := circles(small, faint(colour, 0.5), 1.2)
	if err != nil {
		return err
	}
	average, err := circles(plotter.XYs{{X: m.Average, Y: y}}, colour, 4)
	if err != nil {
		return err
	}
	value, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: m.Average, Y: y}},
		Labels: []string{fmt.Sprintf("%.2f", m.Average)}})
	if err != nil {
		return err
	}
	style := &value.TextStyle[0]
	sans(&style.Font, text-1)
	style.Color, style.XAlign, style.YAlign = colour, draw.XCenter, draw.YBottom
	value.Offset = vg.Point{Y: vg.Points(5)}
	p.Add(bar, sets, average, value)
	return nil
}

// rankCounts returns the number of times that each rank occurs.
func rankCounts(ranks []float64) map[float64]int {
	n := map[float64]int{}
	for _, r := range ranks {
		n[r]++
	}
	return n
}

// circles returns round points of one colour.
func circles(at plotter.XYs, colour color.NRGBA, radius float64) (*plotter.Scatter, error) {
	s, err := plotter.NewScatter(at)
	if err != nil {
		return nil, err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: vg.Points(radius), Shape: draw.CircleGlyph{}}
	return s, nil
}
