package options

import (
	"fmt"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// The objectives of training, besides Auto.
const (
	ELBO       = "elbo"
	Predictive = "predictive" // Σ log E_q p(y | F) − KL (Jankowiak, Pleiss and Gardner 2020)
)

// The evaluation whose parameters a run keeps.
const (
	RestoreBest = "best"
	RestoreLast = "last"
)

// Cosine is the Decay of the learning rate by a cosine.
const Cosine = "cosine"

// checkObjective refuses a flag for the predictive objective if the model has none. In a config file it has no effect
// then.
func (c *Config) checkObjective() error {
	gaussian := c.Likelihood == model.GaussianLikelihood || c.Likelihood == Auto
	if c.Objective != Predictive || gaussian && (c.Model == model.GP || c.Spectra == model.VarIntegrated) {
		return nil
	}
	if c.typed("objective") {
		return c.Errorf("objective", "%s is for the likelihood %s, and for spectra %s or model %s: leave it out, or "+
			"give those", Predictive, model.GaussianLikelihood, model.VarIntegrated, model.GP)
	}
	c.Objective = ELBO
	return nil
}

// resolveObjective decides between the bound and the predictive objective, unless the user or rows that are held out
// do.
func (c *Config) resolveObjective(ds *data.Dataset) (notes []string, err error) {
	switch {
	case c.Objective == Predictive && !c.HasPredictive(ds):
		return nil, c.Errorf("objective", "%s is for numbers, and the target %q has classes: leave it out",
			Predictive, ds.Target)
	case c.Objective != Auto || c.heldOutRowsChoose(ds):
		return nil, nil
	}
	if c.Explicit("objective") {
		notes = append(notes, "objective: held-out rows choose nothing: "+c.noChoice(ds))
	}
	c.Objective = c.ObjectiveOf(ds)
	switch {
	case c.Objective == Predictive:
		m := c.ModelConfig(ds)
		notes = append(notes, fmt.Sprintf("objective: predictive, since %d rows outnumber %d parameters that can "+
			"follow them", ds.N(), m.FittedParameters()))
	case !c.Explicit("objective") && c.noChoice(ds) == "":
		notes = append(notes, "objective: elbo, since steps, epochs or kl-weight are given: "+
			usererror.Key("objective")+"=auto lets held-out rows choose")
	}
	return notes, nil
}

// HasPredictive reports whether the model for training rows has a predictive objective.
func (c Config) HasPredictive(ds *data.Dataset) bool {
	m := c.ModelConfig(ds)
	return m.HasPredictive()
}

// ObjectiveOf returns the safe objective for training rows. The predictive one is no bound: under it, a model may
// memorise if as many parameters as there are rows can follow the rows.
func (c Config) ObjectiveOf(ds *data.Dataset) string {
	if c.HasPredictive(ds) && c.outnumbersParameters(ds) {
		return Predictive
	}
	return ELBO
}

// outnumbersParameters reports whether training rows outnumber the parameters that can follow them.
func (c Config) outnumbersParameters(ds *data.Dataset) bool {
	m := c.ModelConfig(ds)
	return ds.N() > m.FittedParameters()
}

// minChoiceRows is the number of rows from which on a held-out fifth can choose the objective.
const minChoiceRows = 30

// heldOutRowsChoose reports whether rows that are held out choose the objective and its weight of the KL terms. The
// objective is Auto until then. If the user gives a length or a weight, they choose only if the user gives Auto, too. A
// regression of sequences takes all its steps under the bound: these are few, and a quarter of them is too short.
func (c Config) heldOutRowsChoose(ds *data.Dataset) bool {
	if !c.Explicit("objective") && slices.ContainsFunc([]string{"steps", "epochs", "kl-weight"}, c.Explicit) {
		return false
	}
	return c.noChoice(ds) == ""
}

// noChoice returns the reason why rows that are held out cannot choose the objective, even if the user gives Auto; ""
// if they can.
func (c Config) noChoice(ds *data.Dataset) string {
	switch {
	case c.KLWeight != 1:
		return fmt.Sprintf("kl-weight is %g", c.KLWeight)
	case ds.Gram != nil:
		return "the kernel is given with the rows"
	case ds.HasRidgeFeatures():
		return "the inputs are scores that were fitted to the targets of all rows"
	case ds.Sequences != nil && ds.Task == data.Regression:
		return "a regression of sequences takes all its steps under the bound"
	case ds.N() < minChoiceRows:
		return fmt.Sprintf("%d rows are too few, %d are needed", ds.N(), minChoiceRows)
	}
	return ""
}

// The defaults of two random-feature layers. A step with more features takes longer.
const (
	deepLayers      = 2
	deepHidden      = 16
	deepLatents     = 32
	minDeepFeatures = 100
	maxDeepFeatures = 200
	deepSteps       = 20000
)

// resolveDepth makes two random-feature layers the preset default if rows outnumber their parameters. They have 32
// latent functions, and from 100 to 200 features, as many as rows allow. They fit better then; with fewer rows they
// memorise. They gain from more steps than one layer takes, though a step takes nearly three times as long. A note
// tells if sizes that the user gave are too large.
func (c *Config) resolveDepth(ds *data.Dataset) []string {
	given := c.Explicit("layers") || c.Layers > 1
	if c.Preset != Defaults().Preset || c.Model != model.GPDRF || ds.Sequences != nil || given || c.Objective == ELBO {
		return nil
	}
	for features := maxDeepFeatures; features >= minDeepFeatures; features -= 10 {
		deep := *c
		notes := deep.adopt("defaults where rows outnumber the parameters of two layers: ", []newDefault{
			{"layers", deepLayers}, {"hidden", deepHidden}, {"latents", max(c.Latents, deepLatents)},
			{"features", features}, {"steps", deepSteps}})
		if deep.HasPredictive(ds) && deep.outnumbersParameters(ds) {
			*c = deep
			return notes
		}
	}
	given, latents := c.Explicit("features"), max(c.Latents, deepLatents)
	if c.Explicit("latents") {
		given, latents = true, deepLatents
	}
	usual := *c
	usual.Layers, usual.Hidden, usual.Latents, usual.Features = deepLayers, deepHidden, latents, minDeepFeatures
	if given && usual.HasPredictive(ds) && usual.outnumbersParameters(ds) {
		return []string{"one layer, since rows do not outnumber the parameters of two with the sizes given: " +
			usererror.Key("layers") + "=2 has two"}
	}
	return nil
}

// classFeatures is the number of features for several classes whose weight of the KL terms held-out rows choose. More
// features than for numbers memorise no more then, and predict better.
const classFeatures = 400

// resolveFeatures gives one layer for classes their number of features, in preset default. Under a time limit, more
// steps are better than more features.
func (c *Config) resolveFeatures(ds *data.Dataset) (notes []string) {
	if c.Preset != Defaults().Preset || c.Model != model.GPDRF || ds.Sequences != nil || c.Layers > 1 ||
		ds.Task != data.Classification || c.outputs(ds) == 1 || c.Explicit("time-limit") ||
		c.Objective != Auto || !c.heldOutRowsChoose(ds) {
		return nil
	}
	return c.adopt("default for classes: ", []newDefault{{"features", classFeatures}})
}
