package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// cycles returns a sine of 15 cycles over the first column, with noise of sd 0.2.
func cycles(rng *rand.Rand, a, _ float64) string {
	return fmt.Sprint(math.Sin(2*math.Pi*15*a/4) + 0.2*rng.NormFloat64())
}

func normals(rng *rand.Rand, _, _ float64) string { return fmt.Sprint(rng.NormFloat64()) }

// Classes that no row of a sample has are no evidence, and take no memory.
func TestStartTargetsOfSomeClasses(t *testing.T) {
	set := table(t, 40, 1, coin)
	r := (&Job{Config: config(t, "")}).newRun()
	r.trained = &fitted.Model{}
	want, outputs := r.startTargets(set)
	more := *set
	more.Classes = slices.Clone(set.Classes)
	for i := range 1000 {
		more.Classes = append(more.Classes, fmt.Sprint("rare", i))
	}
	if got, c := r.startTargets(&more); outputs != 2 || c != 2 || !slices.Equal(got, want) {
		t.Errorf("%d and %d columns", outputs, c)
	}
	more.Labels = make([]int32, set.N())
	if got, c := r.startTargets(&more); c != 0 || len(got) != 0 {
		t.Errorf("%d columns of one class", c)
	}
}

// started returns a run on the given rows at its start.
func started(t *testing.T, words string, set *data.Dataset) *run {
	t.Helper()
	dev := mustOpen(t, "cpu:f64")
	t.Cleanup(func() { dev.Close() })
	return prepared(t, &Job{Config: config(t, words), Device: dev, Train: set, Reporter: &quiet{}})
}

// parameter returns a parameter's value at the start.
func parameter(t *testing.T, run *run, name string) []float64 {
	t.Helper()
	named := run.step.Model.Export()
	at := slices.IndexFunc(named, func(n model.Parameter) bool { return n.Name == name })
	if at < 0 {
		t.Fatalf("no parameter %s", name)
	}
	return named[at].Data
}

// TestStart: the length-scale of a column that oscillates starts short in the GP layer, and in the features of model
// drf. The noise starts at the error of rows left out. What options give stays.
func TestStart(t *testing.T) {
	learns(t)
	set := table(t, 300, 1, cycles)
	for words, name := range map[string]string{
		"model=gpdrf features=9 inducing=20":       "gp.log_lengthscale",
		"model=gp lengthscales=ard inducing=20":    "gp.log_lengthscale",
		"model=drf features=9 spectra=prior-fixed": "drf.0.log_lengthscale",
	} {
		run := started(t, words+" steps=5 batch=50", set)
		length := math.Exp(parameter(t, run, name)[0])
		noise := math.Exp(parameter(t, run, "likelihood.log_variance")[0])
		if length > 0.15 || noise > 0.3 || noise < 0.01 {
			t.Errorf("%s: length-scale %g, noise %g", words, length, noise)
		}
	}
	run := started(t, "gp-lengthscale-factor=0.7 noise-init=0.25 inducing=20 steps=5 batch=50", set)
	length := math.Exp(parameter(t, run, "gp.log_lengthscale")[0])
	noise := math.Exp(parameter(t, run, "likelihood.log_variance")[0])
	if math.Abs(length-0.7*math.Sqrt(float64(set.D()))) > 1e-9 || math.Abs(noise-0.25) > 1e-9 {
		t.Errorf("as given: length-scale %g, noise %g", length, noise)
	}
}

// TestStartOfNoise: rows that say nothing leave the start to the factors, and the noise is the variance of the targets.
// A run of few steps is no surer than that.
func TestStartOfNoise(t *testing.T) {
	set := table(t, 200, 1, normals)
	run := started(t, "inducing=20 features=9 steps=5 batch=50", set)
	noise := math.Exp(parameter(t, run, "likelihood.log_variance")[0])
	if run.init.LengthScales != nil || math.Abs(noise-1) > 0.05 {
		t.Errorf("length-scales %v, noise %g", run.init.LengthScales, noise)
	}
}

// TestSharedLengths: each input has a length-scale where it has ten rows.
func TestSharedLengths(t *testing.T) {
	few, many := wide(t, 50, 6), wide(t, 60, 6)
	for want, set := range map[string]*data.Dataset{model.Common: few, model.Shared: many} {
		c, notes, err := config(t, "model=gp inducing=5").ResolveFor(t.Context(), set)
		if err != nil || c.Lengthscales != want ||
			strings.Contains(strings.Join(notes, " "), "lengthscales") != (want == model.Common) {
			t.Errorf("%d rows: %s, %v, %v", set.N(), c.Lengthscales, notes, err)
		}
		run := started(t, "model=gp inducing=5 steps=5 batch=20", set)
		n := len(parameter(t, run, "gp.log_lengthscale"))
		if n != map[string]int{model.Common: 1, model.Shared: 6}[want] {
			t.Errorf("%d rows: %d length-scales", set.N(), n)
		}
	}
}

// wide returns a table of n rows and a number of columns, which are all noise.
func wide(t *testing.T, n, columns int) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(columns)))
	var b strings.Builder
	for i := range n + 1 {
		for j := range columns {
			if i == 0 {
				fmt.Fprintf(&b, "x%d,", j)
			} else {
				fmt.Fprintf(&b, "%g,", rng.NormFloat64())
			}
		}
		if i == 0 {
			b.WriteString("target\n")
		} else {
			fmt.Fprintf(&b, "%g\n", rng.NormFloat64())
		}
	}
	return readText(t, "wide.csv", b.String(), data.ReadOptions{})
}
