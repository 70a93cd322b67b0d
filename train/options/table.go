package options

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Options returns the table of all options with their defaults, in the order of the help text and of a written config
// file.
func Options() []Option {
	c := Defaults()
	return c.Options()
}

// Options returns the table of all options, with the values of this Config.
func (c *Config) Options() (all []Option) {
	for _, part := range []struct {
		group   string
		options []Option
	}{
		{"Data", c.fileOptions()}, {"Data", c.rowOptions()}, {"Run", c.runOptions()},
		{"GP layer", c.gpOptions()}, {"DRF layers", c.drfOptions()}, {"Objective", c.objectiveOptions()},
		{"Optimiser", c.optimiserOptions()}, {"Validation", c.validationOptions()},
		{"Prediction", c.predictionOptions()},
	} {
		for _, o := range part.options {
			o.Group = part.group
			if part.group == "GP layer" || part.group == "DRF layers" {
				o.warm = ofModel
			}
			all = append(all, o)
		}
	}
	return all
}

// fileOptions returns the options for the files of the rows, and for the format of a table.
func (c *Config) fileOptions() []Option {
	return []Option{
		{Key: "data", Flag: true, Arg: "FILE|NAME", warm: ofNewRun, value: &c.Data,
			Help: "a file in a format of docs/data.md, or a named set: " + strings.Join(data.Names(), ", ")},
		{Key: "test", Flag: true, Arg: "FILE|none", warm: ofNewRun, value: &c.Test,
			Help: "rows to test on; default: 10 % of a file, drawn by the seed. none trains on all rows of a file, " +
				"without scores"},
		{Key: "labels", Flag: true, Arg: "FILE", warm: ofNewRun, value: &c.Labels,
			Help: "file with the targets, if the input file has none and no label file is found by its name"},
		{Key: "test-labels", Arg: "FILE", warm: ofNewRun, value: &c.TestLabels,
			Help: "file with the targets of the test rows"},
		{Key: "one-hot", warm: ofModel, value: &c.OneHot,
			Help: "one-hot encode the 1000 most frequent of up to 16384 values of each text column; by default, " +
				"more than 30 values become one input, their effect on the target"},
		{Key: "ignore", Flag: true, Arg: "COL[,COL]", warm: ofModel, value: &c.Ignore,
			Help: "columns to leave out, by name or by number from 1"},
		{Key: "text", Arg: "COL[,COL]", warm: ofModel, value: &c.TableOptions.Text,
			Help: "columns of text, by name or by number from 1, even if cells are digits or NA; only empty cells " +
				"are missing"},
		{Key: "id", Arg: "COL", warm: ofModel, value: &c.ID,
			Help: "the column that names the rows, copied to predictions and not an input; default: the first column " +
				"of text that names each row"},
		{Key: "missing", Flag: true, Values: data.MissingWays(), warm: ofModel, value: &c.Missing,
			Help: "missing cells (empty, NA, NaN, ?): error; impute the median, with an input that marks them; or " +
				"drop their rows"},
		{Key: "weights", Flag: true, Arg: "COL", value: &c.Roles.Weights,
			Help: "the column of row weights: a row counts as that many copies of it, in training and in scores"},
		{Key: "group", Flag: true, Arg: "COL", value: &c.Roles.Group,
			Help: "the column of groups, such as patients: every split keeps the rows of a group together. scaffold, " +
				"unless it is a column, groups molecules by their scaffolds"},
		{Key: "time", Flag: true, Arg: "COL", value: &c.Roles.Time,
			Help: "the column of times: every split trains on the past and tests on the future, --cv on " +
				"expanding windows"},
		{Key: "offset", Arg: "COL", warm: ofModel, value: &c.Roles.Offset,
			Help: "the column that is added to the log rates of counts, such as the logarithm of an exposure"},
		{Key: "dates", Values: cellformat.DateOrders(), warm: ofModel, value: &c.Dates,
			Help: "the order of day and month in dates such as 1/2/2020; auto takes the one that all cells fit"},
		{Key: "separator", Arg: strings.Join(data.Separators(), "|"), check: data.CheckSeparator,
			warm: ofNewRun, value: &c.Separator,
			Help: "the separator of the cells of a table"},
		{Key: "decimal", Values: []string{Auto, "point", "comma"}, warm: ofNewRun, value: &c.Decimal,
			Help: "the decimal sign; auto detects commas if something else separates the cells"},
		{Key: "thousands", Values: []string{Auto, ",", ".", "space", "none"}, warm: ofNewRun, value: &c.Thousands,
			Help: "the sign between thousands; auto detects it, unless it may be the decimal sign"},
		{Key: "header", Values: []string{Auto, "yes", "no"}, warm: ofNewRun, value: &c.Header,
			Help: "whether the first row of a table names its columns"},
	}
}

// rowOptions returns the options for the choice of the test rows, and for the kinds of the columns.
func (c *Config) rowOptions() []Option {
	return []Option{
		{Key: "folds", Flag: true, Arg: "N", limits: between(0, 100), warm: ofNewRun, value: &c.Folds,
			Help: "split all rows of a file or a named set into N stratified folds. 0 uses the folds of a named set"},
		{Key: "fold", Flag: true, Arg: "K", limits: between(0, 100), warm: ofNewRun, value: &c.Fold,
			Help: "the test fold, of a named set or of --folds"},
		{Key: "data-dir", Arg: "DIR", warm: ofNewRun, value: &c.DataDir,
			Needs: missingNeed(slices.Contains(data.Names(), c.Data), "a named set as "+usererror.Flag("data")),
			Help:  "folder of the named sets; default: $GPDRF_DATA. The command data takes it as --data-dir DIR"},
		{Key: "target", Flag: true, Arg: "COL[,COL]", warm: ofModel, value: &c.Target,
			Help: "target column by name or by number from 1, or several for a regression of each; default: the " +
				"column \"target\", or the last"},
		{Key: "task", Flag: true, Values: []string{Auto, "regression", "classification"}, warm: ofModel, value: &c.Task,
			Help: "auto takes whole numbers with few values for classes, unless the likelihood is of counts"},
		{Key: "order", OmitUnset: true, Arg: "LOW,…,HIGH", warm: ofModel, value: &c.Order,
			Help: "levels of likelihood ordinal, lowest first, if they are words"},
		{Key: "tokens", Values: data.Tokens(), warm: ofModel, value: &c.Tokens,
			Help: "alphabet of sequences: docs/sequences.md"},
		{Key: "sequence", Flag: true, Arg: "COL", warm: ofModel, value: &c.Sequence,
			Help: "the column of a table that holds sequences"},
		{Key: "codebook", Arg: "N", limits: between(1, MaxWidth), warm: ofModel, value: &c.Codebook,
			Help: "number of symbols that k-means makes of sequences of vectors"},
		{Key: "gram", Models: onGP, Arg: "FILE.npz", warm: ofModel, value: &c.Gram,
			Help: "a precomputed kernel between the rows and inducing points; docs/sequences.md has the arrays"},
		{Key: "scaling", Values: scaling.Scalings(), warm: ofModel, value: &c.Scaling,
			Help: "scaling of the inputs: standard; tails, standard after shortening long tails; robust, by median " +
				"and quartiles, clipped at 5; log, for counts. auto is tails, and none for images"},
		{Key: "columns", Values: []string{Auto, Components, AllColumns}, warm: ofModel, value: &c.Columns,
			Help: "inputs of a table of numbers: all columns, or components, the first 100 principal components of " +
				"the scaled columns. auto makes scores of columns that outnumber the training rows, and tries " +
				"components of redundant columns: docs/data.md"},
		{Key: "target-scaling", Values: scaling.TargetScalings(), warm: ofModel, value: &c.Targets,
			Help: "scaling of targets; auto takes the logarithm of positive targets that are skewed over decades; " +
				"counts have none"},
	}
}

// runOptions returns the options for the whole run.
func (c *Config) runOptions() []Option {
	return []Option{
		{Key: "model", Flag: true, Values: []string{"gpdrf", "gp", "drf"}, warm: ofModel, value: &c.Model,
			Help: "the paper's model, its first layer alone, or its random-feature layers alone"},
		{Key: "preset", Flag: true, Values: []string{"default", "best", "paper"}, check: checkPreset,
			warm: ofModel, value: &c.Preset,
			Help: "set of defaults for the other options; best searches models and stacks them: docs/best.md"},
		{Key: "device", Flag: true, Arg: "auto|cpu|cuda|cuda:N", warm: ofNewRun, value: &c.Device,
			Help: "where to compute; auto is the first GPU, or else the CPU. :f64 computes in double, default :f32"},
		{Key: "precision", Values: []string{"highest", "medium"}, value: &c.Precision,
			Help: "precision of products in random-feature layers, on GPUs with tensor cores: float32, or TF32, with " +
				"factors of 11 bits"},
		{Key: "seed", Flag: true, Arg: "N", warm: ofModel, value: &c.Seed,
			Help: "seed of all random numbers: the same seed gives the same bytes"},
		{Key: "from", Flag: true, Arg: "RUN", warm: ofNewRun, value: &c.StartFrom,
			Help: "warm start: train the model of this run further, on the new rows of --data, for a fifth of its " +
				"steps: docs/intervals.md"},
		{Key: "ensemble", Arg: "K", limits: between(1, 100), warm: ofModel, value: &c.Ensemble,
			Help: "train with K seeds, from --seed on, and predict with the mean of the models"},
		{Key: "deterministic", value: &c.Deterministic,
			Help: "add up each batch as 8 parts in a fixed order, for the same bytes on 1, 2, 4 and 8 ranks. It is " +
				"slower: docs/scaling.md"},
		{Key: "steps", Flag: true, Arg: "N", limits: between(1, MaxSteps), warm: ofNewRun, value: &c.Steps,
			Help: "number of training steps; if given, held-out rows choose the objective only with objective=auto"},
		{Key: "epochs", Arg: "N", limits: above(0, MaxSteps), warm: ofNewRun, value: &c.Epochs,
			Help: "training length in passes over the rows"},
		{Key: "time-limit", Flag: true, Arg: "10m", warm: ofNewRun, value: &c.TimeLimit,
			Help: "time for training and test; the steps get at least two thirds of it: docs/cli.md"},
		{Key: "checkpoint-every", Arg: "TIME|STEPS", value: &c.CheckpointEvery,
			Help: "time or steps between checkpoints, from which --resume continues; 0 makes one only at " +
				"Ctrl-C, and after attempts"},
		{Key: "planned-for", OmitUnset: true, warm: ofNewRun, value: &c.PlannedFor,
			Help: "what steps was computed from; for the record"},
		{Key: "rows-chose-length", OmitUnset: true, warm: ofNewRun, value: &c.RowsChoseLength,
			Help: "more steps were worse on rows that were held out; for the record"},
		{Key: "replanned", OmitUnset: true, warm: ofNewRun, value: &c.Replanned,
			Help: "the numbers of steps that were planned before, each with the step after which a time limit " +
				"asked for another, such as 1000@200"},
		{Key: "stop-after", OmitUnset: true, limits: between(0, MaxSteps), warm: ofNewRun, value: &c.StopAfter,
			Help: "the step at which the run was stopped; 0 if it was not"},
	}
}

// gpOptions returns the options for the GP layer.
func (c *Config) gpOptions() []Option {
	return []Option{
		{Key: "inducing", Flag: true, Models: onGP, Arg: "M", limits: between(1, MaxWidth), value: &c.Inducing,
			Help: "number of inducing points"},
		{Key: "inducing-init", Models: onGP, Values: []string{Auto, "kmeans", "random", "kmedoids"},
			value: &c.InducingInit,
			Help: "choice of the inducing points: kmedoids for sequences, kmeans for vectors. auto is kmeans, or " +
				"random for sequences"},
		{Key: "learn-inducing", Models: onGP, value: &c.LearnInducing,
			Help: "learn the inducing points by gradient"},
		{Key: "whiten", Models: onGP, value: &c.Whiten,
			Help: "whiten q of the inducing outputs; false is the paper's form"},
		{Key: "q-cov", Models: onGP, Values: []string{"full", "diagonal"}, value: &c.QCov,
			Help: "covariance of q; full is the paper's, diagonal is faster"},
		{Key: "kernel", Flag: true, Arg: strings.Join(kernelChoices(), "|"), check: checkKernel, value: &c.KernelSpec,
			Help: "kernel of vectors: rbf is the paper's; Matérn 1/2, 3/2 and 5/2 are rougher; a + adds two. Of " +
				"sequences: feature maps such as double:1,5+spectrum:3, see docs/sequences.md. auto is rbf, or the " +
				"maps that predict held-out training rows best. Model drf has kernels of sequences only"},
		{Key: "lengthscales", Models: onGP, Values: []string{Auto, "ard", "isotropic", "shared", "common"},
			value: &c.Lengthscales,
			Help: "length-scales: ard, one per input and latent function; isotropic, per latent function; shared, " +
				"per input; common, one in all. auto is shared, or common with fewer than 10 rows per input"},
		{Key: "gp-lengthscale-factor", Models: onGP, Arg: "X", limits: between(0, maxFactor),
			value: &c.GPLengthscaleFactor,
			Help:  "factor of the initial length-scales; 0 finds them by an exact GP on a few rows"},
		{Key: "latents", Models: onGPDRF, Arg: "J", limits: between(1, MaxWidth), value: &c.Latents,
			Help: "number of latent functions; default: two for each output, up to 32, or one for sequences; 32 with " +
				"two layers"},
	}
}

// drfOptions returns the options for the random-feature layers.
func (c *Config) drfOptions() []Option {
	return []Option{
		{Key: "layers", Models: onDRF, Arg: "L", limits: between(1, 16), value: &c.Layers,
			Help: "number of random-feature layers; preset default has two if rows outnumber their parameters"},
		{Key: "features", Flag: true, Models: onDRF, Arg: "R", limits: between(1, MaxWidth), value: &c.Features,
			Help: "number of frequencies per layer; each gives a cosine and a sine, or one arc-cosine feature; " +
				"400 for classes of tables without a time limit, and up to 200 with two layers"},
		{Key: "hidden", Models: onDRF, Arg: "d", limits: between(1, MaxWidth), value: &c.Hidden,
			Needs: missingNeed(c.Layers > 1, "layers=2 or more"),
			Help:  "width between two layers; 16 if the rows have chosen two layers"},
		{Key: "features-kernel", Models: onDRF, Values: model.FeatureKernels(), value: &c.FeatureKernel,
			Help: "cosines and sines of rbf (the paper's) or of Matérn kernels, whose frequencies have heavier " +
				"tails; or arc-cosine features √2 max(0, p)ⁿ of degree n, as in a wide network"},
		{Key: "spectra", Flag: true, Models: onDRF, Arg: "var-integrated|prior-fixed|var-fixed|var-resampled",
			check: checkTreatment, value: &c.Spectra,
			Help: "treatment of the random features. var-integrated takes weights and frequencies in closed " +
				"form. The others draw frequencies: prior-fixed once from the prior, var-fixed once from a " +
				"learned q, var-resampled from it in each step. The objective of var-fixed is not a bound, and " +
				"small or noisy data are memorised. docs/randomness.md has the endings -each and -all"},
		{Key: "w-cov", Models: onDRF, Values: []string{Auto, "full", "diagonal"}, value: &c.WCov,
			Help: "covariance of the weights of the last layer, if frequencies are integrated. auto is full with one " +
				"output, at most 128 frequencies, and at most 20 rows per frequency"},
		{Key: "local-reparam", Models: onDRF, value: &c.LocalReparam,
			Help: "if frequencies are drawn: sample the outputs of a layer; false samples the weights, as in the " +
				"paper"},
		{Key: "feed-forward", Models: onDRF, value: &c.FeedForward,
			Help: "pass the output of the first layer, and the input, to every layer"},
		{Key: "skip", Models: onGPDRF, value: &c.Skip,
			Help: "add the first latent functions to the output, so that the model can be a plain Gaussian process"},
		{Key: "projection", Models: "drf", Arg: "P", limits: between(1, MaxWidth), value: &c.Projection,
			Help: "number of inputs to which feature maps of sequences are projected, with random signs"},
		{Key: "drf-lengthscale-factor", Models: onDRF, Arg: "X", limits: between(0, maxFactor),
			value: &c.DRFLengthscaleFactor,
			Help:  "factor of the initial length-scales; 0 is 0.5, or less by an exact GP on a few rows"},
	}
}

// objectiveOptions returns the options for the objective.
func (c *Config) objectiveOptions() []Option {
	searched := c.Preset == Best && c.Likelihood == Auto // some candidates of a search have Student's t
	student := missingNeed(searched || c.Likelihood == model.StudentLikelihood, "likelihood "+model.StudentLikelihood)
	return []Option{
		{Key: "likelihood", Flag: true, warm: ofModel, value: &c.Likelihood,
			Values: []string{Auto, "gaussian", "student-t", "heteroscedastic", "poisson", "negative-binomial",
				"lognormal", "softmax", "bernoulli", "ordinal"},
			Help: "for numbers: gaussian, student-t for outliers, heteroscedastic if the noise varies between rows, " +
				"lognormal for positive numbers with proportional noise. For counts: poisson, or negative-binomial " +
				"if overdispersed. For classes: softmax, bernoulli for two classes, or ordinal for ordered levels. " +
				"auto is gaussian, softmax, negative-binomial if the targets are clearly counts, or heteroscedastic " +
				"if held-out rows choose it: docs/likelihoods.md"},
		{Key: "objective", Values: []string{Auto, ELBO, Predictive}, value: &c.Objective,
			Help: "elbo is the bound; predictive is the log density of targets under the prediction, less the KL " +
				"terms. auto lets held-out rows choose, with kl-weight, unless steps, epochs or kl-weight are given: " +
				"docs/defaults.md"},
		{Key: "dof", Arg: "X", limits: above(2, maxFactor), warm: ofModel, value: &c.DoF,
			Needs: student,
			Help:  "initial degrees of freedom of student-t, above 2"},
		{Key: "learn-dof", warm: ofModel, value: &c.LearnDoF,
			Needs: student,
			Help:  "learn the degrees of freedom of student-t by gradient"},
		{Key: "class-offsets", warm: ofModel, value: &c.ClassOffsets,
			Help: "learn a bias for each class, so that far from the training rows the class frequencies are " +
				"predicted; on for sequences"},
		{Key: "class-weights", Values: []string{"none", Balanced}, value: &c.ClassWeights,
			Help: "balanced gives all classes the same total weight, for a higher recall of rare ones; probabilities " +
				"are then those of equally frequent classes"},
		{Key: "temperature", Arg: "T", limits: between(0, 1000), value: &c.Temperature,
			Help: "temperature of predictions: it divides the logits of classes, and multiplies the standard " +
				"deviation of numbers; 0 fits it to held-out rows, if any"},
		{Key: "kl-weight", Arg: "X", limits: between(0, maxFactor), value: &c.KLWeight,
			Help: "weight of the KL terms; other than 1, the objective is a tempered ELBO and not a bound"},
		{Key: "samples", Arg: "S", limits: between(1, MaxSamples), warm: ofModel, value: &c.Samples,
			Help: "number of Monte-Carlo samples in training"},
		{Key: "noise-init", Arg: "X", limits: between(0, maxFactor), warm: ofModel, value: &c.NoiseInit,
			Help: "initial noise variance, of a target with sd 1; 0 is the error of an exact GP on a few rows"},
	}
}

// optimiserOptions returns the options for the maximisation of the objective.
func (c *Config) optimiserOptions() []Option {
	return []Option{
		{Key: "batch", Flag: true, Arg: "B", limits: between(1, MaxWidth), value: &c.Batch,
			Help: "number of rows per step"},
		{Key: "chunk", Arg: "N", limits: between(0, MaxWidth), warm: ofNewRun, value: &c.Chunk,
			Help: "number of rows computed at a time, with the same result as the whole batch; 0 is as many as fit " +
				"the device's memory"},
		{Key: "lr", Flag: true, Arg: "X", limits: above(0, 10), value: &c.LR,
			Help: "Adam's learning rate"},
		{Key: "warmup", Arg: "N", limits: between(0, MaxSteps), value: &c.Warmup,
			Help: "steps over which the learning rate rises"},
		{Key: "decay", Values: []string{"none", Cosine}, value: &c.Decay,
			Help: "decay of the learning rate"},
		{Key: "kl-warmup", Arg: "X", limits: between(0, 1), warm: zero, value: &c.KLWarmup,
			Help: "fraction of the steps over which the weight of the KL terms rises"},
		{Key: "freeze-omega", Models: onDRF, Arg: "N", limits: between(0, MaxSteps), warm: zero, value: &c.FreezeOmega,
			Needs: missingNeed(model.ParseSpectraTreatment(c.Spectra).Name != model.PriorFixed,
				"spectra other than "+model.PriorFixed),
			Help: "first steps in which q of the frequencies is held"},
		{Key: "freeze-kernel", Arg: "N", limits: between(0, MaxSteps), warm: zero, value: &c.FreezeKernel,
			Help: "first steps in which kernel and noise parameters are held"},
		{Key: "natgrad", Models: onGP, Arg: "GAMMA", limits: between(0, 1), value: &c.NatGrad,
			Help: "update q of the inducing outputs by natural gradients of this size, at most 1, instead of Adam. " +
				"The size rises from a thousandth over the warm-up and decays with the learning rate. 0 is off"},
		{Key: "l2", Arg: "X", limits: between(0, maxFactor), value: &c.L2,
			Help: "coupled penalty on all raw parameters"},
		{Key: "adam-beta1", Arg: "X", limits: below(0, 1), value: &c.AdamBeta1,
			Help: "Adam's decay of the gradient's mean"},
		{Key: "adam-beta2", Arg: "X", limits: below(0, 1), value: &c.AdamBeta2,
			Help: "Adam's decay of the gradient's square"},
		{Key: "adam-eps", Arg: "X", limits: between(1e-30, maxFactor), value: &c.AdamEps, // not 0 in single precision
			Help: "term that Adam adds to the root of the gradient's mean square"},
	}
}

// validationOptions returns the options for validation rows.
func (c *Config) validationOptions() []Option {
	return []Option{
		{Key: "validation", Arg: "FRACTION|FILE", value: &c.Validation,
			Help: "rows for evaluation during training: a fraction of the training rows, held out by the seed, " +
				"or a file; 0 for none"},
		{Key: "eval-every", Arg: "N", limits: between(0, MaxSteps), warm: ofNewRun, value: &c.EvalEvery,
			Help: fmt.Sprintf("steps between two evaluations, each with %d samples of at most %d rows; 0 is a "+
				"twentieth of the run", ValidationSamples, ValidationRows)},
		{Key: "early-stop", Arg: "PATIENCE", limits: between(0, MaxSteps), value: &c.EarlyStop,
			Help: "end the run after this number of evaluations without improvement; 0 is never"},
		{Key: "restore", Values: []string{RestoreBest, RestoreLast}, value: &c.Restore,
			Help: "the final parameters: those of the best evaluation, or the last"},
	}
}

// predictionOptions returns the options for prediction after training.
func (c *Config) predictionOptions() []Option {
	return []Option{
		{Key: "eval-samples", Arg: "S", limits: between(1, MaxSamples), value: &c.EvalSamples,
			Help: "number of Monte-Carlo samples in prediction"},
		{Key: "predict-draws", Arg: "T", limits: between(0, MaxWidth), value: &c.PredictDraws,
			Help: "number of draws of the output, as in the paper; 0 takes the mixture in closed form"},
		{Key: "conformal", Flag: true, value: &c.Conformal,
			Help: fmt.Sprintf("conformal prediction: hold out a fifth of the training rows, %d at most, for intervals "+
				"and sets with guaranteed coverage for exchangeable rows: docs/intervals.md", maxConformal)},
		{Key: "level", Arg: "X", limits: limits{hi: 1, excludesLow: true, excludesHigh: true}, value: &c.Level,
			Help: "the level of --conformal; predict --level takes any other from the same run"},
	}
}
