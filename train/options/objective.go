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

// fitObjective decides between the bound and the predictive objective where the user does not, or
// leaves it to rows that are held out. The second is no bound, and a model may memorise under it if as
// many parameters as there are rows can follow these.
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
	switch fitted := m.Fitted(); {
	case has && ds.N() > fitted:
		c.Objective = Predictive
		notes = append(notes, fmt.Sprintf(
			"objective: predictive, since %d rows outnumber %d parameters that can follow them", ds.N(), fitted))
	case !has || !c.rowsChoose(ds):
		c.Objective = ELBO
	}
	return notes, nil
}

// leastChosenBy is the number of rows from where on a fifth of them can choose.
const leastChosenBy = 30

// rowsChoose reports whether rows that are held out choose the objective and the number of steps: it
// remains Auto until they have.
func (c *Config) rowsChoose(ds *data.Dataset) bool {
	return ds.X != nil && ds.Sequences == nil && ds.Kernel == nil && !ds.IsWide() && ds.N() >= leastChosenBy &&
		!c.Explicit("steps") && !c.Explicit("epochs")
}
