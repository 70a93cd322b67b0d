package plots

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func TestBins(t *testing.T) {
	b := NewBins(-1, 2, 2)
	for _, v := range []float64{0.1, 0.2, 0.4, 1, 99, 1e9, 1e-9, 0} {
		b.Add(v, true)
	}
	b.Add(10, false)
	if want := []int{4, 1, 1, 0, 0, 2}; !slices.Equal(b.Right, want) {
		t.Errorf("right %v, expected %v", b.Right, want)
	}
	if want := []int{0, 0, 0, 0, 1, 0}; !slices.Equal(b.Wrong, want) {
		t.Errorf("wrong %v, expected %v", b.Wrong, want)
	}
	if s := Sum([]*Bins{b, b}); s.Right[0] != 8 || s.Wrong[4] != 2 || b.Right[0] != 4 {
		t.Errorf("the sum is %v", s)
	}
}

// An axis has a bounded number of ticks, whatever its range.
func TestTicks(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, s := range [][2]float64{{-2, 3}, {0, 1e6}, {-1e300, 1e300}, {1e17, 1e17 + 64}, {nan, 1}, {0, nan},
		{-inf, inf}, {inf, -inf}} {
		for _, ticks := range [][]plot.Tick{integers(s[0], s[1]), powers(s[0], s[1])} {
			if len(ticks) > 41 || s[1] < 1e300 && s[1] > s[0] && len(ticks) < 2 {
				t.Errorf("%v: %d ticks", s, len(ticks))
			}
		}
	}
}

// share returns the share of the pixels in which one colour is stronger than the two others by far.
func share(m image.Image, of func(r, g, b int) bool) float64 {
	count, size := 0, m.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			if of(int(r>>8), int(g>>8), int(b>>8)) {
				count++
			}
		}
	}
	return float64(count) / float64(size.Dx()*size.Dy())
}

func isGreen(r, g, b int) bool { return g > r+40 && g > b+20 }
func isRed(r, g, b int) bool   { return r > g+40 && r > b+40 }
func isBlue(r, g, b int) bool  { return b > r+20 && b > g+5 }

func decoded(t *testing.T, text []byte) image.Image {
	t.Helper()
	m := must.Get(png.Decode(bytes.NewReader(text)))(t)
	return m
}

// Right rows are green, wrong ones red, and a panel without wrong rows has no red.
func TestHistograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fill := func(wrong int) *Bins {
		b := NewBins(-4, 6, 8)
		for range 1000 {
			b.Add(math.Exp(rng.NormFloat64()+2), true)
		}
		for range wrong {
			b.Add(math.Exp(rng.NormFloat64()-1), false)
		}
		return b
	}
	var pictures []image.Image
	for _, wrong := range []int{0, 30} {
		var out bytes.Buffer
		must.OK(t, Histograms(&out, "distance", [][]Panel{{{"GP", fill(wrong)}, {"DRF", fill(wrong)}}}))
		pictures = append(pictures, decoded(t, out.Bytes()))
	}
	for i, m := range pictures {
		green, red := share(m, isGreen), share(m, isRed)
		if green < 0.01 || (red > 0.01) != (i == 1) {
			t.Errorf("picture %d: %.3f of it is green and %.3f red", i, green, red)
		}
	}
}

// The band's area is blue, and a wider band has more of it.
func TestBand(t *testing.T) {
	var areas []float64
	for _, width := range []float64{0.2, 1} {
		b := Band{Title: "a band", XLabel: "x", YLabel: "y", RowsX: []float64{0, 1}, RowsY: []float64{-2, 2}}
		for i := range 50 {
			x := float64(i) / 49
			b.X = append(b.X, x)
			b.Mean, b.Truth = append(b.Mean, x), append(b.Truth, -x)
			b.Q05, b.Q25 = append(b.Q05, x-width), append(b.Q25, x-width/2)
			b.Q75, b.Q95 = append(b.Q75, x+width/2), append(b.Q95, x+width)
		}
		var out bytes.Buffer
		must.OK(t, b.Write(&out))
		areas = append(areas, share(decoded(t, out.Bytes()), isBlue))
	}
	if areas[0] < 0.02 || areas[1] < 2*areas[0] {
		t.Errorf("shares of blue %v", areas)
	}
}

// Our methods are blue, and bars are as long as the critical difference.
func TestRanks(t *testing.T) {
	var shares []float64
	for _, difference := range []float64{0.5, 2} {
		r := Ranks{Title: "ranks", XLabel: "rank", Difference: difference, Methods: []RankedMethod{
			{Name: "ours", Average: 1.5, Each: []float64{1, 2, 1, 2}, Ours: true},
			{Name: "theirs", Average: 1.5, Each: []float64{2, 1, 2, 1}},
		}}
		var out bytes.Buffer
		must.OK(t, r.Write(&out))
		shares = append(shares, share(decoded(t, out.Bytes()), isBlue))
	}
	if shares[0] < 0.005 || shares[1] < 2*shares[0] {
		t.Errorf("shares of blue %v", shares)
	}
}
