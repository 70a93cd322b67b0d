package options

import (
	"reflect"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// fromShare is the default length of a run that starts at a model, as a share of the steps of the model's run.
const fromShare = 0.2

// warmStart is the value of an option in a run that starts at a model.
type warmStart int

const (
	ofOldRun warmStart = iota // that of the run of the model, unless a user gives another
	ofModel                   // that of the run of the model: its rows and frozen draws are the model's
	ofNewRun                  // that of the new run: its rows and its length
	zero                      // 0, unless a user gives another: it is of the beginning of a training
)

// WarmStart returns the Config of a run that starts at the model of another run, which has taken the given steps with
// the options base. It has the options of that run, except those that a user gives. It takes a fifth of the steps, or
// as many if that run has started at a model, too. The KL terms have their full weight from the start, and no
// parameters are fixed at first. An option that would make another model is a *usererror.Error.
func (c Config) WarmStart(base Config, steps int) (Config, error) {
	if base.Gram != "" || base.Ensemble > 1 || base.Preset == Best {
		return c, c.Errorf("from", "%s has several models, or one of %s: none of these can be trained "+
			"further", c.StartFrom, usererror.Key("gram"))
	}
	merged := base
	table := merged.Options()
	for i, o := range c.Options() {
		given := c.Explicit(o.Key)
		value := reflect.ValueOf(table[i].value).Elem()
		switch {
		case o.warm == ofModel && given && o.Text() != table[i].Text() && o.Text() != Auto:
			return c, c.Errorf(o.Key, "the model of %s was made with %q: leave the option out, or train a new model",
				c.StartFrom, table[i].Text())
		case o.Key == "objective" && given && c.Objective == Auto:
			return c, c.Errorf(o.Key, "%s is for new models: leave it out for %s, the objective of %s, or give another",
				Auto, base.Objective, c.StartFrom)
		case o.warm == ofModel, o.Key == "objective" && c.Objective == Auto:
		case given, o.warm == ofNewRun:
			value.Set(reflect.ValueOf(o.value).Elem())
		case o.warm == zero:
			value.SetZero()
		}
	}
	merged.explicit, merged.folder = c.explicit, c.folder
	if !slices.ContainsFunc([]string{"steps", "epochs", "time-limit"}, c.Explicit) {
		merged.Steps = steps
		if base.StartFrom == "" { // otherwise, the steps are those of a warm start
			merged.Steps = max(1, int(fromShare*float64(steps)))
		}
	}
	if _, file := base.validation(); file != "" && !c.Explicit("validation") {
		merged.Validation = ""
	}
	if merged.Validates() && !c.Explicit("temperature") {
		merged.Temperature = 0 // it is fitted to the new rows
	}
	err := merged.check() // it may change merged
	return merged, err
}

// ResolveLength works like ResolveFor, for a run that starts at a model: only the sizes and the length are open.
func (c Config) ResolveLength(rows int) (resolved Config, notes []string, err error) {
	notes, err = c.resolveRows(rows)
	return c, notes, err
}
