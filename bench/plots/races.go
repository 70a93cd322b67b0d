package plots

import (
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Races has the seconds that two programs took for the same tasks.
type Races struct {
	Title        string
	Names        []string  // names of the lines
	Theirs, Ours []float64 // seconds of each program; +Inf if it did not end
	TimeLimit    float64   // seconds after which a program was stopped
}

// Write draws a dark point for theirs and a blue one for ours on each line, over the logarithm of seconds. The point of
// a program that did not end is at the right margin.
func (r Races) Write(w io.Writer) error {
	p := newPlot(r.Title, "seconds (blue: GP-DRF, at the right margin where it was not there in time)", "")
	var theirs, ours plotter.XYs
	var names []plot.Tick
	for i, name := range r.Names {
		y := float64(len(r.Names) - 1 - i)
		names = append(names, plot.Tick{Value: y, Label: name})
		theirs = append(theirs, plotter.XY{X: math.Log10(r.Theirs[i]), Y: y})
		ours = append(ours, plotter.XY{X: math.Log10(min(r.Ours[i], 3*r.TimeLimit)), Y: y})
	}
	dots, err := circles(theirs, dark, 4)
	if err != nil {
		return err
	}
	own, err := circles(ours, blue, 4)
	if err != nil {
		return err
	}
	p.Add(dots, own)
	p.X.Min, p.X.Max = -0.3, math.Log10(3*r.TimeLimit)
	p.Y.Min, p.Y.Max = -0.6, float64(len(r.Names))-0.4
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(powers), plot.ConstantTicks(names)
	return write(w, [][]*plot.Plot{{p}}, 6.6*vg.Inch, vg.Length(float64(len(names))*0.25+1)*vg.Inch)
}
