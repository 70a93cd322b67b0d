package fitted

import (
	"math"
	"slices"
	"testing"
)

func TestDistanceUnit(t *testing.T) {
	at := func(x []float64) float64 {
		return nearestUnit(len(x), func(i, j int) float64 { return math.Abs(x[i] - x[j]) })
	}
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{4}, 1}, {[]float64{4, 4, 4}, 1}, {[]float64{0, 3, 4, 10}, 6},
		{append(slices.Repeat([]float64{2}, 500), 7), 5},
	} {
		if got := at(c.x); got != c.want {
			t.Errorf("%v: %g, want %g", c.x[:1], got, c.want)
		}
	}
	line := make([]float64, 1000)
	for i := range line {
		line[i] = float64(i)
	}
	line[999] = 5000
	if got := at(line); got != 1 {
		t.Errorf("an outlier moves it to %g", got)
	}
}
