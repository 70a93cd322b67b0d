package options

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// The objectives of training.
const (
	Auto       = "auto" // the rows decide
	ELBO       = "elbo"
	Predictive = "predictive" // Σ log E_q p(y | F) − KL (Jankowiak, Pleiss and Gardner 2020)
)

// checkObjective refuses a flag for the predictive objective where the model has none. In a file it has
// no effect there.
func (c *Config) checkObjective() error {
	gaussian := c.Likelihood == model.GaussianLikelihood || c.Likelihood == "auto"
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

// fitObjective decides between the bound and the predictive objective where neither the user nor rows
// that are held out do.
func (c *Config) fitObjective(ds *data.Dataset) (notes []string, err error) {
	switch {
	case c.Objective == Predictive && !c.HasPredictive(ds):
		return nil, c.Errorf("objective", "%s is for numbers, and the target %q has classes: leave it out",
			Predictive, ds.Target)
	case c.Objective != Auto || c.rowsChoose(ds):
		return nil, nil
	}
	if c.Objective = c.ObjectiveOf(ds); c.Objective == Predictive {
		m := c.ModelConfig(ds)
		notes = append(notes, fmt.Sprintf("objective: predictive, since %d rows outnumber %d parameters that can "+
			"follow them", ds.N(), m.Fitted()))
	}
	return notes, nil
}

// HasPredictive reports whether the model of training rows has a predictive objective.
func (c *Config) HasPredictive(ds *data.Dataset) bool {
	m := c.ModelConfig(ds)
	return m.HasPredictive()
}

// ObjectiveOf is the objective that is the safe one for training rows. The predictive one is no bound, and a
// model may memorise under it if as many parameters as there are rows can follow these.
func (c *Config) ObjectiveOf(ds *data.Dataset) string {
	if c.HasPredictive(ds) && c.OutnumbersParameters(ds) {
		return Predictive
	}
	return ELBO
}

// OutnumbersParameters reports whether training rows outnumber the parameters that can follow them.
func (c *Config) OutnumbersParameters(ds *data.Dataset) bool {
	m := c.ModelConfig(ds)
	return ds.N() > m.Fitted()
}

// leastChosenBy is the number of rows from where on a fifth of them can choose.
const leastChosenBy = 30

// rowsChoose reports whether rows that are held out choose the objective and its weight of the divergences:
// the objective remains Auto until they have. A length of the user's is kept, or a weight, unless the user
// asks for Auto beside it. Numbers of sequences have all their steps under the bound: these are few, and a
// quarter of them is too short.
func (c *Config) rowsChoose(ds *data.Dataset) bool {
	asked := c.Explicit("objective")
	for _, key := range []string{"steps", "epochs", "kl-weight"} {
		if c.Explicit(key) && !asked {
			return false
		}
	}
	short := ds.Sequences != nil && ds.Task == data.Regression
	return c.KLWeight == 1 && ds.Kernel == nil && !ds.IsWide() && !short && ds.N() >= leastChosenBy
}

// Two layers are for many rows. A step takes 1.6 times as long, so there are fewer.
const (
	deepLayers = 2
	deepHidden = 16
	deepSteps  = 9300
	rowsOfDeep = 2 // rows for each parameter of two layers
)

// fitDepth makes two random-feature layers the preset default where there are two rows for each of their parameters.
// They then fit better in the same time; with fewer rows they memorise.
func (c *Config) fitDepth(ds *data.Dataset) (notes []string) {
	m := c.With("layers", deepLayers).With("hidden", deepHidden).ModelConfig(ds)
	if c.Preset != defaults().Preset || c.Model != model.GPDRF || ds.Sequences != nil || c.Explicit("layers") ||
		c.Objective == ELBO || !m.HasPredictive() || ds.N() < rowsOfDeep*m.Fitted() {
		return nil
	}
	return c.adopt("defaults where there are two rows for each parameter of two layers: ", []newDefault{
		{"layers", deepLayers}, {"hidden", deepHidden}, {"steps", deepSteps}})
}
