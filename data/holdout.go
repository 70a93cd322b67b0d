package data

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// validationSite keeps the validation rows apart from every other use of the seed.
const validationSite = 0x76616c69 // "vali"

// drawn is count of the rows 0 … n−1 in ascending order, without replacement: a function of its
// arguments alone.
func drawn(n, count int, site uint32, seed uint64) []int {
	order := make([]int32, n)
	philox.Permutation(order, [2]uint32{uint32(seed), uint32(seed >> 32)}, site, 0, 0)
	rows := make([]int, count)
	for i := range rows {
		rows[i] = int(order[i])
	}
	slices.Sort(rows)
	return rows
}

// HoldOut takes a fraction of the training rows away from training, one row at least, to validate
// on. Which rows is a function of their number and the seed. It is an error if what is left teaches
// nothing.
func HoldOut(d *Dataset, fraction float64, seed uint64) (rest, held *Dataset, err error) {
	n := d.N()
	rows := drawn(n, max(1, int(math.Round(fraction*float64(n)))), validationSite, seed)
	if rest = d.Subset(others(n, rows)); rest.N() < 2 {
		return nil, nil, errorf(d.Path, "has %d training rows: too few to hold %d of them out for validation",
			n, len(rows))
	}
	if err := checkTraining(rest); err != nil {
		return nil, nil, fmt.Errorf("with %s held out for validation: %w", plural(len(rows), "row"), err)
	}
	return rest, d.Subset(rows), nil
}

// sampleSite keeps the rows of a Sample apart from every other use of the seed.
const sampleSite = 0x73616d70 // "samp"

// Sample is d, or, where it has more rows, count of them, drawn without replacement. Which rows is
// a function of their number and the seed; rows are their numbers in d.
func (d *Dataset) Sample(count int, seed uint64) (sample *Dataset, rows []int) {
	n := d.N()
	rows = drawn(n, min(n, count), sampleSite, seed)
	if n <= count {
		return d, rows
	}
	return d.Subset(rows), rows
}

// Spread is d, or, where it has more, count of its rows evenly spread over it.
func (d *Dataset) Spread(count int) *Dataset {
	n := d.N()
	if n <= count {
		return d
	}
	rows := make([]int, count)
	for i := range rows {
		rows[i] = i * n / count
	}
	return d.Subset(rows)
}
