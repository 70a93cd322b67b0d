package plots

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// The colours of all pictures. They can be distinguished on a light ground, also if their areas overlap.
var (
	green = color.NRGBA{R: 0x2f, G: 0x9e, B: 0x5b, A: 0xff}
	red   = color.NRGBA{R: 0xd6, G: 0x3d, B: 0x3d, A: 0xff}
	blue  = color.NRGBA{R: 0x2b, G: 0x6c, B: 0xb0, A: 0xff}
	dark  = color.NRGBA{R: 0x33, G: 0x3a, B: 0x42, A: 0xff}
	pale  = color.NRGBA{R: 0xe4, G: 0xe7, B: 0xeb, A: 0xff}
)

// faint returns a colour with little opacity.
func faint(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(255 * alpha)
	return c
}

const (
	dpi  = 144
	text = font.Length(9)
)

// newPlot returns a plot in the style of all pictures.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(6)
	p.Title.TextStyle.Color = dark
	sans(&p.Title.TextStyle.Font, text+2)
	sans(&p.Legend.TextStyle.Font, text)
	p.Legend.TextStyle.Color = dark
	p.Legend.Padding, p.Legend.ThumbnailWidth = vg.Points(2), vg.Points(14)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		sans(&a.Label.TextStyle.Font, text)
		sans(&a.Tick.Label.Font, text-1)
		a.Label.TextStyle.Color, a.Tick.Label.Color, a.Color, a.Tick.Color = dark, dark, dark, dark
		a.Label.Padding = vg.Points(4)
		a.LineStyle.Width, a.Tick.LineStyle.Width = vg.Points(0.6), vg.Points(0.6)
		a.Padding, a.Tick.Length = 0, vg.Points(4)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = pale, pale
	grid.Horizontal.Width, grid.Vertical.Width = vg.Points(0.5), vg.Points(0.5)
	p.Add(grid)
	return p
}

func sans(f *font.Font, size font.Length) { f.Typeface, f.Variant, f.Size = "Liberation", "Sans", size }

// write draws plots as the cells of a table. Each has this width and height.
func write(w io.Writer, plots [][]*plot.Plot, width, height vg.Length) error {
	rows, cols := len(plots), len(plots[0])
	c := vgimg.NewWith(vgimg.UseWH(width*vg.Length(cols), height*vg.Length(rows)), vgimg.UseDPI(dpi))
	tiles := draw.Tiles{
		Rows: rows, Cols: cols, PadX: vg.Points(14), PadY: vg.Points(12),
		PadTop: vg.Points(8), PadBottom: vg.Points(6), PadLeft: vg.Points(8), PadRight: vg.Points(12),
	}
	cells := plot.Align(plots, tiles, draw.New(c))
	for i, row := range plots {
		for j, p := range row {
			p.Draw(cells[i][j])
		}
	}
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}
