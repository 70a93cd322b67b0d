// Package gpdrf trains deep Gaussian processes on rows in memory, and predicts with calibrated
// uncertainty.
//
// Train fits a model to Rows: numbers, sequences or both, with targets of a regression or of a
// classification. Model.Predict gives the mean and standard deviation, or the probability of each
// class. Model.Save and Load keep a model in a file, which the program gpdrf-gpu reads and writes,
// too. The same rows, options and seed give the same model, bit for bit, on one kind of processor.
//
// The options are those of the command gpdrf-gpu train; docs/cli.md lists them all. To work on
// files, run folders, checkpoints or cross-validations, use the command. The packages below this
// one are its parts, and may change in any release.
package gpdrf

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	_ "github.com/gpdrf/gpdrf-gpu/device/gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Rows are N rows in memory.
type Rows struct {
	// Columns are the names of the inputs; nil is x0, x1, ….
	Columns []string
	// Inputs [N][D] are the numbers of each row; nil where a row is a sequence alone.
	Inputs [][]float64
	// Sequences [N] are DNA, proteins, text or whole numbers between blanks; nil for none.
	Sequences []string
	// Tokens names the alphabet of the sequences, such as "dna" or "words"; "" detects it.
	Tokens string
	// Values [N] are the targets of a regression. Predict ignores them.
	Values []float64
	// Classes [N] are the targets of a classification. Predict ignores them.
	Classes []string
}

// Kind is what a model consists of.
type Kind string

// The kinds of models.
const (
	GPDRF Kind = "gpdrf" // a GP layer with random-feature layers above it, the default
	GP    Kind = "gp"    // the GP layer alone: a sparse Gaussian process
	DRF   Kind = "drf"   // the random-feature layers alone
)

// Options say how Train works. The zero value has good defaults.
type Options struct {
	Kind      Kind          // "" is GPDRF
	Steps     int           // training steps; 0 is the default of the command, 15000 for numbers
	TimeLimit time.Duration // trains for so long in place of Steps; 0 is no limit
	Seed      uint64        // of everything random; 0 is the default of the command, 1
	Device    string        // "auto" or "" is the first GPU, or the CPU; "cpu", "cuda:1", "cpu:f64"

	// Set has further options of gpdrf-gpu train by name, such as "kernel": "matern32". Options
	// about files are errors.
	Set map[string]string

	Progress func(Progress)    // is called every few steps; nil for none
	Note     func(line string) // gets the notes and warnings of training; nil for none
}

// Progress is how far a training is.
type Progress struct {
	Step, Steps int
	ELBO        float64 // the bound in nats for all rows, estimated on one batch
	Elapsed     time.Duration
}

// Model is a trained model.
type Model struct {
	// Device is where Predict computes, as in Options.
	Device string

	trained *fitted.Trained
}

// Train fits a model. If ctx ends before the first step is done, its cause is the error. If it ends
// later, Train returns the model so far, and the cause of ctx as the error.
func Train(ctx context.Context, rows Rows, o Options) (*Model, error) {
	started := time.Now()
	cfg, err := o.config()
	if err != nil {
		return nil, err
	}
	ds, err := data.FromRows(data.Rows(rows))
	if err != nil {
		return nil, err
	}
	kept, held, notes, err := cfg.HoldOut(ds, data.Watch{Context: ctx})
	if err != nil {
		return nil, err
	}
	dev, err := open(cfg.Device)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	precision := string(device.Relax(dev, device.Precision(cfg.Precision)))
	cfg = cfg.With("device", dev.Name()).With("precision", precision)
	r := reporter{o: o}
	for _, n := range notes {
		r.Note("%s", n)
	}
	job := &train.Job{Config: cfg, Device: dev, Train: kept, Validation: held, Started: started, Reporter: &r}
	out, err := job.Run(ctx)
	if err != nil {
		return nil, err
	}
	if out.Rising {
		r.Note("%s", rundir.Rising)
	}
	m := &Model{Device: o.Device, trained: out.Trained}
	if out.End == train.Interrupted {
		return m, context.Cause(ctx)
	}
	return m, nil
}

// config are the options as the command knows them.
func (o Options) config() (*options.Config, error) {
	var settings []options.Setting
	set := func(key, text string) {
		settings = append(settings, options.Setting{Key: key, Text: text, From: "gpdrf.Options"})
	}
	if o.Kind != "" {
		set("model", string(o.Kind))
	}
	if o.Steps != 0 {
		set("steps", strconv.Itoa(o.Steps))
	}
	if o.TimeLimit != 0 {
		set("time-limit", o.TimeLimit.String())
	}
	if o.Seed != 0 {
		set("seed", strconv.FormatUint(o.Seed, 10))
	}
	if o.Device != "" {
		set("device", o.Device)
	}
	for _, key := range slices.Sorted(maps.Keys(o.Set)) {
		if why := notHere(key); why != "" {
			return nil, fmt.Errorf("gpdrf.Options: %s: %s", key, why)
		}
		set(key, o.Set[key])
	}
	return options.Resolve(nil, settings)
}

// notHere says why an option of the command is not for Options.Set; "" if it is.
func notHere(key string) string {
	fields := map[string]string{"model": "Kind", "steps": "Steps", "time-limit": "TimeLimit",
		"seed": "Seed", "device": "Device"}
	if fields[key] != "" {
		return "set the field " + fields[key] + " instead"
	}
	switch o := options.Find(key); {
	case o == nil, key == "scaling", key == "target-scaling", key == "codebook":
	case o.Group == "Data":
		return "is about files, and the rows are in memory: leave it out"
	case key == "checkpoint-every":
		return "is about run folders: leave it out"
	}
	return ""
}

// open opens a device by name.
func open(name string) (device.Device, error) {
	if name == "" || name == "auto" {
		dev, _, err := device.OpenAuto()
		return dev, err
	}
	return device.Open(name)
}

// Load reads a model from a file of Save, or model.safetensors of a run folder.
func Load(path string) (*Model, error) {
	t, err := fitted.ReadModel(path)
	if err != nil {
		return nil, err
	}
	return &Model{trained: t}, nil
}

// Save writes the model. The file appears whole or not at all.
func (m *Model) Save(path string) error {
	return atomicfile.WriteFile(path, func(w io.Writer) error { return m.trained.WriteModel(w) })
}

// Classes are the classes of a classification in the order of Prediction.Probabilities; nil for a
// regression.
func (m *Model) Classes() []string { return slices.Clone(m.trained.Schema.Classes) }

// Predict predicts rows. Columns are matched by name; without names they are taken in the order of
// training.
func (m *Model) Predict(ctx context.Context, rows Rows) (*Prediction, error) {
	t := m.trained
	if targets := t.Schema.Outputs(); len(targets) > 1 {
		return nil, fmt.Errorf("the model has the targets %s: gpdrf-gpu predict writes them all",
			strings.Join(targets, ", "))
	}
	given, err := data.Rows(rows).Given(t.Schema)
	if err != nil {
		return nil, err
	}
	ds, err := t.Schema.Rows(given)
	if err != nil {
		return nil, err
	}
	dev, err := open(m.Device)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	p, distances, err := t.PredictFar(ctx, dev, ds, t.EvalSamples)
	if err != nil {
		return nil, err
	}
	return newPrediction(t, p, distances), nil
}

// reporter passes the reports of a training on to the functions of Options.
type reporter struct{ o Options }

func (r *reporter) Note(format string, args ...any) {
	if r.o.Note != nil {
		r.o.Note(fmt.Sprintf(format, args...))
	}
}

func (*reporter) Doing(string, float64) {}
func (*reporter) Begin(int)             {}
func (*reporter) End()                  {}

func (r *reporter) Step(p rundir.Progress) {
	if r.o.Progress != nil {
		r.o.Progress(Progress{Step: p.Step, Steps: p.Total, ELBO: p.ELBO, Elapsed: p.Elapsed})
	}
}
