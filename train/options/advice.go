package options

import (
	"fmt"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/model"
)

// Blocked names the parts that cannot learn from the data, because arc-cosine features of degree 0 above them have no
// slope; "" if there are none.
func (c *Config) Blocked() string {
	if c.Model == model.GP || c.FeatureKernel != "arccos0" {
		return ""
	}
	var below []string
	if c.Model == model.GPDRF && c.Skip {
		below = append(below, "the GP layer, except through the skip")
	} else if c.Model == model.GPDRF {
		below = append(below, "the GP layer")
	}
	if c.Layers > 1 {
		below = append(below, "the DRF layers below the last")
	}
	if below == nil {
		return ""
	}
	return fmt.Sprintf("features-kernel arccos0: such features are steps, whose slope is 0, so that "+
		"nothing below them learns from the data: %s; arccos1 and arccos2 have a slope", strings.Join(below, "; "))
}

// IsBound reports whether the objective is a bound, under which longer training does not memorise.
func (c *Config) IsBound() bool {
	drawn := c.Model != model.GP && model.Treatment(c.Spectra) == model.VarFixed
	return c.KLWeight == 1 && c.Objective != Predictive && !drawn
}

// ObjectiveName is the objective in words, which tell whether it is a bound.
func (c *Config) ObjectiveName() string {
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

// Remedy is the advice for a model that memorises.
func (c *Config) Remedy() string {
	var try []string
	if c.KLWeight < 1 {
		try = append(try, "--set kl-weight=1")
	}
	if c.Objective == Predictive {
		try = append(try, "--set objective=elbo")
	}
	if c.Model != model.GP && model.Treatment(c.Spectra) == model.VarFixed {
		bound := model.VarIntegrated
		if c.hasArcCosines() {
			bound = model.PriorFixed
		}
		try = append(try, "--spectra "+bound)
	} else if !c.Validates() { // preset best compares settings on rows that are held out
		try = append(try, "--preset "+Best)
	}
	if c.Model == model.GP {
		try = append(try, "fewer --inducing")
	} else {
		try = append(try, "fewer --features", "--model gp")
	}
	last := len(try) - 1
	if last == 0 {
		return try[0]
	}
	return strings.Join(try[:last], ", ") + " or " + try[last]
}
