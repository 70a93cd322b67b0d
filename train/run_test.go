package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// table writes rows of two inputs and a target to a file and reads it as a user would.
func table(t testing.TB, n int, seed uint64, target func(rng *rand.Rand, a, b float64) string) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("a,b,target\n")
	for range n {
		x, y := 4*rng.Float64()-2, 30+5*rng.NormFloat64()
		fmt.Fprintf(&b, "%g,%g,%s\n", x, y, target(rng, x, (y-30)/5))
	}
	return readText(t, "table.csv", b.String(), data.ReadOptions{})
}

func wave(rng *rand.Rand, a, b float64) string {
	return fmt.Sprint(200 + 10*(math.Sin(2*a)+0.5*b+0.1*rng.NormFloat64()))
}

// half returns a constant for half of the rows, and noise for the others.
func half(rng *rand.Rand, _, b float64) string {
	if b < 0 {
		return "200"
	}
	return fmt.Sprint(200 + 10*rng.NormFloat64())
}

func rings(_ *rand.Rand, a, b float64) string { return fmt.Sprint(int(a*a+b*b) % 3) }

func coin(rng *rand.Rand, _, _ float64) string { return fmt.Sprint(rng.IntN(2)) }

// quiet is a Reporter that keeps the notes.
type quiet struct {
	Silent
	notes []string
}

func (q *quiet) Note(format string, args ...any) {
	q.notes = append(q.notes, fmt.Sprintf(format, args...))
}

// learns marks a test of results or times, which trains for long. It is skipped under the race detector.
func learns(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the race detector has shorter trainings")
	}
}

// testRun is the options of a run, the rows that it trains on, and the place of these rows and of distances.
type testRun struct {
	options string
	rows    *data.Dataset
	place   placement
	onHost  bool // what sets it apart from other runs is no work of the device
}

// distancesInSteps is the placement of a run that computes the distances of sequences in every step.
var distancesInSteps = placement{distances: memory.InSteps}

// config resolves the options of a text, KEY=VALUE with blanks between them, as if typed as flags. All others are
// defaults: config(t, "model=gp steps=3 inducing=4") is a GP of four inducing points that takes three steps.
func config(t testing.TB, words string) options.Config {
	t.Helper()
	var flags []options.Setting
	for _, f := range strings.Fields(words) {
		k, v, _ := strings.Cut(f, "=")
		flags = append(flags, options.Setting{Key: k, Text: v, From: "--" + k})
	}
	return must.Get(options.Resolve(nil, flags))(t)
}

// withSteps returns a Config with a number of steps that no user gave.
func withSteps(c options.Config, steps int) options.Config {
	c.Steps = steps
	return c
}

// jobOf returns a run with these options.
func jobOf(t testing.TB, words string) *Job {
	return &Job{Config: config(t, words), Started: time.Now(), Reporter: &quiet{}}
}

// planned plans a run.
func planned(t testing.TB, r *run) (*memory.Plan, error) {
	t.Helper()
	if err := r.resolve(t.Context()); err != nil {
		return nil, err
	}
	return r.planMemory(t.Context())
}

// prepared returns a run before its first step.
func prepared(t testing.TB, j *Job) *run {
	t.Helper()
	r := j.newRun()
	must.OK(t, r.resolve(t.Context()))
	must.OK(t, r.prepare(t.Context()))
	return r
}

func fit(t testing.TB, ctx context.Context, c options.Config, set *data.Dataset) (*Outcome, error) {
	t.Helper()
	dev := mustOpen(t, c.Device)
	defer dev.Close()
	return (&Job{Config: c, Device: dev, Train: set, Test: set, Started: time.Now(), Reporter: &quiet{}}).Run(ctx)
}

func mustFit(t testing.TB, options string, set *data.Dataset) *Outcome {
	t.Helper()
	return must.Get(fit(t, context.Background(), config(t, options), set))(t)
}

func evaluate(t testing.TB, out *Outcome, set *data.Dataset) *fitted.Scores {
	t.Helper()
	return evaluateDraws(t, out, set, 0)
}

func evaluateDraws(t testing.TB, out *Outcome, set *data.Dataset, draws int) *fitted.Scores {
	t.Helper()
	dev := openCPU(t)
	return must.Get(out.Trained.Evaluate(t.Context(), dev, set, fitted.EvaluateOptions{Samples: 50, Draws: draws}))(t)
}

// Each model learns a function and a classification well above chance.
func TestScoresOfModels(t *testing.T) {
	learns(t)
	reg, regTest := table(t, 600, 1, wave), table(t, 200, 2, wave)
	cls, clsTest := table(t, 600, 3, rings), table(t, 200, 4, rings)
	for _, m := range []string{"gpdrf", "gp", "drf"} {
		options := "steps=400 batch=64 eval-samples=50 model=" + m
		if m != "drf" {
			options += " inducing=40"
		}
		r := evaluate(t, mustFit(t, options, reg), regTest).Regression
		if r.RMSE > 0.25 || r.NLPD > 0.6 || r.Coverage90 < 0.75 {
			t.Errorf("%s: RMSE %.3f NLPD %.3f coverage %.2f", m, r.RMSE, r.NLPD, r.Coverage90)
		}
		c := evaluate(t, mustFit(t, options, cls), clsTest).Classification
		if c.Error > 0.4 || c.NLL > 0.85 {
			t.Errorf("%s: error %.3f NLL %.3f", m, c.Error, c.NLL)
		}
	}
}

// Labels that have nothing to do with the inputs are predicted at chance: nothing of the test rows reaches training,
// and the scaler has seen the training rows only.
func TestShuffledLabels(t *testing.T) {
	set, test := table(t, 400, 5, coin), table(t, 400, 6, coin)
	out := mustFit(t, "steps=200 batch=64 inducing=30", set)
	c := evaluate(t, out, test).Classification
	if c.Error < 0.42 || c.Error > 0.58 {
		t.Errorf("error %.3f on coin flips", c.Error)
	}
	want := must.Get(scaling.FitScaler("auto", set))(t)
	for i := range want.Center {
		if out.Trained.Scaler.Center[i] != want.Center[i] || out.Trained.Scaler.Scale[i] != want.Scale[i] {
			t.Errorf("the scaler was not fitted on the training rows alone: %+v", out.Trained.Scaler)
		}
	}
}

func same(t *testing.T, what string, a, b []model.Parameter) {
	t.Helper()
	for i := range a {
		for k, v := range a[i].Data {
			if v != b[i].Data[k] {
				t.Fatalf("%s: %s[%d] is %g and %g", what, a[i].Name, k, v, b[i].Data[k])
			}
		}
	}
}

// The same seed gives the same bits, whatever the number of threads; another seed does not.
func TestDeterministic(t *testing.T) {
	set := table(t, 300, 1, wave)
	const options = "steps=30 batch=50 inducing=33 layers=2 samples=3"
	first := mustFit(t, options, set).Trained.Parameters
	old := runtime.GOMAXPROCS(1)
	second := mustFit(t, options, set).Trained.Parameters
	runtime.GOMAXPROCS(old)
	same(t, "one thread", first, second)
	other := mustFit(t, options+" seed=2", set).Trained.Parameters
	if other[3].Data[0] == first[3].Data[0] {
		t.Error("the seed makes no difference")
	}
}

// cancelAt is a Reporter that cancels the run at a step.
type cancelAt struct {
	quiet
	step   int
	cancel context.CancelFunc
}

func (c *cancelAt) Step(p rundir.Progress) {
	if p.Step >= c.step {
		c.cancel()
	}
}

// An interrupted run keeps its model, and its config repeats it bit for bit.
func TestInterrupted(t *testing.T) {
	set := table(t, 300, 1, wave)
	c := config(t, "steps=100 batch=50 inducing=20")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dev := openCPU(t)
	job := &Job{Config: c, Device: dev, Train: set, Started: time.Now(), Reporter: &cancelAt{step: 20, cancel: cancel}}
	out := must.Get(job.Run(ctx))(t)
	c = out.Config
	if out.StopReason != Interrupted || out.Steps != 21 || c.StopAfter != 21 || c.Steps != 100 {
		t.Fatalf("%+v, stop-after %d of %d", out, c.StopAfter, c.Steps)
	}
	again := must.Get(fit(t, context.Background(), c, set))(t)
	if again.StopReason == Interrupted {
		t.Error("a run that ends at stop-after is not interrupted")
	}
	same(t, "repeated", out.Trained.Parameters, again.Trained.Parameters)
}

// startGiven are options of a run that needs no exact GP for its start, which takes longer than a few steps.
const startGiven = "gp-lengthscale-factor=0.4 noise-init=0.1"

// readings is a Reporter that keeps the Progress of each step.
type readings struct {
	quiet
	all []rundir.Progress
}

func (r *readings) Step(p rundir.Progress) { r.all = append(r.all, p) }

// What is called the ELBO is the bound from the first step on, whatever weight the KL has in the gradient yet.
func TestReportedBound(t *testing.T) {
	set := table(t, 100, 1, wave)
	for options, weight := range map[string]float64{"": 1, "kl-weight=0.5": 0.5} {
		c := config(t, "steps=20 kl-warmup=1 batch=50 inducing=10 features=8 "+options)
		dev := mustOpen(t, c.Device)
		r := &readings{}
		out, err := (&Job{Config: c, Device: dev, Train: set, Started: time.Now(),
			Reporter: r}).Run(context.Background())
		if e := out.Objective; err != nil || len(r.all) != 3 || e.Value != e.ELL-weight*e.KL {
			t.Fatalf("%+v, %d readings, %v", out, len(r.all), err)
		}
		for _, p := range r.all {
			if p.Objective != p.ELL-weight*p.KL || !(p.KL > 0) {
				t.Errorf("%q step %d: ELBO %g of ELL %g and KL %g", options, p.Step, p.Objective, p.ELL, p.KL)
			}
		}
		must.OK(t, dev.Close())
	}
}

// A bound that is not finite is an error, not a result.
func TestDivergence(t *testing.T) {
	set := table(t, 300, 1, wave)
	c := config(t, "steps=200 batch=50 inducing=20 warmup=0")
	c.LR = 1e6
	_, err := fit(t, context.Background(), c, set)
	broken := []model.Parameter{{Name: "gp.log_alpha", Data: []float64{math.NaN()}}}
	if !Diverged(err) || !Diverged(checkFinite(broken)) || Diverged(errors.New("no memory")) {
		t.Errorf("err = %v", err)
	}
}

// A training step allocates nothing.
func TestStepAllocatesNothing(t *testing.T) {
	learns(t)
	numbers := table(t, 300, 1, wave)
	for _, c := range []testRun{{rows: numbers}, {options: "model=gp", rows: numbers},
		{options: "inducing=20 latents=3 kernel=spectrum:2+double:1,2/linear chunk=20", rows: genes(t, 300, 1),
			place: distancesInSteps},
		{options: "model=drf layers=2", rows: numbers}, {options: "natgrad=0.1", rows: numbers},
		{options: "model=gp natgrad=0.1 q-cov=full", rows: numbers},
		{options: "q-cov=full lengthscales=ard whiten=false local-reparam=false spectra=var-resampled samples=2",
			rows: numbers},
	} {
		dev := mustOpen(t, "cpu")
		job := jobOf(t, c.options+" steps=100 batch=50")
		job.Device, job.Train, job.place = dev, c.rows, c.place
		run := job.newRun()
		must.OK(t, run.usePlan(must.Get(planned(t, run))(t)))
		must.OK(t, run.prepare(t.Context()))
		run.doStep(1)
		step := 1
		if n := must.AllocsPerRun(10, func() { step++; run.doStep(step) }); n > 0 {
			t.Errorf("%q: %g allocations a step", c.options, n)
		}
		must.OK(t, dev.Close())
	}
}

// readModel reads a model file with this content.
func readModel(t testing.TB, content []byte) (*fitted.Model, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	must.OK(t, os.WriteFile(path, content, 0o666))
	return fitted.ReadModel(path)
}

func bytesOf(t testing.TB, trained *fitted.Model) []byte {
	t.Helper()
	var out bytes.Buffer
	must.OK(t, trained.WriteModel(&out))
	return out.Bytes()
}
