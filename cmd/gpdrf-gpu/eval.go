package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

func (p *program) evalVerb() verb {
	return verb{
		name: "eval", args: "RUN", line: "score a run on its test rows, or on others", run: p.eval,
		about: "It reads the run's own test rows again, and warns if they have changed since. A file given with " +
			"--data needs the columns of the training data and the target. docs/glossary.md defines the scores.",
		flags: []flagSpec{
			{group: "Data", name: "data", arg: "FILE",
				help: "rows with their targets; default: the run's own test rows"},
			labelsFlag, gramFlag,
			tableSetFlag, samplesFlag, levelFlag, deviceFlag, precisionFlag, jsonFlag,
		},
		keys: dialectKeys(),
		examples: []example{
			{"gpdrf-gpu eval runs/powerplant-gpdrf-1", "the scores of the run again"},
			{"gpdrf-gpu eval runs/powerplant-gpdrf-1 --data 2024.csv --json", "its scores on new rows"},
		},
	}
}

// eval scores a run on its own test rows or on the rows of a file.
func (p *program) eval(c *call) error {
	if err := p.join(c); err != nil {
		return err
	}
	guard := p.newExitGuard(p.ctx, p.nothingWritten)
	defer guard.stop()
	path, err := c.argument()
	if err != nil {
		return err
	}
	run, err := rundir.OpenRun(path)
	if err != nil {
		return err
	}
	p.warnUnfinished(run)
	run.Trained = c.atLevel(run.Trained)
	samples := c.count("samples", 1, options.MaxSamples, run.Trained.EvalSamples)
	if c.err != nil {
		return c.err
	}
	dev, precision, err := p.deviceOf(c, run.Result.Device, run.Config.Precision)
	if err != nil {
		return err
	}
	defer dev.Close()

	control, end := p.reading(p.ctx)
	rows, notes, err := testRows(c, run, control)
	if end(); err != nil {
		return guard.endedOr(err)
	}
	p.relayAll(notes)
	p.warnAll(run.Trained.RowWarnings(p.ctx, rows, 1))
	ranks, err := p.sharePrediction(dev, dist.Property{Name: "run", Value: path},
		dist.Property{Name: "samples", Value: strconv.Itoa(samples)},
		dist.Property{Name: "test set", Value: rows.Fingerprint})
	if err != nil {
		return guard.endedOr(err)
	}
	scores, err := p.evaluate(p.ctx, run.Trained, dev, rows,
		fitted.EvaluateOptions{Samples: samples, Draws: run.Config.PredictDraws, Ranks: ranks})
	if err != nil {
		return guard.endedOr(err)
	}
	if err := p.leaveRanks(); err != nil { // NCCL needs the device, which is still open here
		return guard.endedOr(err)
	}
	r := *run.Result
	if _, others := c.text("data"); others {
		r.Data, r.Folds, r.Fold = rows.Name, 0, 0
	}
	r.Precision, r.Failure = precision, ""
	r.Device = dev.Name()
	r.NTest = rows.N()
	r.Fingerprint.Test = rows.Fingerprint
	r.ResultScores = scores.ResultScores
	return p.printScores(&r)
}

func (p *program) printScores(r *rundir.Result) error {
	if err := rundir.CheckScores(r.ResultScores); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(r)
	}
	p.printResult(r)
	return nil
}

// testRows reads the rows of --data, or the test rows of the run.
func testRows(c *call, run *rundir.Run, control data.ReadControl) (rows *data.Dataset, notes []string, err error) {
	labels, _ := c.text("labels")
	table, err := c.tableOptions()
	if err != nil {
		return nil, nil, err
	}
	if file, ok := c.text("data"); ok {
		if rows, notes, err = data.ReadFile(file, data.ReadOptions{Schema: &run.Trained.Schema,
			Labels: labels, TableOptions: table, ReadControl: control}); err != nil {
			return nil, nil, err
		}
		if run.TrainedOn(file, rows) {
			notes = append(notes, fmt.Sprintf(
				"warning: %s: has the training rows, unless it has changed since: scores will be too good", file))
		}
		return rows, notes, c.attachGram(rows, control)
	}
	for _, name := range append([]string{"labels", "gram"}, flagNames(c.verb.keys)...) {
		if _, given := c.text(name); given {
			return nil, nil, c.errorf(name, "needs --data FILE")
		}
	}
	if rows, err = run.TestRows(control); err != nil {
		return nil, nil, fmt.Errorf("the run's own test rows cannot be read; give others with --data FILE: %w", err)
	}
	if rows.Fingerprint != run.Result.Fingerprint.Test {
		notes = append(notes,
			fmt.Sprintf("warning: the test rows have changed since the run was tested "+
				"(fingerprint %.12s…, %.12s… then)",
				rows.Fingerprint, run.Result.Fingerprint.Test))
	}
	return rows, notes, nil
}

// evaluate scores a model on rows, and shows how far it is.
func (p *program) evaluate(ctx context.Context, t *fitted.Model, dev device.Device, rows *data.Dataset,
	how fitted.EvaluateOptions) (*fitted.Scores, error) {
	phase := p.newRowsPhase(rows.N())
	defer phase.end()
	how.Progress = phase.show
	return t.Evaluate(ctx, dev, rows, how)
}

// testedRows reads the test rows of a run again, and refuses rows that have changed.
func (p *program) testedRows(run *rundir.Run) (*data.Dataset, error) {
	rows, err := run.TestRows(p.readControl())
	if err == nil && rows.Fingerprint != run.Result.Fingerprint.Test {
		err = usagef("%s: the test rows have changed since the run was tested: put the old ones back", rows.Path)
	}
	return rows, err
}

// attachGram gives rows the kernel of --gram.
func (c *call) attachGram(rows *data.Dataset, control data.ReadControl) error {
	if path, ok := c.text("gram"); ok {
		return rows.AttachGram(path, control)
	}
	return nil
}
