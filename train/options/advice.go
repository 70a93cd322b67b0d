package options

import (
	"fmt"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// ZeroSlopeWarning returns the warning about features without a slope, below which no layer learns from the data; ""
// for others.
func (c Config) ZeroSlopeWarning() string {
	if c.FeatureKernel != "arccos0" || c.Model == model.GP || c.Model == model.DRF && c.Layers == 1 {
		return ""
	}
	return "features-kernel arccos0: such features are steps, whose slope is 0, so that the layers below them learn " +
		"from the data only through a skip; arccos1 and arccos2 have a slope"
}

// IsBound reports whether the objective is a bound, under which longer training does not memorise.
func (c Config) IsBound() bool {
	drawn := c.Model != model.GP && model.ParseSpectraTreatment(c.Spectra).Name == model.VarFixed
	return c.KLWeight == 1 && c.Objective != Predictive && !drawn
}

// ObjectiveName returns the objective in words, which tell whether it is a bound.
func (c Config) ObjectiveName() string {
	switch {
	case c.IsBound():
		return "ELBO"
	case c.Objective == Predictive && c.KLWeight != 1:
		return fmt.Sprintf("predictive (kl-weight %g), not a bound", c.KLWeight)
	case c.Objective == Predictive:
		return "predictive, not a bound"
	case c.KLWeight == 1:
		return "ELBO of one frozen draw of the frequencies (spectra var-fixed), not a bound"
	}
	return fmt.Sprintf("tempered (kl-weight %g), not a bound", c.KLWeight)
}

// Remedy returns the advice for a model that memorises.
func (c Config) Remedy() string {
	var try []string
	if c.KLWeight < 1 {
		try = append(try, usererror.Key("kl-weight")+"=1")
	}
	if c.Objective == Predictive {
		try = append(try, usererror.Key("objective")+"=elbo")
	}
	if c.Model != model.GP && model.ParseSpectraTreatment(c.Spectra).Name == model.VarFixed {
		bound := model.VarIntegrated
		if c.hasArcCosines() {
			bound = model.PriorFixed
		}
		try = append(try, usererror.Flag("spectra")+" "+bound)
	} else if !c.Validates() && c.Preset != Best { // preset best compares settings on rows that are held out
		try = append(try, usererror.Flag("preset")+" "+Best)
	}
	if c.Model == model.GP {
		try = append(try, "fewer "+usererror.Flag("inducing"))
	} else {
		try = append(try, "fewer "+usererror.Flag("features"), usererror.Flag("model")+" gp")
	}
	last := len(try) - 1
	if last == 0 {
		return try[0]
	}
	return strings.Join(try[:last], ", ") + " or " + try[last]
}
