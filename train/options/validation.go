package options

import (
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// The cost of an evaluation during training: at most the forward passes of ValidationRows·ValidationSamples rows.
const (
	ValidationRows    = 2000
	ValidationSamples = 8
)

// Evaluations is the default number of evaluations in a run.
const Evaluations = 20

// maxValidation is the largest share of the training rows that can be held out.
const maxValidation = 0.5

// validation reads Validation: a fraction, a percentage, or a file; 0 and "" without validation.
func (c Config) validation() (fraction float64, file string) {
	text, isPercent := strings.CutSuffix(c.Validation, "%")
	fraction, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err != nil:
		return 0, c.Validation
	case isPercent:
		fraction /= 100
	}
	return fraction, ""
}

// Validates reports whether there are validation rows.
func (c Config) Validates() bool {
	fraction, file := c.validation()
	return fraction != 0 || file != ""
}

// checkValidation refuses a fraction that is too large, and options of a validation without validation rows.
func (c Config) checkValidation() error {
	if fraction, _ := c.validation(); !(fraction >= 0 && fraction <= maxValidation) {
		return c.Errorf("validation", "%q must be a fraction of at most %g", c.Validation, maxValidation)
	}
	if c.Validates() {
		return nil
	}
	for _, o := range []struct {
		key   string
		value int
	}{{"early-stop", c.EarlyStop}, {"eval-every", c.EvalEvery}} {
		if o.value > 0 {
			return c.Errorf(o.key, "there are no rows to evaluate on: give %s=0.1", usererror.Key("validation"))
		}
	}
	return nil
}
