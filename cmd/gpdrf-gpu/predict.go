package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// predict writes a prediction for each row of a file.
func (p *program) predict(c *call) error {
	if err := p.join(c); err != nil {
		return err
	}
	var files []string // that are being written
	guard := p.newExitGuard(p.ctx, func() error { return p.abandoned(files...) })
	defer guard.stop()
	path, err := c.argument()
	if err != nil {
		return err
	}
	in, ok := c.text("data")
	if !ok {
		return usagef("predict needs --data FILE, the rows to predict")
	}
	out, format, err := c.output(in)
	if err != nil {
		return err
	}
	if in == "-" && p.joined() {
		return usagef("--data -: several processes read the rows, each by itself: give a file")
	}
	trained, trainedOn, trainedAt, err := p.openTrained(path)
	if err != nil {
		return err
	}
	samples, err := c.count("samples", 1, maxSamples, trained.EvalSamples)
	if err != nil {
		return err
	}
	draws, err := c.count("draws", 2, 1_000_000, 0)
	if err != nil {
		return err
	}
	if draws > 0 && trained.Schema.Task != data.Regression {
		return usagef("--draws: is for regression: class probabilities need no draws")
	}
	seed := trained.Seed
	if value, ok := c.text("seed"); ok {
		if seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			return usagef("--seed: %q is not a whole number from 0 to 18446744073709551615", value)
		}
		if draws == 0 {
			return usagef("--seed: has no effect without --draws: give --draws T too")
		}
	}
	dev, _, err := c.deviceOf(p, trainedOn, trainedAt)
	if err != nil {
		return err
	}
	defer dev.Close()
	table, err := c.tableOptions()
	if err != nil {
		return err
	}
	bad, err := c.badRows(in, out)
	if err != nil {
		return err
	}
	if p.follows() { // rank 0 writes
		out = "-"
		bad.silence()
	}
	ctx, err := p.sharePrediction(dev, dist.Fact{Name: "run", Value: path}, dist.Fact{Name: "data", Value: in},
		dist.Fact{Name: "samples", Value: strconv.Itoa(samples)}, dist.Fact{Name: "draws", Value: strconv.Itoa(draws)})
	if err != nil {
		return guard.unless(err)
	}
	watch, end := p.reading(p.ctx)
	defer end()
	rows, err := c.rowsToPredict(in, trained.Schema, table, watch, bad)
	if err != nil {
		return guard.unless(err)
	}
	defer rows.Close()
	p.notes(rows)
	stream := &predict.Stream{Trained: trained, Device: dev, Samples: samples, Draws: draws,
		Seed: seed, Progress: func(int) {}}
	if rows.Whole() {
		end()
		bar := p.newRowsBar(rows.All().N())
		defer bar.end()
		stream.Progress = bar.show
	}
	write := func(w io.Writer) error { return stream.Run(ctx, rows, predict.NewWriter(w, format)) }
	guard.write(func() error { files = bad.files(out); return nil })
	if out == "-" {
		err = bad.beside(rows, func() error { return write(p.out) })
	} else {
		guard.end()
		defer context.AfterFunc(p.ctx, func() { // where nothing heeds the context
			time.Sleep(time.Second)
			guard.now()
		})()
		for _, removed := range atomicfile.RemoveDead(filepath.Dir(out), isPredictions) {
			p.note("%s: removed: the command that wrote it was killed", removed)
		}
		err = bad.beside(rows, func() error {
			return atomicfile.WriteFile(out, func(w io.Writer) error { return write(untilDone{p.ctx, w}) })
		})
	}
	end()
	if err != nil && p.ctx.Err() != nil {
		return p.nothing()
	}
	if err == nil {
		err = p.leave() // while there is the device, on which NCCL works
	}
	if err == nil {
		p.notes(rows)
		if warning := stream.Warning(); warning != "" {
			p.note("%s", warning)
		}
		bad.tell(p)
	}
	return err
}

// rowsToPredict opens a file, whose rows all come at once where they have a kernel of their own.
func (c *call) rowsToPredict(path string, s data.Schema, o data.TableOptions, w data.Watch,
	bad *badRows) (*data.Stream, error) {
	gram, ok := c.text("gram")
	if !ok {
		return data.OpenStream(path, s, o, w, bad.take())
	}
	rows, err := data.OpenWhole(path, s, o, w)
	if err != nil {
		return nil, err
	}
	return rows, rows.All().AttachGram(gram, w)
}

// notes says what was found out about rows.
func (p *program) notes(rows *data.Stream) {
	for _, n := range rows.Notes() {
		p.note("%s", n)
	}
}

// isPredictions reports whether a temporary was meant to be a file of predictions.
func isPredictions(_, name string, info fs.FileInfo) bool {
	return info.Mode().IsRegular() && slices.Contains(predict.Formats(), strings.TrimPrefix(filepath.Ext(name), "."))
}

// untilDone is a writer that fails once a context is done.
type untilDone struct {
	ctx context.Context
	to  io.Writer
}

func (w untilDone) Write(text []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(text)
}

// output is where to write, and in which of predict.Formats.
func (c *call) output(in string) (path, format string, err error) {
	path, ok := c.text("out")
	if !ok {
		return "", "", usagef("predict needs --out FILE.csv, FILE.jsonl, FILE.parquet, FILE.arrow or -")
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
	if folder, err := os.Stat(filepath.Dir(path)); path != "-" && (err != nil || !folder.IsDir()) {
		return "", "", usagef("--out: there is no folder %s: make it, or give another", filepath.Dir(path))
	}
	a, errA := os.Stat(in)
	b, errB := os.Stat(path)
	if path != "-" && errB == nil && b.IsDir() {
		return "", "", usagef("--out: %s is a folder: give a file", path)
	}
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return "", "", usagef("--out: %s is the file of --data: give another", path)
	}
	return path, format, nil
}

// openTrained reads the model of a run folder, or a model file by itself.
func (p *program) openTrained(path string) (t *fitted.Trained, trainedOn, trainedAt string, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() && filepath.Ext(path) == filepath.Ext(rundir.ModelFile) {
		t, err = fitted.ReadModel(path)
		return t, "auto", string(device.Highest), err
	}
	run, err := rundir.OpenRun(path)
	if err != nil {
		return nil, "", "", err
	}
	p.warnUnfinished(run)
	return run.Trained, run.Result.Device, run.Config.Precision, nil
}
