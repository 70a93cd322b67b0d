package data

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// Every split of rows keeps the rows of a group together, or trains on the past and tests on the future. Rows without
// groups and times are drawn.

// separate takes about count rows out of the others. The choice depends only on the rows and the seed.
func (d *Dataset) separate(count int, site uint32, seed uint64) (rest, separated []int) {
	switch {
	case d.Times != nil:
		return d.pastAndFuture(count)
	case d.Groups != nil:
		separated = d.wholeGroups(count, site, seed)
	default:
		separated = drawn(d.N(), count, site, seed)
	}
	return matrix.Others(d.N(), separated), separated
}

// SplitDescription describes how separate chooses rows.
func (d *Dataset) SplitDescription(seed uint64) string {
	switch {
	case d.Times != nil:
		return "the last ones in time"
	case d.Groups != nil:
		return fmt.Sprintf("whole groups, by the seed %d", seed)
	}
	return fmt.Sprintf("by the seed %d", seed)
}

// pastAndFuture splits off the last count rows in time, with all rows at the time of the first of them. Rows less than
// TimeGap before that are in neither part.
func (d *Dataset) pastAndFuture(count int) (past, future []int) {
	times := slices.Sorted(slices.Values(d.Times))
	from := times[len(times)-count]
	if from == times[0] { // no row is before it
		later := slices.IndexFunc(times, func(t float64) bool { return t > from })
		from = times[max(0, later)]
	}
	return d.between(math.Inf(-1), from-d.TimeGap), d.between(from, math.Inf(1))
}

// between returns the rows with times in [from, to).
func (d *Dataset) between(from, to float64) []int {
	return matrix.Which(d.N(), func(i int) bool { return d.Times[i] >= from && d.Times[i] < to })
}

// wholeGroups draws groups until they have count rows. It skips a group that would make them more than twice as many,
// and leaves at least one group.
func (d *Dataset) wholeGroups(count int, site uint32, seed uint64) []int {
	sizes := d.groupSizes()
	order := make([]int32, len(sizes))
	philox.Permutation(order, [2]uint32{uint32(seed), uint32(seed >> 32)}, site, 0, 0)
	in := make([]bool, len(sizes))
	rows := 0
	for pass := range 2 { // the second pass also takes larger groups, if the first took none
		for _, g := range order {
			if n := sizes[g]; rows < count && n > 0 && rows+n < d.N() && (pass == 1 || rows+n <= 2*count) {
				in[g] = true
				rows += n
			}
		}
		if rows > 0 {
			break
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(sizes[a], sizes[b]) })
	}
	return matrix.Which(d.N(), func(i int) bool { return in[d.Groups[i]] })
}

// groupSizes returns the numbers of rows of the groups; 0 for groups that are in other parts.
func (d *Dataset) groupSizes() []int {
	sizes := make([]int, int(slices.Max(d.Groups))+1)
	for _, g := range d.Groups {
		sizes[g]++
	}
	return sizes
}

// SplitFold splits all rows for fold k of folds, from 1. Rows without groups and times have equal shares of each class
// in the folds. For rows with times, time is cut into equal windows. Fold k is tested on window k+1, and trained on all
// rows before it; the first window is in no test.
func (d *Dataset) SplitFold(folds, k int) (train, test []int) {
	var in []int
	switch {
	case d.Times != nil:
		cuts := append(d.windows(folds), math.Inf(1))
		return d.between(math.Inf(-1), cuts[k-1]-d.TimeGap), d.between(cuts[k-1], cuts[k])
	case d.Groups != nil:
		in = d.foldsOfGroups(folds)
	default:
		in = foldsOf(d.Labels, d.N(), folds)
	}
	test = matrix.Which(len(in), func(i int) bool { return in[i] == k })
	return matrix.Others(len(in), test), test
}

// windows returns the times at which the tested windows begin.
func (d *Dataset) windows(folds int) (cuts []float64) {
	times := slices.Sorted(slices.Values(d.Times))
	for k := range folds {
		cuts = append(cuts, times[(k+1)*len(times)/(folds+1)])
	}
	return cuts
}

// foldsOfGroups puts each group, the largest first, into the fold with the fewest rows.
func (d *Dataset) foldsOfGroups(folds int) []int {
	sizes := d.groupSizes()
	order := metrics.ArgSort(len(sizes), func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
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

// GroupedFolds returns folds of whole groups, or of windows in time, from 1; nil for rows without groups and times.
func (d *Dataset) GroupedFolds(folds int) (in []int) {
	switch {
	case d.Times != nil:
		cuts := d.windows(folds - 1)
		for _, t := range d.Times {
			in = append(in, 1+len(matrix.Which(len(cuts), func(k int) bool { return cuts[k] <= t })))
		}
	case d.Groups != nil:
		in = d.foldsOfGroups(folds)
	}
	return in
}

// CheckSplit refuses folds for which the rows have too few groups or times.
func (d *Dataset) CheckSplit(folds int) error {
	if d.Groups != nil {
		sizes := d.groupSizes()
		if n := len(matrix.Which(len(sizes), func(g int) bool { return sizes[g] > 0 })); n < folds {
			return errorf(d.Path, "has %s: too few for %d folds", phrase.Plural(n, "group"), folds)
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

// HoldOut splits a fraction of the training rows off, at least one row, to validate on. It is an error if nothing can
// be learnt from the rest.
func HoldOut(d *Dataset, fraction float64, seed uint64) (rest, validation *Dataset, err error) {
	if err := d.checkSeparable(); err != nil {
		return nil, nil, err
	}
	kept, rows := d.separate(max(1, int(math.Round(fraction*float64(d.N())))), validationSite, seed)
	return d.withoutRows(kept, rows)
}

// HoldOutFold splits fold k of folds, from 1, off the training rows, as HoldOut splits a fraction off.
func HoldOutFold(d *Dataset, folds, k int) (rest, validation *Dataset, err error) {
	return d.withoutRows(d.SplitFold(folds, k))
}

// withoutRows returns the rows that are kept to train on, and the others. It is an error if nothing can be learnt.
func (d *Dataset) withoutRows(kept, rows []int) (rest, validation *Dataset, err error) {
	if rest = d.Subset(kept); rest.N() < 2 {
		return nil, nil, errorf(d.Path, "has %d training rows: too few to hold %d of them out", d.N(), len(rows))
	}
	if err := checkTraining(rest, d); err != nil {
		return nil, nil, fmt.Errorf("with %s held out: %w", phrase.Plural(len(rows), "row"), err)
	}
	return rest, d.Subset(rows), nil
}

// GroupedInBlocks returns d. Sequences without groups and times are in count groups: blocks of rows that are near each
// other in the file, each with the same share of every class. Neighbours are often similar, such as sentences of one
// text or members of one family, and would predict each other better than they predict new rows. If each class has
// fewer rows than there are blocks, some blocks would be empty, and there are none.
func (d *Dataset) GroupedInBlocks(count int) *Dataset {
	if d.Sequences == nil || d.Groups != nil || d.Times != nil {
		return d
	}
	rows := [][]int{matrix.Every(d.N())}
	if d.Labels != nil {
		rows = make([][]int, len(d.Classes))
		for i, c := range d.Labels {
			rows[c] = append(rows[c], i)
		}
	}
	if !slices.ContainsFunc(rows, func(of []int) bool { return len(of) >= count }) {
		return d
	}
	blocked := *d
	blocked.Groups = make([]int32, d.N())
	for _, of := range rows {
		for k, i := range of {
			blocked.Groups[i] = int32(k * count / len(of))
		}
	}
	return &blocked
}

// checkFolds refuses folds for which there are too few rows.
func checkFolds(s Source) error {
	switch {
	case s.Folds == 1 || s.Folds < 0:
		return errorf(s.Data, "cannot be split into %s: give 2 or more", phrase.Plural(s.Folds, "fold"))
	case s.Fold < 0 || s.Fold > s.Folds:
		return errorf(s.Data, "has no fold %d: its folds are 1 to %d", s.Fold, s.Folds)
	case s.Test != "":
		return errorf(s.Data,
			"is tested on folds of its own rows: leave the test rows %s out, or the number of folds", s.Test)
	}
	return nil
}

// inFolds splits all rows. The rows of fold k, from 1, are for testing.
func inFolds(all *Dataset, folds, fold int) (train, test *Dataset, note string, err error) {
	fold = max(fold, 1)
	if folds > all.N() {
		return nil, nil, "", errorf(all.Path, "has %s: too few for %d folds", phrase.Plural(all.N(), "row"), folds)
	}
	if err := all.CheckSplit(folds); err != nil {
		return nil, nil, "", err
	}
	how := ""
	switch {
	case all.Times != nil:
		how = ", trained on the rows before them"
	case all.Groups != nil:
		how = ", with whole groups"
	case all.Labels != nil:
		how = ", with equal shares of each class"
		if c := slices.Index(all.ClassCounts(), 1); c >= 0 {
			return nil, nil, "",
				errorf(all.Path, "has a single row of class %s, so that one of its folds would leave none to "+
					"train on: remove the row", all.Classes[c])
		}
	}
	rest, rows := all.SplitFold(folds, fold)
	note = fmt.Sprintf("%s: %d of %d rows are for testing, fold %d of %d%s", all.Name, len(rows),
		all.N(), fold, folds, how)
	test = all.Subset(rows)
	test.OriginalRows = rows
	return all.Subset(rest), test, note, nil
}

// foldsOf puts n rows into folds, from 1; labels is nil if there are no classes. The folds depend only on the classes
// of the rows and their numbers in the file, not on a seed. So runs with other seeds, and other programs, have the same
// folds. The rows of each class are sorted by the SHA-256 of the text "fold:" and the row's number from 1. They are
// distributed to the folds in turn, class after class. So the sizes of folds, and of a class in them, differ by at most
// one row.
func foldsOf(labels []int32, n, folds int) []int {
	order := matrix.Every(n)
	hashes := make([][sha256.Size]byte, n)
	for i := range hashes {
		hashes[i] = sha256.Sum256([]byte("fold:" + strconv.Itoa(i+1)))
	}
	slices.SortFunc(order, func(a, b int) int {
		if labels != nil && labels[a] != labels[b] {
			return cmp.Compare(labels[a], labels[b])
		}
		return bytes.Compare(hashes[a][:], hashes[b][:])
	})
	in := make([]int, n)
	for place, row := range order {
		in[row] = place%folds + 1
	}
	return in
}

// These sites separate the draws of rows that are held out, for testing and for validation, and of a Sample from all
// other uses of the seed.
const (
	heldOutSite    = 0x64617461 // "data"
	validationSite = 0x76616c69 // "vali"
	sampleSite     = 0x73616d70 // "samp"
)

// drawn draws count of the rows 0 … n−1 in ascending order, without replacement. It depends only on its arguments.
func drawn(n, count int, site uint32, seed uint64) []int {
	order := make([]int, n)
	philox.Permutation(order, [2]uint32{uint32(seed), uint32(seed >> 32)}, site, 0, 0)
	rows := slices.Clone(order[:count])
	slices.Sort(rows)
	return rows
}

// Sample draws count of the rows of d without replacement, or returns d if it has no more. The choice depends only on
// their number and the seed; rows are their numbers in d.
func (d *Dataset) Sample(count int, seed uint64) (sample *Dataset, rows []int) {
	n := d.N()
	rows = drawn(n, min(n, count), sampleSite, seed)
	if n <= count {
		return d, rows
	}
	return d.Subset(rows), rows
}

// EvenlySpaced returns d, or, if it has more rows, count of its rows, evenly spread over it.
func (d *Dataset) EvenlySpaced(count int) *Dataset {
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

// warnOverlaps warns of rows to test or validate on that belong to a group of the training rows, or are not later than
// all of them. Their scores do not show how well new groups, or the future, are predicted.
func (in *input) warnOverlaps(d, train *Dataset) {
	warn := func(n int, format string, args ...any) {
		if n > 0 {
			in.warnAt(position{}, "%d of the %s %s, so scores may be too good", n, phrase.Plural(d.N(), "row"),
				fmt.Sprintf(format, args...))
		}
	}
	inTraining := setOf(train.Groups)
	names := make(map[int32]string, len(d.groupOf))
	for name, g := range d.groupOf {
		names[g] = name
	}
	shared, first := 0, ""
	for _, g := range d.Groups {
		if at, known := train.groupOf[names[g]]; known && inTraining[at] && !cellformat.IsMissing(names[g]) {
			if shared++; shared == 1 {
				first = names[g]
			}
		}
	}
	warn(shared, "are of groups of the training rows, such as %s", phrase.Quote(first))
	warn(d.withScaffolds(train.scaffolds, inTraining), "have scaffolds of the training rows")
	if d.Times != nil && train.Times != nil {
		last := slices.Max(train.Times)
		early := matrix.Which(d.N(), func(i int) bool { return d.Times[i] <= last }) // NaN is an unknown time
		warn(len(early), "are not later than the last training row")
	}
}
