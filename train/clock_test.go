package train

import (
	"context"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// A run that is planned again continues from where it was, and ends where every run ends.
func TestScheduleAfterReplan(t *testing.T) {
	c := config(t, "steps=1000 lr=1 warmup=0 kl-warmup=0.5")
	first, s := newSchedule(c), newSchedule(c.WithLength(200, 300).WithLength(250, 500))
	for step := 1; step <= 200; step++ {
		if s.learningRate(step) != first.learningRate(step) || s.klWeight(step) != first.klWeight(step) {
			t.Fatalf("step %d: %g and %g, as it was planned %g and %g", step, s.learningRate(step), s.klWeight(step),
				first.learningRate(step), first.klWeight(step))
		}
	}
	for step := 2; step <= 500; step++ {
		if s.learningRate(step) > s.learningRate(step-1) || s.klWeight(step) < s.klWeight(step-1) ||
			s.learningRate(step-1)-s.learningRate(step) > 0.02 {
			t.Errorf("step %d: %g and %g after %g and %g", step, s.learningRate(step), s.klWeight(step),
				s.learningRate(step-1), s.klWeight(step-1))
		}
	}
	if last := first.learningRate(1000); s.klWeight(500) != 1 || math.Abs(s.learningRate(500)-last) > last {
		t.Errorf("at the end %g and %g, expected %g and 1", s.learningRate(500), s.klWeight(500), last)
	}
}

// The number of steps follows the pace, and stays where it fits.
func TestRevisedSteps(t *testing.T) {
	for _, c := range []struct {
		perStep, remaining time.Duration
		want               int // number of steps; the plan is 1000, of which 100 are done
	}{
		{perStep: time.Second, remaining: 950 * time.Second, want: 1000},
		{perStep: time.Second, remaining: 1050 * time.Second, want: 1000},
		{perStep: time.Second, remaining: 500 * time.Second, want: 560},
		{perStep: time.Second, remaining: 2000 * time.Second, want: 1940},
		{perStep: 10 * time.Minute, remaining: time.Second, want: 101},
	} {
		synctest.Test(t, func(t *testing.T) {
			now := 100 * c.perStep
			clock := clock{deadline: now + c.remaining, limit: TimeLimit{Began: time.Now().Add(-now)}}
			if got := clock.revisedSteps(100, 1000); got != c.want {
				t.Errorf("%s a step, %s left: %d steps, expected %d", c.perStep, c.remaining, got, c.want)
			}
		})
	}
}

// A run takes more steps on a machine that became faster, but no more steps than the attempt that gave it its
// temperature.
func TestReplannedLength(t *testing.T) {
	for temperature, steps := range map[float64]int{0: 1940, 0.5: 1000} {
		synctest.Test(t, func(t *testing.T) {
			r := (&Job{Config: withSteps(config(t, ""), 1000)}).newRun()
			r.config.Temperature = temperature
			r.out = &Outcome{Steps: 100}
			r.clock = clock{deadline: 2100 * time.Second, limit: TimeLimit{Began: time.Now().Add(-100 * time.Second)}}
			must.OK(t, r.replan())
			if r.config.Steps != steps {
				t.Errorf("temperature %g: %d steps, expected %d", temperature, r.config.Steps, steps)
			}
		})
	}
}

// The latest time of the longest limit is in the future. The latest time of a limit that is over is in the past.
func TestGraceOfTimeLimit(t *testing.T) {
	for _, c := range []struct {
		began, limit time.Duration
		late         bool
	}{
		{0, math.MaxInt64, false},
		{-time.Hour, 0, false},
		{-105*time.Minute + 1, 100 * time.Minute, false},
		{-105 * time.Minute, 100 * time.Minute, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := TimeLimit{time.Now().Add(c.began), c.limit}.WithGrace(t.Context())
			defer cancel()
			if late := context.Cause(ctx) == ErrTimeLimit; late != c.late {
				t.Errorf("%s after the start with %s: late %t", -c.began, c.limit, late)
			}
		})
	}
}

// A resumed run keeps its limit, of which it has used a part.
func TestLimitOfResumedRun(t *testing.T) {
	now := time.Now()
	state := rundir.State{Used: time.Minute, Limit: time.Hour}
	want := TimeLimit{now.Add(-time.Minute), time.Hour}
	j := &Job{Config: config(t, "steps=5"), Started: now, Checkpoint: &rundir.Checkpoint{State: state}}
	if got := j.TimeLimit(); got != want {
		t.Errorf("%+v, expected %+v", got, want)
	}
}

// A run that was planned again is repeated by its config, bit for bit. From the middle on, its steps take five times as
// long.
func TestReplannedRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := table(t, 200, 1, wave)
		dev := &slowing{adams{Device: openCPU(t)}, func(step int) time.Duration {
			if step < 200 {
				return time.Millisecond
			}
			return 5 * time.Millisecond
		}}
		job := &Job{Config: config(t, "steps=400 batch=50 inducing=10 features=8 lengthscales=shared objective=elbo"),
			Device: dev, Train: set, Started: time.Now(), Reporter: &quiet{}}
		run := prepared(t, job)
		run.clock.deadline = run.clock.used() + 700*time.Millisecond
		out := must.Get(run.takeSteps(context.Background()))(t)
		if out.Config.Replanned == "" || out.StopReason != Finished {
			t.Fatalf("%d steps, %+v, planned as %q", out.Steps, out.StopReason, out.Config.Replanned)
		}
		settings := must.Get(options.ParseYAML("config.yaml", out.Config.YAML()))(t)
		again := must.Get(options.Resolve(settings, nil))(t)
		second := must.Get(fit(t, context.Background(), again, set))(t)
		same(t, "repeated", out.Trained.Parameters, second.Trained.Parameters)
	})
}

// slowing is a device whose steps take a time by their number. Its clock is the clock of a synctest, in which nothing
// else takes time.
type slowing struct {
	adams
	pace func(step int) time.Duration
}

func (d *slowing) Adam(p, g, m, v, rate *device.Tensor, step device.AdamStep) {
	time.Sleep(d.pace(d.steps))
	d.adams.Adam(p, g, m, v, rate, step)
}

// starved trains within two seconds. The timed steps take a millisecond, and later ones the time of pace.
func starved(t *testing.T, pace func(step int) time.Duration,
	check func(out *Outcome, used time.Duration, notes string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		heard := &quiet{}
		dev := &slowing{adams{Device: openCPU(t)}, func(step int) time.Duration {
			if step < 100 {
				return time.Millisecond
			}
			return pace(step)
		}}
		job := &Job{Config: config(t, "time-limit=2s inducing=20 latents=2 features=20 batch=50 "+startGiven),
			Device: dev, Train: table(t, 120, 1, wave), Started: time.Now(), Reporter: heard}
		out := must.Get(job.Run(t.Context()))(t)
		check(out, time.Since(job.Started), strings.Join(heard.notes, "\n"))
	})
}

// A machine that stands still in an attempt until the limit is over costs the run its length, and not its model.
func TestStalledAttempt(t *testing.T) {
	stalls := func(step int) time.Duration {
		if step == 300 {
			return 3 * time.Second
		}
		return time.Millisecond
	}
	starved(t, stalls, func(out *Outcome, _ time.Duration, notes string) {
		if out.Steps < 5 || !strings.Contains(notes, "warning: time limit 2s is too short: ") {
			t.Errorf("%d steps, %s", out.Steps, notes)
		}
	})
}

// On a machine that becomes faster, long attempts get longer than planned.
func TestFastAttempts(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector looks at shorter attempts in TestSlowAttempts")
	}
	lengths := func(perStep time.Duration) (longest int) {
		starved(t, func(int) time.Duration { return perStep }, func(_ *Outcome, used time.Duration, notes string) {
			for _, found := range regexp.MustCompile(" ([0-9]+) steps, log density").FindAllStringSubmatch(notes, -1) {
				longest = max(longest, must.Get(strconv.Atoi(found[1]))(t))
			}
			if used > 2*time.Second {
				t.Errorf("steps of %s: %s are used", perStep, used)
			}
		})
		return longest
	}
	if slow, fast := lengths(time.Millisecond), lengths(time.Millisecond/4); slow == 0 || fast < 3*slow {
		t.Errorf("attempts of %d steps on a machine that becomes four times as fast, and %d without", fast, slow)
	}
}

// On a machine that becomes slower, attempts leave time for the run. Its length is planned at their pace: its warm-up
// ends, and its learning rate decays.
func TestSlowAttempts(t *testing.T) {
	for perStep, least := range map[time.Duration]int{10 * time.Millisecond: 30, 40 * time.Millisecond: 15} {
		starved(t, func(int) time.Duration { return perStep }, func(out *Outcome, used time.Duration, notes string) {
			c := out.Config
			// the run may get longer or shorter yet
			length := regexp.MustCompile("objective: .* for about [0-9]+ .*, as time allows")
			if !length.MatchString(notes) {
				t.Errorf("no %s in the notes: %s", length, notes)
			}
			if out.Steps < least || out.StopReason != Finished || c.Warmup > c.Steps/5 || used > 2*time.Second {
				t.Errorf("steps of %s: %d, %+v, a warm-up of %d, after %s", perStep, out.Steps, out.StopReason,
					c.Warmup, used)
			}
		})
	}
}

// adams counts the steps of a device.
type adams struct {
	device.Device
	steps int
}

func (d *adams) Adam(p, g, m, v, rate *device.Tensor, step device.AdamStep) {
	d.steps++
	d.Device.Adam(p, g, m, v, rate, step)
}
