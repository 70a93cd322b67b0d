package options

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// What an evaluation during training may cost: at most as much as the forward passes of
// validationRows·validationSamples rows.
const (
	ValidationRows    = 2000
	ValidationSamples = 8
)

// Evaluations is how many there are in a run where the user does not say otherwise.
const Evaluations = 20

// mostValidation is the largest part of the training rows that can be held out.
const mostValidation = 0.5

// validation reads the option: a fraction, a percentage, or a file; 0 and "" without validation.
func (c *Config) validation() (fraction float64, file string) {
	text, isPercent := strings.CutSuffix(c.Validation, "%")
	fraction, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, c.Validation
	case isPercent:
		fraction /= 100
	}
	return fraction, ""
}

// Validates reports whether there are validation rows.
func (c *Config) Validates() bool {
	fraction, file := c.validation()
	return fraction != 0 || file != ""
}

// checkValidation refuses options that make no sense together.
func (c *Config) checkValidation() error {
	if fraction, _ := c.validation(); !(fraction >= 0 && fraction <= mostValidation) {
		return c.Errorf("validation", "%q must be a fraction of at most %g, or a file",
			c.Validation, mostValidation)
	}
	if c.Validates() {
		return nil
	}
	for _, o := range []struct {
		key   string
		value int
	}{{"early-stop", c.EarlyStop}, {"eval-every", c.EvalEvery}} {
		if o.value > 0 {
			return c.Errorf(o.key, "there are no rows to evaluate on: give --set validation=0.1, or a file")
		}
	}
	return nil
}

// HoldOut takes the validation rows that the Config asks for: from the training rows, or from a
// file; held is nil where it asks for none.
func (c *Config) HoldOut(all *data.Dataset, w data.Watch) (rest, held *data.Dataset, notes []string, err error) {
	fraction, file := c.pathsFromHere().validation()
	switch {
	case file != "" && all.Kernel != nil:
		return nil, nil, nil, c.Errorf("validation", "the rows of %s have no kernel with the inducing points of "+
			"gram, which has only those of the training and the test rows: give a fraction of the "+
			"training rows, such as 0.1", file)
	case file != "":
		schema := all.Schema()
		held, notes, err = data.ReadFile(file, data.ReadOptions{Like: &schema, Beside: all, Watch: w})
		return all, held, notes, err
	case fraction > 0:
		if rest, held, err = data.HoldOut(all, fraction, c.Seed); err != nil {
			return nil, nil, nil, err
		}
		return rest, held, []string{fmt.Sprintf("%s: %d of %d training rows held out for validation, %s",
			all.Path, held.N(), all.N(), all.HowSplit(c.Seed))}, nil
	}
	return all, nil, nil, nil
}

// The rows held out for intervals: a share of the training rows, and how many at most.
const (
	conformalShare = 0.2
	MostConformal  = 5000
)

// HoldOutConformal takes the rows behind the intervals away from training, before HoldOut takes those of
// validation: nothing else in the run may see them. held is nil where the Config asks for no intervals.
func (c *Config) HoldOutConformal(all *data.Dataset) (rest, held *data.Dataset, notes []string, err error) {
	if !c.Conformal {
		return all, nil, nil, nil
	}
	share := min(conformalShare, MostConformal/float64(all.N()))
	if rest, held, err = data.HoldOut(all, share, c.Seed); err != nil {
		return nil, nil, nil, c.Errorf("conformal", "%w", err)
	}
	if err := metrics.CheckConformal(held.N(), c.Level); err != nil {
		return nil, nil, nil, c.Errorf("conformal", "of %d training rows a fifth is held out: %w", all.N(), err)
	}
	return rest, held, []string{fmt.Sprintf("%s: %d of %d training rows held out for intervals, %s",
		all.Path, held.N(), all.N(), all.HowSplit(c.Seed))}, nil
}

// Rows are the rows of a run by their use; nil where the Config asks for none.
type Rows struct{ Train, Validation, Conformal, Test *data.Dataset }

// Divide takes from all rows for training those behind the intervals, and then those of validation.
func (c *Config) Divide(all *data.Dataset, w data.Watch) (r Rows, notes []string, err error) {
	rest, conformal, intervals, err := c.HoldOutConformal(all)
	if err != nil {
		return r, nil, err
	}
	rest, held, validation, err := c.HoldOut(rest, w)
	return Rows{Train: rest, Validation: held, Conformal: conformal}, append(intervals, validation...), err
}

// ReadRows is LoadLike, and divides the rows.
func (c *Config) ReadRows(like *data.Schema, w data.Watch) (known *Config, r Rows, notes []string, err error) {
	known, all, test, notes, err := c.LoadLike(like, w)
	if err != nil {
		return nil, r, nil, err
	}
	r, more, err := known.Divide(all, w)
	r.Test = test
	return known, r, append(notes, more...), err
}
