package train

import (
	"context"
	"reflect"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// A run that starts at a model keeps its scales of inputs and targets, categories and classes, feature maps, X̄ of
// sequences and frozen draws. All parameters start at its values.

// fit settles the open options by the rows. Those of a model at which the run starts are settled before.
func (j *Job) fit(ctx context.Context) (fit options.Config, notes []string, err error) {
	if j.From != nil {
		return j.Config.ResolveLength(j.Train.N())
	}
	return j.Config.ResolveFor(j.progressContext(ctx, "choosing feature maps"), j.Train)
}

// checkStart refuses a model From that does not fit the rows or the options, and gives the Job its
// sequences X̄.
func (j *Job) checkStart() error {
	s := j.From
	if s == nil {
		return nil
	}
	if s.Members != nil {
		return usererror.Errorf("an ensemble cannot be trained further: start at a single model")
	}
	if s.Kind.Gram != nil || j.Train.Kernel != nil {
		return usererror.Errorf("a model of %s cannot be trained further: its kernel is that of its own rows",
			usererror.Key("gram"))
	}
	config := j.Config.ModelConfig(j.Train)
	config.Temperature = s.Config.Temperature
	if !reflect.DeepEqual(config, s.Config) {
		return usererror.Errorf("the options make another model than the one to start at: give it those of its own run")
	}
	if j.Conformal != nil {
		j.Reporter.Note("warning: the intervals hold only if none of these rows has trained the model before")
	}
	if err := scaling.Positive(j.Train, s.Targets); err != nil {
		return err
	}
	if err := j.checkTargets(s.Targets); err != nil {
		return err
	}
	if kind := s.Kind; kind.Basis != nil {
		j.sequences = &sequences{codebook: kind.Codebook, set: kind.Coded(j.Train), basis: kind.Basis}
	}
	return nil
}

// inherit takes over all of a model except its parameters. The roles of columns, such as weights, are taken from
// the new rows.
func (r *run) inherit(s *fitted.Model) {
	t, own := r.trained, r.job.Train.Schema()
	t.Config, t.Kind, t.Schema = r.job.Config.ModelConfig(r.job.Train), s.Kind, s.Schema
	t.Schema.Roles, t.Schema.TimeForm = own.Roles, own.TimeForm
	t.Projection, t.Scaler, t.Targets = s.Projection, s.Scaler, s.Targets
}

// StartSchema are the columns of the model at which the run starts; nil without one.
func (j *Job) StartSchema() *data.Schema {
	if j.From == nil {
		return nil
	}
	return &j.From.Schema
}
