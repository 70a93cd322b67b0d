package options

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// lognormal asks for Gaussian noise of the target's logarithm.
const lognormal = "lognormal"

// resolveLognormal replaces the likelihood lognormal by gaussian with target-scaling log.
func (c *Config) resolveLognormal() error {
	if c.Likelihood != lognormal {
		return nil
	}
	if c.Targets != scaling.AutoTargets && c.Targets != scaling.LogTargets {
		return c.Errorf("target-scaling", "%s is not the logarithm that %s has: leave it out", c.Targets, lognormal)
	}
	c.Likelihood, c.Targets = model.GaussianLikelihood, scaling.LogTargets
	return nil
}

// Balanced is the ClassWeights that give each class the same share of the weights.
const Balanced = "balanced"

// BalancesClasses reports whether training rows get Balanced weights. The error is that of a regression, which has no
// classes.
func (c Config) BalancesClasses(ds *data.Dataset) (bool, error) {
	if c.ClassWeights != Balanced {
		return false, nil
	}
	if ds.Task != data.Classification {
		return false, c.Errorf("class-weights", "the target %q is a %s and has no classes: leave it out, or weight "+
			"its rows with %s", ds.Target, ds.Task, usererror.Flag("weights"))
	}
	return true, nil
}

// Likelihoods returns the likelihoods of a task; the first is what auto means.
func Likelihoods(task data.Task) []string {
	if task == data.Classification {
		return []string{model.SoftmaxLikelihood, model.BernoulliLikelihood, model.OrdinalLikelihood}
	}
	return []string{model.GaussianLikelihood, model.StudentLikelihood, model.HeteroscedasticLikelihood,
		model.PoissonLikelihood, model.NegativeBinomialLikelihood}
}

// taskToRead returns the task for reading the rows. If none is given, the likelihood decides whether few whole numbers
// are counts or levels.
func (c Config) taskToRead() string {
	switch {
	case c.Task != Auto:
	case model.IsCountLikelihood(c.Likelihood), c.Likelihood == Auto && c.Roles.Offset != "":
		return string(data.Regression)
	case c.Likelihood == model.OrdinalLikelihood:
		return string(data.Classification)
	}
	return c.Task
}

// ResolveTarget resolves what depends on the target; the training rows come first. It puts the levels of an ordinal
// target in their order, in all rows. If all is auto, and the targets are counts beyond doubt or counts with offsets,
// it sets the likelihood negative-binomial, with a note.
func (c Config) ResolveTarget(all ...*data.Dataset) (known Config, notes []string, err error) {
	train := all[0]
	if c.Likelihood == model.OrdinalLikelihood && train.Task == data.Classification {
		var levels []string
		if c.Order != "" {
			levels = strings.Split(c.Order, ",")
		}
		for i := range levels {
			levels[i] = strings.TrimSpace(levels[i])
		}
		for _, ds := range all {
			if ds == nil {
				continue
			}
			if err := ds.OrderClasses(levels); err != nil {
				return c, nil, err
			}
		}
		return c, []string{fmt.Sprintf("levels, from the lowest: %s", strings.Join(train.Classes, ", "))}, nil
	}
	if c.Order != "" {
		return c, nil, c.Errorf("order", "is of the levels of %s ordinal, and this is %s: leave it out",
			usererror.Flag("likelihood"), c.likelihoodOf(train.Task))
	}
	undecided := c.Likelihood == Auto && c.Targets == scaling.AutoTargets && c.Objective != Predictive &&
		c.PredictDraws == 0 && !c.Explicit("noise-init") && !c.hasTemperature()
	hasExposures := train.Offset != nil && train.Task == data.Regression && scaling.CheckCounts(train) == nil
	if undecided && (hasExposures || scaling.IsCountTarget(train)) {
		c.Likelihood = model.NegativeBinomialLikelihood
		notes = []string{fmt.Sprintf("target %s holds counts: likelihood negative-binomial (%s gaussian for numbers)",
			train.Target, usererror.Flag("likelihood"))}
	}
	return c, notes, nil
}

// hasTemperature reports whether a user gave a temperature that has an effect.
func (c Config) hasTemperature() bool { return c.Temperature != 0 && c.Temperature != 1 }

// likelihoodOf returns the likelihood for a task.
func (c Config) likelihoodOf(task data.Task) string {
	if c.Likelihood == Auto {
		return Likelihoods(task)[0]
	}
	return c.Likelihood
}

// MayVaryNoise reports whether held-out rows may choose a noise that differs between rows: the user left the likelihood
// of numbers open, the model is no baseline, and it has latent functions for the outputs.
func (c Config) MayVaryNoise(ds *data.Dataset) bool {
	outputs := model.OutputsFor(model.HeteroscedasticLikelihood, len(ds.Outputs()))
	return c.Model == model.GPDRF && !c.Explicit("likelihood") && (c.Latents >= outputs || !c.Skip)
}

// ForLikelihood returns a resolved Config for another likelihood of the training rows.
func (c Config) ForLikelihood(likelihood string, ds *data.Dataset) Config {
	c.Likelihood = likelihood
	if !c.Explicit("w-cov") {
		c.WCov = Auto
		c.resolveWeights(ds)
	}
	return c
}

// accepted returns the likelihoods of the rows' task that their targets allow.
func accepted(ds *data.Dataset) []string {
	all := Likelihoods(ds.Task)
	counts := scaling.CheckCounts(ds) == nil
	if ds.Task == data.Regression && scaling.CheckPositive(ds, slices.Repeat([]scaling.TargetScale{{Log: true}},
		len(ds.Outputs()))) == nil {
		all = append(all, lognormal)
	}
	return slices.DeleteFunc(all, func(likelihood string) bool {
		return model.IsCountLikelihood(likelihood) && !counts ||
			likelihood == model.BernoulliLikelihood && len(ds.Classes) != 2 ||
			likelihood == model.OrdinalLikelihood && len(ds.Classes) > model.MaxLevels
	})
}

// resolveLikelihood resolves auto by the training rows. A likelihood that does not fit them is an error.
func (c *Config) resolveLikelihood(ds *data.Dataset) error {
	c.Likelihood = c.likelihoodOf(ds.Task)
	if fits := Likelihoods(ds.Task); !slices.Contains(fits, c.Likelihood) {
		return c.Errorf("likelihood", "%s does not fit the target %q, a %s: give %s, or leave it out", c.Likelihood,
			ds.Target, ds.Task, strings.Join(accepted(ds), " or "))
	}
	if c.ClassOffsets && ds.Task != data.Classification {
		return c.Errorf("class-offsets", "the target %q is a %s and has no classes: leave "+
			"it out", ds.Target, ds.Task)
	}
	if c.ClassOffsets && c.Likelihood == model.OrdinalLikelihood {
		return c.Errorf("class-offsets", "ordinal has cut points in their place: leave it out")
	}
	if _, err := c.BalancesClasses(ds); err != nil {
		return err
	}
	if model.IsCountLikelihood(c.Likelihood) {
		if c.PredictDraws > 0 {
			return c.Errorf("predict-draws",
				"puts a normal in place of a prediction, and counts have none: leave it out")
		}
		if c.hasTemperature() {
			return c.Errorf("temperature", "counts have none: leave it out")
		}
		return scaling.CheckCounts(ds)
	}
	if ds.Offset != nil {
		return c.Errorf("offset", "is added to log rates of counts, and this likelihood has none: give %s %s "+
			"or %s, or leave it out", usererror.Flag("likelihood"), model.PoissonLikelihood,
			model.NegativeBinomialLikelihood)
	}
	if n := len(ds.Classes); c.Likelihood == model.BernoulliLikelihood && n != 2 {
		return c.Errorf("likelihood", "bernoulli is for two classes, and the target %q has %d: use softmax", ds.Target,
			n)
	}
	if n := len(ds.Classes); c.Likelihood == model.OrdinalLikelihood && n > model.MaxLevels {
		return c.Errorf("likelihood", "ordinal is for %d levels at most, and the target %q has %d: use gaussian",
			model.MaxLevels, ds.Target, n)
	}
	return nil
}

// resolveOptions refuses options of a user that have no effect on these rows, and turns off those of presets and files.
func (c *Config) resolveOptions(ds *data.Dataset) error {
	if err := c.resolveLikelihood(ds); err != nil { // before the choice of maps, which takes long
		return err
	}
	if c.Explicit("skip") && c.Model == model.GPDRF && c.Skip &&
		c.Explicit("latents") && c.Latents < c.outputs(ds) {
		return c.Errorf("skip", "the skip adds the %d latent functions to %d outputs: give latents %d or more, or "+
			"leave the skip out", c.Latents, c.outputs(ds), c.outputs(ds))
	}
	// withoutNumbers means that rows have no columns beside the kernel or the sequence
	withoutNumbers := ds.Gram != nil || ds.Sequences != nil && ds.D() == 0
	switch {
	case c.Explicit("scaling") && withoutNumbers && ds.Gram == nil &&
		!slices.Contains([]string{Auto, "none"}, c.Scaling):
		return c.Errorf("scaling", "%s holds sequences only, and no numbers to scale: leave it out", ds.Path)
	case !withoutNumbers || c.Model != model.GPDRF || c.Layers > 1:
		return nil
	// earlier runs have it in their config.yaml
	case c.typed("feed-forward") && c.FeedForward:
		return c.Errorf("feed-forward", "a single layer always sees the latent functions, and these rows have no "+
			"other numbers: leave it out")
	}
	c.FeedForward = false
	return nil
}
