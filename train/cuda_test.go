//go:build cuda && cgo

// These tests compare trainings on a GPU with those on the CPU, and with one another.

package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/device/gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// How far apart 8 steps on a GPU and on the CPU may end. Both add the same numbers in another order. In double that is
// rounding, but Adam divides each gradient by its size. A gradient may be zero up to rounding, as the gradient of the
// length-scales is while q(Ω) is still the prior. With an ε of 1e-8 such a parameter moves by a multiple of the
// rounding, which changes the sixth digit. The test has a larger ε, so that a difference is one of the gradients. In
// single the parameters show rounding in any case, and the bound is compared.
const (
	sameParameters  = 1e-8 // |a−b| relative to the largest number of its block
	sameBound       = 1e-8 // relative, in double
	sameBoundSingle = 1e-4 // relative to the log-likelihood and the KL in the bound
)

// requireCUDA skips a test if there is no GPU, or fails it if there must be one.
func requireCUDA(t *testing.T) {
	t.Helper()
	dev, err := device.Open("cuda:0:f64")
	must.OrSkip(t, err, "REQUIRE_CUDA")
	must.OK(t, dev.Close())
}

// A training of 8 steps on the GPU equals the training on the CPU, for each kind of target and of input.
func TestCUDATraining(t *testing.T) {
	requireCUDA(t)
	numbers, classes := table(t, 60, 1, wave), table(t, 60, 3, rings)
	counts, levels := weighted(table(t, 60, 1, wave), true), weighted(table(t, 60, 3, rings), false)
	letters, beside, graphs := genes(t, 60, 1), mixed(t, 60, 1), molecules(t, 60, 1)
	for _, c := range []testRun{
		{options: "model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 samples=2", rows: classes},
		{options: "model=gpdrf inducing=9 latents=3 features=7 whiten=false q-cov=diagonal lengthscales=isotropic " +
			"local-reparam=false samples=2 spectra=var-resampled features-kernel=matern52", rows: numbers},
		{options: "model=gp inducing=9 lengthscales=shared kernel=matern32+matern12", rows: classes},
		{options: "model=drf features=7 layers=2 hidden=3 spectra=prior-fixed samples=2", rows: numbers},
		{options: "model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 samples=2 features-kernel=arccos2",
			rows: classes},
		{options: "model=gpdrf inducing=9 latents=3 features=7 skip=true samples=2 spectra=var-integrated",
			rows: numbers},
		{options: "model=drf features=7 layers=2 hidden=3 samples=2 spectra=var-integrated features-kernel=matern32",
			rows: classes},
		{options: "model=gp inducing=9 likelihood=poisson", rows: counts},
		{options: "model=drf features=7 samples=2 likelihood=negative-binomial", rows: counts},
		{options: "model=gpdrf inducing=9 latents=3 features=7 samples=2 likelihood=ordinal", rows: levels},
		{options: "model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 samples=2 " +
			"kernel=spectrum:2/sqrt+double:1,3/linear", rows: letters}, // with offsets of the classes
		{options: "model=gp inducing=9 lengthscales=ard kernel=gapped:4,2/tfidf", rows: beside},
		{options: "model=gpdrf inducing=9 latents=3 features=7 samples=2 kernel=wl:2/sqrt+circular:1/linear",
			rows: graphs},
		{options: "model=gp inducing=9 kernel=circular:2/tanimoto+atompairs:5/tanimoto/linear", rows: graphs},
	} {
		t.Run(c.options, func(t *testing.T) { testCUDATraining(t, c) })
	}
}

func testCUDATraining(t *testing.T, c testRun) {
	options := c.options + " steps=8 batch=17 adam-eps=0.001 device="
	cpu, cuda := mustFit(t, options+"cpu:f64", c.rows), mustFit(t, options+"cuda:0:f64", c.rows)
	near(t, "bound", cuda.Objective.Value, cpu.Objective.Value, math.Abs(cpu.Objective.Value), sameBound)
	if len(cuda.Trained.Parameters) != len(cpu.Trained.Parameters) {
		t.Fatalf("%d blocks of parameters, expected %d", len(cuda.Trained.Parameters), len(cpu.Trained.Parameters))
	}
	for i, block := range cpu.Trained.Parameters {
		scale := 0.0
		for _, v := range block.Data {
			scale = max(scale, math.Abs(v))
		}
		for k, want := range block.Data {
			near(t, block.Name, cuda.Trained.Parameters[i].Data[k], want, scale, sameParameters)
		}
	}
	cpu, cuda = mustFit(t, options+"cpu:f32", c.rows), mustFit(t, options+"cuda:0:f32", c.rows)
	near(t, "bound in single", cuda.Objective.Value, cpu.Objective.Value,
		math.Abs(cpu.Objective.ELL)+math.Abs(cpu.Objective.KL), sameBoundSingle)
}

// Distances that a step computes have the bits of a table that the host has made.
func TestCUDADistances(t *testing.T) {
	requireCUDA(t)
	testDistances(t, "cuda:0", "f64") // rounding to single precision would hide the last bit
}

func near(t *testing.T, what string, got, want, scale, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*scale) {
		t.Errorf("%s: %.12g on the GPU, %.12g on the CPU", what, got, want)
	} else if testing.Verbose() && got != want && scale > 0 && math.Abs(got-want) > 0.01*tolerance*scale {
		t.Logf("%s: relative difference %.2g", what, math.Abs(got-want)/scale)
	}
}

// Batches that come from the host give the bits of rows on the GPU.
func TestCUDAStreams(t *testing.T) {
	requireCUDA(t)
	testStreams(t, "cuda:0:f32")
}

// A data set that is larger than the card's memory trains, and ends where a card with enough memory does.
func TestCUDALargerThanMemory(t *testing.T) {
	requireCUDA(t)
	set := table(t, 50000, 1, wave)
	run := func() (*Outcome, string, bool) {
		j := jobOf(t, "model=gp inducing=5 inducing-init=random q-cov=diagonal steps=9 batch=20 device=cuda:0:f64")
		dev := mustOpen(t, j.Config.Device)
		defer dev.Close()
		free, _ := dev.Free()
		j.Device, j.Train = dev, set
		out := must.Get(j.Run(t.Context()))(t)
		return out, strings.Join(j.Reporter.(*quiet).notes, "\n"), free < int64(set.N())*3*8
	}
	whole, _, _ := run()
	t.Setenv("EMU_MEMORY", "1")
	few, notes, larger := run()
	if !larger {
		t.Skip("only the driver test double can be told to have little memory")
	}
	if !strings.Contains(notes, "the data set stays on the host, since cuda:0:f64 has too little memory for it") {
		t.Errorf("notes: %s", notes)
	}
	same(t, "a small card", few.Trained.Parameters, whole.Trained.Parameters)
}

// A plan is what the driver has given, to the byte.
func TestCUDAPlan(t *testing.T) {
	requireCUDA(t)
	t.Setenv("EMU_IDLE", "1")
	testPlan(t, "cuda:0:f32", plans)
	testPlan(t, "cuda:0:f64", plans[len(plans)-1:])
}

// What is not a number on the GPU is the error of the CPU when the device is next read.
func TestCUDANotFinite(t *testing.T) {
	requireCUDA(t)
	set := table(t, 60, 1, wave)
	for _, name := range []string{"cpu:f32", "cuda:0:f32"} {
		c := config(t, "model=gpdrf inducing=9 latents=3 features=7 batch=17 steps=20")
		dev := mustOpen(t, name)
		run := prepared(t, &Job{Config: c, Device: dev, Train: set, Reporter: &quiet{}})
		for _, block := range []string{"drf.0.mean_w", "likelihood.log_variance"} {
			run.reset()
			run.doStep(1)
			must.Get(run.step.Model.ReadELBO(1))(t)
			named := run.step.Model.Export()
			for i := range named {
				if named[i].Name == block {
					named[i].Data[0] = math.NaN()
				}
			}
			must.OK(t, run.step.Model.Import(named))
			run.doStep(2)
			var notFinite *model.NotFiniteError
			if _, err := run.step.Model.ReadELBO(1); !errors.As(err, &notFinite) {
				t.Errorf("%s: after a NaN in %s: %v", name, block, err)
			}
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A training in chunks of a batch ends with the same parameters as a training in whole batches.
func TestCUDAParts(t *testing.T) {
	requireCUDA(t)
	set := table(t, 60, 1, wave)
	for _, options := range []string{
		"model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 samples=2 q-cov=full lengthscales=ard",
		"model=drf features=7 local-reparam=false samples=2 spectra=var-resampled",
		"model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 samples=2 spectra=var-integrated",
	} {
		options += " steps=7 batch=17 adam-eps=0.001 device=cuda:0:f64"
		whole, parts := mustFit(t, options, set), mustFit(t, options+" chunk=5", set)
		near(t, "bound", parts.Objective.Value, whole.Objective.Value, math.Abs(whole.Objective.Value), sameBound)
	}
}

// A training on the GPU continues where it was killed, bit for bit, with steps that are replayed or launched. Only runs
// whose checkpoints hold more of the device than others are tried.
func TestCUDAResume(t *testing.T) {
	requireCUDA(t)
	const short = " steps=13 checkpoint-every=5 device=cuda:0:"
	for i, c := range slices.DeleteFunc(resumes(t), func(c testRun) bool { return c.onHost }) {
		t.Run(c.options, func(t *testing.T) {
			if i == 0 {
				t.Setenv("GPDRF_CUDA_GRAPH", "0")
			}
			testResume(t, c, short+[]string{"f32", "f64"}[i%2])
		})
	}
}

// stepped returns a run on a GPU step by step, which notes what the device has done.
func stepped(t *testing.T, options string, graphs bool) (*Outcome, []gpu.Usage) {
	t.Helper()
	if !graphs {
		t.Setenv("GPDRF_CUDA_GRAPH", "0")
	}
	c := config(t, options)
	dev := mustOpen(t, c.Device)
	usage := &usages{device: dev.(*gpu.Device)}
	out, err := (&Job{Config: c, Device: dev, Train: table(t, 60, 1, wave), Started: time.Now(),
		Reporter: usage}).Run(context.Background())
	must.OK(t, err)
	must.OK(t, dev.Close())
	return out, usage.all
}

// usages is a Reporter that asks the device at each reading.
type usages struct {
	quiet
	device *gpu.Device
	all    []gpu.Usage
}

func (u *usages) Step(rundir.Progress) { u.all = append(u.all, u.device.Usage()) }

// A training whose steps are replayed is the training whose steps are launched, bit for bit, whatever changes from step
// to step. A replayed step calls the driver twice, and no step but the first changes memory.
func TestCUDAReplay(t *testing.T) {
	requireCUDA(t)
	const schedules = " steps=30 warmup=7 decay=cosine kl-warmup=0.5 freeze-kernel=13 device=cuda:0:"
	for i, options := range []string{
		"model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 samples=2 spectra=var-resampled " +
			"freeze-omega=8 batch=17",
		"model=gpdrf inducing=9 latents=3 features=7 samples=3 spectra=var-fixed local-reparam=false batch=17",
		"model=gpdrf inducing=9 latents=3 features=7 samples=2 spectra=var-fixed-all-each whiten=false " +
			"learn-inducing=true batch=17",
		"model=drf features=7 layers=3 hidden=3 samples=2 spectra=prior-fixed batch=17",
		"model=gpdrf inducing=9 latents=3 features=7 layers=2 hidden=3 skip=true samples=2 " +
			"spectra=var-integrated batch=17",
		"model=gp inducing=9 lengthscales=shared batch=60",
		"model=gp inducing=9 lengthscales=shared kernel=rbf+matern12 batch=60 natgrad=0.2",
		"model=gpdrf inducing=9 latents=3 features=7 samples=2 q-cov=full natgrad=0.1 batch=17",
	} {
		precision := []string{"f32", "f64"}[i%2]
		t.Run(precision+" "+options, func(t *testing.T) {
			// the driver test double has work of a second stream as late as it may come, or as early
			t.Setenv("EMU_EARLY", strconv.Itoa(i/2%2))
			replayed, usage := stepped(t, options+schedules+precision, true)
			launched, plain := stepped(t, options+schedules+precision, false)
			same(t, "replayed", replayed.Trained.Parameters, launched.Trained.Parameters)
			if replayed.Objective != launched.Objective {
				t.Errorf("the bound is %+v, and %+v", replayed.Objective, launched.Objective)
			}
			// between readings at steps 20 and 30: ten steps, two calls each, and the reading
			last := len(usage) - 1
			if calls := usage[last].Calls - usage[last-1].Calls; calls != 2*reportEvery+1 {
				t.Errorf("%d calls of the driver for %d steps", calls, reportEvery)
			}
			t.Logf("%g calls a step where it is launched",
				float64(plain[last].Calls-plain[last-1].Calls-1)/reportEvery)
			for k, u := range [][]gpu.Usage{usage, plain} {
				if u[0].Changes != u[last].Changes {
					t.Errorf("memory changes after the first step (%d): %+v", k, u)
				}
			}
		})
	}
}

// Evaluations between the steps, averages of the parameters and the best of them are the same where steps are replayed.
func TestCUDAReplayValidation(t *testing.T) {
	requireCUDA(t)
	const options = "steps=24 inducing=9 latents=3 features=7 batch=17 validation=0.3 eval-every=7 device=cuda:0"
	replayed, _ := fitHeldOut(t, options, table(t, 60, 1, wave))
	t.Setenv("GPDRF_CUDA_GRAPH", "0")
	launched, _ := fitHeldOut(t, options, table(t, 60, 1, wave))
	same(t, "replayed", replayed.Trained.Parameters, launched.Trained.Parameters)
	if *replayed.Validation.NLPD != *launched.Validation.NLPD {
		t.Errorf("%+v, and %+v", replayed.Validation, launched.Validation)
	}
}
