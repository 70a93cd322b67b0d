package train

import (
	"context"
	"reflect"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// A run that starts at a model keeps its scales of inputs and targets, categories and classes, feature maps, X̄ of
// sequences and frozen draws. All parameters start at its values.

// settleByRows settles the columns, and the open options by the rows. Those of a model at which the run starts are
// settled before.
func (s *spec) settleByRows(ctx context.Context) (notes []string, err error) {
	if s.job.resumed() != nil {
		s.config = s.config.ForResume()
	}
	if err := s.fitEffects(ctx); err != nil {
		return nil, err
	}
	if err := s.reduceColumns(ctx); err != nil {
		return nil, err
	}
	if s.job.From != nil {
		s.config, notes, err = s.config.ResolveLength(s.train.N())
	} else {
		s.config, notes, err = s.config.ResolveFor(s.progressContext(ctx, "choosing feature maps"), s.train)
	}
	return notes, err
}

// checkStart refuses a model From that does not fit the rows or the options, and takes over its sequences X̄.
func (s *spec) checkStart() error {
	from := s.job.From
	if from == nil {
		return nil
	}
	if from.Members != nil {
		return usererror.Errorf("an ensemble cannot be trained further: start at a single model")
	}
	if from.Featurizer.Gram != nil || s.train.Gram != nil {
		return usererror.Errorf("a model of %s cannot be trained further: its kernel is that of its own rows",
			usererror.Key("gram"))
	}
	config := s.config.ModelConfig(s.train)
	config.Temperature = from.Config.Temperature
	if !reflect.DeepEqual(config, from.Config) {
		return usererror.Errorf("these options change the model of %s: leave them out, or train a new model",
			usererror.Flag("from"))
	}
	if s.job.Conformal != nil {
		s.reporter.Note("warning: the intervals hold only if none of these rows has trained the model before")
	}
	if err := s.checkTargets(from.Targets, s.train); err != nil {
		return err
	}
	if f := from.Featurizer; f.Inducing != nil {
		s.sequences = &sequences{codebook: f.Codebook, set: f.Encode(s.train), inducing: f.Inducing}
	}
	return nil
}

// warmStart takes over all of a model except its parameters. The roles of columns, such as weights, are taken from the
// new rows.
func (r *run) warmStart(s *fitted.Model) {
	t := r.trained
	own := r.train.Schema()
	t.Config, t.Featurizer, t.Schema = r.config.ModelConfig(r.train), s.Featurizer, s.Schema
	t.Schema.Roles, t.Schema.TimeForm = own.Roles, own.TimeForm
	t.Effects, t.Projection, t.Scaler, t.Targets = s.Effects, s.Projection, s.Scaler, s.Targets
}

// StartSchema returns the columns of the model at which the run starts; nil without one.
func (j *Job) StartSchema() *data.Schema {
	if j.From == nil {
		return nil
	}
	return &j.From.Schema
}
