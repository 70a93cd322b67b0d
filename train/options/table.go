package options

import (
	"fmt"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Options is the table of all options, in the order of the help text and of a written
// config file.
func Options() []Option {
	count := between(1, MaxWidth)
	return []Option{
		{Group: "Data", Key: "data", Basic: true, Arg: "NAME|FILE",
			Help: "a named set (" + strings.Join(data.Names(), ", ") + ") or a file. docs/data.md has the " +
				"formats",
			field: func(c *Config) any { return &c.Data }},
		{Group: "Data", Key: "test", Basic: true, Arg: "FILE|none",
			Help: "rows to test on; without it a file's seeded 10 % are held out. none trains on all " +
				"rows of a file, and there are no scores",
			field: func(c *Config) any { return &c.Test }},
		{Group: "Data", Key: "labels", Arg: "FILE",
			Help: "a file with the targets, if the file of the inputs has none and its name does not " +
				"lead to them",
			field: func(c *Config) any { return &c.Labels }},
		{Group: "Data", Key: "test-labels", Arg: "FILE",
			Help:  "the same for the test rows",
			field: func(c *Config) any { return &c.TestLabels }},
		{Group: "Data", Key: "one-hot",
			Help: "let a column of text have up to 1000 different values instead of 30; each becomes an " +
				"input",
			field: func(c *Config) any { return &c.OneHot }},
		{Group: "Data", Key: "ignore", Arg: "COL[,COL]",
			Help:  "columns to leave out, by name or by number from 1",
			field: func(c *Config) any { return &c.Ignore }},
		{Group: "Data", Key: "id", Arg: "COL",
			Help: "the column that names the rows. It is copied to predictions and is not an input; " +
				"default: the first column of text that names each row",
			field: func(c *Config) any { return &c.ID }},
		{Group: "Data", Key: "missing", Basic: true, Values: data.MissingWays(),
			Help: "missing cells (empty, NA, NaN, ?) are an error, become the median with an input " +
				"that marks them, or their rows are left out",
			field: func(c *Config) any { return &c.Missing }},
		{Group: "Data", Key: "separator", Arg: strings.Join(data.Separators(), "|"), check: data.CheckSeparator,
			Help:  "what separates the cells of a table",
			field: func(c *Config) any { return &c.Separator }},
		{Group: "Data", Key: "decimal", Values: words("auto point comma"),
			Help:  "how decimals are written; auto detects commas if something else separates the cells",
			field: func(c *Config) any { return &c.Decimal }},
		{Group: "Data", Key: "header", Values: words("auto yes no"),
			Help:  "whether the first row of a table names its columns",
			field: func(c *Config) any { return &c.Header }},
		{Group: "Data", Key: "folds", Arg: "N",
			Help: "split all rows of a file or a named set into N folds with equal shares of each " +
				"class. 0 uses the folds of a named set",
			limits: between(0, 100), field: func(c *Config) any { return &c.Folds }},
		{Group: "Data", Key: "fold", Arg: "K",
			Help:   "which fold is for testing: of a named set, or of --folds",
			limits: between(0, 100), field: func(c *Config) any { return &c.Fold }},
		{Group: "Data", Key: "data-dir", Basic: true, Arg: "DIR",
			Help:  "folder of the named sets; default: $GPDRF_DATA",
			field: func(c *Config) any { return &c.DataDir }},
		{Group: "Data", Key: "target", Basic: true, Arg: "COL[,COL]",
			Help: "target column by name or by number from 1, or several for a regression of each; " +
				"default: the column \"target\", or the last",
			field: func(c *Config) any { return &c.Target }},
		{Group: "Data", Key: "task", Basic: true, Values: words("auto regression classification"),
			Help:  "auto takes whole numbers with few values for classes",
			field: func(c *Config) any { return &c.Task }},
		{Group: "Data", Key: "tokens", Values: data.Tokens(),
			Help:  "how sequences are cut into symbols",
			field: func(c *Config) any { return &c.Tokens }},
		{Group: "Data", Key: "sequence", Arg: "COL",
			Help:  "the column of a table that holds sequences",
			field: func(c *Config) any { return &c.Sequence }},
		{Group: "Data", Key: "codebook", Arg: "N",
			Help:   "number of symbols that k-means makes of sequences of vectors",
			limits: between(1, MaxWidth), field: func(c *Config) any { return &c.Codebook }},
		{Group: "Data", Key: "gram", Arg: "FILE.npz", Models: onGP,
			Help: "a kernel of your own between the rows and inducing points; docs/sequences.md has the " +
				"arrays",
			field: func(c *Config) any { return &c.Gram }},
		{Group: "Data", Key: "scaling", Values: data.Scalings(),
			Help: "scaling of the inputs. tails is standard, with the long tails of columns drawn in; robust " +
				"is by median and quartiles, clipped at 5; log is for counts. auto is tails, and none for images",
			field: func(c *Config) any { return &c.Scaling }},
		{Group: "Data", Key: "columns", FileOnly: true, Values: words("auto all"),
			Help: "auto makes few scores of the columns where they outnumber the training rows; all keeps " +
				"each as an input",
			field: func(c *Config) any { return &c.Columns }},
		{Group: "Data", Key: "target-scaling", FileOnly: true, Values: data.TargetScalings(),
			Help: "scaling of targets: auto takes the logarithm of those that are positive and skewed over " +
				"decades",
			field: func(c *Config) any { return &c.Targets }},

		{Group: "Run", Key: "model", Basic: true, Values: words("gpdrf gp drf"),
			Help:  "the paper's model, its first layer alone, or its random-feature layers alone",
			field: func(c *Config) any { return &c.Model }},
		{Group: "Run", Key: "preset", Basic: true, Values: words("default best paper cutajar"),
			Help: "where the other options start from; best tries many settings and stacks the best models: " +
				"docs/best.md",
			field: func(c *Config) any { return &c.Preset }},
		{Group: "Run", Key: "device", Basic: true, Arg: "auto|cpu|cuda|cuda:N",
			Help: "where to compute: auto is the first GPU, or the CPU; with :f64 in double, default " +
				":f32",
			field: func(c *Config) any { return &c.Device }},
		{Group: "Run", Key: "precision", Values: words("highest high medium"),
			Help: "precision of products in random-feature layers, on GPUs with tensor cores: float32, " +
				"3xTF32, which is nearly as exact, or TF32, the fastest",
			field: func(c *Config) any { return &c.Precision }},
		{Group: "Run", Key: "seed", Basic: true, Arg: "N",
			Help:  "seed of everything random: the same seed gives the same bytes",
			field: func(c *Config) any { return &c.Seed }},
		{Group: "Run", Key: "ensemble", Arg: "K",
			Help:   "train with K seeds, from --seed on, and predict with the mean of the models",
			limits: between(1, 100), field: func(c *Config) any { return &c.Ensemble }},
		{Group: "Run", Key: "deterministic",
			Help: "add up each batch as 8 parts in a fixed order. It is slower, and has the same bytes " +
				"on 1, 2, 4 and 8 ranks (docs/scaling.md)",
			field: func(c *Config) any { return &c.Deterministic }},
		{Group: "Run", Key: "steps", Basic: true, Arg: "N",
			Help:   "how long to train, in steps",
			limits: between(1, MaxSteps), field: func(c *Config) any { return &c.Steps }},
		{Group: "Run", Key: "epochs", Arg: "N",
			Help:   "or in passes over the training rows",
			limits: above(0), field: func(c *Config) any { return &c.Epochs }},
		{Group: "Run", Key: "time-limit", Basic: true, Arg: "10m",
			Help:  "or in time: as many steps as fit into two thirds of it or more; the test has the rest",
			field: func(c *Config) any { return &c.TimeLimit }},
		{Group: "Run", Key: "checkpoint-every", Arg: "TIME|STEPS",
			Help: "time or steps between checkpoints, from which --resume continues; 0 makes one only " +
				"at Ctrl-C",
			field: func(c *Config) any { return &c.CheckpointEvery }},
		{Group: "Run", Key: "planned-for", FileOnly: true, Record: true,
			Help:  "what steps was computed from; for the record",
			field: func(c *Config) any { return &c.PlannedFor }},
		{Group: "Run", Key: "replanned", FileOnly: true, Record: true,
			Help: "the numbers of steps that were planned before, each with the step after which a time " +
				"limit asked for another, such as 1000@200",
			field: func(c *Config) any { return &c.Replanned }},
		{Group: "Run", Key: "stop-after", FileOnly: true, Record: true,
			Help:   "the step at which the run was stopped; 0 is none",
			limits: between(0, MaxSteps), field: func(c *Config) any { return &c.StopAfter }},

		{Group: "GP layer", Models: onGP, Key: "inducing", Basic: true, Arg: "M",
			Help:   "number of inducing points",
			limits: count, field: func(c *Config) any { return &c.Inducing }},
		{Group: "GP layer", Models: onGP, Key: "inducing-init", Values: words("auto kmeans random greedy kmedoids"),
			Help: "how inducing points are chosen: greedy is by conditional variance, kmedoids is for " +
				"sequences, kmeans for vectors. auto is kmeans, or random for sequences",
			field: func(c *Config) any { return &c.InducingInit }},
		{Group: "GP layer", Models: onGP, Key: "learn-inducing",
			Help:  "learn the inducing points by gradient",
			field: func(c *Config) any { return &c.LearnInducing }},
		{Group: "GP layer", Models: onGP, Key: "whiten",
			Help:  "use q of the inducing outputs in whitened form; false is the paper's form",
			field: func(c *Config) any { return &c.Whiten }},
		{Group: "GP layer", Models: onGP, Key: "q-cov", Values: words("full diagonal"),
			Help:  "covariance of q; full is the paper's, diagonal is faster",
			field: func(c *Config) any { return &c.QCov }},
		{Group: "GP layer", Key: "kernel", Basic: true, Arg: strings.Join(kernelChoices(), "|"), check: checkKernel,
			Help: "for vectors: rbf is the paper's; Matérn 1/2, 3/2 and 5/2 are rougher; a + joins two " +
				"to a sum. For sequences: feature maps such as double:1,5+spectrum:3, see " +
				"docs/sequences.md. auto is rbf, or the maps that predict held-out training rows " +
				"best. Model drf has kernels of sequences only",
			field: func(c *Config) any { return &c.Kernel }},
		{Group: "GP layer", Models: onGP, Key: "lengthscales", Values: words("auto ard isotropic shared common"),
			Help: "one length-scale for each input and latent function, one for each latent function, " +
				"one for each input, or one for all. auto is shared, or common where an input has fewer than 10 rows",
			field: func(c *Config) any { return &c.Lengthscales }},
		{Group: "GP layer", Models: onGP, Key: "gp-lengthscale-factor", Arg: "X",
			Help:   "factor of the initial length-scales; 0 finds them by an exact GP on a few rows",
			limits: atLeast(0), field: func(c *Config) any { return &c.GPLengthscaleFactor }},
		{Group: "GP layer", Models: on2, Key: "latents", Arg: "J",
			Help:   "number of latent functions",
			limits: count, field: func(c *Config) any { return &c.Latents }},

		{Group: "DRF layers", Models: onDRF, Key: "layers", Basic: true, Arg: "L",
			Help:   "number of random-feature layers",
			limits: between(1, 16), field: func(c *Config) any { return &c.Layers }},
		{Group: "DRF layers", Models: onDRF, Key: "features", Basic: true, Arg: "R",
			Help:   "frequencies per layer; each gives a cosine and a sine, or one arc-cosine feature",
			limits: count, field: func(c *Config) any { return &c.Features }},
		{Group: "DRF layers", Models: onDRF, Key: "hidden", Arg: "d",
			Help:   "width between two layers",
			limits: count, field: func(c *Config) any { return &c.Hidden }},
		{Group: "DRF layers", Models: onDRF, Key: "features-kernel", Values: model.FeatureKernels(),
			Help: "cosines and sines of rbf (the paper's) or of Matérn kernels, whose frequencies have " +
				"heavier tails. arccosN: arc-cosine features √2 max(0, p)ⁿ of degree n, as in a wide " +
				"network with such units",
			field: func(c *Config) any { return &c.FeatureKernel }},
		{Group: "DRF layers", Models: onDRF, Key: "spectra", Values: model.SpectraTreatments(),
			Help: "treatment of the random features. var-integrated takes weights and frequencies in " +
				"closed form. The others draw frequencies: prior-fixed once from the prior, var-fixed " +
				"once from a learned q, var-resampled from it in each step. All samples of a step " +
				"share one draw; with -each, every sample has its own. var-fixed draws only the " +
				"frequencies once; with -all, all noise, as in the paper. The objective of var-fixed " +
				"is not a bound, and small or noisy data are memorised",
			field: func(c *Config) any { return &c.Spectra }},
		{Group: "DRF layers", Models: onDRF, Key: "local-reparam",
			Help: "if frequencies are drawn: sample the outputs of a layer; false samples the weights, " +
				"as in the paper",
			field: func(c *Config) any { return &c.LocalReparam }},
		{Group: "DRF layers", Models: onDRF, Key: "feed-forward",
			Help:  "let every layer also see the output of the first layer, and the input",
			field: func(c *Config) any { return &c.FeedForward }},
		{Group: "DRF layers", Models: on2, Key: "skip",
			Help: "add the first latent functions to the output. The model can then be a plain " +
				"Gaussian process if depth does not help",
			field: func(c *Config) any { return &c.Skip }},
		{Group: "DRF layers", Models: "drf", Key: "projection", Arg: "P",
			Help:   "number of inputs to which feature maps of sequences are projected, with random signs",
			limits: count, field: func(c *Config) any { return &c.Projection }},
		{Group: "DRF layers", Models: onDRF, Key: "drf-lengthscale-factor", Arg: "X",
			Help:   "factor of the initial length-scales; 0 is 0.5, or shorter where a few rows ask for it",
			limits: atLeast(0), field: func(c *Config) any { return &c.DRFLengthscaleFactor }},

		{Group: "Objective", Key: "likelihood", Basic: true,
			Values: words("auto gaussian student-t heteroscedastic softmax bernoulli"),
			Help: "for numbers: gaussian, student-t for outliers, heteroscedastic for noise that " +
				"differs from row to row. For classes: softmax, or bernoulli with one output for two " +
				"classes. auto is gaussian or softmax",
			field: func(c *Config) any { return &c.Likelihood }},
		{Group: "Objective", Key: "dof", Arg: "X",
			Help:   "initial degrees of freedom of student-t, above 2",
			limits: above(2), field: func(c *Config) any { return &c.DoF }},
		{Group: "Objective", Key: "learn-dof", FileOnly: true,
			Help:  "learn the degrees of freedom of student-t by gradient",
			field: func(c *Config) any { return &c.LearnDoF }},
		{Group: "Objective", Key: "class-offsets",
			Help: "learn a bias for each class, so that rows unlike all training rows get the class " +
				"frequencies; on for sequences",
			field: func(c *Config) any { return &c.ClassOffsets }},
		{Group: "Objective", Key: "kl-weight", Arg: "X",
			Help:   "weight of the divergences; if it is not 1, the objective is tempered and not a bound",
			limits: atLeast(0), field: func(c *Config) any { return &c.KLWeight }},
		{Group: "Objective", Key: "samples", Arg: "S",
			Help:   "Monte-Carlo samples in training",
			limits: between(1, MaxSamples), field: func(c *Config) any { return &c.Samples }},
		{Group: "Objective", Key: "noise-init", FileOnly: true, Arg: "X",
			Help:   "initial noise variance, of a target with sd 1; 0 is the error of an exact GP on a few rows",
			limits: atLeast(0), field: func(c *Config) any { return &c.NoiseInit }},

		{Group: "Optimiser", Key: "batch", Basic: true, Arg: "B",
			Help:   "rows per step",
			limits: count, field: func(c *Config) any { return &c.Batch }},
		{Group: "Optimiser", Key: "chunk", FileOnly: true, Arg: "N",
			Help: "rows computed at a time, with the same result as the whole batch; 0 is as many as " +
				"fit the device's memory",
			limits: between(0, MaxWidth), field: func(c *Config) any { return &c.Chunk }},
		{Group: "Optimiser", Key: "lr", Basic: true, Arg: "X",
			Help:   "Adam's learning rate",
			limits: above(0), field: func(c *Config) any { return &c.LR }},
		{Group: "Optimiser", Key: "warmup", Arg: "N",
			Help:   "steps over which the learning rate rises",
			limits: between(0, MaxSteps), field: func(c *Config) any { return &c.Warmup }},
		{Group: "Optimiser", Key: "decay", Values: words("none cosine"),
			Help:  "how the learning rate falls",
			field: func(c *Config) any { return &c.Decay }},
		{Group: "Optimiser", Key: "kl-warmup", Arg: "X",
			Help:   "fraction of the steps over which the weight of the divergences rises",
			limits: fraction(false), field: func(c *Config) any { return &c.KLWarmup }},
		{Group: "Optimiser", Models: onDRF, Key: "freeze-omega", FileOnly: true, Arg: "N",
			Help:   "steps in which q of the frequencies is held",
			limits: between(0, MaxSteps), field: func(c *Config) any { return &c.FreezeOmega }},
		{Group: "Optimiser", Key: "freeze-kernel", FileOnly: true, Arg: "N",
			Help:   "steps in which kernel and noise parameters are held",
			limits: between(0, MaxSteps), field: func(c *Config) any { return &c.FreezeKernel }},
		{Group: "Optimiser", Models: onGP, Key: "natgrad", Arg: "GAMMA",
			Help: "move q of the inducing outputs by natural gradients of this size, at most 1, instead " +
				"of Adam. The size rises from a thousandth over the warm-up and falls with the " +
				"learning rate. 0 is off",
			limits: fraction(false), field: func(c *Config) any { return &c.NatGrad }},
		{Group: "Optimiser", Key: "l2", FileOnly: true, Arg: "X",
			Help:   "coupled penalty on all raw parameters",
			limits: atLeast(0), field: func(c *Config) any { return &c.L2 }},
		{Group: "Optimiser", Key: "adam-beta1", FileOnly: true, Arg: "X",
			Help:   "Adam's decay of the gradient's mean",
			limits: fraction(true), field: func(c *Config) any { return &c.AdamBeta1 }},
		{Group: "Optimiser", Key: "adam-beta2", FileOnly: true, Arg: "X",
			Help:   "Adam's decay of the gradient's square",
			limits: fraction(true), field: func(c *Config) any { return &c.AdamBeta2 }},
		{Group: "Optimiser", Key: "adam-eps", FileOnly: true, Arg: "X",
			Help:   "term that Adam adds to the root of that square",
			limits: above(0), field: func(c *Config) any { return &c.AdamEps }},

		{Group: "Validation", Key: "validation", Basic: true, Arg: "FRACTION|FILE",
			Help: "rows for evaluation during training: a fraction of the training rows, held out by " +
				"the seed, or a file; 0 is none",
			field: func(c *Config) any { return &c.Validation }},
		{Group: "Validation", Key: "eval-every", Arg: "N",
			Help: fmt.Sprintf("steps between two evaluations, each with %d samples of at most %d rows; 0 is a "+
				"twentieth of the run", ValidationSamples, ValidationRows),
			limits: between(0, MaxSteps), field: func(c *Config) any { return &c.EvalEvery }},
		{Group: "Validation", Key: "early-stop", Arg: "PATIENCE",
			Help:   "end the run after N evaluations without improvement; 0 is never",
			limits: between(0, MaxSteps), field: func(c *Config) any { return &c.EarlyStop }},
		{Group: "Validation", Key: "restore", Values: words("best last"),
			Help:  "which parameters to keep: those of the best evaluation, or the last",
			field: func(c *Config) any { return &c.Restore }},

		{Group: "Prediction", Key: "eval-samples", Arg: "S",
			Help:   "Monte-Carlo samples in prediction",
			limits: between(1, MaxSamples), field: func(c *Config) any { return &c.EvalSamples }},
		{Group: "Prediction", Key: "predict-draws", FileOnly: true, Arg: "T",
			Help:   "draws of the output, as in the paper; 0 takes the mixture in closed form",
			limits: between(0, MaxWidth), field: func(c *Config) any { return &c.PredictDraws }},
	}
}
