package train

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// A time limit becomes a number of steps that repeats the run, and is kept.
func TestTimeLimit(t *testing.T) {
	set := table(t, 300, 1, wave)
	var c options.Config
	var out *Outcome
	eventually(t, func() string {
		c = config(t, "time-limit=2s batch=50 inducing=20 "+startGiven)
		start := time.Now()
		out = must.Get(fit(t, context.Background(), c, set))(t)
		if d := time.Since(start); d > 2400*time.Millisecond || d < time.Second {
			return fmt.Sprintf("a limit of 2 s took %s", d)
		}
		return ""
	})
	c = out.Config
	if c.TimeLimit != 0 || c.PlannedFor == "" || c.Steps < fewSteps {
		t.Errorf("limit %s planned for %q: %d steps", c.TimeLimit, c.PlannedFor, c.Steps)
	}
	c.StopAfter, c.Replanned = min(out.Steps, 50), ""
	first := must.Get(fit(t, context.Background(), c, set))(t)
	// the warm-up is from the first plan, which a slow machine may have replaced by a shorter one
	second := mustFit(t, fmt.Sprintf("steps=%d stop-after=%d warmup=%d objective=%s kl-weight=%g batch=50 inducing=20 "+
		startGiven, c.Steps, c.StopAfter, min(c.Warmup, c.Steps/10), c.Objective, c.KLWeight), set)
	same(t, "repeated", first.Trained.Parameters, second.Trained.Parameters)
}

// The plan counts the scores, which grow with the square of the samples, and not the prediction alone.
func TestEvaluationTime(t *testing.T) {
	learns(t)
	set, test := table(t, 300, 1, wave), table(t, 100, 2, wave)
	c := config(t, "steps=10 batch=50 inducing=10 features=8 eval-samples=700 lengthscales=shared")
	dev := mustOpen(t, c.Device)
	defer dev.Close()
	job := &Job{Config: c, Device: dev, Train: set, Test: test, Started: time.Now(), Reporter: &quiet{}}
	run := prepared(t, job)
	run.doStep(1)
	run.trained.Parameters = run.step.Model.Export()
	eventually(t, func() string {
		guess := must.Get(run.evaluationTime(t.Context()))(t)
		start := time.Now()
		must.Get(run.trained.Evaluate(t.Context(), dev, test, fitted.EvaluateOptions{Samples: c.EvalSamples}))(t)
		if took := time.Since(start); guess < took/3 || guess > 3*took {
			return fmt.Sprintf("%s foreseen, %s taken", guess, took)
		}
		return ""
	})
}

// eventually repeats a check that other programs may disturb: one of three attempts has to pass.
func eventually(t *testing.T, attempt func() (wrong string)) {
	t.Helper()
	var wrong string
	for range 3 {
		if wrong = attempt(); wrong == "" {
			return
		}
	}
	t.Error(wrong)
}

// A limit that cannot be kept is said to be one: here it is the time of five steps on this machine, and ten are the
// least.
func TestTimeLimitTooShort(t *testing.T) {
	learns(t)
	const slow = startGiven + " eval-samples=2 batch=300 inducing=20 features=200 spectra=prior-fixed " +
		"local-reparam=false samples=150"
	set := table(t, 300, 1, wave)
	dev := openCPU(t)
	eventually(t, func() string {
		started := time.Now()
		mustFit(t, slow+" steps=10", set)
		limit := (time.Since(started) / 2).Round(time.Millisecond).String()
		said := &quiet{}
		job := &Job{Config: config(t, slow+" time-limit="+limit), Device: dev, Train: set,
			Test: table(t, 100, 2, wave), Started: time.Now(), Reporter: said}
		out, err := job.Run(context.Background())
		if err != nil || out.Steps > fewSteps {
			return fmt.Sprintf("%+v, %v", out, err)
		}
		if notes := strings.Join(said.notes, "\n"); !strings.Contains(notes, "time limit "+limit+" is too short: ") ||
			strings.Contains(notes, "%!") {
			return fmt.Sprintf("notes %q", notes)
		}
		return ""
	})
}

// A limit that is over before the first step is an error, and what is predicted ends with its context.
func TestNothingInTime(t *testing.T) {
	dev := openCPU(t)
	set := table(t, 300, 1, wave)
	job := &Job{Config: config(t, "time-limit=1m batch=50 inducing=20"), Device: dev, Train: set,
		Test: set, Started: time.Now().Add(-time.Minute), Reporter: &quiet{}}
	var usage *usererror.Error
	if _, err := job.Run(t.Context()); !errors.As(err, &usage) ||
		!strings.Contains(err.Error(), "time limit 1m0s: over before the first step, so nothing was trained") {
		t.Errorf("err = %v", err)
	}
	out := mustFit(t, "steps=3 batch=50 inducing=20", set)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, _, err := out.Trained.PredictSet(ctx, dev, set, 500,
		fitted.PredictOptions{Progress: func(int) { cancel(enough) }}); err != enough {
		t.Errorf("a prediction: %v", err)
	}
	if _, err := out.Trained.Evaluate(ctx, dev, set, fitted.EvaluateOptions{Samples: 5}); err != enough {
		t.Errorf("an evaluation: %v", err)
	}
	if _, err := job.MeasureGeneralisation(ctx, out.Trained, &fitted.Scores{}); err != enough {
		t.Errorf("a comparison: %v", err)
	}
}

// A time limit leaves the first step whole, so that the run ends with a model; Ctrl-C does not.
func TestLateInFirstStep(t *testing.T) {
	job := &Job{Config: config(t, partedRun), Device: openCPU(t), Train: table(t, 60, 1, wave), Started: time.Now()}
	for _, cause := range []error{ErrTimeLimit, context.Canceled} {
		r := prepared(t, job)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		r.step.Abandon = func() bool { return r.abandonsStep(ctx) }
		out, err := r.takeSteps(ctx)
		if cause == ErrTimeLimit && (err != nil || out.StopReason != LimitReached || out.Steps != 1) ||
			cause != ErrTimeLimit && err != cause {
			t.Errorf("%v: %+v, %v", cause, out, err)
		}
	}
}
