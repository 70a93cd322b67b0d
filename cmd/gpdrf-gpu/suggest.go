package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

func (p *program) suggestVerb() verb {
	return verb{
		name: "suggest", args: "RUN", line: "rank candidate rows to measure next", run: p.suggest,
		about: "It ranks the rows of a file by an acquisition function. ei is the expected improvement on the best " +
			"value so far, ucb the mean plus two standard deviations. thompson is the maximum of a posterior sample. " +
			"variance and bald are for a better model: the highest uncertainty, and the most information. Each row " +
			"of a batch is chosen given those before it, by joint samples. Rows of FILE with a target are no " +
			"candidates: ei improves on the best of them, or else on the best training target. The output has the " +
			"best suggestion first: its rank, its number in FILE from 1, its name, its value, and its prediction. " +
			"docs/suggest.md has the details.",
		flags: []flagSpec{
			{group: "Data", name: "data", arg: "FILE", help: "the candidates, in a format of docs/data.md"},
			{group: "Data", name: "target", arg: "COL", help: "the target, if the model has several"},
			idFlag, gramFlag, tableSetFlag,
			{group: "Search", name: "how", arg: strings.Join(predict.Acquisitions(), "|"),
				help: "acquisition function; default: ei for numbers, and bald for classes"},
			{group: "Search", name: "batch", arg: "N", help: "rows to suggest",
				def: strconv.Itoa(predict.SuggestBatch)},
			{group: "Search", name: "minimize", arg: switchArg,
				help: "minimize the target"},
			{group: "Search", name: "feasible", arg: "RUN2",
				help: "a model of the constraint: feasible rows have the second of two classes, or a target of 0 or " +
					"more"},
			{group: "Search", name: "seed", arg: "N", help: "seed of the joint samples; default: the seed of the run"},
			{group: "Prediction", name: "samples", arg: "S", help: "number of joint samples",
				def: strconv.Itoa(predict.SuggestSamples)},
			deviceFlag, precisionFlag, outFlag, formatFlag, jsonFlag,
		},
		keys: dialectKeys(),
		examples: []example{
			{"gpdrf-gpu suggest runs/power-gpdrf-1 --data examples/power-new.csv",
				"ten rows that may beat the best so far"},
			{"gpdrf-gpu suggest runs/power-gpdrf-1 --data examples/power-new.csv --how ucb --minimize --batch 3",
				"three rows that may be cheap"},
			{"gpdrf-gpu suggest runs/yield-gp-1 --data candidates.csv --feasible runs/soluble-gp-1",
				"a second model gives the feasibility"},
			{"gpdrf-gpu suggest runs/mail-gpdrf-1 --data unlabelled.csv --how bald --out label-these.csv",
				"the most informative rows to label"},
		},
	}
}

// suggestRequest holds the parsed options of a call of suggest.
type suggestRequest struct {
	predict.Suggester
	feasible                        *fitted.Model // nil without --feasible
	in, out, format                 string
	trainedDevice, trainedPrecision string
	table                           data.TableOptions
}

// suggest ranks rows by the worth of measuring them.
func (p *program) suggest(c *call) error {
	guard := p.newExitGuard(p.ctx, p.nothingWritten)
	defer guard.stop()
	r, err := p.parseSuggest(c)
	if err != nil {
		return err
	}
	if r.Device, _, err = p.deviceOf(c, r.trainedDevice, r.trainedPrecision); err != nil {
		return err
	}
	defer r.Device.Close()
	rows, err := p.rowsToSuggest(c, r, r.Trained)
	if err != nil {
		return guard.endedOr(err)
	}
	if r.feasible != nil {
		if r.Feasible, err = p.feasibility(c, r, rows.N()); err != nil {
			return guard.endedOr(err)
		}
	}
	var current *phase
	r.Phase = func(what string, share float64) {
		current = p.nextPhase(current, what)
		current.showFraction(share)
	}
	suggestions, err := r.Run(p.ctx, rows)
	current.end()
	if err != nil {
		return guard.endedOr(err)
	}
	if _, given := c.text("batch"); !given && len(suggestions) < predict.SuggestBatch {
		p.note("there are only %s to choose from", phrase.Plural(len(suggestions), "candidate"))
	}
	improves := func(s predict.Suggestion) bool { return s.Value > 0 }
	if r.Acquisition == predict.EI && !slices.ContainsFunc(suggestions, improves) {
		p.note("no function that was drawn is better than the best so far at any candidate: the rows are in the " +
			"order of their means (--how ucb looks at their spread, too)")
	}
	return p.writeSuggestions(r, r.Table(rows, suggestions), guard)
}

// parseSuggest reads the flags of suggest, and the models.
func (p *program) parseSuggest(c *call) (r *suggestRequest, err error) {
	r = &suggestRequest{out: "-", format: predict.CSV}
	path, err := c.argument()
	if err != nil {
		return nil, err
	}
	given := false
	if r.in, given = c.text("data"); !given {
		return nil, usagef("suggest needs --data FILE, the candidates")
	}
	_, out := c.text("out")
	_, format := c.text("format")
	switch {
	case p.json && (out || format):
		return nil, usagef("--json: prints on standard output: leave out --out and --format, or use --format jsonl")
	case out:
		r.out, r.format, err = c.output(r.in)
	case format:
		err = usagef("--format: needs --out")
	}
	if err != nil {
		return nil, err
	}
	run, err := p.openModel(path)
	if err != nil {
		return nil, err
	}
	r.Trained, r.trainedDevice, r.trainedPrecision = run.Trained, run.Result.Device, run.Config.Precision
	if other, ok := c.text("feasible"); ok {
		if r.in == "-" {
			return nil, usagef("--data -: two models read the rows, each by itself: give a file")
		}
		second, err := p.openModel(other)
		if err != nil {
			return nil, err
		}
		r.feasible = second.Trained
	}
	if r.table, err = c.tableOptions(); err != nil {
		return nil, err
	}
	if err := r.readSearch(c); err != nil {
		return nil, err
	}
	return r, r.Check()
}

// readSearch reads the way of choosing rows, and their number.
func (r *suggestRequest) readSearch(c *call) error {
	how, _ := c.text("how")
	r.Acquisition = cmp.Or(how, predict.DefaultAcquisition(r.Trained))
	r.Target, _ = c.text("target")
	r.Batch = c.count("batch", 1, 1_000_000, 0) // the default of a Suggester
	r.Samples = c.count("samples", 2, options.MaxSamples, predict.SuggestSamples)
	r.Minimize = c.isOn("minimize")
	r.Seed = c.seed(r.Trained.Seed)
	return c.err
}

// rowsToSuggest reads the candidates in the form of the training rows of a model.
func (p *program) rowsToSuggest(c *call, r *suggestRequest, t *fitted.Model) (*data.Dataset, error) {
	control, end := p.reading(p.ctx)
	defer end()
	stream, err := data.OpenWhole(r.in, t.Schema, r.table, control)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	rows := stream.All()
	if t == r.Trained {
		end()
		p.relayAll(stream.Notes())
		if err := c.attachGram(rows, control); err != nil {
			return nil, err
		}
		p.warnAll(t.RowWarnings(p.ctx, rows, 1))
	}
	return rows, nil
}

// feasibility returns the probability that each row is feasible, by the model of --feasible.
func (p *program) feasibility(c *call, r *suggestRequest, n int) ([]float64, error) {
	rows, err := p.rowsToSuggest(c, r, r.feasible)
	if err != nil {
		return nil, fmt.Errorf("%s: its model: %w", usererror.Flag("feasible"), err)
	}
	if rows.N() != n {
		return nil, usererror.OfFlag("feasible", "its model reads %d rows of %s, and the other %d: both must take the "+
			"same rows", rows.N(), r.in, n)
	}
	return predict.Feasibility(p.ctx, r.feasible, r.Device, rows)
}

// writeSuggestions writes the table to the file of --out, or prints it.
func (p *program) writeSuggestions(r *suggestRequest, table *predict.Table, guard *exitGuard) error {
	if p.json {
		return p.printSuggestions(r, table)
	}
	if r.out == "-" {
		return table.Write(p.out, r.format)
	}
	if err := guard.disarm(); err != nil {
		return err
	}
	err := atomicfile.WriteFile(r.out, func(w io.Writer) error { return table.Write(ctxWriter{p.ctx, w}, r.format) })
	if err != nil && p.ctx.Err() != nil {
		return p.nothingWritten()
	}
	return err
}

// printSuggestions prints JSON: the way of choosing, and the rows with their columns by name.
func (p *program) printSuggestions(r *suggestRequest, table *predict.Table) error {
	var lines strings.Builder
	if err := table.Write(&lines, predict.JSONL); err != nil {
		return err
	}
	rows := strings.ReplaceAll(strings.TrimSpace(lines.String()), "\n", ",")
	return p.printJSON(struct {
		How  string          `json:"how"`
		Rows json.RawMessage `json:"rows"`
	}{r.Acquisition, json.RawMessage("[" + rows + "]")})
}
