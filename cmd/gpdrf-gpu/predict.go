package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

func (p *program) predictVerb() verb {
	return verb{
		name: "predict", args: "RUN", line: "predict the rows of a file", run: p.predict,
		about: "RUN is a run folder, or its model.safetensors alone. Columns are matched to those of training by " +
			"name, or by position without a header. The output has a row for each row of FILE, in the same order. A " +
			"regression has the target's mean and sd, and the quantiles " +
			strings.Join(predict.QuantileColumns(), " ") + ". The parts of its " +
			"variance are var_aleatoric (noise) and var_epistemic (uncertainty of the model). A classification has " +
			"label, p_<class> for each class, entropy in nats, and bhattacharyya, which is large for confident " +
			"predictions. A distance above 1 marks a row unlike the training rows. A run with --conformal adds lower " +
			"and upper, or the set of classes. A column that names the rows comes first, and a target that FILE has " +
			"comes last. docs/predictions.md has the columns in a table.",
		flags: []flagSpec{
			{group: "Data", name: "data", arg: "FILE", help: "the rows, in a format of docs/data.md"},
			idFlag, gramFlag, tableSetFlag, outFlag, formatFlag,
			{group: "Output", name: "skip-bad", arg: "FILE.csv",
				help: "leave out rows that cannot be read, and write them here with their lines and reasons"},
			samplesFlag, levelFlag,
			{group: "Prediction", name: "draws", arg: "T",
				help: "take the normal with the moments of T draws, as in the paper; default: the closed form"},
			{group: "Prediction", name: "seed", arg: "N", help: "seed of the draws; default: the seed of the run"},
			deviceFlag, precisionFlag,
		},
		keys: dialectKeys(),
		examples: []example{
			{"gpdrf-gpu predict runs/powerplant-gpdrf-1 --data new.csv --out predictions.csv", "a table"},
			{"gpdrf-gpu predict runs/powerplant-gpdrf-1 --data new.csv | head -3", "a look"},
			{"gunzip -c big.csv.gz | gpdrf-gpu predict runs/powerplant-gpdrf-1 --data - " +
				"--out all.parquet", "any number of rows, by streaming"},
			{"gpdrf-gpu predict runs/powerplant-gpdrf-1 --data new.csv --out all.csv " +
				"--skip-bad bad.csv", "bad rows apart, with the reasons"},
		},
	}
}

// predictRequest holds the parsed options of a call of predict.
type predictRequest struct {
	path, in, out, format           string
	trained                         *fitted.Model
	trainedDevice, trainedPrecision string // the device and precision of the training
	samples, draws                  int
	seed                            uint64
	table                           data.TableOptions
	bad                             *badRows
}

// parsePredict reads the flags of predict, and the model.
func (p *program) parsePredict(c *call) (r *predictRequest, err error) {
	r = &predictRequest{}
	if r.path, err = c.argument(); err != nil {
		return nil, err
	}
	given := false
	if r.in, given = c.text("data"); !given {
		return nil, usagef("predict needs --data FILE, the rows to predict")
	}
	if r.out, r.format, err = c.output(r.in); err != nil {
		return nil, err
	}
	if r.in == "-" && p.joined() {
		return nil, usagef("--data -: several processes read the rows, each by itself: give a file")
	}
	run, err := p.openModel(r.path)
	if err != nil {
		return nil, err
	}
	r.trained, r.trainedDevice, r.trainedPrecision = run.Trained, run.Result.Device, run.Config.Precision
	if err := r.readDraws(c); err != nil {
		return nil, err
	}
	r.trained = c.atLevel(r.trained)
	if r.table, err = c.tableOptions(); err != nil {
		return nil, err
	}
	r.bad, err = c.badRows(r.in, r.out)
	return r, err
}

// readDraws reads the numbers of samples and draws, and the seed.
func (r *predictRequest) readDraws(c *call) error {
	r.samples = c.count("samples", 1, options.MaxSamples, r.trained.EvalSamples)
	r.draws = c.count("draws", 2, 1_000_000, 0)
	if r.draws > 0 && r.trained.Schema.Task != data.Regression {
		return usagef("--draws: is for regression: class probabilities need no draws")
	}
	if r.draws > 0 && r.trained.PredictsCounts() {
		return usagef("--draws: puts a normal in place of a prediction, and counts have none: leave it out")
	}
	r.seed = c.seed(r.trained.Seed)
	if _, given := c.text("seed"); c.err == nil && given && r.draws == 0 {
		return usagef("--seed: has no effect without --draws: give --draws T too")
	}
	return c.err
}

func (c *call) seed(def uint64) uint64 {
	return valueOf(c, "seed", def, func(text string) (uint64, error) {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			err = fmt.Errorf("%q is not a whole number from 0 to 18446744073709551615", text)
		}
		return seed, err
	})
}

func (c *call) atLevel(t *fitted.Model) *fitted.Model {
	return valueOf(c, "level", t, func(text string) (*fitted.Model, error) {
		level, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return t.WithLevel(level)
	})
}

// predict writes a prediction for each row of a file.
func (p *program) predict(c *call) error {
	if err := p.join(c); err != nil {
		return err
	}
	var files []string // the files that are being written
	guard := p.newExitGuard(p.ctx, func() error {
		for _, path := range files {
			atomicfile.Abandon(path)
		}
		return p.nothingWritten()
	})
	defer guard.stop()
	r, err := p.parsePredict(c)
	if err != nil {
		return err
	}
	dev, _, err := p.deviceOf(c, r.trainedDevice, r.trainedPrecision)
	if err != nil {
		return err
	}
	defer dev.Close()
	if p.isWorker() { // rank 0 alone writes
		r.out = "-"
		if r.bad != nil {
			r.bad.path = ""
		}
	}
	ranks, err := p.sharePrediction(dev, dist.Property{Name: "run", Value: r.path},
		dist.Property{Name: "data", Value: r.in}, dist.Property{Name: "samples", Value: strconv.Itoa(r.samples)},
		dist.Property{Name: "draws", Value: strconv.Itoa(r.draws)})
	if err != nil {
		return guard.endedOr(err)
	}
	control, end := p.reading(p.ctx)
	defer end()
	rows, err := c.rowsToPredict(r.in, r.trained.Schema, r.table, control, r.bad)
	if err != nil {
		return guard.endedOr(err)
	}
	defer rows.Close()
	guard.set(func() { files = r.bad.files(r.out) })
	stream := &predict.Stream{Trained: r.trained, Device: dev, Samples: r.samples, Draws: r.draws,
		Seed: r.seed, Options: fitted.PredictOptions{Ranks: ranks, Distances: true}}
	return p.predictRows(stream, r, rows, guard, end)
}

// predictRows predicts rows while they are read, and prints the notes about them. endReading takes the bar of reading
// away.
func (p *program) predictRows(stream *predict.Stream, r *predictRequest, rows *data.Stream, guard *exitGuard,
	endReading func()) error {
	p.relayAll(rows.Notes())
	if all := rows.All(); all != nil {
		endReading()
		phase := p.newRowsPhase(all.N())
		defer phase.end()
		stream.Options.Progress = phase.show
	}
	err := p.writePredictions(r, rows, guard, func(w io.Writer) error {
		return stream.Run(p.ctx, rows, predict.NewWriter(w, r.format))
	})
	endReading()
	switch {
	case hasEnded(err):
		return err
	case err != nil && p.ctx.Err() != nil:
		return p.nothingWritten()
	case err == nil:
		err = p.leaveRanks() // NCCL needs the device, which is still open here
	}
	if err != nil {
		return err
	}
	p.relayAll(rows.Notes())
	p.warnAll(stream.Warnings())
	if bad := r.bad; bad != nil && bad.rows > 0 {
		p.warn("%s: %d rows could not be read and are not predicted", bad.path, bad.rows)
	}
	return nil
}

// writePredictions calls write with the output, and writes the bad rows to their file.
func (p *program) writePredictions(r *predictRequest, rows *data.Stream, guard *exitGuard,
	write func(io.Writer) error) error {
	if r.out == "-" {
		return r.bad.writeWith(rows, func() error { return write(p.out) })
	}
	if err := guard.disarm(); err != nil {
		return err
	}
	defer context.AfterFunc(p.ctx, func() { // this ends work that does not watch the context
		time.Sleep(time.Second)
		p.exit(guard.ended())
	})()
	predictions := func(_, name string) bool { // what a temporary file was to become
		return slices.Contains(predict.Formats(), strings.TrimPrefix(filepath.Ext(name), "."))
	}
	for _, removed := range atomicfile.RemoveDead(filepath.Dir(r.out), "", predictions) {
		p.note("%s: removed: the command that wrote it was killed", removed)
	}
	return r.bad.writeWith(rows, func() error {
		return atomicfile.WriteFile(r.out, func(w io.Writer) error { return write(ctxWriter{p.ctx, w}) })
	})
}

// rowsToPredict opens a file of rows. With --gram all rows are read at once.
func (c *call) rowsToPredict(path string, s data.Schema, o data.TableOptions, control data.ReadControl,
	bad *badRows) (*data.Stream, error) {
	gram, ok := c.text("gram")
	if !ok {
		return data.OpenStream(path, s, o, control, bad.callback())
	}
	rows, err := data.OpenWhole(path, s, o, control)
	if err != nil {
		return nil, err
	}
	return rows, rows.All().AttachGram(gram, control)
}

// ctxWriter is a writer that fails once a context is done.
type ctxWriter struct {
	ctx context.Context
	to  io.Writer
}

func (w ctxWriter) Write(text []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(text)
}

// output returns the file of --out, and its format, one of predict.Formats.
func (c *call) output(in string) (path, format string, err error) {
	path, ok := c.text("out")
	if !ok {
		path = "-"
	}
	format, given := c.text("format")
	known := strings.Join(predict.Formats(), ", ")
	switch ending := strings.TrimPrefix(filepath.Ext(path), "."); {
	case given && !slices.Contains(predict.Formats(), format):
		return "", "", usagef("--format: there is no %q: give one of %s", format, known)
	case given:
	case path == "-":
		format = predict.CSV
	case slices.Contains(predict.Formats(), ending):
		format = ending
	default:
		return "", "", usagef("--out: %q must end in .csv, .jsonl, .parquet or .arrow, or be -; or give --format", path)
	}
	if path != "-" {
		if err := checkPlace("--out", path); err != nil {
			return "", "", err
		}
	}
	if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
		return "", "", usagef("--out: %s is a folder: give a file", path)
	}
	if sameFile(in, path) {
		return "", "", usagef("--out: %s is the file of --data: give another", path)
	}
	return path, format, nil
}

// checkPlace refuses a file of a flag whose folder does not exist, or which is a run's own.
func checkPlace(flag, path string) error {
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return usagef("%s: there is no folder %s: make it, or give another", flag, folder)
	}
	if rundir.OwnsFile(path) {
		return usagef("%s: %s is a file of a run: give another", flag, path)
	}
	return nil
}

// openModel calls rundir.OpenModel, and warns if the run is not finished.
func (p *program) openModel(path string) (*rundir.Run, error) {
	run, err := rundir.OpenModel(path)
	if err != nil {
		return nil, err
	}
	p.warnUnfinished(run)
	return run, nil
}
