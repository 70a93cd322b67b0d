package data

import (
	"fmt"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data/sets"
)

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
	all.Name, all.AutoScaling = set.Name, "robust"
	trainRows, testRows := blockOf(all.N(), fold)
	notes = append(notes,
		fmt.Sprintf("%s, fold %d: tested on the rows %d to %d of the recording, trained on those more than %d "+
			"rows away",
			set.Name, fold, testRows[0]+1, testRows[len(testRows)-1]+1, guardRows))
	return all.Subset(trainRows), all.Subset(testRows), notes, nil
}

// blockOf lists the rows of fold k, from 1, of n rows in the order of time.
func blockOf(n, k int) (train, test []int) {
	lo, hi := (k-1)*n/blocks, k*n/blocks
	for i := range n {
		switch {
		case i >= lo && i < hi:
			test = append(test, i)
		case i < lo-guardRows || i >= hi+guardRows:
			train = append(train, i)
		}
	}
	return slices.Clip(train), slices.Clip(test)
}
