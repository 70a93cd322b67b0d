package train

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/model"
)

// checkSpectra refuses what does not go with the treatment of the frequencies. Features that have
// no moments in closed form get a fixed draw of them, unless a user asks for another treatment.
func (c *Config) checkSpectra() error {
	if c.Model == model.GP || c.Spectra != model.VarIntegrated {
		return nil
	}
	if strings.HasPrefix(c.FeatureKernel, "arccos") {
		if from, given := c.explicit["spectra"]; given {
			return Setting{"spectra", "", from}.errorf("%s integrates cosines and sines, and features-kernel %s has none: give prior-fixed or var-resampled",
				c.Spectra, c.FeatureKernel)
		}
		c.Spectra = model.PriorFixed
		return nil
	}
	if from, given := c.explicit["local-reparam"]; given && !c.LocalReparam {
		return Setting{"local-reparam", "", from}.errorf("false draws the weights, and spectra %s integrates them: leave it out, or give another spectra", c.Spectra)
	}
	for _, key := range []string{"fixed-noise", "share-spectra"} { // a run's own config.yaml holds them all
		if from := c.explicit[key]; from == "--"+key {
			return Setting{key, "", from}.errorf("it has no effect with spectra %s, which draws no frequencies: leave it out, or give another spectra", c.Spectra)
		}
	}
	return nil
}
