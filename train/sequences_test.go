package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// gene is random DNA of 20 to 40 bases with a motif for its class; how many G it has comes back, What the preset
// default is for sequences.
const (
	sequencesInducing = 1000
	sequencesSteps    = 700
	projectionSteps   = 4000
	oneLinearInducing = 2000
	oneLinearSteps    = 1000
)

// gene draws a sequence that holds the motif of its class twice, and counts its Gs.
func gene(rng *rand.Rand, class int) (x string, g int) {
	b := make([]byte, 20+rng.IntN(21))
	for i := range b {
		b[i] = "ACGT"[rng.IntN(4)]
	}
	motif := []string{"GATTACA", "TCCTCC"}[class]
	for range 2 {
		copy(b[rng.IntN(len(b)-len(motif)):], motif)
	}
	return string(b), strings.Count(string(b), "G")
}

// readText writes a file and reads it as a user would.
func readText(t testing.TB, name, text string, opt data.ReadOptions) *data.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
	d, _, err := data.ReadFile(path, opt)
	must.OK(t, err)
	return d
}

// genes returns n rows of DNA with two classes.
func genes(t testing.TB, n int, seed uint64) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	var b strings.Builder
	for i := range n {
		x, _ := gene(rng, i%2)
		fmt.Fprintf(&b, ">g%d|%d\n%s\n", i, i%2, x)
	}
	return readText(t, "genes.fasta", b.String(), data.ReadOptions{})
}

// mixed returns n rows of DNA, a number and a target that depends on both.
func mixed(t testing.TB, n int, seed uint64) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 4))
	var b strings.Builder
	b.WriteString("dose,gene,target\n")
	for i := range n {
		x, g := gene(rng, i%2)
		dose := 10 * rng.Float64()
		fmt.Fprintf(&b, "%g,%s,%g\n", dose, x, 50+5*math.Sin(dose)+20*float64(g)/float64(len(x)))
	}
	return readText(t, "mixed.csv", b.String(), data.ReadOptions{Sequence: "gene"})
}

// sequenceRuns are options of models of sequences.
var sequenceRuns = []string{
	"model=gp inducing=40 kernel=spectrum:3/sqrt steps=300 batch=60 lr=0.05",
	"model=gpdrf inducing=40 latents=4 features=20 kernel=double:1,3/tfidf+spectrum:3/linear " +
		"layers=2 hidden=3 steps=300 batch=60 lr=0.02",
	"model=drf features=40 projection=64 kernel=spectrum:4/tfidf+double:2,3 steps=300 batch=60 lr=0.05",
	"model=gpdrf inducing=40 latents=4 features=20 kernel=gapped:5,2/sqrt+spectrum:2/tfidf " +
		"lengthscales=ard whiten=false q-cov=full feed-forward=false inducing-init=kmedoids steps=300 batch=60",
}

// Classes of sequences are learnt, and a model file predicts the same numbers.
func TestSequenceClasses(t *testing.T) {
	learns(t)
	set, test := genes(t, 160, 1), genes(t, 80, 2)
	for _, options := range sequenceRuns {
		out := mustFit(t, options, set)
		scores := evaluate(t, out, test)
		if e := scores.Classification.Error; e > 0.15 {
			t.Errorf("%s: error %.3f", options, e)
		}
		alpha := out.Trained.Parameters[0].Data
		sum := make([]float64, len(alpha))
		for _, m := range out.Trained.MapKernels() {
			for j, a := range m.Alpha {
				sum[j] += a
			}
		}
		for j, a := range alpha {
			if inducingOf(out.Trained) != nil && math.Abs(sum[j]-math.Exp(a)) > 1e-12*sum[j] {
				t.Errorf("%s: the variances of the maps add up to %g, not to α = %g", options, sum[j], math.Exp(a))
			}
		}
		again := rereadSame(t, out.Trained, test)
		if drf := out.Trained.Config.Model == model.DRF; (inducingOf(again) == nil) != drf ||
			isProjected(again) != drf || !drf && inducingOf(again).M() != 40 {
			t.Fatalf("%s: no X̄, or no projection", options)
		}
	}
}

// mustOpen opens a device that the caller closes.
func mustOpen(t testing.TB, name string) device.Device {
	t.Helper()
	return must.Get(device.Open(name))(t)
}

func openCPU(t testing.TB) device.Device {
	t.Helper()
	dev := mustOpen(t, "cpu:f32")
	t.Cleanup(func() { dev.Close() })
	return dev
}

// heldOut gives a job the rows of a set, some of them to validate on. It returns the job's device, which the caller
// closes.
func heldOut(t testing.TB, j *Job, set *data.Dataset) device.Device {
	t.Helper()
	var err error
	j.Train, j.Validation, _, err = j.Config.HoldOut(set, data.ReadControl{})
	must.OK(t, err)
	return mustOpen(t, j.Config.Device)
}

// reread returns a model as its file gives it back.
func reread(t testing.TB, trained *fitted.Model) *fitted.Model {
	t.Helper()
	text := bytesOf(t, trained)
	return must.Get(readModel(t, text))(t)
}

// rereadSame rereads a model, which has to predict the same numbers.
func rereadSame(t testing.TB, trained *fitted.Model, test *data.Dataset) *fitted.Model {
	t.Helper()
	again := reread(t, trained)
	a := must.Get(trained.Predict(t.Context(), openCPU(t), test, 3))(t)
	if b, err := again.Predict(t.Context(), openCPU(t), test, 3); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("the file of %+v predicts other numbers: %v", trained.Config, err)
	}
	return again
}

// A number beside a sequence counts: a regression on both is better than one on either.
func TestSequencesBesideVectors(t *testing.T) {
	learns(t)
	set, test := mixed(t, 200, 1), mixed(t, 100, 2)
	for _, options := range []string{
		"model=gp inducing=80 kernel=rbf+spectrum:1 steps=400 batch=100 lr=0.05 gp-lengthscale-factor=1",
		"model=gpdrf inducing=60 latents=4 features=20 kernel=spectrum:1+double:1,2 steps=400 batch=100 lr=0.02",
	} {
		out := mustFit(t, options, set)
		if s := evaluate(t, out, test).Regression; s.RMSE > 0.45 {
			t.Errorf("%s: RMSE %.3f", options, s.RMSE)
		}
		if all := out.Trained.MapKernels(); len(all) != len(inducingOf(out.Trained).Spec) ||
			len(all[0].Sigma) != len(all[0].Alpha) {
			t.Errorf("%s: %+v", options, all)
		}
		if again := reread(t, out.Trained); !reflect.DeepEqual(again.Schema, out.Trained.Schema) ||
			!reflect.DeepEqual(again.Config, out.Trained.Config) {
			t.Errorf("%s: the model file has another model", options)
		}
	}
}

// The best maps of training rows are chosen where none are given, and the Config names them.
func TestSelectMaps(t *testing.T) {
	set := genes(t, 100, 1)
	q := &quiet{}
	out, err := (&Job{Config: config(t, "model=gp inducing=20 steps=3"), Device: openCPU(t),
		Train: set, Reporter: q}).Run(t.Context())
	must.OK(t, err)
	c := out.Config
	notes := strings.Join(q.notes, "\n")
	must.Contain(t, notes,
		"defaults for sequences with one linear map: gp-lengthscale-factor 1, lr 0.05, class-offsets true\n")
	must.Equal(t, c.Steps, 3)
	must.Equal(t, c.Inducing, 20)
	if _, maps := c.Kernels(); maps == nil || !strings.Contains(notes, "kernel auto: "+maps.String()+", by ") ||
		!strings.Contains(notes, "  double:1,5/sqrt/linear ") ||
		c.InducingInit != options.InducingRandom || c.LearnInducing {
		t.Errorf("kernel %s, %s, %v: %s", c.KernelSpec, c.InducingInit, c.LearnInducing, notes)
	}
	again := must.Get(options.ParseYAML("run.yaml", c.YAML()))(t)
	if r, err := options.Resolve(again, nil); err != nil || r.KernelSpec != c.KernelSpec {
		t.Errorf("the run's configuration has kernel %q, not %q", r.KernelSpec, c.KernelSpec)
	}
}

// Options that do not fit the rows are an error before training.
func TestFitInputs(t *testing.T) {
	vectors, sequences, both := table(t, 20, 1, wave), genes(t, 20, 1), mixed(t, 20, 1)
	for _, c := range []struct {
		options string
		set     *data.Dataset
		want    string
	}{
		{"kernel=spectrum:3", vectors, "--kernel: spectrum:3 is for sequences"},
		{"inducing-init=kmedoids", vectors, "--inducing-init: kmedoids is for sequences: give kmeans or another way"},
		{"kernel=rbf", sequences, "--kernel: rbf is a kernel of vectors"},
		{"kernel=rbf+rbf", both, "with sequences there is only one"},
		{"kernel=words:2", sequences, "--kernel: words is for sequences of bytes or words; these are dna"},
		{"learn-inducing=true", sequences, "--learn-inducing: inducing points that are sequences cannot move"},
		{"inducing-init=kmeans kernel=spectrum:2", sequences,
			"--inducing-init: kmeans is for vectors: give random or another way"},
		{"scaling=robust", sequences, "holds sequences only, and no numbers to scale: leave it out"},
		{"feed-forward=true", sequences,
			"--feed-forward: a single layer always sees the latent functions, and these rows have no other " +
				"numbers: leave it out"},
		{"model=drf kernel=spectrum:2", vectors, "--kernel: spectrum:2 is for sequences"},
	} {
		_, _, err := config(t, c.options).ResolveInputs(t.Context(), c.set)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.options, err, c.want)
		}
	}
	for _, c := range []struct {
		options string
		set     *data.Dataset
		fed     bool
	}{
		{"kernel=spectrum:2", sequences, false},
		{"kernel=spectrum:2 feed-forward=false scaling=none", sequences, false},
		{"kernel=spectrum:2 feed-forward=true layers=2 scaling=auto", sequences, true},
		{"kernel=spectrum:2 feed-forward=true scaling=robust", both, true},
		{"feed-forward=true scaling=robust", vectors, true},
	} {
		asked := config(t, c.options)
		asked, _, err := asked.ResolveInputs(t.Context(), c.set)
		if err != nil || asked.FeedForward != c.fed {
			t.Errorf("%s: fed forward is %v, %v", c.options, asked.FeedForward, err)
		}
	}
	for _, run := range []struct {
		set           *data.Dataset
		options, want string
	}{
		{vectors, "", "kernel rbf, kmeans"},
		{vectors, "kernel=rbf+matern12", "kernel rbf+matern12, kmeans"},
		{vectors, "model=drf", "kernel auto, kmeans"},
		{sequences, "kernel=spectrum:2", "kernel spectrum:2, random"},
		{sequences, "kernel=spectrum:2 latents=1", "kernel spectrum:2, random"},
		{sequences, "kernel=spectrum:2 preset=paper", "kernel spectrum:2, kmedoids"},
		{both, "kernel=spectrum:2", "kernel rbf+spectrum:2, random"},
		{both, "model=drf kernel=spectrum:2", "kernel spectrum:2, random"},
		{both, "kernel=matern32+spectrum:2", "kernel matern32+spectrum:2, random"},
	} {
		asked := config(t, run.options)
		c, _, err := asked.ResolveInputs(t.Context(), run.set)
		must.OK(t, err)
		if sequences := run.set.Sequences != nil &&
			asked.Preset == "default"; (c.Inducing == sequencesInducing) != (sequences &&
			c.Model != model.DRF) || (c.Steps == sequencesSteps) != (sequences && c.Model != model.DRF) ||
			(c.Steps == projectionSteps) != (sequences && c.Model == model.DRF) ||
			c.Model == model.GPDRF && c.Skip == (asked.Preset == "paper" || c.Explicit("latents")) ||
			c.Explicit("latents") && c.Latents != asked.Latents {
			t.Errorf("%q: inducing %d, steps %d, skip %v, latents %d", run.options, c.Inducing, c.Steps, c.Skip,
				c.Latents)
		}
		if got := fmt.Sprintf("kernel %s, %s", c.KernelSpec, c.InducingInit); got != run.want {
			t.Errorf("%q: %s, want %s", run.options, got, run.want)
		}
	}
}

// A choice of maps ends with its context, and one linear map has more inducing points and steps unless a user gives
// them.
func TestChoice(t *testing.T) {
	set := genes(t, 40, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := (&Job{Config: config(t, "steps=2"), Device: openCPU(t), Train: set, Reporter: &quiet{}}).Run(ctx)
	if !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("%v, %v", out, err)
	}
	for options, want := range map[string]int{
		"kernel=spectrum:2/linear":                       oneLinearInducing,
		"kernel=spectrum:2/linear inducing=30":           30,
		"kernel=spectrum:2/linear+spectrum:3/linear":     sequencesInducing,
		"kernel=spectrum:2/linear model=gp preset=paper": config(t, "preset=paper").Inducing,
		"kernel=spectrum:2/linear model=drf":             config(t, "model=drf").Inducing,
	} {
		c := config(t, options)
		c, _, err := c.ResolveInputs(t.Context(), set)
		if err != nil || c.Inducing != want {
			t.Errorf("%s: %d inducing points, %v", options, c.Inducing, err)
		}
	}
	for options, want := range map[string]int{
		"kernel=spectrum:2/linear":          oneLinearSteps,
		"kernel=spectrum:2/linear steps=70": 70,
		"kernel=spectrum:2":                 sequencesSteps,
	} {
		c := config(t, options)
		c, _, err := c.ResolveInputs(t.Context(), set)
		if err != nil || c.Steps != want {
			t.Errorf("%s: %d steps, %v", options, c.Steps, err)
		}
	}
	_, notes, err := config(t, "kernel=spectrum:2/linear").ResolveInputs(t.Context(), set)
	if all := strings.Join(notes, "\n"); err != nil || strings.Count(all, "inducing") != 1 {
		t.Errorf("%v: %s", err, all)
	}
	c := config(t, "time-limit=1ms")
	c, notes, err = c.ResolveInputs(t.Context(), set)
	if err != nil || !strings.Contains(strings.Join(notes, "\n"), "not tried, since ") || c.KernelSpec == "auto" {
		t.Errorf("%s: %v, %v", c.KernelSpec, notes, err)
	}
}

// A model file of sequences may be damaged in ways of its own.
func TestSequenceModelDamage(t *testing.T) {
	trained := mustFit(t,
		"model=gp inducing=9 kernel=spectrum:2/tfidf+words:1/tfidf tokens=bytes steps=2", readText(t, "news.tsv",
			"1\ta word and another\n0\twords of old\n1\tand a word\n0\tan old word\n1\ta new and\n0\tof "+
				"words\n1\tanother a\n0\told of\n1\tand\n0\tof\n", data.ReadOptions{Tokens: "bytes"})).Trained
	for want, damage := range map[string]func(t *fitted.Model){
		"lack an alphabet": func(t *fitted.Model) { t.Featurizer = fitted.Featurizer{} },
		"are not those of the model": func(t *fitted.Model) {
			t.Config.Maps = []string{model.MapLinear, model.MapRBF}
		},
		"inducing points in tensor": func(t *fitted.Model) { t.Config.Inducing = 8 },
		`"sequences.codes" holds`:   func(t *fitted.Model) { inducingOf(t).Set.Codes[0] = 300 },
		`"sequences.start" is not in`: func(t *fitted.Model) {
			start := inducingOf(t).Set.Start
			start[1], start[2] = start[2], start[1]
		},
		"description of the training": func(t *fitted.Model) { inducingOf(t).States()[1].Rows[0] = 1000 },
	} {
		bad := reread(t, trained)
		damage(bad)
		text := bytesOf(t, bad)
		if _, err := readModel(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Sequences without features are counted, and are no trouble.
func TestEmptySequences(t *testing.T) {
	set := readText(t, "short.tsv", strings.Repeat("1\tACGTACG\n0\tTTGTTG\n", 10)+"1\tA\n0\tNNN\n", data.ReadOptions{})
	q := &quiet{}
	c := config(t, "model=gpdrf inducing=22 latents=2 features=5 kernel=spectrum:3+spectrum:2/linear steps=30")
	out := must.Get((&Job{Config: c, Device: openCPU(t), Train: set, Reporter: q}).Run(t.Context()))(t)
	if math.IsNaN(out.Objective.Value) {
		t.Fatal("the objective is NaN")
	}
	must.Contain(t, strings.Join(q.notes, "\n"), "without any feature, which the model cannot tell apart: "+
		"2 under spectrum:3, 2 under spectrum:2/linear, of 22")
	evaluate(t, out, set)
}

// inducingOf returns X̄ of a model of sequences; nil for other models.
func inducingOf(t *fitted.Model) *seq.InducingSequences { return t.Featurizer.Inducing }

func isProjected(t *fitted.Model) bool { return t.Featurizer.Projection != nil }
