package train

import (
	"context"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// fitEffects makes inputs of numbered words and of codes. A run that starts at a model keeps the effects of its words.
func (s *spec) fitEffects(ctx context.Context) (err error) {
	if from := s.job.From; from != nil {
		s.effects, s.train = from.Effects, from.Effects.Apply(s.train)
	} else {
		numbered, codes := s.train, s.findCodes(ctx)
		phase := func(share float64) { s.reporter.Phase("effects of words", share) }
		s.effects, s.train, err = scaling.FitEffects(ctx, numbered, codes, phase)
		if kept := s.effects.EffectiveCodes(); err == nil && len(kept) < len(codes) {
			s.effects, s.train, err = scaling.FitEffects(ctx, numbered, kept, phase)
		}
		if err != nil {
			return err
		}
		if s.effects != nil {
			s.numbered = numbered
			s.noteEffects()
		}
	}
	s.validation = s.effects.Apply(s.validation)
	return nil
}

// findCodes returns the columns of codes; none if the user wants plain inputs. A resumed run keeps its own.
func (s *spec) findCodes(ctx context.Context) []int {
	switch c := s.job.resumed(); {
	case c != nil:
		return c.Trained.Effects.CodeColumns()
	case s.config.OneHot || !isTable(s.train) || s.train.IsWide():
		return nil
	}
	return scaling.FindCodes(ctx, s.train)
}

// noteEffects tells which columns of numbers are codes, and which have no effects.
func (s *spec) noteEffects() {
	columns := s.numbered.Columns
	for _, at := range s.effects.CodeColumns() {
		s.reporter.Note("column %s: its numbers are codes, whose effects take their place (%s=true: plain numbers)",
			phrase.Quote(columns[at]), usererror.Key("one-hot"))
	}
	for _, name := range s.effects.ZeroColumns(columns) {
		s.reporter.Note("column %s: its texts do not predict the target of other rows, and have no effect",
			phrase.Quote(name))
	}
}

// reduceColumns makes few inputs of many columns, by the training rows, as the key columns says. A resumed run, and one
// that starts at a model, keep the inputs that they began with.
func (s *spec) reduceColumns(ctx context.Context) error {
	before := s.job.projectionBefore()
	switch {
	case before != nil && (s.job.From != nil || before.Components): // ridge scores of training rows are of other fits
		s.projection, s.train = before, before.Apply(s.train)
	case before == nil && (s.job.From != nil || s.job.resumed() != nil):
		return nil
	default:
		var err error
		s.projection, s.train, err = projectColumns(ctx, s.config, s.train, func(share float64) {
			s.reporter.Phase("choosing columns", share)
		})
		if s.projection == nil || err != nil {
			return err
		}
		if s.projection.Components {
			s.reporter.Note("inputs: %s", s.projection)
		} else {
			s.reporter.Note("inputs: %s, since there are only %d training rows (%s=all keeps each column)",
				s.projection, s.train.N(), usererror.Key("columns"))
		}
	}
	s.config.Scaling = s.projection.Scaler.Kind
	s.validation = s.projection.Apply(s.validation)
	return nil
}

// projectionBefore returns the projection of the model or checkpoint at which the run starts; nil if that has no
// projection.
func (j *Job) projectionBefore() *scaling.Projection {
	if j.From != nil {
		return j.From.Projection
	}
	if c := j.resumed(); c != nil {
		return c.Trained.Projection
	}
	return nil
}

// projectColumns fits the projection of many columns to few inputs on training rows, and returns it with the projected
// rows. It is nil if each column stays an input.
func projectColumns(ctx context.Context, c options.Config, ds *data.Dataset, doing func(share float64)) (
	*scaling.Projection, *data.Dataset, error) {
	if c.Columns == options.Components && (!isTable(ds) || ds.IsProjected()) {
		return nil, nil, c.Errorf("columns", "components is for tables of numbers alone, and %s holds others: leave "+
			"it out", ds.Path)
	}
	if c.Columns == options.AllColumns || c.Columns == options.Auto && !ds.IsWide() {
		return nil, ds, nil
	}
	scaler, err := scaling.FitScaler(c.Scaling, ds)
	if err != nil {
		return nil, nil, err
	}
	if c.Columns == options.Auto {
		return scaling.FitProjection(ctx, ds, scaler, doing)
	}
	p, _, err := scaling.FitComponents(ctx, ds, scaler)
	if err != nil {
		return nil, nil, err
	}
	if len(p.OutputNames) == 0 {
		return nil, nil, c.Errorf("columns", "components takes columns that differ between rows, and those of %s are "+
			"constant: leave it out", ds.Path)
	}
	return p, p.Apply(ds), nil
}

// An attempt with components may pay for more columns than these, if half as many components hold this share of their
// variance.
const (
	fewColumns     = 30
	componentShare = 0.8
)

// withComponents returns the run with principal components in place of columns, on no device yet; nil if they cannot
// pay, or if the user has decided.
func (r *run) withComponents(ctx context.Context) (*run, error) {
	if r.config.Columns != options.Auto || r.train.IsProjected() || !isTable(r.train) || r.train.D() <= fewColumns {
		return nil, nil
	}
	p, shares, err := scaling.FitComponents(ctx, r.train, r.trained.Scaler)
	if err != nil {
		return nil, err
	}
	explained := 0.0
	half := (r.train.D() + 1) / 2
	for _, share := range shares[:min(half, len(shares))] {
		explained += share
	}
	if pays, err := r.broadcastBool(explained >= componentShare); !pays || err != nil {
		return nil, err
	}
	c := &run{spec: r.spec}
	c.projection, c.train, c.validation = p, p.Apply(r.train), p.Apply(r.validation)
	c.config = r.config.ForComponents(c.train)
	c.reporter = Silent{} // targets and others are as in the run with columns
	if err := c.fitInputs(ctx); err != nil {
		return nil, err
	}
	c.reporter = r.reporter
	return c, context.Cause(ctx)
}

// isTable reports whether columns of numbers are all that rows have.
func isTable(ds *data.Dataset) bool { return ds.X != nil && ds.Sequences == nil && ds.Gram == nil }
