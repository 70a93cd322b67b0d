package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// noise returns a table of eight inputs that say nothing of the target.
func noise(t *testing.T, n int, seed uint64) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("a,b,c,d,e,f,g,h,target\n")
	for range n {
		for range 8 {
			fmt.Fprintf(&b, "%.3f,", rng.NormFloat64())
		}
		fmt.Fprintf(&b, "%.3f\n", rng.NormFloat64())
	}
	return readText(t, "noise.csv", b.String(), data.ReadOptions{})
}

// generalise trains, tests and compares; validation may be nil.
func generalise(t *testing.T, options string, set, validation,
	test *data.Dataset) (*rundir.Generalisation, *fitted.Scores, *Job, *Outcome) {
	t.Helper()
	c := config(t, options)
	dev := mustOpen(t, c.Device)
	t.Cleanup(func() { dev.Close() })
	job := &Job{Config: c, Device: dev, Train: set, Validation: validation, Test: test,
		Started: time.Now(), Reporter: &quiet{}}
	out := must.Get(job.Run(t.Context()))(t)
	scores := must.Get(out.Trained.Evaluate(t.Context(), dev, test,
		fitted.EvaluateOptions{Samples: c.EvalSamples, Draws: c.PredictDraws}))(t)
	g := must.Get(job.MeasureGeneralisation(t.Context(), out.Trained, scores))(t)
	return g, scores, job, out
}

// Noise cannot be learned. With one frozen draw the frequencies learn it by heart; their prior does not, and the
// default, which is a bound, finds that it is noise.
func TestMemorisedNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where other trainings are tested")
	}
	set, test := noise(t, 200, 1), noise(t, 300, 2)
	const options = "steps=1500 batch=100 inducing=30 features=200 eval-samples=50 spectra="
	for spectra, want := range map[string]bool{"var-fixed": true, "prior-fixed": false, "var-integrated": false} {
		g, scores, job, _ := generalise(t, options+spectra, set, nil, test)
		if g.Memorised != want || strings.Contains(g.Warning(job.Config), "memorises") != want {
			t.Errorf("%s: %+v, %q", spectra, g, g.Warning(job.Config))
		}
		const best = 1.4189 // entropy of a standard normal: ½ log 2πe
		if s := scores.Regression; !want && (s.NLPD > best+0.2 || s.Coverage90 < 0.8) {
			t.Errorf("%s: NLPD %.3f and coverage %.2f of noise", spectra, s.NLPD, s.Coverage90)
		}
		if g.Unseen.Of != "test" || g.Unseen.Rows != 300 || g.Seen.Of != "" || g.Seen.Rows != 200 {
			t.Errorf("%+v", g)
		}
		if d := g.Unseen.LogDensity + scores.Regression.NLPD; d < -1e-12 || d > 1e-12 {
			t.Errorf("log density %g, NLPD %g", g.Unseen.LogDensity, scores.Regression.NLPD)
		}
		if want {
			must.Contain(t, g.Warning(job.Config), "--spectra var-integrated")
		}
	}
}

// Validation rows come before test rows; classes have log probabilities.
func TestGeneralisationOfClasses(t *testing.T) {
	const options = "steps=50 batch=50 inducing=10 features=8 eval-samples=20 validation=0.1"
	g, _, _, _ := generalise(t, options, table(t, 100, 1, coin), table(t, 40, 2, coin), table(t, 60, 3, coin))
	if g.Unseen.Of != "validation" || g.Unseen.Rows != 40 || g.Memorised ||
		!(g.Unseen.LogDensity < 0) || !(g.Unseen.Expected < 0) {
		t.Errorf("%+v", g)
	}
}

// Of many rows some are compared. Their part of the whole prediction equals a prediction of them alone, also if each
// sample has a different variance.
func TestComparedRows(t *testing.T) {
	for _, options := range []string{"model=gp", "features=8 likelihood=heteroscedastic",
		"features=8 predict-draws=20"} {
		set, test := table(t, 100, 1, wave), table(t, fitted.ComparedRows+300, 2, wave)
		g, scores, job, out := generalise(t, "steps=20 batch=50 inducing=10 eval-samples=3 "+options, set, nil, test)
		if g.Unseen.Rows != fitted.ComparedRows || g.Seen.Rows != 100 {
			t.Errorf("%s: %+v", options, g)
		}
		alone := must.Get(job.sampleDensities(t.Context(), out.Trained, test))(t)
		if !slices.Equal(alone.Log, scores.Densities.Log) || !slices.Equal(alone.Expected, scores.Densities.Expected) {
			t.Errorf("%s: the rows of a sample are predicted otherwise alone", options)
		}
		if job.otherPredictedRows() != 100 {
			t.Errorf("%s: %d more rows", options, job.otherPredictedRows())
		}
		if job.Conformal = table(t, 30, 4, wave); job.otherPredictedRows() != 130 {
			t.Errorf("%s: %d more rows with those of intervals", options, job.otherPredictedRows())
		}
	}
}

func TestSample(t *testing.T) {
	set := table(t, 50, 1, wave)
	if all, rows := set.Sample(50, 1); all != set || len(rows) != 50 || rows[49] != 49 {
		t.Errorf("all rows: %v", rows)
	}
	some, rows := set.Sample(20, 1)
	if again, _ := set.Sample(20, 1); some.N() != 20 || again.Fingerprint != some.Fingerprint {
		t.Error("the same seed draws other rows")
	}
	if other, _ := set.Sample(20, 2); other.Fingerprint == some.Fingerprint {
		t.Error("another seed draws the same rows")
	}
	if !slices.IsSorted(rows) || len(slices.Compact(rows)) != 20 || some.Y[3] != set.Y[rows[3]] {
		t.Errorf("rows %v", rows)
	}
}

// The advice names what the run can change.
func TestRemedy(t *testing.T) {
	for options, want := range map[string]string{
		"spectra=var-fixed":                  "--spectra var-integrated, fewer --features or --model gp",
		"spectra=prior-fixed":                "--preset best, fewer --features or --model gp",
		"spectra=prior-fixed validation=0.1": "fewer --features or --model gp",
		"spectra=prior-fixed preset=best":    "fewer --features or --model gp",
		"model=gp":                           "--preset best or fewer --inducing",
		"model=gp validation=0.1":            "fewer --inducing",
		"model=gp objective=predictive":      "--set objective=elbo, --preset best or fewer --inducing",
		"model=drf spectra=var-fixed kl-weight=0.1": "--set kl-weight=1, --spectra var-integrated, " +
			"fewer --features or --model gp",
		"spectra=var-resampled validation=0.1 kl-weight=3": "fewer --features or --model gp",
	} {
		c := config(t, options)
		if got := c.Remedy(); got != want {
			t.Errorf("%s: %s", options, got)
		}
		silent := &rundir.Generalisation{Gap: 9}
		if silent.Warning(c) != "" || (*rundir.Generalisation)(nil).Warning(c) != "" {
			t.Error("a warning where nothing is wrong")
		}
	}
}

func hundreds(_ *rand.Rand, a, _ float64) string { return fmt.Sprint(int(1000 + 400*a)) }

// A model that predicts its training rows no better than a constant has found nothing. Counts have no such constant,
// nor have rows with weights.
func TestGeneralisationWithoutFinding(t *testing.T) {
	const options = "steps=2 batch=20 inducing=5 features=5 eval-samples=2"
	for _, c := range []struct {
		options string
		target  func(rng *rand.Rand, a, b float64) string
		none    bool // no constant
	}{
		{options: "", target: wave}, {options: " target-scaling=none", target: hundreds}, {options: "", target: coin},
		{options: " likelihood=poisson", target: hundreds, none: true},
		{options: " class-weights=balanced", target: coin, none: true},
	} {
		set := table(t, 60, 1, c.target)
		g, _, job, out := generalise(t, options+c.options, set, nil, set)
		if c.none {
			if g.Constant != nil {
				t.Errorf("%q: %g", c.options, *g.Constant)
			}
			continue
		}
		var want float64 // likelihood by the sum over the rows
		mean, sd := stat.MeanStdDev(set.Y, nil)
		for n := range 60 {
			if set.Task == data.Classification {
				want += math.Log(float64(set.ClassCounts()[set.Labels[n]])/60) / 60
			} else {
				z := (set.Y[n] - mean) / sd
				want -= (0.5*z*z*60/59 + 0.5*math.Log(2*math.Pi) + math.Log(sd/out.Trained.Targets[0].SD)) / 60
			}
		}
		if math.Abs(*g.Constant-want) > 1e-9 {
			t.Errorf("%q: a constant has %g, not %g", c.options, *g.Constant, want)
		}
		for seen, warned := range map[float64]bool{want - 0.1: true, want + 0.1: false} {
			g.Memorised, g.Seen.LogDensity = false, seen
			if got := g.Warning(job.Config); strings.Contains(got, "found nothing in the inputs") != warned {
				t.Errorf("%g beside %g: %q", seen, want, got)
			}
		}
	}
}

// A density that is not a number is an error and not JSON that cannot be written.
func TestGeneralisationNotFinite(t *testing.T) {
	set := table(t, 30, 1, wave)
	_, scores, job, out := generalise(t, "steps=3 batch=20 inducing=5 features=5 eval-samples=2",
		set, nil, set.EvenlySpaced(5))
	scores.Densities.Log[2] = math.Inf(-1)
	if _, err := job.MeasureGeneralisation(t.Context(), out.Trained, scores); err == nil {
		t.Error("an infinite log density is none")
	}
	scores.Densities = metrics.Densities{Log: []float64{-1}, Expected: []float64{-1}}
	if g, err := job.MeasureGeneralisation(t.Context(), out.Trained, scores); err != nil || g.GapSE != nil ||
		g.Unseen.SE != nil || g.Seen.SE == nil {
		t.Errorf("of a single row: %+v, %v", g, err)
	}
	job.Test = nil
	if g, err := job.MeasureGeneralisation(t.Context(), out.Trained, scores); g != nil || err != nil {
		t.Errorf("without unseen rows: %+v, %v", g, err)
	}
}
