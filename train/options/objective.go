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

// fitObjective decides between the bound and the predictive objective where the user does not. The
// second is no bound, and a model memorises under it if as many parameters as there are rows can
// follow these.
func (c *Config) fitObjective(ds *data.Dataset) (notes []string, err error) {
	m := c.ModelConfig(ds)
	has := m.HasPredictive()
	switch {
	case c.Objective == Predictive && !has:
		return nil, c.Errorf("objective", "%s is for numbers, and the target %q has classes: leave it out",
			Predictive, ds.Target)
	case c.Objective != Auto:
		return nil, nil
	}
	c.Objective = ELBO
	if !has {
		return nil, nil
	}
	if fitted := m.Fitted(); ds.N() > fitted {
		c.Objective = Predictive
		notes = append(notes, fmt.Sprintf(
			"objective: predictive, since %d rows outnumber %d parameters that can follow them", ds.N(), fitted))
	}
	return notes, nil
}
