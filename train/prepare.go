package train

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/step"
)

// prepare makes a run that can take its first step: it settles scaler, targets and inputs, puts the model on the
// device, and uploads the rows. The run is at its start, or at its Checkpoint.
func (r *run) prepare(ctx context.Context) error {
	if err := r.fitInputs(ctx); err != nil {
		return err
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	r.clock.limit, r.clock.deadline = r.job.TimeLimit(), r.job.state().Deadline
	if c := r.job.resumed(); c != nil {
		return r.restore(c)
	}
	r.reset()
	return nil
}

// fitInputs settles scaler, targets and inputs. The run is on no device yet.
func (r *run) fitInputs(ctx context.Context) error {
	c, ds := r.config, r.train
	r.trained = &fitted.Model{Schema: ds.Schema().Plain(), KLWeight: c.KLWeight, Seed: c.Seed,
		EvalSamples: c.EvalSamples}
	if r.job.From != nil {
		r.warmStart(r.job.From)
		r.trained.Novelty = r.trained.FitNovelty(ds, c.Seed)
		return nil
	}
	if err := r.fitScales(ctx); err != nil {
		return err
	}
	r.trained.Config = c.ModelConfig(ds)
	r.init = model.Init{
		Seed: c.Seed, GPLengthscaleFactor: gpFactor(c),
		DRFLengthscaleFactor: cmp.Or(c.DRFLengthscaleFactor, drfFactorDefault),
		NoiseVariance:        cmp.Or(c.NoiseInit, noiseDefault), DoF: c.DoF, ClassRows: ds.ClassCounts(),
	}
	if model.IsCountLikelihood(r.trained.Config.Likelihood) {
		r.init.LogRate = model.LogRates(ds.Y, ds.Offset, r.trained.Config.Outputs)
	}
	if r.job.resumed() == nil { // a resumed run has its values in the checkpoint
		r.startValues(ctx)
	}
	if err := r.prepareInputs(ctx); err != nil {
		return err
	}
	r.trained.Novelty = r.trained.FitNovelty(ds, c.Seed)
	return nil
}

// build makes the model, its step and its rows on the device.
func (r *run) build(ctx context.Context) (err error) {
	rows := newTrainingRows(r.train, r.rows(ctx), r.streamsBatches)
	if r.train.Task == data.Regression {
		rows.y = scaling.Standardise(r.train.Y, r.trained.Targets)
	}
	modelConfig := r.trained.Config
	modelConfig.Temperature = 0 // it is for predictions: evaluations come before it is fitted
	if r.step, err = newStep(r.job.Device, r.job.ranks(), r.config, modelConfig, rows); err != nil {
		return err
	}
	r.trained.SetInducing(r.step.Model)
	r.step.SolveRows(func(done int) bool {
		r.reporter.Phase("features of the rows", float64(done)/float64(r.train.N()))
		return ctx.Err() == nil
	})
	if r.validation != nil {
		r.validator = r.newValidator(ctx)
	}
	return ctx.Err() // a context that has ended leaves the upload incomplete
}

// reset puts the run at its start.
func (r *run) reset() {
	if s := r.job.From; s == nil {
		r.step.Model.Init(r.init)
	} else if err := r.step.Model.Import(s.Parameters); err != nil {
		panic("train: the model that was checked does not fit: " + err.Error())
	}
	r.step.Reset()
	r.validator.reset()
	r.schedule = newSchedule(r.config)
}

// fitScales settles the scales of inputs and targets.
func (r *run) fitScales(ctx context.Context) error {
	scaler, err := r.fitScaler()
	if err != nil {
		return err
	}
	r.trained.Effects, r.trained.Projection, r.trained.Scaler = r.effects, r.projection, scaler
	if r.projection == nil {
		r.config.Scaling = scaler.Kind
		r.noteAll(scaler.Notes(r.train))
	}
	if r.train.Task == data.Regression {
		return r.fitTargets(ctx)
	}
	return nil
}

// rows returns the training rows as the model reads them.
func (r *run) rows(ctx context.Context) model.HostRows {
	n := r.train.N()
	x := r.trained.Inputs(ctx, r.train)
	switch {
	case r.distancesInSteps:
		return model.HostRows{N: n, X: r.trained.ScaledColumns(r.train), Features: r.sequences.train}
	case r.hasDistances():
		return model.HostRows{N: n, X: func(lo, hi int) []float64 {
			defer r.reporter.Phase("distances of sequences", float64(hi)/float64(n))
			return x(lo, hi)
		}}
	}
	return model.HostRows{N: n, X: x}
}

// prepareInputs prepares the training rows for their upload: it chooses X̄ among them, or projects the features of
// sequences.
func (r *run) prepareInputs(ctx context.Context) (err error) {
	c, ds := r.config, r.train
	switch {
	case ds.Gram != nil:
		r.trained.Featurizer.Gram = &fitted.Gram{InducingDistances: ds.Gram.InducingDistances, M: ds.Gram.M}
		r.init.Sigma = []float64{1}
		r.reporter.Note("the kernel of gram with %d inducing points, scaled to k(x, x) = 1", ds.Gram.M)
		return nil
	case ds.Sequences != nil && c.Model == model.DRF:
		featurizer := &r.trained.Featurizer
		if featurizer.Codebook, ds, err = c.FitCodebook(r.progressContext(ctx, "codebook"), ds); err != nil {
			return err
		}
		_, spec := c.Kernels()
		if featurizer.Projection, err = seq.NewSignProjection(r.progressContext(ctx, "features of the sequences"), spec,
			c.Projection, ds.Sequences, c.Seed); err != nil {
			return options.SpecError(ctx, err)
		}
		r.reporter.Note("feature maps %s, projected to %d inputs", spec, c.Projection)
	case ds.Sequences != nil:
		if err := r.useSequences(ctx); err != nil {
			return err
		}
	case c.Model != model.DRF && r.job.resumed() == nil: // a resumed run has its X̄ in the checkpoint
		choice := inducingSelector{method: c.InducingInit, m: c.Inducing, seed: c.Seed,
			progress: func(share float64) { r.reporter.Phase(choosing, share) }}
		r.init.InducingPoints, err = choice.choose(ctx, r.trained.Inputs(ctx, ds), ds.N(), ds.D())
		return err
	}
	if warning := r.trained.EmptyWarning(ctx, ds); warning != "" {
		r.reporter.Note("warning: %s", warning)
	}
	return nil
}

// useSequences starts from X̄ among the training sequences.
func (r *run) useSequences(ctx context.Context) error {
	choice := r.chooseInducing
	if r.distancesInSteps {
		choice = r.countFeatures
	}
	s, err := choice(ctx)
	if err != nil {
		return err
	}
	r.trained.Featurizer = s.featurizer()
	for _, row := range s.rows {
		r.init.InducingPoints = append(r.init.InducingPoints, r.trained.Scaler.Rows(s.set.X, row, row+1)...)
	}
	r.init.Sigma = s.inducing.Medians() // medians of squared distances
	for i, median := range r.init.Sigma {
		r.init.Sigma[i] = gpFactor(r.config) * math.Sqrt(median)
	}
	r.reporter.Note("feature maps %s; %d inducing points among the training sequences (%s)",
		s.inducing.Spec, len(s.rows), r.config.InducingInit)
	return nil
}

// balanceClasses gives the training and validation rows the class weights of the options. Test rows keep their weights.
func (s *spec) balanceClasses() error {
	balances, err := s.config.BalancesClasses(s.train)
	if !balances || err != nil {
		return err
	}
	classWeights := s.train.BalancedClassWeights()
	s.train, s.validation = s.train.WithClassWeights(classWeights), s.validation.WithClassWeights(classWeights)
	rare := slices.Index(classWeights, slices.Max(classWeights))
	s.reporter.Note("class weights: balanced, of a row of %q times %s; probabilities are those of equally frequent "+
		"classes", s.train.Classes[rare], metrics.RowCount(classWeights[rare]))
	return nil
}

// fitScaler fits the scaler of the inputs. Ridge scores are standardised: they have few outliers. Components stay as
// they are: the first ones say most.
func (s *spec) fitScaler() (scaling.Scaler, error) {
	kind := s.config.Scaling
	switch p := s.projection; {
	case p != nil && p.Components:
		kind = "none"
	case p != nil:
		kind = "standard"
	}
	return scaling.FitScaler(kind, s.train)
}

// trainingRows are the rows of a run with their targets, for a device.
type trainingRows struct {
	rows   model.HostRows
	y      []float64
	labels []int32
	stream bool // rows stay on the host
}

// newTrainingRows returns the given inputs with the labels, weights and offsets of a data set.
func newTrainingRows(ds *data.Dataset, inputs model.HostRows, stream bool) trainingRows {
	inputs.Weight, inputs.Offset = ds.Weights, ds.Offset
	return trainingRows{rows: inputs, labels: ds.Labels, stream: stream}
}

// newStep puts a run on a device: parameters, which are still zero, the rows or memory for a batch of them, and the
// memory of a step.
func newStep(dev device.Device, ranks dist.Comm, c options.Config, mc model.Config,
	rows trainingRows) (*step.Step, error) {
	m, err := model.New(dev, mc)
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	var set *model.Rows
	if rows.stream {
		set = m.StreamForTraining(rows.rows, rows.y, rows.labels, c.Batch)
	} else {
		set = m.UploadRows(rows.rows, rows.y, rows.labels)
	}
	return step.New(dev, m, set, step.NewReducer(ranks, c.Deterministic), step.Options{
		Seed: c.Seed, Samples: c.Samples, Batch: c.Batch, ChunkRows: c.ChunkRows(), Natural: c.NatGrad > 0,
		Predictive: c.Objective == options.Predictive,
		Beta1:      c.AdamBeta1, Beta2: c.AdamBeta2, Eps: c.AdamEps, L2: c.L2,
	}), nil
}
