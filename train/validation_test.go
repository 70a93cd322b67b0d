package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// fitHeldOut trains with the validation rows that the options ask for.
func fitHeldOut(t testing.TB, options string, set *data.Dataset) (*Outcome, []rundir.Progress) {
	t.Helper()
	c := config(t, options)
	rest, held, _, err := c.HoldOut(set, data.ReadControl{})
	must.OK(t, err)
	dev := mustOpen(t, c.Device)
	defer dev.Close()
	r := &readings{}
	out, err := (&Job{Config: c, Device: dev, Train: rest, Validation: held, Test: set.EvenlySpaced(10),
		Started: time.Now(), Reporter: r}).Run(context.Background())
	must.OK(t, err)
	return out, r.all
}

// Coin flips cannot be learned, so that the validation score is best early: its parameters come back, to the bit, the
// run ends when patience is over, and what training does between evaluations knows nothing of them.
func TestEarlyStop(t *testing.T) {
	set := table(t, 200, 5, coin)
	const options = "steps=400 batch=50 inducing=30 features=20 lr=0.05 validation=0.25 eval-every=20"
	out, all := fitHeldOut(t, options+" early-stop=3", set)
	v := out.Validation
	if !v.EarlyStopped || v.Restored != "best" || v.Step != out.Steps-60 || v.NLL == nil ||
		v.NLPD != nil || v.Rows != 50 {
		t.Fatalf("%d steps: %+v", out.Steps, v)
	}
	seen := 0
	for _, p := range all {
		if e := p.Validation; e != nil && e.Step == p.Step {
			seen++
			if e.Best != (float64(e.Score) < *v.NLL || e.Step <= v.Step && float64(e.Score) == *v.NLL) &&
				e.Step >= v.Step {
				t.Errorf("step %d is best=%v with %g, the best has %g", e.Step, e.Best, e.Score, *v.NLL)
			}
		}
	}
	if seen != out.Steps/20 {
		t.Errorf("%d evaluations in %d steps", seen, out.Steps)
	}
	again, _ := fitHeldOut(t, options+" early-stop=3", set)
	same(t, "repeated", out.Trained.Parameters, again.Trained.Parameters)

	rest, _, _, err := config(t, options).HoldOut(set, data.ReadControl{})
	must.OK(t, err)
	plain := strings.Split(options, " validation")[0]
	stopped := mustFit(t, fmt.Sprintf("%s stop-after=%d", plain, v.Step), rest)
	same(t, "best", out.Trained.Parameters, stopped.Trained.Parameters)
	last, _ := fitHeldOut(t, options+" restore=last stop-after=100", set)
	same(t, "last", last.Trained.Parameters, mustFit(t, plain+" stop-after=100", rest).Trained.Parameters)
	if last.Validation.Restored != "last" || last.Validation.Step != 100 || last.Validation.EarlyStopped {
		t.Errorf("%+v", last.Validation)
	}
}

// Without a number of steps between them there are twenty evaluations, and the config says so to the run that repeats
// it.
func TestEvaluationsOfARun(t *testing.T) {
	out, all := fitHeldOut(t, "steps=60 batch=50 inducing=10 features=8 validation=0.1", table(t, 100, 1, wave))
	last := all[len(all)-1].Validation
	if v := out.Validation; out.Config.EvalEvery != 3 || last.Step != 60 || v.NLPD == nil ||
		v.RMSE == nil || v.Every != 3 || v.EarlyStopped {
		t.Errorf("every %d: %+v, %+v", out.Config.EvalEvery, v, last)
	}
}

// Evaluations are part of the time that is planned: where they take most of it, there are far fewer steps. A slow
// machine gets a longer limit, in which more than the fewest steps fit.
func TestTimeLimitWithValidation(t *testing.T) {
	learns(t)
	const options = startGiven + " batch=20 inducing=20 features=20 validation=0.5 time-limit="
	set := table(t, 4000, 1, wave)
	for limit := 2 * time.Second; ; limit *= 4 {
		rarely, _ := fitHeldOut(t, options+limit.String()+" eval-every=1000", set)
		if rarely.Config.Steps < 10*fewSteps && limit < 30*time.Second {
			continue
		}
		often, _ := fitHeldOut(t, options+limit.String()+" eval-every=1", set)
		if often.Config.Steps > rarely.Config.Steps/3 {
			t.Errorf("in %s %d steps with an evaluation each, %d without", limit,
				often.Config.Steps, rarely.Config.Steps)
		}
		return
	}
}

// Rows that are held out are not trained on, and a file is read as the training file was.
func TestHoldOut(t *testing.T) {
	set := table(t, 100, 1, wave)
	rest, held, _, err := config(t, "validation=0.2").HoldOut(set, data.ReadControl{})
	must.OK(t, err)
	must.Equal(t, rest.N(), 80)
	must.Equal(t, held.N(), 20)
	left := map[float64]bool{}
	for _, y := range rest.Y {
		left[y] = true
	}
	for _, y := range held.Y {
		if left[y] {
			t.Errorf("the row of %g is in both", y)
		}
	}
	if _, other, _, _ := config(t, "validation=0.2 seed=2").HoldOut(set,
		data.ReadControl{}); other.Fingerprint == held.Fingerprint {
		t.Error("the seed makes no difference")
	}
	file := filepath.Join(t.TempDir(), "v.csv")
	must.OK(t, os.WriteFile(file, []byte("target,b,a\n200,30,1\n210,31,0\n"), 0o600))
	all, held, _, err := config(t, "validation="+file).HoldOut(set, data.ReadControl{})
	if err != nil || all.N() != 100 || held.N() != 2 || held.Row(0)[0] != 1 {
		t.Errorf("%v", err)
	}
}

// A line of metrics has the scores of an evaluation where there was one, and no number that JSON cannot hold.
func TestValidationMetrics(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(rundir.NewFolder(filepath.Join(dir, "run"), "d", "gp", false))(t)
	defer f.Discard()
	e := &rundir.Evaluation{Task: data.Regression, Step: 10, Score: -0.5, Error: 0.25}
	f.AppendReading(rundir.Progress{Step: 10, Validation: e})
	f.AppendReading(rundir.Progress{Step: 20, Validation: e})
	logs := must.Get(filepath.Glob(filepath.Join(dir, "*", rundir.MetricsFile)))(t)
	must.Equal(t, len(logs), 1)
	text := must.Get(os.ReadFile(logs[0]))(t)
	lines := strings.Split(string(text), "\n")
	var first, second map[string]float64
	must.OK(t, errors.Join(json.Unmarshal([]byte(lines[0]), &first), json.Unmarshal([]byte(lines[1]), &second)))
	if first["val_nlpd"] != -0.5 || first["val_rmse"] != 0.25 || len(first) != 8 || len(second) != 6 {
		t.Errorf("%s", text)
	}
}
