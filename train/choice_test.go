package train

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// choice is the Config of a run whose rows choose, of n steps in all.
func choice(t *testing.T, n int) *options.Config {
	return config(t, "inducing=20 latents=2 features=20 batch=50").With("steps", n)
}

func cpuDevice(t *testing.T) device.Device {
	dev, err := device.Open("cpu:f32")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// Rows that are held out choose the objective and the number of steps, and the settled config repeats the
// run.
func TestRowsChoose(t *testing.T) {
	set := table(t, 120, 1, wave)
	c := choice(t, 1200)
	longest := longestAttempt(1200)
	job := &Job{Config: c, Device: cpuDevice(t), Train: set, Reporter: &quiet{}}
	out, err := job.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := out.Config
	if got.Objective != options.Predictive && got.Objective != options.ELBO {
		t.Errorf("objective %s is not settled", got.Objective)
	}
	if n := got.Steps; n != longest && n != longest/shorter && n != longest/shorter/shorter {
		t.Errorf("%d steps are none of the attempts' up to %d", n, longest)
	}
	if got.RowsChoseLength() != (got.Steps < longest) {
		t.Errorf("%d of %d steps are planned for %q", got.Steps, longest, got.PlannedFor)
	}
	if notes := strings.Join(job.Reporter.(*quiet).notes, "\n"); !strings.Contains(notes, "NLPD of 24 of the training rows") {
		t.Errorf("the user hears of no choice: %s", notes)
	}
	again, err := fit(t, context.Background(), got, set)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "repeated", out.Trained.Named, again.Trained.Named)
}

// A user's length or objective, classes, few rows and few steps leave nothing to choose.
func TestNothingToChoose(t *testing.T) {
	for _, c := range []struct {
		words  string
		steps  int
		rows   int
		target func(*rand.Rand, float64, float64) string
	}{
		{"", 200, 120, wave},
		{"", 1200, 29, wave},
		{"objective=elbo", 1200, 120, wave},
		{"steps=300", 300, 120, wave},
		{"epochs=100", 414, 120, wave},
		{"likelihood=student-t", 300, 120, wave},
		{"", 300, 120, rings},
	} {
		cfg := config(t, "inducing=9 latents=1 features=50 batch=29 "+c.words)
		if cfg.Epochs == 0 {
			cfg = cfg.With("steps", c.steps)
		}
		out, err := fit(t, context.Background(), cfg, table(t, c.rows, 1, c.target))
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Config; got.Objective != options.ELBO || got.Steps != c.steps {
			t.Errorf("%q: %s for %d steps, want the bound for %d", c.words, got.Objective, got.Steps, c.steps)
		}
	}
}

// The predictive objective has to be better by more than the standard error; the length by its mean.
func TestBestAttempt(t *testing.T) {
	of := func(objective string, steps int, logs ...float64) attempt {
		sum := 0.0
		for _, l := range logs {
			sum += l
		}
		return attempt{objective, steps, logs, sum / float64(len(logs))}
	}
	short, long := of(options.ELBO, 1, -1, -1, -1, -1), of(options.ELBO, 3, -.9, -.8, -.9, -.8)
	near := of(options.Predictive, 1, 0, -1.5, 0, -1.5)
	clear := of(options.Predictive, 3, -.5, -.6, -.5, -.6)
	for _, c := range []struct {
		name     string
		attempts []attempt
		want     *attempt
	}{
		{"none", nil, nil},
		{"the longer", []attempt{short, long}, &long},
		{"the shorter", []attempt{long, short}, &long},
		{"too near", []attempt{short, long, near}, &long},
		{"clear", []attempt{short, long, near, clear}, &clear},
		{"bound failed", []attempt{near}, &near},
	} {
		got := (&chooser{attempts: c.attempts}).best()
		if (got == nil) != (c.want == nil) || got != nil && (got.objective != c.want.objective || got.steps != c.want.steps) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// An attempt that breaks off does not count; where none counts, the run is that of the bound. A
// time limit that is nearly over leaves none.
func TestNoAttempt(t *testing.T) {
	job := &Job{Config: choice(t, 1200), Device: cpuDevice(t), Train: table(t, 120, 1, wave)}
	if _, err := job.settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := job.prepare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r.clock.deadline = 1
	if err := r.choose(context.Background()); err != nil {
		t.Fatal(err)
	}
	if c := r.job.Config; c.Objective != options.ELBO || c.Steps != 1200 {
		t.Errorf("without time: %s for %d steps", c.Objective, c.Steps)
	}
	r.clock.deadline = 0
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	cancel(stop)
	r.job.Config = r.job.Config.With("objective", options.Auto)
	if err := r.choose(ctx); err != stop {
		t.Errorf("a context that is over: %v", err)
	}
	broken := *r.trained
	broken.Targets = []data.TargetScale{{SD: 0}} // no target is a number
	h := &chooser{run: &run{job: r.job, trained: &broken, init: r.init}, rest: job.Train, held: job.Train}
	if err := h.attempt(context.Background(), options.ELBO, 90); err != nil || h.best() != nil {
		t.Errorf("a run that breaks off: %v, %v", err, h.best())
	}
}
