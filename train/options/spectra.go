package options

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// checkTreatment refuses a text that is no treatment of the frequencies.
func checkTreatment(text string) (wrong string) {
	if all := model.SpectraTreatments(); !slices.Contains(all, text) {
		return notOneOf(text, all)
	}
	return ""
}

// checkSpectra refuses flags that do not fit the treatment of the frequencies. In a preset or a file, such as the
// config.yaml of a run, these options have no effect. Features without moments in closed form get a fixed draw of the
// frequencies, unless a user asks for another treatment.
func (c *Config) checkSpectra() error {
	integrates := c.Model != model.GP && c.Spectra == model.VarIntegrated
	if integrates && c.hasArcCosines() {
		if c.Explicit("spectra") {
			return c.Errorf("spectra", "%s integrates cosines and sines, and features-kernel %s has none: give "+
				"another spectra, or leave it out",
				c.Spectra, c.FeatureKernel)
		}
		c.Spectra, integrates = model.PriorFixed, false
	}
	switch {
	case integrates && !c.LocalReparam && c.typed("local-reparam"):
		return c.Errorf("local-reparam", "it has no effect with spectra %s, which draws neither weights nor "+
			"frequencies: leave it out, or give another spectra", c.Spectra)
	case !integrates && c.Model != model.GP && c.WCov == model.Full && c.typed("w-cov"):
		return c.Errorf("w-cov", "%s is for spectra %s, and spectra is %s: leave it out",
			model.Full, model.VarIntegrated, c.Spectra)
	}
	return nil
}

// The limits up to which the covariance of the weights is full by default.
const (
	rowsPerFrequency = 20  // rows for each frequency: more rows determine each weight
	fullFrequencies  = 128 // frequencies: more of them take longer than the GP layer
)

// weightCovariance returns the covariance of the weights of the last layer. Few rows for its 2R features do not
// determine each weight, and a diagonal costs much of the bound.
func (c Config) weightCovariance(ds *data.Dataset) string {
	switch {
	case c.Model == model.GP || c.Spectra != model.VarIntegrated:
		return model.Diagonal
	case c.WCov != Auto:
		return c.WCov
	case c.outputs(ds) == 1 && c.Features <= fullFrequencies && ds.N() <= rowsPerFrequency*c.Features:
		return model.Full
	}
	return model.Diagonal
}

// resolveWeights resolves the covariance of the weights of the last layer.
func (c *Config) resolveWeights(ds *data.Dataset) (notes []string) {
	isAuto := c.WCov == Auto
	if c.WCov = c.weightCovariance(ds); isAuto && c.WCov == model.Full {
		notes = append(notes, fmt.Sprintf(
			"w-cov: full, since %d rows are at most %d for each of %d frequencies",
			ds.N(), rowsPerFrequency, c.Features))
	}
	return notes
}

func (c Config) hasArcCosines() bool { return strings.HasPrefix(c.FeatureKernel, "arccos") }

// spectraNotes returns the note that features without moments in closed form get another treatment.
func (c Config) spectraNotes() []string {
	if c.Model == model.GP || !c.hasArcCosines() || c.Spectra != model.PriorFixed || c.Explicit("spectra") {
		return nil
	}
	return []string{fmt.Sprintf("spectra: %s, since features of %s have no moments in closed form",
		c.Spectra, c.FeatureKernel)}
}
