package options

import (
	"reflect"
	"slices"
)

// fromShare is the share of the steps of a run that another one takes which starts at its model.
const fromShare = 0.2

// made are the options of a model, beside those of its layers, that a run which starts there cannot change: its
// rows are read as the model knows them, and its frozen draws belong to the seed.
var made = words("target task tokens sequence codebook gram scaling columns target-scaling one-hot ignore text " +
	"id dates missing model preset seed ensemble likelihood class-offsets samples learn-dof dof noise-init offset order")

// fixedByModel reports whether the option is one of the model that a run starts at.
func (o *Option) fixedByModel() bool {
	return o.Group == "GP layer" || o.Group == "DRF layers" || slices.Contains(made, o.Key)
}

// ofRun are options that a run does not take over from the one at whose model it starts: they are about its rows
// and its length. Those of ramps are 0, since they are about the beginning of a training.
var (
	ofRun = slices.Concat(words("from data test labels test-labels folds fold separator decimal thousands header "+
		"data-dir device chunk eval-every"), ofLength)
	ofRamps = words("kl-warmup freeze-omega freeze-kernel")
)

// WarmStart is the Config of a run that starts at the model of another, which has taken some steps with the
// options base. It has the options of that run, except where a user gives others. It takes a fifth of the
// steps, or as many where that run has started at a model, too. The divergences have their full weight from
// the start, and no parameters are held. What would be another model is a *usererror.Error that names the option.
func (c *Config) WarmStart(base *Config, steps int) (*Config, error) {
	if base.Gram != "" || base.Ensemble > 1 || base.Preset == Best {
		return nil, c.Errorf("from", "%s has several models, or one of --gram: none of these can be trained "+
			"further", c.StartFrom)
	}
	merged := base.copy()
	for _, o := range c.Options() {
		given := c.Explicit(o.Key)
		switch {
		case o.fixedByModel() && given && o.Text() != base.Text(o.Key) && o.Text() != "auto":
			return nil, c.Errorf(o.Key, "the model of %s was made with %q: leave the option out, or train a new model",
				c.StartFrom, base.Text(o.Key))
		case o.fixedByModel(), o.Key == "objective" && c.Objective == Auto:
		case given, slices.Contains(ofRun, o.Key):
			merged.put(o.Key, reflect.ValueOf(o.value).Elem().Interface())
		case slices.Contains(ofRamps, o.Key):
			merged.put(o.Key, reflect.Zero(reflect.TypeOf(o.value).Elem()).Interface())
		}
	}
	merged.explicit, merged.at = c.copy().explicit, c.at
	if !slices.ContainsFunc(words("steps epochs time-limit"), c.Explicit) {
		merged.Steps = steps
		if base.StartFrom == "" { // else these are few already
			merged.Steps = max(1, int(fromShare*float64(steps)))
		}
	}
	if _, file := base.validation(); file != "" && !c.Explicit("validation") {
		merged.Validation = ""
	}
	if merged.Validates() && !c.Explicit("temperature") {
		merged.Temperature = 0 // the new rows fit it
	}
	return merged, merged.check()
}

// FitLength is Fit of a run that starts at a model: all else is settled.
func (c *Config) FitLength(rows int) (fit *Config, notes []string, err error) {
	fit = c.copy()
	notes, err = fit.fitRows(rows)
	return fit, notes, err
}
