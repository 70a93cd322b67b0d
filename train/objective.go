package train

import (
	"github.com/gpdrf/gpdrf-gpu/internal/usage"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// settleObjective decides between the bound and the predictive objective where the user does not.
// The second is no bound, and a model memorises under it if more parameters than there are rows can
// follow these.
func (j *Job) settleObjective(c model.Config) error {
	has := c.HasDensity()
	switch {
	case j.Config.Maximise == options.Predictive && !has:
		return usage.Errorf("objective predictive is for the likelihood %s, and for spectra %s or model %s: leave it out",
			model.GaussianLikelihood, model.VarIntegrated, model.GP)
	case j.Config.Maximise != options.Auto:
		return nil
	}
	objective := options.ELBO
	if has {
		dry, _ := j.Device.Dry()
		m, err := model.New(dry, c)
		if err != nil {
			return &usage.Error{Err: err}
		}
		if fitted := m.Params().Fitted(); j.Train.N() >= fitted {
			objective = options.Predictive
			if j.Reporter != nil {
				j.Reporter.Note("objective: predictive, since %d rows outnumber %d parameters that can follow them",
					j.Train.N(), fitted)
			}
		}
	}
	j.Config = j.Config.With("objective", objective)
	return nil
}
