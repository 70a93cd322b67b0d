package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// choiceCase is a run that chooses its objective, and what it should choose.
type choiceCase struct {
	name, words string
	rows        int
	target      func(*rand.Rand, float64, float64) string
	safe        bool // too small to memorise: no temperature, and no short length
	wantSteps   []int
	note        string
}

// stepsOfChoice are the steps of a run before the rows choose.
const stepsOfChoice = 800

// Rows that are held out choose the objective, its weight of the KL terms and, on few rows or of classes, the number of
// steps. The settled config repeats the run.
func TestChoiceOfObjective(t *testing.T) {
	learns(t)
	const steps = stepsOfChoice
	for _, c := range []choiceCase{
		{name: "numbers", words: "inducing=20 latents=3 features=20", rows: 120, target: wave,
			wantSteps: []int{steps / 16, steps / 4}, note: "72 rows held out in turn: predictive with kl-weight 0.1"},
		{name: "varying noise", words: "inducing=20 latents=3 features=20 lr=0.1", rows: 200, target: half,
			wantSteps: []int{steps / 16, steps / 4}, note: "objective: elbo with kl-weight 0.3, heteroscedastic"},
		{name: "auto given", words: "inducing=20 latents=3 features=20 lr=0.1 likelihood=auto w-cov=auto", rows: 200,
			target: half, wantSteps: []int{steps / 16, steps / 4},
			note: "objective: elbo with kl-weight 0.3, heteroscedastic"},
		{name: "classes", words: "inducing=20 latents=3 features=20", rows: 120, target: rings,
			wantSteps: []int{steps / 16, steps / 4}, note: "72 rows held out in turn: elbo with kl-weight 0.1"},
		{name: "many rows", words: "inducing=4 latents=1 features=8", rows: 300, target: wave, safe: true,
			wantSteps: []int{steps * 3 / 4}, note: "60 rows held out: predictive with kl-weight 0.3"},
		{name: "asked", words: "inducing=20 latents=3 features=20 objective=auto steps=800", rows: 120, target: wave,
			wantSteps: []int{steps / 16, steps / 4}, note: "72 rows held out in turn: elbo"},
	} {
		t.Run(c.name, c.test)
	}
}

func (c *choiceCase) test(t *testing.T) {
	cfg := withSteps(config(t, "batch=50 "+c.words), stepsOfChoice)
	job := &Job{Config: cfg, Device: openCPU(t), Reporter: &quiet{}}
	var err error
	job.Train, job.Validation, _, err = cfg.HoldOut(table(t, c.rows, 1, c.target), data.ReadControl{})
	must.OK(t, err)
	out := must.Get(job.Run(context.Background()))(t)
	got := out.Config
	must.Contain(t, strings.Join(job.Reporter.(*quiet).notes, "\n"), c.note,
		fmt.Sprintf(", for %d of %d steps, after ", got.Steps, stepsOfChoice))
	if got.Objective == options.Auto || out.Trained.KLWeight != got.KLWeight {
		t.Errorf("objective %s with kl-weight %g, and %g in the model", got.Objective, got.KLWeight,
			out.Trained.KLWeight)
	}
	if !slices.Contains(c.wantSteps, got.Steps) {
		t.Errorf("%d steps, want one of %d, planned for %q", got.Steps, c.wantSteps, got.PlannedFor)
	}
	// a short attempt that beats the longer one has chosen the length
	if chose := !c.safe && got.Steps < stepsOfChoice/4; got.RowsChoseLength != chose {
		t.Errorf("%d steps: rows chose the length: %t", got.Steps, got.RowsChoseLength)
	}
	if numbers := out.Trained.Schema.Task == data.Regression; numbers && !c.safe && got.Temperature < 1 {
		t.Errorf("temperature %g makes numbers surer", got.Temperature)
	}
	job.Config = got
	again := must.Get(job.Run(context.Background()))(t)
	same(t, "repeated", out.Trained.Parameters, again.Trained.Parameters)
	if a, b := out.Trained.Config.Temperature, again.Trained.Config.Temperature; a != b ||
		(got.Temperature > 0) == c.safe {
		t.Errorf("temperature %g of %g, and repeated %g", a, got.Temperature, b)
	}
}

// Ranks make the same attempts, and the same choice.
func TestChoiceOnRanks(t *testing.T) {
	set := table(t, 120, 1, wave)
	outs, errs := onRanks(t, 2, "inducing=20 latents=3 features=20 batch=50", set, func(j *Job, _ *context.Context) {
		j.Config.Steps = 800
	})
	must.OK(t, errors.Join(errs...))
	same(t, "ranks", outs[0].Trained.Parameters, outs[1].Trained.Parameters)
	if a, b := outs[0].Config, outs[1].Config; a.Steps != b.Steps || a.ObjectiveName() != b.ObjectiveName() {
		t.Errorf("%s for %d steps, and %s for %d", a.ObjectiveName(), a.Steps, b.ObjectiveName(), b.Steps)
	}
}

// A rank whose parameters are others is found in an attempt, too, and does not go on to the next.
func TestRanksDisagreeInAttempt(t *testing.T) {
	set := table(t, 120, 1, wave)
	_, errs := onRanks(t, 2, "inducing=20 latents=3 features=20 batch=50", set, func(j *Job, _ *context.Context) {
		j.Config.Steps = 800
		if j.Comm.Rank() == 1 {
			j.Config.Seed = 2
		}
	})
	if errs[1] == nil || !strings.Contains(errs[1].Error(),
		"the parameters of this rank are no longer those of rank 0") {
		t.Errorf("another seed: %v", errs)
	}
}

// Ranks that outnumber the rows of an attempt make none.
func TestFewRowsForRanks(t *testing.T) {
	outs, errs := onRanks(t, 8, "model=gp inducing=3 batch=50", table(t, 50, 1, wave),
		func(j *Job, _ *context.Context) {
			j.Config.Steps = 240
		})
	must.OK(t, errors.Join(errs...))
	if c := outs[0].Config; c.Objective != options.Predictive || c.Steps != 240 {
		t.Errorf("%s for %d steps", c.Objective, c.Steps)
	}
}

// A user's length, objective or weight, few rows and few steps leave nothing to choose.
func TestNothingToChoose(t *testing.T) {
	learns(t)
	for _, c := range []struct {
		words       string
		steps, rows int
	}{
		{"", 470, 120},
		{"", 800, 29},
		{"objective=elbo", 800, 120},
		{"kl-weight=1", 800, 120},
		{"steps=300", 300, 120},
		{"epochs=100", 414, 120},
	} {
		cfg := config(t, "inducing=9 latents=1 features=50 batch=29 "+c.words)
		if cfg.Epochs == 0 {
			cfg.Steps = c.steps
		}
		out := must.Get(fit(t, context.Background(), cfg, table(t, c.rows, 1, wave)))(t)
		if got := out.Config; got.ObjectiveName() != "ELBO" || got.Steps != c.steps {
			t.Errorf("%q: %s for %d steps, want the bound for %d", c.words, got.ObjectiveName(), got.Steps, c.steps)
		}
	}
}

// A class that would be held out whole leaves nothing to choose, and does not cost the run.
func TestRareClass(t *testing.T) {
	learns(t)
	n := 0
	rare := func(*rand.Rand, float64, float64) string {
		if n++; n == 1 {
			return "1"
		}
		return "0"
	}
	set := table(t, 40, 1, rare)
	for seed := range 12 {
		c := withSteps(config(t, fmt.Sprintf("seed=%d inducing=4 features=4 batch=20", seed)), 480)
		out := must.Get(fit(t, context.Background(), c, set))(t)
		if got := out.Config; got.Objective == options.Auto {
			t.Errorf("seed %d: objective %s", seed, got.Objective)
		}
	}
}

// A resumed run takes the length of its long attempts from the checkpoint, and no length between for it.
func TestLongStepsOfResumedRun(t *testing.T) {
	for _, c := range []struct{ last, want int }{{1000, 20000}, {4000, 20000}, {16001, 16001}, {30000, 30000}} {
		ch := &objectiveChoice{run: (&Job{}).newRun(), inputs: &representation{}, longSteps: 20000,
			savedAttempts: []rundir.Attempt{{Steps: 1000}, {Steps: 4000}, {Steps: c.last}}}
		if must.OK(t, ch.fitLongSteps(4000)); ch.longSteps != c.want {
			t.Errorf("attempts up to %d steps: %d, want %d", c.last, ch.longSteps, c.want)
		}
	}
}

// A user who asks rows to choose learns why they do not.
func TestReasonForNoChoice(t *testing.T) {
	for _, c := range []struct {
		words, want string
		rows        int
	}{
		{"objective=auto", "nothing: an attempt of 25 steps is too short", 120},
		{"objective=auto kl-weight=0.5", "nothing: kl-weight is 0.5", 120},
		{"objective=auto", "nothing: 29 rows are too few, 30 are needed", 29},
		{"", "", 120},
		{"kl-weight=0.5", "", 120},
		{"steps=400", "elbo, since steps, epochs or kl-weight are given", 120},
	} {
		words, want := c.words, c.want
		job := &Job{Config: withSteps(config(t, "inducing=9 latents=1 features=50 batch=29 "+words), 400),
			Device: openCPU(t), Train: table(t, c.rows, 1, wave), Reporter: &quiet{}}
		must.OK(t, prepared(t, job).choose(t.Context()))
		notes := strings.Join(job.Reporter.(*quiet).notes, "\n")
		if !strings.Contains(notes, want) || want == "" && strings.Contains(notes, "choose nothing") {
			t.Errorf("%q: %s", words, notes)
		}
	}
}

// chosenLate returns a run whose time is over when rows are to choose. change gives the job a checkpoint with attempts,
// by the run with all that the rows have settled.
func chosenLate(t *testing.T, job *Job, change func(r *run)) *run {
	t.Helper()
	r := job.newRun()
	must.OK(t, r.resolve(context.Background()))
	change(r)
	must.OK(t, r.prepare(context.Background()))
	r.clock.deadline = 1
	must.OK(t, r.choose(context.Background()))
	return r
}

// A resumed run has the inputs of the attempts in its checkpoint, without time to fit them, too.
func TestResumedInputs(t *testing.T) {
	for _, columns := range []string{"", options.Components} {
		job := &Job{Config: withSteps(config(t, "inducing=9 latents=2 features=7 batch=50"), 900),
			Device: openCPU(t), Train: alikeRows(t, 120, 1, false)}
		r := chosenLate(t, job, func(r *run) {
			job.Checkpoint = &rundir.Checkpoint{}
			for _, c := range candidates(r.config, r.train) {
				job.Checkpoint.Attempts = append(job.Checkpoint.Attempts, rundir.Attempt{Likelihood: c.likelihood,
					Objective: c.objective, KLWeight: c.klWeight, Steps: 56, Logs: make([]float64, 24),
					Columns: columns})
			}
		})
		if (r.trained.Projection != nil) != (columns != "") {
			t.Errorf("attempts on columns %q, and then inputs %v", columns, r.trained.Projection)
		}
	}
}

// The config of a run that stops between its attempts has the options that a user gave. It repeats the whole run.
func TestConfigOfAttempts(t *testing.T) {
	learns(t)
	var first []byte
	runWith := func(cfg options.Config) *Outcome {
		job := &Job{Config: cfg, Device: openCPU(t), Train: table(t, 200, 1, half)}
		job.Save = func(c *rundir.Checkpoint) error {
			if first == nil {
				first = c.Config.ConfigFile()
			}
			return nil
		}
		return must.Get(job.Run(t.Context()))(t)
	}
	whole := runWith(config(t, "inducing=20 latents=3 features=20 lr=0.1 batch=50 objective=auto steps=800"))
	settings := must.Get(options.ParseYAML("config.yaml", first))(t)
	again := runWith(must.Get(options.Resolve(settings, nil))(t))
	if whole.Config.Likelihood != model.HeteroscedasticLikelihood {
		t.Errorf("likelihood %s", whole.Config.Likelihood)
	}
	same(t, "models", whole.Trained.Parameters, again.Trained.Parameters)
}

// Sequences choose as tables do, and with the same bits where each step computes its distances.
func TestChoiceForSequences(t *testing.T) {
	learns(t)
	set, outs := genes(t, 60, 1), map[string]*Outcome{}
	for _, where := range []string{memory.InTable, memory.InSteps} {
		reporter := &quiet{}
		job := &Job{Config: config(t, "model=gpdrf inducing=20 latents=2 features=7 "+
			"kernel=double:1,3+spectrum:2/linear batch=20 objective=auto steps=640"), Device: openCPU(t), Train: set,
			Reporter: reporter, place: placement{distances: where}}
		out := must.Get(job.Run(t.Context()))(t)
		notes, want := strings.Join(reporter.notes, "\n"), "60 rows held out in turn: elbo with kl-weight 0.1"
		if !strings.Contains(notes, want) {
			t.Errorf("distances in %s: %s", where, notes)
		}
		if out.Config.Steps > 160 || out.Config.Objective != options.ELBO {
			t.Errorf("distances in %s: %s for %d steps", where, out.Config.Objective, out.Config.Steps)
		}
		outs[where] = out
	}
	same(t, "distances", outs[memory.InTable].Trained.Parameters, outs[memory.InSteps].Trained.Parameters)
}
