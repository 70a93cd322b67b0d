package data

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// Neighbouring rows of one recording are nearly equal, so a test on randomly drawn rows is too easy. A blocked set is
// one recording in the order of time, cut into blocks of equal length. Fold k is tested on block k, and trained on the
// others without the rows within a second of the block. So no training row is a near copy of a test row.
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
		return nil, nil, nil, errorf(path, "holds %s: too few for %d blocks of time", phrase.Plural(all.N(), "row"),
			blocks)
	}
	// A block may lack the far outliers of the others, so all folds are scaled alike.
	all.Name = set.Name
	all.AutoScaling = "robust"
	all.TimeGap = guardRows
	for i := range all.N() {
		all.Times = append(all.Times, float64(i))
	}
	trainRows, testRows := block(all.N(), (fold-1)*all.N()/blocks, fold*all.N()/blocks)
	notes = append(notes, fmt.Sprintf("%s, fold %d: tested on the rows %d to %d of the recording, trained on those "+
		"more than %d rows away", set.Name, fold, testRows[0]+1, testRows[len(testRows)-1]+1, guardRows))
	return all.Subset(trainRows), all.Subset(testRows), notes, nil
}

// block lists the rows lo … hi−1 of n rows in the order of time, and the rows to train on.
func block(n, lo, hi int) (train, test []int) {
	return matrix.Which(n, func(i int) bool { return i < lo-guardRows || i >= hi+guardRows }), matrix.Every(n)[lo:hi]
}
