package train

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// prepare makes a run that can take its first step: it settles scaler, targets and inputs, puts the model on the
// device, and uploads the rows.
func (j *Job) prepare(ctx context.Context) (*run, error) {
	r, err := j.newRun(ctx)
	if err != nil {
		return nil, err
	}
	return j.startRun(ctx, r)
}

// newRun makes a run that is on no device yet: it settles scaler, targets and inputs.
func (j *Job) newRun(ctx context.Context) (*run, error) {
	c, ds := j.Config, j.Train
	r := &run{job: j, trained: &fitted.Model{Schema: ds.Schema().Plain(),
		KLWeight: c.KLWeight, Seed: c.Seed, EvalSamples: c.EvalSamples}}
	if j.From != nil {
		r.inherit(j.From)
		r.trained.Novelty = r.trained.FitNovelty(ds, c.Seed)
		return r, nil
	}
	if err := r.fitScales(ctx); err != nil {
		return nil, err
	}
	r.trained.Config = c.ModelConfig(ds)
	r.init = model.Init{
		Seed: c.Seed, GPLengthscaleFactor: gpFactor(c),
		DRFLengthscaleFactor: cmp.Or(c.DRFLengthscaleFactor, drfFactorDefault),
		NoiseVariance:        cmp.Or(c.NoiseInit, noiseDefault), DoF: c.DoF, ClassRows: ds.ClassCounts(),
	}
	if model.Counts(r.trained.Config.Likelihood) {
		r.init.LogRate = model.LogRates(ds.Y, ds.Offset, r.trained.Config.Outputs)
	}
	if j.Checkpoint == nil { // a resumed run has its values in the checkpoint
		r.startValues(ctx)
	}
	if err := r.prepareInputs(ctx); err != nil {
		return nil, err
	}
	r.trained.Novelty = r.trained.FitNovelty(ds, c.Seed)
	return r, nil
}

// startRun puts the run on the device, at its start or at its Checkpoint.
func (j *Job) startRun(ctx context.Context, r *run) (*run, error) {
	if err := r.build(ctx); err != nil {
		return nil, err
	}
	r.clock.limit = j.Limit()
	if j.Checkpoint != nil {
		r.schedule = newSchedule(r.job.Config)
		return r, r.restore(j.Checkpoint)
	}
	r.clock.deadline = j.attemptState.Deadline
	r.reset()
	return r, nil
}

// build makes the model, its step and its rows on the device.
func (r *run) build(ctx context.Context) (err error) {
	j := r.job
	rows := newTrainingRows(j.Train, r.rows(ctx), j.streamsBatches)
	if j.Train.Task == data.Regression {
		rows.y = scaling.Standardise(j.Train.Y, r.trained.Targets)
	}
	modelConfig := r.trained.Config
	modelConfig.Temperature = 0 // it is for predictions: evaluations come before it is fitted
	if r.step, err = newStep(j.Device, j.ranks(), j.Config, modelConfig, rows); err != nil {
		return err
	}
	r.trained.SetInducing(r.step.Model)
	r.step.Project(func(done int) bool {
		j.Reporter.Doing("features of the rows", float64(done)/float64(j.Train.N()))
		return ctx.Err() == nil
	})
	if j.Validation != nil {
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
	r.schedule = newSchedule(r.job.Config)
}

// fitScales settles the scales of inputs and targets.
func (r *run) fitScales(ctx context.Context) error {
	j := r.job
	scaler, err := j.fitScaler()
	if err != nil {
		return err
	}
	r.trained.Projection, r.trained.Scaler = j.projection, scaler
	if j.projection == nil {
		j.Config.Scaling = scaler.Kind
		j.noteAll(scaler.Notes(j.Train))
	}
	if j.Train.Task == data.Regression {
		return r.fitTargets(ctx)
	}
	return nil
}

// rows are the training rows as the model reads them.
func (r *run) rows(ctx context.Context) model.HostRows {
	j := r.job
	n, x := j.Train.N(), r.trained.Inputs(ctx, j.Train)
	switch {
	case j.distancesInSteps:
		return model.HostRows{N: n, X: r.trained.Numbers(j.Train), Features: j.sequences.train}
	case j.hasDistances():
		return model.HostRows{N: n, X: func(lo, hi int) []float64 {
			defer j.Reporter.Doing("distances of sequences", float64(hi)/float64(n))
			return x(lo, hi)
		}}
	}
	return model.HostRows{N: n, X: x}
}

// prepareInputs prepares the training rows for their upload: it chooses X̄ among them, or projects the features of
// sequences.
func (r *run) prepareInputs(ctx context.Context) (err error) {
	c, ds := r.job.Config, r.job.Train
	switch {
	case ds.Kernel != nil:
		r.trained.Kind.Gram, r.init.Sigma = &fitted.Gram{Own: ds.Kernel.Own, M: ds.Kernel.M}, []float64{1}
		r.job.Reporter.Note("the kernel of gram with %d inducing points, scaled to k(x, x) = 1", ds.Kernel.M)
		return nil
	case ds.Sequences != nil && c.Model == model.DRF:
		kind := &r.trained.Kind
		if kind.Codebook, ds, err = c.LearnCodebook(r.job.progressContext(ctx, "codebook"), ds); err != nil {
			return err
		}
		_, spec := c.Kernels()
		if kind.Projection, err = seq.NewSignProjection(r.job.progressContext(ctx, "features of the sequences"), spec,
			c.Projection, ds.Sequences, c.Seed); err != nil {
			return options.SpecError(ctx, err)
		}
		r.job.Reporter.Note("feature maps %s, projected to %d inputs", spec, c.Projection)
	case ds.Sequences != nil:
		if err := r.useSequences(ctx); err != nil {
			return err
		}
	case c.Model != model.DRF && r.job.Checkpoint == nil: // a resumed run has its X̄ in the checkpoint
		length := math.Sqrt(float64(ds.D())) * gpFactor(c)
		choice := inducingPoints{method: c.InducingInit, m: c.Inducing, lengthscale: length, seed: c.Seed,
			progress: func(share float64) { r.job.Reporter.Doing(choosing, share) }}
		r.init.InducingPoints, err = choice.choose(ctx, r.trained.Inputs(ctx, ds), ds.N(), ds.D())
		return err
	}
	if warning := r.trained.EmptyWarning(ctx, ds); warning != "" {
		r.job.Reporter.Note("warning: %s", warning)
	}
	return nil
}

// greedySigma is the width of the kernel for the greedy choice of X̄; distances are at most 2.
const greedySigma = 0.7

// useSequences starts from X̄ among the training sequences.
func (r *run) useSequences(ctx context.Context) error {
	choice := r.job.chooseInducing
	if r.job.distancesInSteps {
		choice = r.job.countFeatures
	}
	s, err := choice(ctx)
	if err != nil {
		return err
	}
	r.trained.Kind = s.kind()
	for _, row := range s.rows {
		r.init.InducingPoints = append(r.init.InducingPoints, r.trained.Scaler.Rows(s.set.X, row, row+1)...)
	}
	r.init.Sigma = s.basis.Medians() // medians of squared distances
	for i, median := range r.init.Sigma {
		r.init.Sigma[i] = gpFactor(r.job.Config) * math.Sqrt(median)
	}
	r.job.Reporter.Note("feature maps %s; %d inducing points among the training sequences (%s)",
		s.basis.Spec, len(s.rows), r.job.Config.InducingInit)
	return nil
}

// withClassWeights is the Job with the class weights of the options on its training and validation rows. Test rows
// keep their weights.
func (j *Job) withClassWeights() (*Job, error) {
	out := *j
	balances, err := j.Config.BalancesClasses(j.Train)
	if !balances || err != nil {
		return &out, err
	}
	factors := j.Train.ClassFactors()
	out.Train, out.Validation = j.Train.TimesFactors(factors), j.Validation.TimesFactors(factors)
	rare := slices.Index(factors, slices.Max(factors))
	j.reporter().Note("class weights: balanced, of a row of %q times %s; probabilities are those of equally frequent "+
		"classes", j.Train.Classes[rare], metrics.Count(factors[rare]))
	return &out, nil
}

// fitScaler is the scaler of the inputs. Ridge scores are standardised: they have few outliers. Components stay as
// they are: the first ones say most.
func (j *Job) fitScaler() (scaling.Scaler, error) {
	kind := j.Config.Scaling
	switch p := j.projection; {
	case p != nil && p.Components:
		kind = "none"
	case p != nil:
		kind = "standard"
	}
	return scaling.FitScaler(kind, j.Train)
}
