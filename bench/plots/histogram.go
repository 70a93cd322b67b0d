package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Bins are a histogram of positive numbers with bins of equal width in their logarithm.
type Bins struct {
	Low    int   `json:"low"`     // the first bin begins at 10^Low
	PerTen int   `json:"per_ten"` // number of bins for a factor of ten
	Right  []int `json:"right"`   // numbers of rows that were predicted right
	Wrong  []int `json:"wrong"`   // numbers of rows that were predicted wrong
}

// NewBins returns empty bins from 10^low to 10^high.
func NewBins(low, high, perTen int) *Bins {
	n := (high - low) * perTen
	return &Bins{Low: low, PerTen: perTen, Right: make([]int, n), Wrong: make([]int, n)}
}

// Add counts a value. A value outside the bins counts in the first or last bin.
func (b *Bins) Add(v float64, right bool) {
	at := math.Floor((math.Log10(v) - float64(b.Low)) * float64(b.PerTen))
	i := 0
	if at > 0 { // NaN is not above 0
		i = int(math.Min(at, float64(len(b.Right)-1)))
	}
	if right {
		b.Right[i]++
	} else {
		b.Wrong[i]++
	}
}

// Sum returns the sum of several histograms with the same bins.
func Sum(all []*Bins) *Bins {
	out := &Bins{Low: all[0].Low, PerTen: all[0].PerTen, Right: make([]int, len(all[0].Right)),
		Wrong: make([]int, len(all[0].Wrong))}
	for _, b := range all {
		for i := range out.Right {
			out.Right[i] += b.Right[i]
			out.Wrong[i] += b.Wrong[i]
		}
	}
	return out
}

// Panel is one histogram of a picture.
type Panel struct {
	Title string
	*Bins
}

// Histograms writes a table of histograms on one axis of x, whose label is x: green for right rows, red for wrong ones,
// each as shares of the rows of its kind, since wrong rows are far fewer.
func Histograms(w io.Writer, x string, panels [][]Panel) error {
	low, high := rangeOf(panels)
	var plots [][]*plot.Plot
	for i, row := range panels {
		var line []*plot.Plot
		for j, panel := range row {
			xLabel, yLabel := "", ""
			if i == len(panels)-1 {
				xLabel = x
			}
			if j == 0 {
				yLabel = "share of rows, %"
			}
			p := newPlot(panel.Title, xLabel, yLabel)
			for _, kind := range []struct {
				name   string
				counts []int
				colour color.NRGBA
			}{{"right", panel.Right, green}, {"wrong", panel.Wrong, red}} {
				bars, total := panel.bars(kind.counts)
				if total > 0 {
					area, err := plotter.NewPolygon(bars)
					if err != nil {
						return err
					}
					area.Color, area.LineStyle.Color, area.LineStyle.Width = faint(kind.colour,
						0.45), kind.colour, vg.Points(0.9)
					p.Add(area)
					p.Legend.Add(fmt.Sprintf("%s: %d", kind.name, total), area)
				} else {
					p.Legend.Add(kind.name + ": none")
				}
			}
			p.Legend.Top, p.Legend.Left = true, true
			p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low, high, 0, 1.3*p.Y.Max
			p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(powers), plot.TickerFunc(labelledTicks)
			line = append(line, p)
		}
		plots = append(plots, line)
	}
	return write(w, plots, 3.3*vg.Inch, 2.2*vg.Inch)
}

// bars returns the outline of counts as percentages of their total, over the logarithm to base 10.
func (b *Bins) bars(counts []int) (outline plotter.XYs, total int) {
	for _, n := range counts {
		total += n
	}
	if total == 0 {
		return nil, 0
	}
	filled := func(n int) bool { return n > 0 }
	first, end := slices.IndexFunc(counts, filled), len(counts)
	for counts[end-1] == 0 {
		end--
	}
	at := func(i int) float64 { return float64(b.Low) + float64(i)/float64(b.PerTen) }
	for i := first; i < end; i++ {
		share := 100 * float64(counts[i]) / float64(total)
		outline = append(outline, plotter.XY{X: at(i), Y: share}, plotter.XY{X: at(i + 1), Y: share})
	}
	return append(outline, plotter.XY{X: at(end), Y: 0}, plotter.XY{X: at(first), Y: 0}), total
}

// rangeOf returns the range of the bins that are not empty, in whole powers of ten.
func rangeOf(panels [][]Panel) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range panels {
		for _, p := range row {
			for i := range p.Right {
				if p.Right[i]+p.Wrong[i] > 0 {
					low = min(low, math.Floor(float64(p.Low)+float64(i)/float64(p.PerTen)))
					high = max(high, math.Ceil(float64(p.Low)+float64(i+1)/float64(p.PerTen)))
				}
			}
		}
	}
	return low, high
}

// powers marks the powers of ten on an axis of logarithms.
func powers(low, high float64) []plot.Tick {
	return whole(low, high, func(e float64) string { return fmt.Sprintf("%g", math.Pow(10, e)) })
}

// labelledTicks returns the ticks of gonum that have labels.
func labelledTicks(low, high float64) []plot.Tick {
	ticks := slices.DeleteFunc(plot.DefaultTicks{}.Ticks(low, high), plot.Tick.IsMinor)
	for i, t := range ticks {
		ticks[i].Label = fmt.Sprintf("%.4g", t.Value) // the default writes 0.00 beside 25.00
	}
	return ticks
}
