package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// onRanks trains on a number of ranks, which are goroutines, and returns the Outcome of each. change may change a
// rank's Job.
func onRanks(t *testing.T, size int, words string, set *data.Dataset,
	change func(*Job, *context.Context)) ([]*Outcome, []error) {
	t.Helper()
	outs, errs := make([]*Outcome, size), make([]error, size)
	var all sync.WaitGroup
	for r, c := range dist.Group(size) {
		cfg := config(t, words)
		dev := mustOpen(t, cfg.Device)
		rows, held, _, err := cfg.HoldOut(set, data.ReadControl{})
		must.OK(t, err)
		job := &Job{Config: cfg, Device: dev, Train: rows, Validation: held, Started: time.Now(), Comm: c}
		ctx := t.Context()
		if change != nil {
			change(job, &ctx)
		}
		all.Go(func() {
			defer dev.Close()
			if outs[r], errs[r] = job.Run(ctx); errs[r] != nil {
				c.Abort(1)
			}
		})
	}
	all.Wait()
	return outs, errs
}

// mustShare calls onRanks, and requires that no rank has an error and that all have the same model.
func mustShare(t *testing.T, size int, words string, set *data.Dataset) *Outcome {
	t.Helper()
	outs, errs := onRanks(t, size, words, set, nil)
	must.OK(t, errors.Join(errs...))
	for r := range outs {
		same(t, fmt.Sprintf("rank %d of %d", r, size), outs[0].Trained.Parameters, outs[r].Trained.Parameters)
		if outs[r].Objective != outs[0].Objective || outs[r].Steps != outs[0].Steps {
			t.Errorf("rank %d of %d: %+v, rank 0 %+v", r, size, outs[r], outs[0])
		}
	}
	return outs[0]
}

// Ranks whose clocks and paces differ agree on the steps of a long attempt.
func TestRanksAgreeOnLongAttempts(t *testing.T) {
	steps, errs := make([]int, 2), make([]error, 2)
	var all sync.WaitGroup
	for r, c := range dist.Group(2) {
		in := &representation{splits: make([]split, 1), speed: speed{100, float64(1 + r)}}
		ch := &objectiveChoice{run: (&Job{Comm: c}).newRun(), inputs: in, longSteps: 100, end: 2 * time.Minute}
		ch.run.clock = clock{limit: TimeLimit{Began: time.Now()}, deadline: time.Duration(3+r) * time.Minute}
		all.Go(func() {
			errs[r] = ch.fitLongSteps(10)
			steps[r] = ch.longSteps
		})
	}
	all.Wait()
	must.OK(t, errors.Join(errs...))
	if steps[0] != steps[1] || steps[0] < 1000 {
		t.Errorf("%d and %d steps", steps[0], steps[1])
	}
}

// sharedRuns are runs for ranks. The first finds its start values, which takes longer than its steps.
var sharedRuns = []string{
	"steps=25 batch=60 inducing=9 features=7 device=cpu:",
	startGiven + " steps=25 batch=61 inducing=9 features=7 layers=2 hidden=3 latents=3 spectra=var-resampled " +
		"samples=2 device=cpu:",
	startGiven + " steps=25 batch=33 model=gp inducing=9 natgrad=0.1 whiten=false device=cpu:",
	"drf-lengthscale-factor=0.4 noise-init=0.1 steps=25 batch=40 model=drf features=9 l2=0.01 decay=cosine " +
		"kl-warmup=0.5 device=cpu:",
}

// Ranks that share each batch train the model that one process trains: to nine digits of the bound in double, and to
// the digits of single precision.
func TestRanks(t *testing.T) {
	learns(t)
	set := table(t, 200, 1, wave)
	for _, run := range sharedRuns {
		for precision, most := range map[string]float64{"f64": 1e-9, "f32": 2e-3} {
			one := mustFit(t, run+precision, set)
			for _, size := range []int{2, 3} {
				many := mustShare(t, size, run+precision, set)
				d := math.Abs(many.Objective.Value - one.Objective.Value)
				if !(d <= most*math.Abs(one.Objective.Value)) {
					t.Errorf("%s%s on %d ranks: the bound is %.12g, of one %.12g", run, precision, size,
						many.Objective.Value, one.Objective.Value)
				}
			}
		}
	}
}

// onDevice is a Comm that adds up tensors on the device, as NCCL does.
type onDevice struct {
	dist.Comm
	dev device.Device
}

func (c onDevice) Sum(tensors ...*device.Tensor) {
	for _, t := range tensors {
		x := make([]float64, t.Len())
		c.dev.Download(x, t)
		if err := c.AllReduce(x); err != nil {
			panic(err)
		}
		c.dev.Upload(t, x)
	}
}

func (c onDevice) Wait(do func()) { do() }

// A step whose gradient stays on the device equals the step of one process, also in chunks.
func TestRanksOnDevice(t *testing.T) {
	set := table(t, 200, 1, wave)
	inParts := startGiven + " steps=25 batch=61 inducing=9 features=7 chunk=10 device=cpu:"
	runs := append([]string{inParts}, sharedRuns...)
	if testing.Short() { // the race detector has a run in parts
		runs = runs[:1]
	}
	for _, run := range runs {
		one := mustFit(t, run+"f64", set)
		outs, errs := onRanks(t, 2, run+"f64", set, func(j *Job, _ *context.Context) {
			j.Comm = onDevice{j.Comm, j.Device}
		})
		must.OK(t, errors.Join(errs...))
		same(t, run, outs[0].Trained.Parameters, outs[1].Trained.Parameters)
		if d := math.Abs(outs[1].Objective.Value - one.Objective.Value); !(d <= 1e-9*math.Abs(one.Objective.Value)) {
			t.Errorf("%s: the bound is %.12g, of one %.12g", run, outs[1].Objective.Value, one.Objective.Value)
		}
	}
}

// Sums in a fixed order have the same bits on 1, 2, 4 and 8 ranks, also in chunks.
func TestDeterministicRanks(t *testing.T) {
	learns(t)
	set := table(t, 200, 1, wave)
	inParts := []string{ // shards have 3 or 4 rows
		startGiven + " steps=25 batch=25 inducing=9 features=7 chunk=3 device=cpu:",
		startGiven + " steps=25 batch=25 inducing=9 features=7 chunk=1 device=cpu:",
	}
	for _, run := range append(inParts, sharedRuns...) {
		run = strings.Replace(run, "steps=25", "steps=4", 1) + "f32 deterministic=true" // other bits appear at once
		one := mustFit(t, run, set)
		for _, size := range []int{2, 8} {
			many := mustShare(t, size, run, set)
			same(t, fmt.Sprintf("%s on %d ranks", run, size), many.Trained.Parameters, one.Trained.Parameters)
			if many.Objective != one.Objective {
				t.Errorf("%s on %d ranks: %+v and %+v", run, size, many.Objective, one.Objective)
			}
		}
	}
}

// Ranks share the validation of sequences, too, also where their distances are computed in the steps: the same bits as
// one process.
func TestRanksOfSequences(t *testing.T) {
	for _, distances := range []string{memory.InTable, memory.InSteps} {
		for words, set := range compared(t) {
			const more = " steps=12 validation=0.3 eval-every=4 batch=15 inducing=9 deterministic=true device=cpu:f32"
			run := func(size int) *Outcome {
				t.Helper()
				outs, errs := onRanks(t, size, words+more, set, func(j *Job, _ *context.Context) {
					j.place.distances = distances
				})
				must.OK(t, errors.Join(errs...))
				return outs[size-1]
			}
			one, two := run(1), run(2)
			same(t, words, two.Trained.Parameters, one.Trained.Parameters)
			if !reflect.DeepEqual(two.Validation, one.Validation) {
				t.Errorf("%s, distances in the %s: validation is %+v, of one process %+v", words, distances,
					two.Validation, one.Validation)
			}
		}
	}
}

// A run that is resumed on another number of ranks ends with the same bits: 2 ranks, then 4, then 1.
func TestRanksGoOn(t *testing.T) {
	set := table(t, 250, 1, wave)
	const run = "batch=60 inducing=9 features=7 steps=30 validation=0.2 eval-every=10 " +
		"checkpoint-every=7 deterministic=true"
	whole := mustShare(t, 1, run, set)
	// part resumes a checkpoint and leaves a later one
	part := func(size, saves int, from *rundir.Checkpoint) (out *Outcome, last *rundir.Checkpoint) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		outs, errs := onRanks(t, size, run, set, func(j *Job, c *context.Context) {
			if *c = ctx; from != nil {
				copied := *from
				j.Checkpoint, j.Config = &copied, from.Config
			}
			if j.Comm.Rank() == 0 {
				j.Save = func(c *rundir.Checkpoint) error {
					if saves--; saves == 0 {
						last = clone(c)
						cancel()
					}
					return nil
				}
			}
		})
		must.OK(t, errors.Join(errs...))
		return outs[size-1], last
	}
	_, two := part(2, 1, nil)
	_, four := part(4, 2, two)
	end, _ := part(1, 100, four)
	same(t, "the run in three parts", end.Trained.Parameters, whole.Trained.Parameters)
	if !reflect.DeepEqual(end.Validation, whole.Validation) {
		t.Errorf("validation of the run in three parts: %+v, expected %+v", end.Validation, whole.Validation)
	}
	if two.Step != 7 || four.Step != 21 {
		t.Errorf("checkpoints at steps %d and %d", two.Step, four.Step)
	}
}

// Predictions that ranks share have the bits of one process, for one model and for several, also of fewer rows than
// ranks.
func TestRanksPredict(t *testing.T) {
	regression, classes := table(t, 200, 1, wave), table(t, 200, 3, rings)
	for _, c := range []struct {
		set *data.Dataset
		run string
	}{
		{regression, "steps=5 batch=40 inducing=9 features=7"},
		{regression, "steps=5 batch=40 inducing=9 features=7 likelihood=heteroscedastic layers=2 hidden=3"},
		{classes, "steps=5 batch=40 inducing=9 features=7 samples=2"},
	} {
		trained := mustFit(t, c.run, c.set).Trained
		for _, n := range []int{2, 4, 200} {
			some := make([]int, n)
			for i := range some {
				some[i] = 7 * i % 200
			}
			rows := c.set.Subset(some)
			predict := func(r dist.Comm) (all []any, err error) {
				o := fitted.PredictOptions{Ranks: r, Distances: true}
				dev, err := device.Open("cpu:f32")
				if err != nil {
					return nil, err
				}
				defer dev.Close()
				p, distances, err := trained.PredictSet(t.Context(), dev, rows, 20, o)
				if err != nil {
					return nil, err
				}
				predictor, err := trained.NewPredictor(dev, 64, 20)
				if err != nil {
					return nil, err
				}
				again, _, err := predictor.PredictSet(t.Context(), rows, o)
				return []any{p, distances, again}, err
			}
			want := must.Get(predict(nil))(t)
			var all sync.WaitGroup
			for _, r := range dist.Group(3) {
				all.Go(func() {
					got, err := predict(r)
					if err != nil || !reflect.DeepEqual(got, want) {
						t.Errorf("%s: rank %d of 3, %d rows: not the prediction of one process (%v)", c.run,
							r.Rank(), n, err)
					}
				})
			}
			all.Wait()
		}
	}
}

// clone copies a checkpoint and its vectors.
func clone(c *rundir.Checkpoint) *rundir.Checkpoint {
	copied := *c
	copied.Vectors = map[string][]float64{}
	for name, data := range c.Vectors {
		copied.Vectors[name] = append([]float64(nil), data...)
	}
	return &copied
}

// untilStep ends a run soon after its first step.
type untilStep struct {
	quiet
	cancel context.CancelFunc
}

func (u *untilStep) Step(rundir.Progress) { time.AfterFunc(100*time.Millisecond, u.cancel) }

// All ranks end at the same step, whichever of them was interrupted, and whatever their clocks say; early stopping is
// the same on all.
func TestRanksEndTogether(t *testing.T) {
	set := table(t, 250, 1, wave)
	outs, errs := onRanks(t, 3, "batch=60 inducing=9 features=7 steps=100000 validation=0.2", set,
		func(j *Job, ctx *context.Context) {
			if j.Comm.Rank() == 2 {
				own, cancel := context.WithCancel(*ctx)
				*ctx = own
				j.Reporter = &untilStep{cancel: cancel}
			}
		})
	must.OK(t, errors.Join(errs...))
	for r, out := range outs {
		if out.StopReason != Interrupted || out.Steps != outs[0].Steps {
			t.Errorf("rank %d ended at step %d: %v", r, out.Steps, out.StopReason)
		}
	}
	timed := mustShare(t, 2, "batch=60 inducing=9 features=7 time-limit=2s validation=0.2 "+startGiven, set)
	if timed.Steps < fewSteps || timed.StopReason != Finished && timed.StopReason != LimitReached {
		t.Errorf("%d steps in a time limit: %v", timed.Steps, timed.StopReason)
	}
	early := mustShare(t, 2,
		"batch=60 inducing=9 features=7 lr=0.3 steps=2000 validation=0.2 early-stop=2 eval-every=5", set)
	if early.StopReason != EarlyStop {
		t.Errorf("no early stop: %v after %d steps", early.StopReason, early.Steps)
	}
}

// A rank with other parameters is an error, and so is a batch that the ranks cannot share.
func TestRanksDisagree(t *testing.T) {
	set := table(t, 200, 1, wave)
	_, errs := onRanks(t, 2, "batch=60 inducing=9 features=7 steps=30", set, func(j *Job, _ *context.Context) {
		if j.Comm.Rank() == 1 {
			j.Config.Seed = 2
		}
	})
	if errs[1] == nil || !strings.Contains(errs[1].Error(),
		"the parameters of this rank are no longer those of rank 0") {
		t.Errorf("another seed: %v", errs)
	}
	for words, want := range map[string]string{
		"batch=2":                       "--batch: 2 rows cannot be shared by 3: give at least 3 rows",
		"deterministic=true batch=60":   "--deterministic: is for 1, 2, 4 or 8 ranks, and there are 3",
		"preset=best time-limit=1m":     "preset best and ensemble are for several models",
		"ensemble=3 batch=60 steps=100": "preset best and ensemble are for several models",
	} {
		_, errs := onRanks(t, 3, words+" inducing=9", set, nil)
		for r, err := range errs {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, rank %d: %v", words, r, err)
			}
		}
	}
}

// Ranks whose clocks differ make the same attempts, and choose alike.
func TestRanksChooseAlike(t *testing.T) {
	set, chosen := table(t, 120, 1, wave), make([]string, 2)
	var all sync.WaitGroup
	for k, comm := range dist.Group(2) {
		job := &Job{Config: withSteps(config(t, "inducing=20 latents=2 features=20 batch=50"), 1200),
			Device: openCPU(t), Train: set, Comm: comm, Started: time.Now()}
		all.Go(func() {
			r := job.newRun()
			err := r.resolve(t.Context())
			if err == nil {
				err = r.prepare(t.Context())
			}
			if err == nil {
				r.clock.deadline = []time.Duration{time.Hour, 1}[k] // rank 1 has no time
				err = r.choose(t.Context())
			}
			if err != nil {
				t.Error(err)
				comm.Abort(1)
				return
			}
			chosen[k] = fmt.Sprint(r.config.Objective, " ", r.config.Steps)
		})
	}
	if all.Wait(); chosen[0] != chosen[1] {
		t.Errorf("rank 0 chose %s, rank 1 %s", chosen[0], chosen[1])
	}
}
