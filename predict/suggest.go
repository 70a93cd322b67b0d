package predict

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/acquisition"
	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// The ways to choose rows: Suggester.Acquisition.
const (
	EI       = "ei"       // expected improvement on the best value so far
	UCB      = "ucb"      // mean + 2 sd of the function
	Thompson = "thompson" // the best row of a function that is drawn, one function a row
	Variance = "variance" // variance of the function, or entropy of the label
	BALD     = "bald"     // information of the measurement about the function
)

// Acquisitions returns all ways to choose rows.
func Acquisitions() []string { return []string{EI, UCB, Thompson, Variance, BALD} }

// DefaultAcquisition returns the way to choose rows by default: EI for numbers, BALD for classes.
func DefaultAcquisition(t *fitted.Model) string {
	if t.Schema.Task == data.Classification {
		return BALD
	}
	return EI
}

// Batch and S of a Suggester by default.
const (
	SuggestBatch   = 10
	SuggestSamples = 256
)

// ucbKappa is κ of UCB.
const ucbKappa = 2

// minFeasible is the probability below which UCB and Thompson, whose values have no zero, leave a row out, and EI a
// measured one.
const minFeasible = 0.5

// Suggester asks which rows to measure next.
type Suggester struct {
	Trained     *fitted.Model
	Device      device.Device
	Acquisition string // one of Acquisitions
	Batch       int    // number of rows to choose; 0 is SuggestBatch, or all candidates if there are fewer
	Minimize    bool   // the least target is the best
	Target      string // name of the target; "" if there is one
	Samples     int    // number S of joint samples
	Seed        uint64

	// Feasible [N] are the probabilities that rows are feasible (Feasibility); nil: all are.
	Feasible []float64
	// Phase is called with the current phase of the work and its finished share, from 0 to 1; it may be nil.
	Phase func(what string, share float64)
}

// Suggestion is a row to measure, of those that a Suggester has.
type Suggestion struct {
	Row   int     // number of the row, from 0
	Value float64 // worth by Suggester.Acquisition, given the rows before it
	Mean  float64 // mean of a regression, as in predict
	SD    float64
	// most probable class of a classification, and its probability
	Class       string
	Probability float64
	Feasible    float64 // the probability; 1 without a second model
}

// Check refuses a way that does not fit the task, and a target that is not there.
func (s *Suggester) Check() error {
	schema := s.Trained.Schema
	if !slices.Contains(Acquisitions(), s.Acquisition) {
		return usererror.OfFlag("how", "there is no %q: give one of %s", s.Acquisition,
			strings.Join(Acquisitions(), ", "))
	}
	if s.Batch < 0 || s.Samples < 2 || s.Samples > model.MaxSamples {
		return usererror.Errorf("%s %d, %s %d: choose at least a row, by 2 to %d samples", usererror.Flag("batch"),
			s.Batch, usererror.Flag("samples"), s.Samples, model.MaxSamples)
	}
	if s.Trained.PredictsCounts() {
		return usererror.Errorf("the model predicts counts, and suggest is for numbers and classes: train it with "+
			"%s gaussian", usererror.Flag("likelihood"))
	}
	if schema.Task == data.Classification {
		if s.Acquisition != Variance && s.Acquisition != BALD {
			return usererror.Errorf("%s %s: is for numbers, and the model predicts classes: use bald or variance",
				usererror.Flag("how"), s.Acquisition)
		}
		if s.Minimize {
			return usererror.OfFlag("minimize", "is for numbers, and the model predicts classes: leave it out")
		}
	}
	if s.Minimize && (s.Acquisition == Variance || s.Acquisition == BALD) {
		return usererror.OfFlag("minimize", "is for %s ei, ucb and thompson: leave it out", usererror.Flag("how"))
	}
	outputs := schema.Outputs()
	if s.Target == "" && len(outputs) > 1 {
		return usererror.OfFlag("target", "the model predicts %s: name one", strings.Join(outputs, ", "))
	}
	if s.Target != "" && !slices.Contains(outputs, s.Target) {
		return usererror.OfFlag("target", "the model predicts %s, and no %q", strings.Join(outputs, ", "), s.Target)
	}
	return nil
}

// target returns the number of the target.
func (s *Suggester) target() int { return max(0, slices.Index(s.Trained.Schema.Outputs(), s.Target)) }

// Run chooses rows among those without a target, the best first; the others are measured. EI improves on the best
// function value of measured rows that are feasible or, without any, on the best target of training. Soon after ctx
// ends, its cause is the error.
func (s *Suggester) Run(ctx context.Context, ds *data.Dataset) ([]Suggestion, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	candidates, measured, err := s.candidates(ds)
	if err != nil {
		return nil, err
	}
	pool := ds.Subset(candidates)
	p, err := s.Trained.Predict(ctx, s.Device, pool, s.Trained.EvalSamples)
	if err != nil {
		return nil, err
	}
	if s.Acquisition == EI {
		pool = ds.Subset(append(slices.Clone(candidates), s.feasibleRows(measured)...))
	}
	functions, err := s.Trained.SampleFunctions(ctx, s.Device, pool, s.Samples, s.Seed,
		func(drawn int) { s.doing("drawing functions", drawn, s.Samples) })
	if err != nil {
		return nil, err
	}
	picks, err := s.choose(functions, len(candidates), s.weights(candidates), func(chosen int) bool {
		s.doing("choosing rows", chosen, s.Batch)
		return ctx.Err() == nil
	})
	if err = cmp.Or(err, context.Cause(ctx)); err != nil {
		return nil, err
	}
	return s.describe(picks, candidates, p), nil
}

// doing reports a phase of the work, and the finished share of it.
func (s *Suggester) doing(what string, done, of int) {
	if s.Phase != nil {
		s.Phase(what, float64(done)/float64(of))
	}
}

// candidates returns the numbers of the rows that may be chosen, and of those that are measured.
func (s *Suggester) candidates(ds *data.Dataset) (candidates, measured []int, err error) {
	few := 0
	for i := range ds.N() {
		switch {
		case s.isMeasured(ds, i):
			measured = append(measured, i)
		case s.Feasible != nil && (s.Acquisition == UCB || s.Acquisition == Thompson) && s.Feasible[i] < minFeasible:
			few++
		default:
			candidates = append(candidates, i)
		}
	}
	if s.Batch == 0 {
		s.Batch = max(1, min(SuggestBatch, len(candidates)))
	}
	if n := len(candidates); n < s.Batch {
		if len(measured) == ds.N() {
			return nil, nil, usererror.Errorf("%s: all %d rows have their target: empty its cells where it is not "+
				"known, or give more rows", ds.Path, ds.N())
		}
		why := ""
		if few > 0 {
			why += fmt.Sprintf(", others are infeasible with a probability above %g", 1-minFeasible)
		}
		if len(measured) > 0 {
			why += ", others have their target: empty its cells where it is not known"
		}
		give := "give more rows"
		if n > 0 {
			give = fmt.Sprintf("give %s %d, or more rows", usererror.Flag("batch"), n)
		}
		return nil, nil, usererror.Errorf("%s: %d of %d rows are candidates%s: %s", ds.Path, n, ds.N(), why, give)
	}
	return candidates, measured, nil
}

// feasibleRows returns the measured rows that are feasible, by minFeasible; all rows if none is.
func (s *Suggester) feasibleRows(measured []int) []int {
	allowed := slices.DeleteFunc(slices.Clone(measured), func(i int) bool {
		return s.Feasible != nil && s.Feasible[i] < minFeasible
	})
	if len(allowed) == 0 {
		return measured
	}
	return allowed
}

// isMeasured reports whether the target of a row is known.
func (s *Suggester) isMeasured(ds *data.Dataset, i int) bool {
	if ds.Labels != nil {
		return ds.Labels[i] >= 0
	}
	return ds.Y != nil && !math.IsNaN(ds.Y[i*len(ds.Outputs())+s.target()])
}

// weights returns the probabilities that candidates are feasible.
func (s *Suggester) weights(candidates []int) (weights []float64) {
	for _, i := range candidates {
		if s.Feasible != nil {
			weights = append(weights, s.Feasible[i])
		}
	}
	return weights
}

// choose chooses among the first n rows of functions; those after them are measured.
func (s *Suggester) choose(functions *model.Prediction, n int, weights []float64,
	more acquisition.More) ([]acquisition.Pick, error) {
	if s.Trained.Schema.Task == data.Classification {
		classes := acquisition.Classes{S: functions.S, N: n, C: functions.C, P: functions.H, More: more}
		parallel.Each(context.Background(), functions.S, 1, func(k, _ int) { // in their place: they fill the memory
			block := functions.H[k*n*functions.C : (k+1)*n*functions.C]
			copy(block, metrics.Probabilities(block, 1, n, functions.C))
		})
		if s.Acquisition == BALD {
			return classes.BALD(weights, s.Batch, s.Seed), nil
		}
		return classes.Entropy(weights, s.Batch, s.Seed), nil
	}
	scale := s.Trained.Targets[s.target()]
	own := scale.Unscale
	if s.Acquisition != EI && s.Acquisition != Thompson {
		own = func(z float64) float64 { return scale.SD * z }
	}
	f := s.samples(functions, 0, n, own)
	f.More = more
	switch s.Acquisition {
	case EI:
		best, err := s.best(functions, n)
		if err != nil {
			return nil, err
		}
		return acquisition.ExpectedImprovement(f, best, weights, s.Batch), nil
	case Thompson:
		return s.signed(acquisition.Thompson(f, s.Batch)), nil
	case Variance:
		return acquisition.Variance(f, s.noise(functions), weights, s.Batch), nil
	case BALD:
		return acquisition.Information(f, s.noise(functions), weights, s.Batch), nil
	}
	picks := s.signed(acquisition.UpperBound(f, s.noise(functions), ucbKappa, s.Batch))
	for k := range picks {
		picks[k].Value = scale.Unscale(picks[k].Value / scale.SD)
	}
	return picks, nil
}

// samples returns the functions of the target at the rows lo … hi−1, in units of its own and with a sign by which
// larger is better.
func (s *Suggester) samples(p *model.Prediction, lo, hi int, own func(float64) float64) acquisition.Samples {
	f := acquisition.Samples{S: p.S, N: hi - lo, F: make([]float64, 0, p.S*(hi-lo))}
	for k := range p.S {
		for i := lo; i < hi; i++ {
			f.F = append(f.F, s.sign()*own(p.H[(k*p.N+i)*p.C+s.target()]))
		}
	}
	return f
}

// noise returns the variance of the noise of each row [N], in squared units of the target or its logarithm.
func (s *Suggester) noise(p *model.Prediction) []float64 {
	noise := make([]float64, p.N)
	c := s.target()
	for i := range noise {
		unit := s.Trained.Targets[c].SD
		noise[i] = unit * unit * p.Noise[i*p.C+c]
	}
	return noise
}

// best returns the best value so far under each function: the best of the measured rows, from n on, or else the best
// target of training.
func (s *Suggester) best(p *model.Prediction, n int) ([]float64, error) {
	scale := s.Trained.Targets[s.target()]
	if n == p.N {
		y, ok := scale.Best(s.Minimize)
		if !ok {
			return nil, usererror.Errorf("%s ei: this model is too old to know its best target: train it again, or "+
				"give measured rows with their targets in %s, too", usererror.Flag("how"), usererror.Flag("data"))
		}
		return slices.Repeat([]float64{s.sign() * y}, p.S), nil
	}
	measured := s.samples(p, n, p.N, scale.Unscale)
	best := make([]float64, p.S)
	for k := range best {
		best[k] = slices.Max(measured.F[k*measured.N : (k+1)*measured.N])
	}
	return best, nil
}

// sign makes larger values better.
func (s *Suggester) sign() float64 {
	if s.Minimize {
		return -1
	}
	return 1
}

// signed gives values their own sign back.
func (s *Suggester) signed(picks []acquisition.Pick) []acquisition.Pick {
	for k := range picks {
		picks[k].Value *= s.sign()
	}
	return picks
}

// describe returns the suggestions of rows that were chosen among candidates, with their prediction.
func (s *Suggester) describe(picks []acquisition.Pick, candidates []int, p *model.Prediction) (out []Suggestion) {
	var classes *Classification
	var numbers *Regression
	if s.Trained.Schema.Task == data.Classification {
		classes = NewClassification(s.Trained, p)
	} else {
		numbers = NewRegression(s.Trained, p, s.target())
	}
	for _, pick := range picks {
		one := Suggestion{Row: candidates[pick.Row], Value: pick.Value, Feasible: 1}
		if s.Feasible != nil {
			one.Feasible = s.Feasible[one.Row]
		}
		if classes != nil {
			one.Class, one.Probability = classes.Label(pick.Row), slices.Max(classes.Probabilities(pick.Row))
		} else {
			one.Mean, one.SD, _, _ = numbers.Moments(pick.Row)
		}
		out = append(out, one)
	}
	return out
}

// Feasibility returns the probability of each row that it is feasible, by a model of its own: the probability of the
// second of two classes, or of a target of 0 or more, with its noise.
func Feasibility(ctx context.Context, t *fitted.Model, dev device.Device, ds *data.Dataset) ([]float64, error) {
	outputs, classes := t.Schema.Outputs(), t.Schema.Classes
	if len(outputs) > 1 || t.Schema.Task == data.Classification && len(classes) != 2 {
		if classes == nil {
			classes = outputs
		}
		return nil, usererror.OfFlag("feasible", "the model must have two classes, the second of them for feasible, "+
			"or one target, 0 or more for feasible; it predicts %s", strings.Join(classes, ", "))
	}
	if t.PredictsCounts() || classes == nil && t.Targets[0].Log {
		return nil, usererror.OfFlag("feasible", "its model predicts %s, which is never below 0, so that all rows are "+
			"feasible: leave it out, or train it on classes or on a target of both signs", strings.Join(outputs, ", "))
	}
	p, err := t.Predict(ctx, dev, ds, t.EvalSamples)
	if err != nil {
		return nil, err
	}
	return feasible(t, p), nil
}

// feasible returns the probability that a row is feasible, from its prediction.
func feasible(t *fitted.Model, p *model.Prediction) []float64 {
	out := make([]float64, p.N)
	if t.Schema.Task == data.Classification {
		classes := NewClassification(t, p)
		for i := range out {
			out[i] = classes.Probabilities(i)[1]
		}
		return out
	}
	r := NewRegression(t, p, 0)
	for i := range out {
		below, _ := r.mixture.PIT(i, r.scale.Scale(0))
		out[i] = 1 - below
	}
	return out
}
