package options

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/model"
)

// checkTreatment refuses a text that is no treatment of the frequencies.
func checkTreatment(text string) (wrong string) {
	if all := model.SpectraTreatments(); !slices.Contains(all, text) {
		return notOneOf(text, all)
	}
	return ""
}

// checkSpectra refuses flags that do not go with the treatment of the frequencies. A file, such as
// a run's own config.yaml, or a preset holds them all: there they have no effect. Features that
// have no moments in closed form get a fixed draw of the frequencies, unless a user asks for
// another treatment.
func (c *Config) checkSpectra() error {
	if c.Model == model.GP || c.Spectra != model.VarIntegrated {
		return nil
	}
	if c.hasArcCosines() {
		if c.Explicit("spectra") {
			return c.Errorf("spectra", "%s integrates cosines and sines, and features-kernel %s has none: give another "+
				"spectra, or leave it out",
				c.Spectra, c.FeatureKernel)
		}
		c.Spectra = model.PriorFixed
		return nil
	}
	if !c.LocalReparam && c.typed("local-reparam") {
		return c.Errorf("local-reparam", "it has no effect with spectra %s, which draws neither weights nor frequencies: "+
			"leave it out, or give another spectra", c.Spectra)
	}
	return nil
}

// hasArcCosines reports whether the features are of an arc-cosine kernel.
func (c *Config) hasArcCosines() bool { return strings.HasPrefix(c.FeatureKernel, "arccos") }

// spectraNotes is the note about features without moments in closed form.
func (c *Config) spectraNotes() []string {
	if c.Model == model.GP || !c.hasArcCosines() || c.Spectra != model.PriorFixed || c.Explicit("spectra") {
		return nil
	}
	return []string{fmt.Sprintf("spectra: %s, since features of %s have no moments in closed form",
		c.Spectra, c.FeatureKernel)}
}
