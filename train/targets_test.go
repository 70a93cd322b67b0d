package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// sales returns rows whose targets are log-normal around a curve.
func sales(t *testing.T, n int, seed uint64) *data.Dataset {
	return table(t, n, seed, func(rng *rand.Rand, a, _ float64) string {
		return strconv.FormatFloat(math.Exp(3+1.8*math.Sin(2*a)+0.8*rng.NormFloat64()), 'g', -1, 64)
	})
}

// A target that is skewed over decades is predicted by its logarithm: the predictions in the target's units score
// better than a model of the target itself. A model from its file has the same predictions.
func TestLogTarget(t *testing.T) {
	learns(t)
	dev := openCPU(t)
	rows, test := sales(t, 300, 1), sales(t, 200, 2)
	nlpd := map[string]float64{}
	for _, kind := range scaling.TargetScalings() {
		said := &quiet{}
		words := startGiven + " model=gpdrf steps=200 inducing=20 batch=100 features=20 target-scaling=" + kind
		job := &Job{Config: config(t, words),
			Device: dev, Train: rows, Test: test, Started: time.Now(), Reporter: said}
		out := must.Get(job.Run(t.Context()))(t)
		want := kind
		if kind == scaling.AutoTargets {
			want = scaling.LogTargets
		}
		if got := out.Config.Targets; got != want || out.Trained.Targets[0].Log != (want == scaling.LogTargets) {
			t.Fatalf("target-scaling %s became %s, %+v", kind, got, out.Trained.Targets)
		}
		scores := must.Get(out.Trained.Evaluate(t.Context(), dev, test, fitted.EvaluateOptions{Samples: 50}))(t)
		nlpd[kind] = scores.Raw.NLPD
		timed, err := out.Trained.Evaluate(t.Context(), dev, test,
			fitted.EvaluateOptions{Samples: 50, Until: time.Now().Add(time.Hour)})
		if err != nil || math.Abs(timed.Raw.NLPD-scores.Raw.NLPD) > 1e-6 {
			t.Errorf("%s: in parts %+v, at once %+v (%v)", kind, timed.Raw, scores.Raw, err)
		}
		unit := out.Trained.Targets[0].Unit()
		if math.Abs(scores.Raw.NLPD-math.Log(unit)-scores.Regression.NLPD) > 1e-9 ||
			math.Abs(scores.Raw.RMSE/unit-scores.Regression.RMSE) > 1e-9 {
			t.Errorf("%s: %+v and %+v", kind, scores.Raw, scores.Regression)
		}
		if want == scaling.LogTargets {
			testLogs(t, out.Trained, dev, test, scores)
		}
	}
	if nlpd["auto"] != nlpd["log"] || !(nlpd["log"] < nlpd["standard"]-0.3) {
		t.Errorf("NLPD %v", nlpd)
	}
}

// testLogs tests that scores are by the predictive density of y, and a reread model gives the same scores.
func testLogs(t *testing.T, trained *fitted.Model, dev device.Device, test *data.Dataset, scores *fitted.Scores) {
	t.Helper()
	again := reread(t, trained)
	must.Contain(t, again.Format()+"\n", "model 4\n")
	p := must.Get(again.Predict(t.Context(), dev, test, 50))(t)
	r := predict.NewRegression(again, p, 0)
	logs, total, mean := 0.0, 0.0, 0.0
	for i, y := range test.Y {
		logs += r.LogDensity(i, y) / float64(len(test.Y))
	}
	if math.Abs(logs+scores.Raw.NLPD) > 1e-9 {
		t.Errorf("mean log density %g, NLPD %g", logs, scores.Raw.NLPD)
	}
	if got, want := again.RMSE(p, test), scores.Regression.RMSE; math.Abs(got-want) > 1e-9 {
		t.Errorf("RMSE %g, %g in the scores", got, want)
	}
	densities := again.LogDensities(p, test, 0)
	if d := densities.Log[0] - r.LogDensity(0, test.Y[0]) - math.Log(again.Targets[0].Unit()); math.Abs(d) > 1e-9 {
		t.Errorf("a density in training units is off by %g", d)
	}
	const step = 0.001
	for u := -20.0; u < 20; u += step {
		y := math.Exp(u)
		mass := math.Exp(r.LogDensity(0, y)) * y * step
		total, mean = total+mass, mean+y*mass
	}
	got, sd, aleatoric, epistemic := r.Moments(0)
	if math.Abs(total-1) > 1e-6 || math.Abs(got/mean-1) > 1e-5 || math.Abs((aleatoric+epistemic)/(sd*sd)-1) > 1e-9 {
		t.Errorf("integral %g, mean %g, which is reported as %g; variance %g of %g and %g", total, mean, got, sd*sd,
			aleatoric, epistemic)
	}
	if q := r.QuantileFunc(0)(0.3); math.Abs(r.PIT(0, 0, q, 0)-0.3) > 1e-9 {
		t.Errorf("the quantile of 0.3 has probability %g", r.PIT(0, 0, q, 0))
	}
	below := 0.0
	for k := range 4000 {
		if r.Draw(0, 0, k, 1) < r.QuantileFunc(0)(0.3) {
			below += 1.0 / 4000
		}
	}
	if math.Abs(below-0.3) > 0.03 {
		t.Errorf("%g of the draws are below the quantile of 0.3", below)
	}
}

// Where rows to predict have no logarithm, or Student's t has no exponential, auto takes none; log is refused. Nor does
// a smooth target need one.
func TestLogTargetNot(t *testing.T) {
	learns(t)
	rows, test := sales(t, 300, 1), sales(t, 20, 2)
	smooth := table(t, 300, 1, func(rng *rand.Rand, a, _ float64) string {
		return strconv.FormatFloat(math.Pow(a+2.2, 6)+0.001*rng.Float64(), 'g', -1, 64)
	})
	if auto, _ := scaling.FitTargetScales(scaling.AutoTargets, smooth); !auto[0].Log {
		t.Error("the smooth target is not skewed over decades")
	}
	for name, job := range map[string]*Job{
		"student": {Config: config(t, "model=gp likelihood=student-t"), Train: rows, Test: test},
		"zeros":   {Config: config(t, "model=gp"), Train: rows, Test: test.Subset([]int{0, 1})},
		"smooth":  {Config: config(t, "model=gp"), Train: smooth, Test: test},
	} {
		if name == "zeros" {
			job.Test.Y[1] = 0
			if _, err := (&Job{Config: config(t, "model=gp target-scaling=log steps=3 inducing=5"), Device: openCPU(t),
				Train: rows, Test: job.Test, Started: time.Now()}).Run(t.Context()); err == nil ||
				!strings.Contains(err.Error(), "csv:3: the target") {
				t.Errorf("log: %v", err)
			}
		}
		if kind, err := job.TargetKind(t.Context()); kind != scaling.StandardTargets || err != nil {
			t.Errorf("%s: %s, %v", name, kind, err)
		}
	}
}

// Of two targets with different units and noise, each gets the noise variance and the scores that are its own, as in
// the model file.
func TestSeveralTargets(t *testing.T) {
	learns(t)
	rng := rand.New(rand.NewPCG(3, 1))
	var b strings.Builder
	b.WriteString("a,quiet,loud\n")
	for range 300 {
		a := 4*rng.Float64() - 2
		fmt.Fprintf(&b, "%g,%g,%g\n", a, 1000*math.Sin(2*a)+20*rng.NormFloat64(), math.Cos(2*a)+0.7*rng.NormFloat64())
	}
	set := readText(t, "two.csv", b.String(), data.ReadOptions{Target: "loud,quiet"})
	dev := openCPU(t)
	for _, options := range []string{"model=gp inducing=20 natgrad=0.1",
		"model=gpdrf inducing=20 features=30", "model=gp inducing=20 likelihood=heteroscedastic"} {
		out := mustFit(t, options+" steps=400 batch=100 noise-init=0.3", set)
		for _, n := range out.Trained.Parameters {
			if n.Name == "likelihood.log_variance" && !(len(n.Data) == 2 && n.Data[0] > n.Data[1]+0.5) {
				t.Errorf("%s: the noise has log-variances %v", options, n.Data)
			}
		}
		s := must.Get(out.Trained.Evaluate(t.Context(), dev, set, fitted.EvaluateOptions{Samples: 20}))(t)
		loud, quiet := s.Outputs[0], s.Outputs[1]
		if s.Raw != nil || loud.Target != "loud" || quiet.Target != "quiet" ||
			math.Abs(loud.Raw.RMSE-0.7) > 0.1 || quiet.Raw.RMSE > 100 {
			t.Errorf("%s: %+v", options, s.Outputs)
		}
		if mean := (loud.Test.NLPD + quiet.Test.NLPD) / 2; math.Abs(s.Regression.NLPD-mean) > 1e-12 {
			t.Errorf("%s: NLPD is %g, the mean %g", options, s.Regression.NLPD, mean)
		}
	}
}
