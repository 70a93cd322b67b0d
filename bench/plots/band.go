package plots

import (
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Band is a prediction over one input. It has the mean and quantiles at each X, in ascending order, and the training
// rows.
type Band struct {
	Title, XLabel, YLabel string
	X, Mean               []float64
	Q05, Q25, Q75, Q95    []float64
	Truth                 []float64 // the function behind the rows, at each X
	RowsX, RowsY          []float64
}

// Write draws the picture.
func (b Band) Write(w io.Writer) error {
	p := newPlot(b.Title, b.XLabel, b.YLabel)
	for _, area := range []struct {
		name      string
		low, high []float64
		alpha     float64
	}{{"90 % of the prediction", b.Q05, b.Q95, 0.20}, {"50 %", b.Q25, b.Q75, 0.28}} {
		outline := points(b.X, area.low)
		upper := points(b.X, area.high)
		for i := len(upper) - 1; i >= 0; i-- {
			outline = append(outline, upper[i])
		}
		polygon, err := plotter.NewPolygon(outline)
		if err != nil {
			return err
		}
		polygon.Color, polygon.LineStyle.Width = faint(blue, area.alpha), 0
		p.Add(polygon)
		p.Legend.Add(area.name, polygon)
	}
	mean, err := plotter.NewLine(points(b.X, b.Mean))
	if err != nil {
		return err
	}
	mean.Color, mean.Width = blue, vg.Points(1.6)
	truth, err := plotter.NewLine(points(b.X, b.Truth))
	if err != nil {
		return err
	}
	truth.Color, truth.Width, truth.Dashes = dark, vg.Points(0.9), []vg.Length{vg.Points(4), vg.Points(3)}
	rows, err := plotter.NewScatter(points(b.RowsX, b.RowsY))
	if err != nil {
		return err
	}
	rows.GlyphStyle = draw.GlyphStyle{Color: faint(dark, 0.75), Radius: vg.Points(1.7), Shape: draw.CircleGlyph{}}
	p.Add(mean, truth, rows)
	p.Legend.Add("mean", mean)
	p.Legend.Add("the function", truth)
	p.Legend.Add("rows", rows)
	p.Legend.Top, p.Legend.Left, p.Legend.XOffs, p.Legend.YOffs = true, true, vg.Points(8), vg.Points(-4)
	p.X.Min, p.X.Max = b.X[0], b.X[len(b.X)-1]
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(integers), plot.TickerFunc(integers)
	return write(w, [][]*plot.Plot{{p}}, 6.6*vg.Inch, 3.4*vg.Inch)
}

// integers marks the whole numbers of a short axis.
func integers(low, high float64) []plot.Tick {
	return whole(low, high, func(v float64) string { return strings.ReplaceAll(fmt.Sprintf("%g", v), "-", "−") })
}

// whole marks whole numbers, in steps if there are many.
func whole(low, high float64, label func(v float64) string) (ticks []plot.Tick) {
	const most = 40
	every := math.Max(1, math.Ceil((high-low)/most))
	first := math.Ceil(low / every)
	for i := range most + 1 {
		if v := (first + float64(i)) * every; v <= high {
			ticks = append(ticks, plot.Tick{Value: v, Label: label(v)})
		}
	}
	return ticks
}

func points(x, y []float64) plotter.XYs {
	out := make(plotter.XYs, len(x))
	for i := range out {
		out[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return out
}
