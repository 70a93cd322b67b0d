package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// Every split of rows keeps the rows of a group together, or trains on the past and tests on the
// future. Rows without groups and times are drawn.

// apart takes about count rows away from the others: a function of the rows and the seed.
func (d *Dataset) apart(count int, site uint32, seed uint64) (kept, held []int) {
	switch {
	case d.Times != nil:
		return d.pastAndFuture(count)
	case d.Groups != nil:
		held = d.wholeGroups(count, site, seed)
	default:
		held = drawn(d.N(), count, site, seed)
	}
	return others(d.N(), held), held
}

// HowSplit tells how apart takes rows away.
func (d *Dataset) HowSplit(seed uint64) string {
	switch {
	case d.Times != nil:
		return "the last ones in time"
	case d.Groups != nil:
		return fmt.Sprintf("whole groups, by the seed %d", seed)
	}
	return fmt.Sprintf("by the seed %d", seed)
}

// pastAndFuture holds the last count rows in time, with all rows of the time of their first one. Rows less
// than Apart before that are in neither part.
func (d *Dataset) pastAndFuture(count int) (past, future []int) {
	order := d.inTime()
	from := d.Times[order[len(order)-count]]
	if from == d.Times[order[0]] { // nothing is before
		for _, i := range order {
			if d.Times[i] > from {
				from = d.Times[i]
				break
			}
		}
	}
	return d.between(math.Inf(-1), from-d.Apart), d.between(from, math.Inf(1))
}

// between are the rows with times from one on and before another.
func (d *Dataset) between(from, to float64) []int {
	return which(d.N(), func(i int) bool { return d.Times[i] >= from && d.Times[i] < to })
}

// inTime are the rows in the order of their times.
func (d *Dataset) inTime() []int {
	order := everyRow(d.N())
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.Times[a], d.Times[b]) })
	return order
}

// wholeGroups draws groups until they have count rows. One that would make them twice as many is passed
// over, and one group stays.
func (d *Dataset) wholeGroups(count int, site uint32, seed uint64) []int {
	sizes := d.groupSizes()
	order := make([]int32, len(sizes))
	philox.Permutation(order, [2]uint32{uint32(seed), uint32(seed >> 32)}, site, 0, 0)
	in, rows := make([]bool, len(sizes)), 0
	for pass := range 2 { // in the second one, nothing has suited
		for _, g := range order {
			if n := sizes[g]; rows < count && n > 0 && rows+n < d.N() && (pass == 1 || rows+n <= 2*count) {
				in[g], rows = true, rows+n
			}
		}
		if rows > 0 {
			break
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(sizes[a], sizes[b]) })
	}
	return which(d.N(), func(i int) bool { return in[d.Groups[i]] })
}

// groupSizes are the rows of each group; 0 of those that are in other parts.
func (d *Dataset) groupSizes() []int {
	sizes := make([]int, int(slices.Max(d.Groups))+1)
	for _, g := range d.Groups {
		sizes[g]++
	}
	return sizes
}

// InFold splits all rows for fold k of some, from 1. Rows without groups and times have equal shares of
// each class in the folds. Of rows with times, fold k is tested on window k+1 of equal windows in time, and
// trained on all before it: the first window is in no test.
func (d *Dataset) InFold(folds, k int) (train, test []int) {
	var in []int
	switch {
	case d.Times != nil:
		cuts := append(d.windows(folds), math.Inf(1))
		return d.between(math.Inf(-1), cuts[k-1]-d.Apart), d.between(cuts[k-1], cuts[k])
	case d.Groups != nil:
		in = d.foldsOfGroups(folds)
	default:
		in = foldsOf(d.Labels, d.N(), folds)
	}
	test = which(len(in), func(i int) bool { return in[i] == k })
	return others(len(in), test), test
}

// windows are the times where the windows begin that folds are tested on.
func (d *Dataset) windows(folds int) (cuts []float64) {
	order := d.inTime()
	for k := range folds {
		cuts = append(cuts, d.Times[order[(k+1)*len(order)/(folds+1)]])
	}
	return cuts
}

// foldsOfGroups puts each group, the largest first, into the fold with the fewest rows.
func (d *Dataset) foldsOfGroups(folds int) []int {
	sizes := d.groupSizes()
	order := everyRow(len(sizes))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	of, rows := make([]int, len(sizes)), make([]int, folds)
	for _, g := range order {
		least := slices.Index(rows, slices.Min(rows))
		of[g] = least + 1
		rows[least] += sizes[g]
	}
	in := make([]int, d.N())
	for i, g := range d.Groups {
		in[i] = of[g]
	}
	return in
}

// CheckSplit refuses folds that the groups or times of the rows do not have.
func (d *Dataset) CheckSplit(folds int) error {
	if d.Groups != nil {
		sizes := d.groupSizes()
		if n := len(which(len(sizes), func(g int) bool { return sizes[g] > 0 })); n < folds {
			return errorf(d.Path, "has %s: too few for %d folds", plural(n, "group"), folds)
		}
	}
	if d.Times != nil {
		cuts := append([]float64{slices.Min(d.Times)}, d.windows(folds)...)
		for k := range folds {
			if cuts[k] == cuts[k+1] {
				return errorf(d.Path, "has too few different times for %d windows to test on: give fewer folds",
					folds)
			}
		}
	}
	return nil
}

// HoldOut takes a fraction of the training rows away from training, one row at least, to validate on. It
// is an error if what is left teaches nothing.
func HoldOut(d *Dataset, fraction float64, seed uint64) (rest, validation *Dataset, err error) {
	n := d.N()
	if err := d.checkApart(); err != nil {
		return nil, nil, err
	}
	kept, rows := d.apart(max(1, int(math.Round(fraction*float64(n)))), validationSite, seed)
	if rest = d.Subset(kept); rest.N() < 2 {
		return nil, nil, errorf(d.Path, "has %d training rows: too few to hold %d of them out", n, len(rows))
	}
	if err := checkTraining(rest); err != nil {
		return nil, nil, fmt.Errorf("with %s held out: %w", plural(len(rows), "row"), err)
	}
	return rest, d.Subset(rows), nil
}
