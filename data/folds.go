package data

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
)

// Source.Folds splits a set that has no folds, or not the wanted ones. The folds depend only on the
// classes of the rows and their numbers in the file, not on a seed. So runs with other seeds, and
// other programs, have the same folds. The rows of each class are sorted by the SHA-256 of the text
// "fold:" and the row's number from 1. They are dealt out to the folds in turn, class after class.
// Sizes of folds, and of a class in them, then differ by at most one row.

// FoldOfRows is the fold of each row, from 1, where all rows are split into so many folds.
func (d *Dataset) FoldOfRows(folds int) []int { return foldsOf(d.Labels, d.N(), folds) }

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
	stratified := ""
	if all.Labels != nil {
		stratified = ", with equal shares of each class"
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
	in := foldsOf(all.Labels, all.N(), folds)
	var rows, rest []int
	for i, f := range in {
		if f == fold {
			rows = append(rows, i)
		} else {
			rest = append(rest, i)
		}
	}
	note = fmt.Sprintf("%s: %d of %d rows are for testing, fold %d of %d%s", all.Name, len(rows),
		all.N(), fold, folds, stratified)
	test = all.Subset(rows)
	test.RowOf = rows
	return all.Subset(rest), test, note, nil
}

// foldsOf are the folds of n rows, from 1; labels is nil where there are no classes.
func foldsOf(labels []int32, n, folds int) []int {
	order, hashes := make([]int, n), make([][sha256.Size]byte, n)
	for i := range order {
		order[i], hashes[i] = i, sha256.Sum256([]byte("fold:"+strconv.Itoa(i+1)))
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
