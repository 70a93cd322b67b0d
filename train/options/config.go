// Package options holds the options of a run: one Config from flags, a config file, a preset and the defaults. The
// table of table.go makes flags, config files and their help. Methods whose names begin with Resolve decide what the
// rows leave open. The package opens no device, and the only files that it reads are config files and, through data,
// rows.
package options

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Config has all options of a training run, with a field for each. table.go has their keys: the flag --kl-weight, the
// line kl-weight: of a config file. A Config comes from Resolve. Load, ResolveFor and ForSteps return copies that hold
// what depends on the rows and the clock, so that a written Config repeats its run bit for bit. A method with a pointer
// receiver changes the Config.
type Config struct {
	// The source of the rows, and the way to read them.

	data.TableOptions

	Data       string // a named set, or a file, relative to the working directory
	Test       string // a file of test rows; "" holds rows out
	Labels     string // file with the targets of Data; "" finds it if there is one
	TestLabels string // file with the targets of Test
	Folds      int    // number of folds that all rows are split into; 0 is those of a named set
	Fold       int    // number of the test fold; 0 if Data is a file and Folds is 0
	DataDir    string // folder of the named sets; "" is $GPDRF_DATA
	Target     string // column name or number, or several with commas between them; "" finds it
	Task       string // auto, regression, classification
	Order      string // levels of an ordinal target in order, with commas between them; "" is by their numbers
	Validation string // a fraction of the training rows, or a file; "" or 0: no validation
	Scaling    string // one of scaling.Scalings
	Columns    string // inputs that a model makes of columns: Auto, Components or AllColumns
	Targets    string // scaling of the targets: one of scaling.TargetScalings
	Tokens     string // way to cut sequences into symbols: one of data.Tokens
	Sequence   string // column of sequences in a table; "" if rows are sequences alone
	Codebook   int    // number of symbols for sequences of vectors
	Gram       string // npz archive with a kernel of the rows; "" for none

	// The architecture, as far as it does not depend on the rows: Likelihood and KernelSpec may be auto, and Latents
	// are those of a GP-DRF.

	model.Config

	KernelSpec   string // kernel, also of sequences: double:1,5; Kernel of model.Config is of vectors alone
	InducingInit string // auto, kmeans, random, kmedoids
	Projection   int    // P, the number of inputs to which model drf projects features of sequences

	GPLengthscaleFactor  float64 // factor of the initial length-scales of the GP layer; 0 is by the rows
	DRFLengthscaleFactor float64 // factor of those of the random-feature layers; 0 is by the rows

	// The terms of the objective other than the likelihood.

	Objective string // Auto, ELBO or Predictive
	// ClassWeights is none, or Balanced: each class has the same share of the weights.
	ClassWeights string
	DoF          float64 // initial ν of Student's t, above 2
	LearnDoF     bool    // ν is learnt by gradient
	KLWeight     float64 // weight of the KL terms: 1 is the ELBO, others are tempered and no bound
	NoiseInit    float64 // initial variance of the Gaussian likelihood, of a target with sd 1; 0 is by the rows

	// The way in which the objective is maximised. The user gives the length as Steps, Epochs or TimeLimit; a resolved
	// Config has it as Steps.

	Steps      int
	Epochs     float64
	TimeLimit  time.Duration
	PlannedFor string // source of Steps, for the record
	Replanned  string // segments before the one for Steps, for the record
	StopAfter  int    // step at which a run of Steps was cut short; 0 if it was not

	RowsChoseLength bool // rows that were held out chose Steps over a larger number

	Batch        int // B
	Chunk        int // rows of a batch that are computed at once; 0 is the most that fit the device's memory
	LR           float64
	Warmup       int     // steps of linear learning-rate warm-up
	Decay        string  // none, cosine
	KLWarmup     float64 // fraction of the steps over which the KL's weight rises from 0
	FreezeOmega  int     // steps during which q(Ω) does not change
	FreezeKernel int     // steps during which α, ℓ and the noise do not change
	NatGrad      float64 // size of natural-gradient steps of q(F̄), which replace Adam's; 0 is off
	L2           float64 // λ of a coupled penalty: −ELBO/N has the term ½λ‖raw parameters‖²
	AdamBeta1    float64
	AdamBeta2    float64
	AdamEps      float64

	// The device, the start and the output of the run.

	Preset          string // default, best, paper
	Device          string // auto, or a name that device.Open knows
	Seed            uint64
	Ensemble        int    // number of models of equal weight, each with its own seed; 1 is a single model
	Deterministic   bool   // sums of gradients have a fixed order, on 1, 2, 4 and 8 ranks
	Precision       string // a device.Precision; in a run folder, the one that was used
	CheckpointEvery string // a time, or a number of steps; 0 makes one only when the run is interrupted
	StartFrom       string // the run at whose model this one starts; "" for none

	EvalEvery int    // number of steps between two evaluations; 0 is a twentieth of the run
	EarlyStop int    // number of evaluations without improvement that ends the run; 0 never ends it
	Restore   string // best, last: the evaluation whose parameters are kept

	EvalSamples  int // S in prediction
	PredictDraws int // T of pred_ys_mc; 0 takes the mixture's moments in closed form

	Conformal bool    // rows are held out for conformal intervals
	Level     float64 // level of the conformal intervals

	explicit map[string]string // option → where a user gave it
	folder   string            // folder that relative paths start from; "" is the working directory
}

// Setting is the text of one option, with its source.
type Setting struct {
	Key  string `json:"key"`
	Text string `json:"text"`
	From string `json:"from"` // "--batch", BySet, "run.yaml:3:8", "preset paper"
}

// Errorf returns an error about this setting that begins with its source.
func (s Setting) Errorf(format string, args ...any) error {
	name := s.From + ": " + s.Key
	switch s.From {
	case "--" + s.Key:
		name = usererror.Flag(s.Key)
	case "": // no user gave it: for example, a run has it from the run that it starts from
		name = s.Key
	case BySet:
		name = usererror.Key(s.Key)
	}
	return &usererror.Error{Err: fmt.Errorf("%s: "+format, append([]any{name}, args...)...), Option: s.Key}
}

// Errorf returns an error about the value of an option, with the place where a user gave it.
func (c Config) Errorf(key, format string, args ...any) error {
	return Setting{Key: key, From: c.explicit[key]}.Errorf(format, args...)
}

// BySet is the From of a Setting by the flag --set.
const BySet = "--set"

// ByLibrary is the From of a Setting by the library.
const ByLibrary = "gpdrf.Options"

// typed reports whether the option was given on the command line or in the library, and not in a file.
func (c Config) typed(key string) bool {
	return strings.HasPrefix(c.explicit[key], "--") || c.explicit[key] == ByLibrary
}

// Resolve builds a Config from the settings of a config file and of the command line, either of which may be empty. A
// flag beats the file, the file beats the preset, the preset beats the defaults. Errors are *usererror.Error.
func Resolve(file, flags []Setting) (Config, error) {
	file = withoutRemovedPreset(file)
	preset := Setting{Key: "preset", Text: Defaults().Preset, From: "default"}
	for _, s := range slices.Concat(file, flags) {
		if s.Key == "preset" {
			preset = s
		}
	}
	c := Defaults()
	if err := c.set(preset); err != nil {
		return c, err
	}
	if err := checkPresetHasEffect(file, flags, preset); err != nil {
		return c, err
	}
	if err := c.apply(presetSettings(c.Preset)); err != nil {
		return c, err
	}
	c.explicit = map[string]string{} // the settings that follow are the user's
	for _, level := range [][]Setting{file, flags} {
		if err := c.apply(level); err != nil {
			return c, err
		}
	}
	err := c.check() // it may change c
	return c, err
}

// check refuses options that do not fit each other or the model.
func (c *Config) check() error {
	if c.Folds > 0 && c.Fold == 0 && c.Explicit("fold") && (c.typed("fold") || !c.typed("folds")) {
		return c.Errorf("fold", "folds count from 1 to %d: give one of them, or leave it out", c.Folds)
	}
	if c.PredictDraws == 1 {
		return c.Errorf("predict-draws", "a variance needs two draws: give 0, or at least 2")
	}
	if err := c.resolveLognormal(); err != nil {
		return err
	}
	if c.Targets == scaling.LogTargets && c.Likelihood == model.StudentLikelihood {
		return c.Errorf("target-scaling", "log is for the likelihoods gaussian and heteroscedastic: the "+
			"exponential of Student's t has no mean: give another likelihood, or target-scaling: standard")
	}
	fits := c.Targets == scaling.AutoTargets || c.Targets == scaling.NoTargets
	if model.IsCountLikelihood(c.Likelihood) && !fits {
		return c.Errorf("target-scaling", "counts are not scaled: leave it out")
	}
	if err := c.checkSpectra(); err != nil {
		return err
	}
	if err := c.checkObjective(); err != nil {
		return err
	}
	if c.typed("level") && !c.Conformal {
		return c.Errorf("level", "is that of conformal intervals: give %s, too", usererror.Flag("conformal"))
	}
	_, wrong := c.Segments()
	if err := errors.Join(c.checkValidation(), c.checkEvery(), wrong); err != nil {
		return err
	}
	vectorKernels, _ := c.Kernels()
	for _, o := range c.Options() {
		unused := o.Key == "kernel" && c.Model == model.DRF && vectorKernels != nil // it has no kernels of vectors
		if c.Explicit(o.Key) && (unused || !o.Applies(c.Model)) {
			return c.Errorf(o.Key, "model %s has no such option: leave it out, or use model %s", c.Model,
				cmp.Or(o.Models, onGP))
		}
	}
	return nil
}

// CheckNeeds refuses a flag of the user that has no effect, since the other options lack what it needs. The run that
// this one starts at may have that.
func (c Config) CheckNeeds() error {
	for _, o := range c.Options() {
		if c.typed(o.Key) && o.Needs != "" && c.StartFrom == "" {
			return c.Errorf(o.Key, "it has no effect without %s: leave it out, or give that", o.Needs)
		}
	}
	return nil
}

// checkPresetHasEffect refuses a preset of the command line if the config file sets all of its options.
func checkPresetHasEffect(file, flags []Setting, preset Setting) error {
	if len(file) == 0 || !slices.Contains(flags, preset) {
		return nil
	}
	fileKeys := map[string]bool{}
	filePreset := Defaults().Preset
	model := Defaults().Model
	for _, s := range file {
		fileKeys[s.Key] = true
		fileKeys["steps"] = fileKeys["steps"] || IsLength(s.Key)
		if s.Key == "preset" {
			filePreset = s.Text
		}
	}
	for _, s := range slices.Concat(file, flags) {
		if s.Key == "model" {
			model = s.Text
		}
	}
	if preset.Text == filePreset {
		return nil
	}
	for _, s := range slices.Concat(presetSettings(filePreset), presetSettings(preset.Text)) {
		if !fileKeys[s.Key] && !(IsLength(s.Key) && fileKeys["steps"]) && Find(s.Key).Applies(model) {
			return nil
		}
	}
	return preset.Errorf("the config file sets every option of the preset, and beats it: leave the " +
		"preset out, or remove those options from the file")
}

// apply sets the settings of one level, such as the config file. A level may give the length of training in one way
// only, which replaces the length of the levels below.
func (c *Config) apply(level []Setting) error {
	all := c.Options()
	for _, s := range level {
		if IsLength(s.Key) {
			for _, key := range lengthKeys {
				reflect.ValueOf(find(all, key).value).Elem().SetZero()
			}
		}
	}
	length := ""
	for _, s := range level {
		if IsLength(s.Key) {
			if length != "" && length != s.Key {
				return s.Errorf("give only one of steps, epochs and time-limit; %s is given, too", length)
			}
			length = s.Key
		}
		if err := c.setOf(all, s); err != nil {
			return err
		}
	}
	return nil
}

// Explicit reports whether a user gave this option, on the command line or in a config file.
func (c Config) Explicit(key string) bool { _, ok := c.explicit[key]; return ok }

// ExplicitOptions returns the options that a user gave, with their sources.
func (c Config) ExplicitOptions() map[string]string { return maps.Clone(c.explicit) }

// WithExplicit returns the Config as if a user had given these options alone.
func (c Config) WithExplicit(given map[string]string) Config {
	c.explicit = maps.Clone(given)
	return c
}

// Merged returns the settings of a config file and of the command line as one level: a flag beats the file.
func Merged(file, flags []Setting) (one []Setting) {
	length := slices.ContainsFunc(flags, func(s Setting) bool { return IsLength(s.Key) })
	for _, s := range file {
		given := slices.ContainsFunc(flags, func(f Setting) bool { return f.Key == s.Key })
		if !given && !(length && slices.Contains(lengthKeys, s.Key)) && s.Key != "folds" && s.Key != "fold" {
			one = append(one, s)
		}
	}
	return append(one, flags...)
}
