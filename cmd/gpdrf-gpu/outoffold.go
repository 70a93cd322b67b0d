package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// predictAll writes of every row the prediction by the model that has not seen it, in the order of
// the rows. Before the columns of predict stand the row's number, from 1, and its fold.
func (v *crossValidation) predictAll() error {
	all := &predict.Table{}
	var rows [][]predict.Cell
	for k := 1; k <= v.req.cv.Folds; k++ {
		if v.p.ctx.Err() != nil {
			return errInterrupted
		}
		table, numbers, err := v.predictFold(k)
		if v.p.ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			return fmt.Errorf("the predictions of fold %d of %d: %w", k, v.req.cv.Folds, err)
		}
		all.Columns = append([]string{"row", "fold"}, table.Columns...)
		for i, number := range numbers {
			row := make([]predict.Cell, len(all.Columns))
			row[0].Value, row[1].Value = float64(number+1), float64(k)
			table.Row(i, row[2:])
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b []predict.Cell) int { return cmp.Compare(a[0].Value, b[0].Value) })
	all.Rows, all.Row = len(rows), func(i int, into []predict.Cell) { copy(into, rows[i]) }
	return atomicfile.WriteFile(filepath.Join(v.req.cv.Path(), rundir.OutOfFoldFile),
		func(w io.Writer) error { return all.Write(w, predict.CSV) })
}

// predictFold predicts the test rows of a fold. numbers are those of the rows among all rows.
func (v *crossValidation) predictFold(k int) (table *predict.Table, numbers []int, err error) {
	run, err := rundir.OpenRun(v.req.cv.FoldPath(k))
	if err != nil {
		return nil, nil, err
	}
	ds, err := run.TestRows(v.p.watch())
	if err != nil {
		return nil, nil, err
	}
	if ds.Fingerprint != run.Result.Fingerprint.Test {
		return nil, nil, usagef("%s: the rows have changed since the fold was tested: put the old ones back", ds.Path)
	}
	dev, err := v.p.openDevice(run.Result.Device)
	if err != nil {
		return nil, nil, err
	}
	defer dev.Close()
	v.p.relax(dev, run.Config.Precision)
	t := run.Trained
	bar := v.p.newRowsBar(ds.N())
	p, distances, err := t.PredictFar(v.p.ctx, dev, ds, t.EvalSamples, bar.show)
	bar.end()
	if err != nil {
		return nil, nil, err
	}
	return predict.NewTable(t, ds, p, distances, run.Config.PredictDraws, t.Seed), ds.RowOf, nil
}
