//go:build cuda && cgo

package train

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device/gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

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

// A training whose steps are replayed is the training whose steps are launched, bit for bit,
// whatever changes from step to step. A replayed step calls the driver twice, and no step but the
// first changes memory.
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
			// the driver double has work of a second stream as late as it may come, or as early
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

// Evaluations between the steps, averages of the parameters and the best of them are the same where
// steps are replayed.
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
