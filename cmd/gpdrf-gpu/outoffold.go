package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// afterFolds writes the predictions of all rows, and the report, if there is time.
func (v *crossValidation) afterFolds() error {
	ctx, cancel := v.extrasContext()
	defer cancel()
	err := v.predictAll(ctx)
	switch {
	case v.p.ctx.Err() != nil:
		return errInterrupted
	case err != nil && ctx.Err() != nil:
		v.p.warn("the predictions of all rows were left out: %v; to write them: %s", context.Cause(ctx),
			rundir.ResumeCommand(v.cv.Path()))
		return nil
	case err == nil && v.p.reports:
		return v.writeReport(ctx)
	}
	return err
}

// extrasContext returns the context of the work after the folds. It ends at the latest time of the time limit, but
// short work is worth the wait.
func (v *crossValidation) extrasContext() (context.Context, context.CancelFunc) {
	all := time.Duration(v.foldsBegun) * v.cv.FoldTimeLimit()
	return train.TimeLimit{Began: v.req.started.Add(lastTest), Time: all}.WithGrace(v.p.ctx)
}

// writeReport writes the report of all folds. Its error is the end of the command; a failure of the report is a note.
func (v *crossValidation) writeReport(ctx context.Context) error {
	var folders []string
	for k := 1; k <= v.cv.Folds; k++ {
		folders = append(folders, v.cv.FoldPath(k))
	}
	if len(folders) > maxReported {
		v.p.note("no report compares %d folds: each fold has its own", len(folders))
		return nil
	}
	leftOut := func(why any) error {
		v.p.warn("the report was left out: %v; to write it: gpdrf-gpu report %s", why, v.cv.Path())
		return errInterrupted
	}
	guard := v.p.newExitGuard(v.p.ctx, func() error {
		return errors.Join(v.p.reportCV(v.cv), leftOut("interrupted"))
	})
	defer guard.stop()
	err := runExtra(ctx, guard, extraTimeout(v.p.began), func(context.Context) (func() error, error) {
		text, err := page(folders...)
		path := filepath.Join(v.cv.Path(), rundir.ReportFile)
		return func() error { return atomicfile.WriteFile(path, atomicfile.Text(text)) }, err
	})
	if hasEnded(err) {
		return err
	}
	if err != nil {
		leftOut(err)
	}
	return nil
}

// predictAll writes the prediction of every row by the model that has not seen it, in the order of the rows. The first
// two columns are the row's number, from 1, and its fold. The columns of predict follow. It writes nothing if ctx ends.
func (v *crossValidation) predictAll(ctx context.Context) error {
	all := &predict.Table{}
	var rows [][]predict.Cell
	for k := 1; k <= v.cv.Folds; k++ {
		table, numbers, err := v.predictFold(ctx, k)
		if err != nil {
			return fmt.Errorf("the predictions of fold %d of %d: %w", k, v.cv.Folds, err)
		}
		table.AddFirst("fold", func(int) predict.Cell { return predict.Cell{Value: float64(k)} })
		table.AddFirst("row", func(i int) predict.Cell { return predict.Cell{Value: float64(numbers[i] + 1)} })
		all.Columns = table.Columns
		for i := range numbers {
			rows = append(rows, table.Row(i, nil))
		}
	}
	slices.SortStableFunc(rows, func(a, b []predict.Cell) int { return cmp.Compare(a[0].Value, b[0].Value) })
	all.Rows = len(rows)
	all.Row = func(i int, cells []predict.Cell) []predict.Cell { return append(cells, rows[i]...) }
	return atomicfile.WriteFile(filepath.Join(v.cv.Path(), rundir.PredictionsFile),
		func(w io.Writer) error { return all.Write(w, predict.CSV) })
}

// predictFold predicts the test rows of a fold. numbers are the numbers of the test rows among all rows.
func (v *crossValidation) predictFold(ctx context.Context, k int) (table *predict.Table, numbers []int, err error) {
	run, err := rundir.OpenRun(v.cv.FoldPath(k))
	if err != nil {
		return nil, nil, err
	}
	ds, err := v.p.testedRows(run)
	if err != nil {
		return nil, nil, err
	}
	dev, _, err := v.p.deviceOf(v.req.call, run.Result.Device, run.Config.Precision)
	if err != nil {
		return nil, nil, err
	}
	defer dev.Close()
	t := run.Trained
	phase := v.p.newRowsPhase(ds.N())
	p, distances, err := t.PredictSet(ctx, dev, ds, t.EvalSamples,
		fitted.PredictOptions{Distances: true, Progress: phase.show})
	phase.end()
	if err != nil {
		return nil, nil, err
	}
	return predict.NewTable(t, ds, p, distances, run.Config.PredictDraws, t.Seed), ds.OriginalRows, nil
}
