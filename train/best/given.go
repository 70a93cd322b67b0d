package best

import (
	"context"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// TrainsSeveral reports whether the options ask for several models: a search, or an ensemble.
func TrainsSeveral(c options.Config) bool { return c.Preset == options.Best || c.Ensemble > 1 }

// Label returns the name of the work in messages: an ensemble, or the preset.
func Label(c options.Config) string {
	if c.Ensemble > 1 {
		return train.Ensemble
	}
	return "preset " + options.Best
}

// CheckOptions refuses options that several models cannot have. Errors are *usererror.Error.
func CheckOptions(c options.Config) error {
	if c.Preset == options.Best && c.Ensemble > 1 {
		return c.Errorf("ensemble", "preset best makes an ensemble of the models that it finds: leave it "+
			"out, or take another preset")
	}
	if c.Epochs > 0 && c.Ensemble == 1 {
		return c.Errorf("epochs", "preset best takes %s, of each final model, or %s, of all",
			usererror.Flag("steps"), usererror.Flag("time-limit"))
	}
	if c.Validates() {
		return c.Errorf("validation", "%s holds no rows out for a single model: leave it out", Label(c))
	}
	return nil
}

// SettleTargets adds to the given options those that all models share and that depend on the training rows of a job:
// the kind of target scaling, and a likelihood of counts. The kind is log for all targets or for none. It returns the
// job's Config with these, too.
func SettleTargets(ctx context.Context, job *train.Job, given []options.Setting) (options.Config, []options.Setting,
	error) {
	c := job.Config
	if job.Train.Task != data.Regression {
		return c, given, nil
	}
	kind, err := job.TargetKind(ctx)
	settled := []options.Setting{{Key: "target-scaling", Text: kind, From: Label(c)}}
	c.Targets = kind
	if model.IsCountLikelihood(c.Likelihood) { // the rows may have chosen it
		settled = append(settled, options.Setting{Key: "likelihood", Text: c.Likelihood, From: Label(c)})
	}
	explicit := c.ExplicitOptions() // a resumed search has the same
	for _, o := range settled {
		given = slices.DeleteFunc(given, func(g options.Setting) bool { return g.Key == o.Key })
		explicit[o.Key] = o.From
	}
	return c.WithExplicit(explicit), append(given, settled...), err
}
