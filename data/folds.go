package data

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// Source.Folds splits a set that has no folds, or not the wanted ones. The folds depend only on the
// classes of the rows and their numbers in the file, not on a seed. So runs with other seeds, and
// other programs, have the same folds. The rows of each class are sorted by the SHA-256 of the text
// "fold:" and the row's number from 1. They are dealt out to the folds in turn, class after class.
// Sizes of folds, and of a class in them, then differ by at most one row.

// checkFolds refuses folds that rows cannot have.
func checkFolds(s Source) error {
	switch {
	case s.Folds == 1 || s.Folds < 0:
		return errorf(s.Data, "cannot be split into %s: give 2 or more", plural(s.Folds, "fold"))
	case s.Fold < 0 || s.Fold > s.Folds:
		return errorf(s.Data, "has no fold %d: its folds are 1 to %d", s.Fold, s.Folds)
	case s.Test != "":
		return errorf(s.Data,
			"is tested on folds of its own rows: leave the test rows %s out, or the number of folds", s.Test)
	}
	return nil
}

// inFolds splits all rows: those of fold k, from 1, are to test on.
func inFolds(all *Dataset, folds, fold int) (train, test *Dataset, note string, err error) {
	fold = max(fold, 1)
	if folds > all.N() {
		return nil, nil, "", errorf(all.Path, "has %s: too few for %d folds", plural(all.N(), "row"), folds)
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
		count := make([]int, len(all.Classes))
		for _, l := range all.Labels {
			count[l]++
		}
		if c := slices.Index(count, 1); c >= 0 {
			return nil, nil, "",
				errorf(all.Path, "has a single row of class %s, so that one of its folds would leave none to "+
					"train on: remove the row", all.Classes[c])
		}
	}
	rest, rows := all.InFold(folds, fold)
	note = fmt.Sprintf("%s: %d of %d rows are for testing, fold %d of %d%s", all.Name, len(rows),
		all.N(), fold, folds, how)
	test = all.Subset(rows)
	test.RowOf = rows
	return all.Subset(rest), test, note, nil
}

// foldsOf are the folds of n rows, from 1; labels is nil where there are no classes.
func foldsOf(labels []int32, n, folds int) []int {
	order, hashes := everyRow(n), make([][sha256.Size]byte, n)
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

// Rows of one recording that stand next to each other are nearly equal, so that a test on rows
// drawn at random from it asks little of a model. A blocked set is one recording in the order of
// time, cut into blocks of equal length. Fold k is tested on block k and trained on the others,
// without the rows within a second of the block: none of those is a near copy of a test row.
const (
	blocks    = sets.Blocks
	guardRows = 128 // a second of the EEG recording
)

// loadBlocked reads a recording and splits it.
func loadBlocked(set sets.Set, path string, fold int, opt ReadOptions) (train, test *Dataset,
	notes []string, err error) {
	all, notes, err := ReadFile(path, opt)
	if err != nil {
		return nil, nil, nil, err
	}
	if all.N() < blocks*2 {
		return nil, nil, nil, errorf(path, "holds %s: too few for %d blocks of time", plural(all.N(), "row"), blocks)
	}
	// A block may lack the far outliers of the others: all folds are scaled alike.
	all.Name, all.AutoScaling, all.Apart = set.Name, "robust", guardRows
	for i := range all.N() {
		all.Times = append(all.Times, float64(i))
	}
	trainRows, testRows := block(all.N(), (fold-1)*all.N()/blocks, fold*all.N()/blocks)
	notes = append(notes,
		fmt.Sprintf("%s, fold %d: tested on the rows %d to %d of the recording, trained on those more than %d "+
			"rows away",
			set.Name, fold, testRows[0]+1, testRows[len(testRows)-1]+1, guardRows))
	return all.Subset(trainRows), all.Subset(testRows), notes, nil
}

// block lists the rows lo … hi−1 of n rows in the order of time, and those to train on.
func block(n, lo, hi int) (train, test []int) {
	return which(n, func(i int) bool { return i < lo-guardRows || i >= hi+guardRows }), everyRow(n)[lo:hi]
}
