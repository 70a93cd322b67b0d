// Package gpdrf trains deep Gaussian processes on rows in memory, and predicts with calibrated uncertainty.
//
// Train fits a Model to Rows: numbers, sequences or both, with targets of a regression or of a classification.
// Model.Predict gives the mean and standard deviation, or the probability of each class. Model.Evaluate scores the
// model on rows with known targets, and Model.Suggest chooses the rows to measure next. Model.Save and Load keep a
// model in a file, which the program gpdrf-gpu reads and writes, too. Options.WarmStart trains a model further on new
// rows.
//
// The options are those of the command gpdrf-gpu train. docs/cli.md lists them all, and errors name them. The same
// rows, options and seed give the same model, bit for bit, on one kind of processor. To work on files, run folders,
// checkpoints or cross-validations, use the command.
//
// Shapes stand in brackets: N rows, D inputs, T targets, C classes. Bad input is an InputError. Errors about Rows count
// them from 1; indices of rows, such as Suggestion.Row, count from 0.
//
// Several goroutines may use a Model. The number of threads is GOMAXPROCS. The packages below this one are its parts,
// and may change in any release.
package gpdrf

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	_ "github.com/gpdrf/gpdrf-gpu/device/gpu"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/best"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Options are the options of Train. A field that is zero has the default of the command. The defaults below are for
// tables of numbers; docs/defaults.md has those for other rows.
type Options struct {
	Model       ModelKind  // layers of the model; "" is ModelGPDRF
	Preset      Preset     // values of the options that are not set; "" is PresetDefault
	Kernel      string     // such as "matern32" or "spectrum:3"; "" is "rbf" for numbers, or chosen for sequences
	Likelihood  Likelihood // "" is chosen by the targets, and by held-out rows between the noise of numbers
	Objective   Objective  // "" is ObjectiveAuto, or chosen by the sizes if Steps or KLWeight is set
	KLWeight    float64    // weight of the KL terms in the objective; 0 is 1, or chosen by held-out rows
	Inducing    int        // number of inducing points of the GP layer; 0 is 200
	Latents     int        // number of latent functions of the GP layer; 0 is chosen by the outputs and Layers
	Layers      int        // number of random-feature layers; 0 is 1, or 2 where rows outnumber the parameters
	Features    int        // number of frequencies of each layer, each with a cosine and a sine; 0 is 100 to 400
	Batch       int        // number of rows of a step; 0 is 256
	LR          float64    // learning rate of Adam; 0 is 0.02
	Validation  float64    // share of the rows, from 0 to 0.5, held out to evaluate the model during training
	Conformal   bool       // hold out a fifth of the rows for conformal intervals, or sets of classes
	Ensemble    int        // number of models, each with its own seed, whose mean predicts; 0 is 1
	EvalSamples int        // number of samples of a prediction; 0 is 100

	// Steps is the number of training steps. 0 is 15000, or 20000 for two layers; attempts take a part of them, and
	// may choose fewer.
	Steps     int
	TimeLimit time.Duration // time of the training, in place of Steps
	Seed      uint64        // seed of all random numbers; 0 means seed 1
	Device    string        // "auto" or "" is the first GPU, or the CPU; "cpu", "cuda:1", "cpu:f64"

	// WarmStart is a model of Train or Load. Training continues from its parameters, options and scales, for a fifth of
	// its steps unless Steps or TimeLimit is set. The rows must have its columns, targets and classes.
	WarmStart *Model

	// Extra has the options without a field, by their names in docs/cli.md, such as "lengthscales": "ard" (one
	// length-scale for each input and latent function). Options about files are errors.
	Extra map[string]string

	Progress func(Progress)    // called every few steps, if not nil
	Note     func(line string) // called with each note and warning of training, if not nil
}

// Progress is the state of a training. With Options.Ensemble or PresetBest, Step and Steps count models, and there is
// no objective.
type Progress struct {
	Step, Steps int           // number of steps done, and of all steps
	Objective   float64       // objective that training maximises, in nats for all rows, estimated on one batch
	IsELBO      bool          // Objective is the evidence lower bound
	Elapsed     time.Duration // time since the call of Train
}

// Train fits a model. All rows train it, except those that Options.Validation and Options.Conformal hold out: unlike
// the command, Train leaves none for a test.
//
// If ctx is cancelled before the first step is done, Train returns the cause of ctx as the error. If it is cancelled
// later, Train returns the model so far, and the cause of ctx; of several models, by Ensemble or PresetBest, there is
// none until all are trained. Short attempts that choose the objective come before the first step: set TimeLimit to
// have a model in time.
func Train(ctx context.Context, rows Rows, o Options) (m *Model, err error) {
	defer func() { err = asInput(err) }()
	started := time.Now()
	given, err := o.settings()
	if err != nil {
		return nil, err
	}
	cfg, err := o.config(given)
	if err != nil {
		return nil, err
	}
	var ds *data.Dataset
	if o.WarmStart == nil {
		ds, err = data.FromRows(data.Rows(rows))
	} else {
		cfg, ds, err = o.WarmStart.warmStart(cfg, rows)
	}
	if err != nil {
		return nil, err
	}
	cfg, targetNotes, err := cfg.ResolveTarget(ds)
	if err != nil {
		return nil, err
	}
	parts, notes, err := cfg.SplitRows(ds, data.ReadControl{Context: ctx})
	if err != nil {
		return nil, err
	}
	dev, err := openDevice(cfg.Device)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	precision := string(device.SetPrecision(dev, device.Precision(cfg.Precision)))
	cfg.Device, cfg.Precision = dev.Name(), precision
	r := &reporter{o: o}
	for _, n := range slices.Concat(targetNotes, notes) {
		r.Note("%s", n)
	}
	job := &train.Job{Config: cfg, Device: dev, Train: parts.Train, Validation: parts.Validation,
		Conformal: parts.Conformal, Started: started, Reporter: r}
	if best.TrainsSeveral(cfg) {
		return o.trainSeveral(ctx, job, given)
	}
	return o.trainOne(ctx, job)
}

// trainOne trains one model, by the rows and the device of a job.
func (o Options) trainOne(ctx context.Context, job *train.Job) (*Model, error) {
	if o.WarmStart != nil {
		job.From = o.WarmStart.trained
	}
	out, err := job.Run(ctx)
	if err != nil {
		return nil, err
	}
	if out.Rising {
		job.Reporter.Note("warning: %s", rundir.RisingWarning(out.Config))
	}
	m := &Model{device: o.Device, trained: out.Trained}
	m.trained.Options, m.trained.Steps = string(out.Config.YAML()), out.Steps
	if out.StopReason == train.Interrupted {
		return m, context.Cause(ctx)
	}
	return m, nil
}

var wordStart = regexp.MustCompile("([A-Za-z])([A-Z][a-z])")

// keyOf returns the name of the option of a field: KLWeight is kl-weight.
func keyOf(f reflect.StructField) string {
	return strings.ToLower(wordStart.ReplaceAllString(f.Name, "$1-$2"))
}

// settings returns the options as options of the command.
func (o Options) settings() (given []options.Setting, err error) {
	set := func(key, text string) {
		given = append(given, options.Setting{Key: key, Text: text, From: options.ByLibrary})
	}
	for f, value := range reflect.ValueOf(o).Fields() {
		if key := keyOf(f); options.Find(key) != nil && !value.IsZero() {
			set(key, fmt.Sprint(value))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o.Extra)) {
		if why := refusal(key); why != "" {
			return nil, inputErrorf(key, "gpdrf.Options: %s: %s", key, why)
		}
		set(key, o.Extra[key])
	}
	return given, nil
}

// config returns the Config of options of the command.
func (o Options) config(given []options.Setting) (c options.Config, err error) {
	if c, err = options.Resolve(nil, given); err != nil {
		return c, err
	}
	if best.TrainsSeveral(c) {
		if err := best.CheckOptions(c); err != nil {
			return c, err
		}
	}
	return c, c.CheckNeeds()
}

// refusal returns the reason why an option of the command is not for Options.Extra; "" if it is.
func refusal(key string) string {
	option := options.Find(key)
	for f := range reflect.TypeFor[Options]().Fields() {
		if option != nil && keyOf(f) == key {
			return "set the field " + f.Name + " instead"
		}
	}
	switch {
	case key == "from":
		return "set the field WarmStart instead"
	case option == nil, key == "scaling", key == "target-scaling", key == "codebook", key == "order":
	case option.Group == "Data":
		return "is about files, and the rows are in memory: leave it out"
	case key == "checkpoint-every":
		return "is about run folders: leave it out"
	}
	return ""
}

// reporter passes the reports of a training to the functions of Options.
type reporter struct {
	train.Silent
	o Options
}

func (r *reporter) Note(format string, args ...any) {
	if r.o.Note != nil {
		r.o.Note(fmt.Sprintf(format, args...))
	}
}

func (r *reporter) Step(p rundir.Progress) {
	if r.o.Progress != nil {
		r.o.Progress(Progress{Step: p.Step, Steps: p.Total, Objective: p.Objective, IsELBO: p.IsELBO,
			Elapsed: p.Elapsed})
	}
}
