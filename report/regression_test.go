package report

import (
	"slices"
	"testing"
)

// Equal values are in one part, and the rows after them in tenths as well.
func TestDecilesOfEqualValues(t *testing.T) {
	for _, c := range []struct {
		n, zeros int
		want     []int // number of rows of each part
	}{
		{100, 50, []int{50, 10, 10, 10, 10, 10}}, {100, 55, []int{55, 5, 10, 10, 10, 10}}, {40, 40, []int{40}},
		{25, 1, []int{2, 3, 2, 3, 2, 3, 2, 3, 2, 3}}, {3, 1, []int{1, 1, 1}},
	} {
		values := make([]float64, c.n)
		var sizes []int
		for i := c.zeros; i < c.n; i++ {
			values[i] = float64(i)
		}
		for _, part := range deciles(values) {
			sizes = append(sizes, len(part))
		}
		if !slices.Equal(sizes, c.want) {
			t.Errorf("%d zeros of %d values: parts of %v rows, expected %v", c.zeros, c.n, sizes, c.want)
		}
	}
}
