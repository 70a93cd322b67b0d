package options

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/suggest"
	"github.com/gpdrf/gpdrf-gpu/internal/usage"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Option describes one option: the flag, the key of a config file, the line of the
// help text and of docs/cli.md are all made from it.
type Option struct {
	Key    string
	Group  string   // heading of the help text
	Arg    string   // what stands for its value in the help text
	Help   string   // one line
	Values []string // the words it takes; nil: any text or number
	Models string   // the models that have it, "gpdrf or gp"; "" is all

	Basic    bool // one of the few that most runs need: the short help shows it
	FileOnly bool // a key of a config file, without a flag
	Record   bool // written to config.yaml only where it is set

	limits limits
	check  func(text string) (wrong string) // of a text, beyond Values; nil: any
	field  func(*Config) any                // a pointer to the field
}

// Applies says whether this kind of model has the option.
func (o *Option) Applies(model string) bool {
	return o.Models == "" || slices.Contains(strings.Split(o.Models, " or "), model)
}

// Written is the option with a value, as a user gives it.
func (o *Option) Written(value int) string {
	if o.FileOnly {
		return fmt.Sprintf("%s: %d in the config file", o.Key, value)
	}
	return fmt.Sprintf("--%s %d", o.Key, value)
}

// IsBool says whether the option is a switch: --skip alone means --skip=true.
func (o *Option) IsBool() bool { _, ok := o.field(&Config{}).(*bool); return ok }

// limits is the interval a number must lie in.
type limits struct {
	lo, hi float64
	open   bool // lo itself is outside
	below  bool // hi itself is outside
}

func between(lo, hi float64) limits { return limits{lo: lo, hi: hi} }

func atLeast(lo float64) limits { return limits{lo: lo, hi: math.MaxFloat64} }

func above(lo float64) limits { return limits{lo: lo, hi: math.MaxFloat64, open: true} }

func fraction(below bool) limits { return limits{hi: 1, below: below} }

// check is "" or what is wrong with v; NaN and the infinities never pass.
func (l limits) check(v float64) string {
	if v >= l.lo && v <= l.hi && !(l.open && v == l.lo) && !(l.below && v == l.hi) {
		return ""
	}
	lo, hi := "at least", "at most"
	if l.open {
		lo = "above"
	}
	if l.below {
		hi = "below"
	}
	if l.hi == math.MaxFloat64 {
		return fmt.Sprintf("must be a finite number %s %.10g", lo, l.lo)
	}
	return fmt.Sprintf("must be %s %.10g and %s %.10g", lo, l.lo, hi, l.hi)
}

// The largest numbers that the counters of device.Key hold with room to spare.
const (
	MaxSteps   = 1_000_000_000
	MaxSamples = 65535
	MaxWidth   = 1_000_000
)

const (
	onGP  = "gpdrf or gp"
	onDRF = "gpdrf or drf"
	on2   = "gpdrf"
)

// Options is the table of all options, in the order of the help text and of a written
// config file.
func Options() []Option {
	count := between(1, MaxWidth)
	return []Option{
		{Group: "Data", Key: "data", Basic: true, Arg: "NAME|FILE", Help: "a named set (" + strings.Join(data.Names(), ", ") + ") or a file; docs/data.md has the formats", field: func(c *Config) any { return &c.Data }},
		{Group: "Data", Key: "test", Basic: true, Arg: "FILE", Help: "rows to test on; without it a file's seeded 10 % are held out", field: func(c *Config) any { return &c.Test }},
		{Group: "Data", Key: "labels", Arg: "FILE", Help: "the targets, where the file of the inputs holds none and its name does not tell where they are", field: func(c *Config) any { return &c.Labels }},
		{Group: "Data", Key: "test-labels", Arg: "FILE", Help: "the same for the test rows", field: func(c *Config) any { return &c.TestLabels }},
		{Group: "Data", Key: "one-hot", Help: "let a column of text have up to 1000 different values, and not 30: each becomes an input", field: func(c *Config) any { return &c.OneHot }},
		{Group: "Data", Key: "ignore", Arg: "COL[,COL]", Help: "columns to leave out, by name or by number from 1", field: func(c *Config) any { return &c.Ignore }},
		{Group: "Data", Key: "id", Arg: "COL", Help: "the column that names the rows: it is no input, and predictions carry it; otherwise the first column of text that names each row", field: func(c *Config) any { return &c.ID }},
		{Group: "Data", Key: "missing", Basic: true, Values: data.MissingWays(), Help: "what to do about missing cells (empty, NA, NaN, ?): refuse them, fill in the median and add an input that says so, or leave their rows out", field: func(c *Config) any { return &c.Missing }},
		{Group: "Data", Key: "separator", Arg: strings.Join(data.Separators(), "|"), check: data.CheckSeparator, Help: "what stands between the cells of a table", field: func(c *Config) any { return &c.Separator }},
		{Group: "Data", Key: "decimal", Values: words("auto point comma"), Help: "how decimals are written; auto finds commas where something else separates the cells", field: func(c *Config) any { return &c.Decimal }},
		{Group: "Data", Key: "header", Values: words("auto yes no"), Help: "whether the first row of a table names its columns", field: func(c *Config) any { return &c.Header }},
		{Group: "Data", Key: "folds", Arg: "N", Help: "split all rows, of a file or of a named set, into so many folds with equal shares of each class; 0 leaves a named set its own", limits: between(0, 100), field: func(c *Config) any { return &c.Folds }},
		{Group: "Data", Key: "fold", Arg: "K", Help: "which fold is for testing, of a named set's own or of --folds", limits: between(0, 100), field: func(c *Config) any { return &c.Fold }},
		{Group: "Data", Key: "data-dir", Basic: true, Arg: "DIR", Help: "folder of the named sets; otherwise $GPDRF_DATA", field: func(c *Config) any { return &c.DataDir }},
		{Group: "Data", Key: "target", Basic: true, Arg: "COL[,COL]", Help: "target column by name or by number from 1, or several for a regression of each; otherwise the column \"target\", or the last", field: func(c *Config) any { return &c.Target }},
		{Group: "Data", Key: "task", Basic: true, Values: words("auto regression classification"), Help: "auto takes whole numbers with few values for classes", field: func(c *Config) any { return &c.Task }},
		{Group: "Data", Key: "tokens", Values: data.Tokens(), Help: "how sequences are cut into symbols", field: func(c *Config) any { return &c.Tokens }},
		{Group: "Data", Key: "sequence", Arg: "COL", Help: "the column of a table that holds sequences", field: func(c *Config) any { return &c.Sequence }},
		{Group: "Data", Key: "codebook", Arg: "N", Help: "symbols that sequences of vectors become, by k-means", limits: between(2, MaxWidth), field: func(c *Config) any { return &c.Codebook }},
		{Group: "Data", Key: "gram", Arg: "FILE.npz", Models: onGP, Help: "a kernel of your own between the rows and pseudo-inputs; docs/sequences.md has the arrays", field: func(c *Config) any { return &c.Gram }},
		{Group: "Data", Key: "scaling", Values: data.Scalings(), Help: "of the inputs; robust is median and quartiles, clipped at 5; log is for long tails, such as counts; auto takes robust where a column has far outliers, and none for images", field: func(c *Config) any { return &c.Scaling }},

		{Group: "Run", Key: "model", Basic: true, Values: words("gpdrf gp drf"), Help: "the paper's model, its first layer alone, or its random-feature layers alone", field: func(c *Config) any { return &c.Model }},
		{Group: "Run", Key: "preset", Basic: true, Values: words("default best paper cutajar"), Help: "where the other options start from; best tries many settings and stacks the models that did well: docs/best.md", field: func(c *Config) any { return &c.Preset }},
		{Group: "Run", Key: "device", Basic: true, Arg: "auto|cpu|cuda|cuda:N", Help: "where to compute: auto is the first GPU, or the CPU; with :f64 in double, otherwise :f32", field: func(c *Config) any { return &c.Device }},
		{Group: "Run", Key: "precision", Values: words("highest high medium"), Help: "of the products in random-feature layers, on GPUs with tensor cores: float32, 3xTF32, which is near it, or TF32, the fastest", field: func(c *Config) any { return &c.Precision }},
		{Group: "Run", Key: "seed", Basic: true, Arg: "N", Help: "of everything random: the same seed gives the same bytes", field: func(c *Config) any { return &c.Seed }},
		{Group: "Run", Key: "ensemble", Arg: "K", Help: "train with K seeds, from --seed on, and predict with the mean of the models", limits: between(1, 100), field: func(c *Config) any { return &c.Ensemble }},
		{Group: "Run", Key: "steps", Basic: true, Arg: "N", Help: "how long to train, in steps", limits: between(1, MaxSteps), field: func(c *Config) any { return &c.Steps }},
		{Group: "Run", Key: "epochs", Arg: "N", Help: "or in passes over the training rows", limits: above(0), field: func(c *Config) any { return &c.Epochs }},
		{Group: "Run", Key: "time-limit", Basic: true, Arg: "10m", Help: "or in time: the first steps are timed and the steps that fit are planned", field: func(c *Config) any { return &c.TimeLimit }},
		{Group: "Run", Key: "checkpoint-every", Arg: "TIME|STEPS", Help: "what a run that is killed loses at most: --resume goes on from the last checkpoint; 0 makes one only at Ctrl-C", field: func(c *Config) any { return &c.CheckpointEvery }},
		{Group: "Run", Key: "planned-for", FileOnly: true, Record: true, Help: "what steps was worked out from; for the record", field: func(c *Config) any { return &c.PlannedFor }},

		{Group: "Run", Key: "stop-after", FileOnly: true, Record: true, Help: "where a run of that many steps was cut short; 0 is nowhere", limits: between(0, MaxSteps), field: func(c *Config) any { return &c.StopAfter }},

		{Group: "GP layer", Models: onGP, Key: "inducing", Basic: true, Arg: "M", Help: "number of pseudo-inputs", limits: count, field: func(c *Config) any { return &c.Inducing }},
		{Group: "GP layer", Models: onGP, Key: "inducing-init", Values: words("auto kmeans random greedy kmedoids"), Help: "how they are chosen; greedy goes by conditional variance; kmedoids is for sequences, kmeans for vectors; auto is kmeans, or random for sequences", field: func(c *Config) any { return &c.InducingInit }},
		{Group: "GP layer", Models: onGP, Key: "learn-inducing", Help: "let them move by gradient", field: func(c *Config) any { return &c.LearnInducing }},
		{Group: "GP layer", Models: onGP, Key: "whiten", Help: "q of the inducing outputs in whitened form; false is the paper's form", field: func(c *Config) any { return &c.Whiten }},
		{Group: "GP layer", Models: onGP, Key: "q-cov", Values: words("full diagonal"), Help: "covariance of q; full is the paper's, diagonal is faster", field: func(c *Config) any { return &c.QCov }},
		{Group: "GP layer", Key: "kernel", Basic: true, Arg: strings.Join(kernelChoices(), "|"), check: checkKernel, Help: "of vectors: rbf is the paper's; Matérn 1/2, 3/2 and 5/2 are rougher; a + between two is their sum. Of sequences: feature maps, double:1,5+spectrum:3; docs/sequences.md has them. auto is rbf, or the maps that predict held-out training rows best. Model drf has kernels of sequences only", field: func(c *Config) any { return &c.Kernel }},
		{Group: "GP layer", Models: onGP, Key: "lengthscales", Values: words("ard isotropic shared"), Help: "one for each input and latent function, one for each latent function, or one kernel for all", field: func(c *Config) any { return &c.Lengthscales }},
		{Group: "GP layer", Models: onGP, Key: "gp-lengthscale-factor", Arg: "X", Help: "times the initial length-scales", limits: above(0), field: func(c *Config) any { return &c.GPLengthscaleFactor }},
		{Group: "GP layer", Models: on2, Key: "latents", Arg: "J", Help: "number of latent functions", limits: count, field: func(c *Config) any { return &c.Latents }},

		{Group: "DRF layers", Models: onDRF, Key: "layers", Basic: true, Arg: "L", Help: "number of random-feature layers", limits: between(1, 16), field: func(c *Config) any { return &c.Layers }},
		{Group: "DRF layers", Models: onDRF, Key: "features", Basic: true, Arg: "R", Help: "frequencies a layer, each giving a cosine and a sine, or one arc-cosine feature", limits: count, field: func(c *Config) any { return &c.Features }},
		{Group: "DRF layers", Models: onDRF, Key: "hidden", Arg: "d", Help: "width between two layers", limits: count, field: func(c *Config) any { return &c.Hidden }},
		{Group: "DRF layers", Models: onDRF, Key: "features-kernel", Values: model.FeatureKernels(), Help: "cosines and sines of rbf, the paper's, or of Matérn kernels, whose frequencies have heavier tails; or arc-cosine features √2 max(0, p)ⁿ of degree n, as of a wide network with such units", field: func(c *Config) any { return &c.FeatureKernel }},
		{Group: "DRF layers", Models: onDRF, Key: "spectra", Values: model.SpectraTreatments(), Help: "of the random features: var-integrated takes weights and frequencies in closed form; the others draw frequencies: prior-fixed once from the prior, var-fixed once from a learned q, var-resampled from it in each step. One draw serves all samples of a step; with -each, every sample has its own. var-fixed draws only the frequencies once; with -all, all noise, as in the paper. The objective of var-fixed is not a bound and memorises small or noisy data", field: func(c *Config) any { return &c.Spectra }},
		{Group: "DRF layers", Models: onDRF, Key: "local-reparam", Help: "where frequencies are drawn: sample the layer's outputs; false samples the weights, as the paper does", field: func(c *Config) any { return &c.LocalReparam }},
		{Group: "DRF layers", Models: onDRF, Key: "feed-forward", Help: "every layer also sees the first layer's output and the input", field: func(c *Config) any { return &c.FeedForward }},
		{Group: "DRF layers", Models: on2, Key: "skip", Help: "add the first latent functions to the output, so that a plain Gaussian process is at hand where depth does not help", field: func(c *Config) any { return &c.Skip }},
		{Group: "DRF layers", Models: "drf", Key: "projection", Arg: "P", Help: "inputs that the feature maps of sequences become, by random signs", limits: count, field: func(c *Config) any { return &c.Projection }},
		{Group: "DRF layers", Models: onDRF, Key: "drf-lengthscale-factor", Arg: "X", Help: "times the initial length-scales", limits: above(0), field: func(c *Config) any { return &c.DRFLengthscaleFactor }},

		{Group: "Objective", Key: "likelihood", Basic: true, Values: words("auto gaussian student-t heteroscedastic softmax bernoulli"), Help: "of a number: gaussian, student-t for outliers, heteroscedastic for noise that differs from row to row; of classes: softmax, or bernoulli for two by one output; auto is gaussian or softmax", field: func(c *Config) any { return &c.Likelihood }},
		{Group: "Objective", Key: "dof", Arg: "X", Help: "degrees of freedom that student-t starts from, above 2", limits: above(2), field: func(c *Config) any { return &c.DoF }},
		{Group: "Objective", Key: "learn-dof", FileOnly: true, Help: "whether the degrees of freedom of student-t learn by gradient", field: func(c *Config) any { return &c.LearnDoF }},
		{Group: "Objective", Key: "class-offsets", Help: "learn a bias for each class, so that rows unlike any training row fall back to the class frequencies; on for sequences", field: func(c *Config) any { return &c.ClassOffsets }},
		{Group: "Objective", Key: "kl-weight", Arg: "X", Help: "of the divergences; other than 1 the objective is tempered, and no bound", limits: atLeast(0), field: func(c *Config) any { return &c.KLWeight }},
		{Group: "Objective", Key: "samples", Arg: "S", Help: "Monte-Carlo samples in training", limits: between(1, MaxSamples), field: func(c *Config) any { return &c.Samples }},
		{Group: "Objective", Key: "noise-init", FileOnly: true, Arg: "X", Help: "initial noise variance, of a target with sd 1", limits: above(0), field: func(c *Config) any { return &c.NoiseInit }},

		{Group: "Optimiser", Key: "batch", Basic: true, Arg: "B", Help: "rows a step", limits: count, field: func(c *Config) any { return &c.Batch }},
		{Group: "Optimiser", Key: "chunk", FileOnly: true, Arg: "N", Help: "rows that are computed at once, with the result of the whole batch; 0 is as many as fit the device's memory", limits: between(0, MaxWidth), field: func(c *Config) any { return &c.Chunk }},
		{Group: "Optimiser", Key: "lr", Basic: true, Arg: "X", Help: "Adam's learning rate", limits: above(0), field: func(c *Config) any { return &c.LR }},
		{Group: "Optimiser", Key: "warmup", Arg: "N", Help: "steps over which the learning rate rises", limits: between(0, MaxSteps), field: func(c *Config) any { return &c.Warmup }},
		{Group: "Optimiser", Key: "decay", Values: words("none cosine"), Help: "how the learning rate falls", field: func(c *Config) any { return &c.Decay }},
		{Group: "Optimiser", Key: "kl-warmup", Arg: "X", Help: "fraction of the steps over which the weight of the divergences rises", limits: fraction(false), field: func(c *Config) any { return &c.KLWarmup }},
		{Group: "Optimiser", Models: onDRF, Key: "freeze-omega", FileOnly: true, Arg: "N", Help: "steps during which q of the frequencies is held", limits: between(0, MaxSteps), field: func(c *Config) any { return &c.FreezeOmega }},
		{Group: "Optimiser", Key: "freeze-kernel", FileOnly: true, Arg: "N", Help: "steps during which kernel and noise parameters are held", limits: between(0, MaxSteps), field: func(c *Config) any { return &c.FreezeKernel }},
		{Group: "Optimiser", Models: onGP, Key: "natgrad", Arg: "GAMMA", Help: "move q of the inducing outputs by natural gradients of this size, at most 1, in place of Adam; it rises from a thousandth over the warm-up and falls with the learning rate; 0 is off", limits: fraction(false), field: func(c *Config) any { return &c.NatGrad }},
		{Group: "Optimiser", Key: "l2", FileOnly: true, Arg: "X", Help: "coupled penalty on all raw parameters", limits: atLeast(0), field: func(c *Config) any { return &c.L2 }},
		{Group: "Optimiser", Key: "adam-beta1", FileOnly: true, Arg: "X", Help: "Adam's decay of the gradient's mean", limits: fraction(true), field: func(c *Config) any { return &c.AdamBeta1 }},
		{Group: "Optimiser", Key: "adam-beta2", FileOnly: true, Arg: "X", Help: "Adam's decay of the gradient's square", limits: fraction(true), field: func(c *Config) any { return &c.AdamBeta2 }},
		{Group: "Optimiser", Key: "adam-eps", FileOnly: true, Arg: "X", Help: "what Adam adds to the root of that square", limits: above(0), field: func(c *Config) any { return &c.AdamEps }},

		{Group: "Validation", Key: "validation", Basic: true, Arg: "FRACTION|FILE", Help: "rows to evaluate on during training: a fraction of the training rows, held out by the seed, or a file; 0 is none", field: func(c *Config) any { return &c.Validation }},
		{Group: "Validation", Key: "eval-every", Arg: "N", Help: fmt.Sprintf("steps between two evaluations, each with %d samples of %d rows at most; 0 is a twentieth of the run", ValidationSamples, ValidationRows), limits: between(0, MaxSteps), field: func(c *Config) any { return &c.EvalEvery }},
		{Group: "Validation", Key: "early-stop", Arg: "PATIENCE", Help: "end the run after so many evaluations without improvement; 0 is never", limits: between(0, MaxSteps), field: func(c *Config) any { return &c.EarlyStop }},
		{Group: "Validation", Key: "restore", Values: words("best last"), Help: "the parameters that are kept: those of the best evaluation, or the last", field: func(c *Config) any { return &c.Restore }},

		{Group: "Prediction", Key: "eval-samples", Arg: "S", Help: "Monte-Carlo samples in prediction", limits: between(1, MaxSamples), field: func(c *Config) any { return &c.EvalSamples }},
		{Group: "Prediction", Key: "predict-draws", FileOnly: true, Arg: "T", Help: "the paper's draws of the output; 0 takes the mixture in closed form", limits: between(0, MaxWidth), field: func(c *Config) any { return &c.PredictDraws }},
	}
}

func words(list string) []string { return strings.Fields(list) }

// Find is the option with this key, nil if there is none.
func Find(key string) *Option {
	for _, o := range Options() {
		if o.Key == key {
			return &o
		}
	}
	return nil
}

// IsFileKey says whether an option is a key of a config file without a flag.
func IsFileKey(key string) bool { o := Find(key); return o != nil && o.FileOnly }

// Set reads one setting's text into its field and remembers where it came from.
// Errors are *usage.Error.
func (c *Config) Set(s Setting) error {
	o := Find(s.Key)
	if o == nil {
		return usage.Errorf("%s: unknown option %q%s", s.From, s.Key, suggest.Hint(s.Key, keys()))
	}
	if wrong := o.parse(o.field(c), s.Text); wrong != "" {
		return s.errorf("%q %s", s.Text, wrong)
	}
	if c.explicit == nil {
		c.explicit = map[string]string{}
	}
	c.explicit[s.Key] = s.From
	return nil
}

func keys() (all []string) {
	for _, o := range Options() {
		all = append(all, o.Key)
	}
	return all
}

// parse reads text into the field behind p; it returns "" or what is wrong with the text.
func (o *Option) parse(p any, text string) (wrong string) {
	switch p := p.(type) {
	case *string:
		if o.Values != nil && !slices.Contains(o.Values, text) {
			return "is not one of its values" + suggest.Hint(text, o.Values)
		}
		if o.check != nil {
			if wrong := o.check(text); wrong != "" {
				return wrong
			}
		}
		*p = text
	case *bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return "is neither true nor false"
		}
		*p = v
	case *int:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "is not a whole number"
		}
		if wrong := o.limits.check(float64(v)); wrong != "" {
			return wrong
		}
		*p = int(v)
	case *uint64:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return "is not a whole number from 0 to 18446744073709551615"
		}
		*p = v
	case *float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return "is not a number"
		}
		if wrong := o.limits.check(v); wrong != "" {
			return wrong
		}
		*p = v
	case *time.Duration:
		v, err := time.ParseDuration(text)
		if err != nil {
			return "is not a time: write 90s, 10m or 1h30m"
		}
		if v <= 0 {
			return "must be above 0"
		}
		*p = v
	default:
		panic("train: option " + o.Key + " has a field of unknown type")
	}
	return ""
}
