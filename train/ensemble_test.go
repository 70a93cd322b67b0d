// These tests predict with several models together.

package train

import (
	"math"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// ensemble trains models of some options on a set and weighs them.
func ensemble(t *testing.T, set *data.Dataset, weights []float64, options ...string) *fitted.Model {
	t.Helper()
	var members []fitted.Member
	for k, w := range weights {
		out := mustFit(t, options[k]+" device=cpu:f32 steps=20 eval-samples=20", set)
		members = append(members, fitted.Member{Weight: w, Model: out.Trained})
	}
	return must.Get(fitted.NewEnsemble(members))(t)
}

// The density of an ensemble is the weighted sum of its members' densities, whatever their likelihoods; so are its
// moments. The file and a Predictor keep the bits.
func TestEnsemble(t *testing.T) {
	set, weights := table(t, 60, 1, wave), []float64{0.55, 0.25, 0.2}
	e := ensemble(t, set, weights, "model=gp inducing=9",
		"model=gpdrf inducing=9 latents=3 features=7 likelihood=student-t",
		"model=drf features=7 likelihood=heteroscedastic")
	dev := openCPU(t)
	whole, distances, err := e.PredictSet(t.Context(), dev, set, 20, fitted.PredictOptions{Distances: true})
	must.OK(t, err)
	mixture, y := e.Mixture(whole, 0).(metrics.Mixture), scaling.Standardise(set.Y, e.Targets)
	inner := mixture // only the whole mixture has a tail share
	inner.TailShare = 0
	density, mean, noise := make([]float64, set.N()), make([]float64, set.N()), make([]float64, set.N())
	for k, samples := range []int{11, 5, 4} {
		p := must.Get(e.Members[k].Predict(t.Context(), dev, set, samples))(t)
		m := e.Mixture(p, 0).(metrics.Mixture)
		m.TailShare = 0
		for i := range density {
			density[i] += weights[k] * math.Exp(m.LogDensity(i, y[i]))
			mu, _ := m.Moments(i)
			mean[i] += weights[k] * mu
			noise[i] += weights[k] * fitted.AleatoricVariance(p, m, 0, i)
		}
	}
	for i := range density {
		got, variance := mixture.Moments(i)
		if d := inner.LogDensity(i, y[i]) - math.Log(density[i]); math.Abs(d) > 1e-12 ||
			math.Abs(got-mean[i]) > 1e-12 {
			t.Fatalf("row %d: log density off by %g, mean by %g", i, d, got-mean[i])
		}
		if d := fitted.AleatoricVariance(whole, mixture, 0, i) - noise[i]; math.Abs(d) > 1e-12 || noise[i] > variance {
			t.Fatalf("row %d: noise off by %g, of a variance %g", i, d, variance)
		}
		q := mixture.QuantileFunc(i)(0.3)
		if p := mixture.CDF(i, q); math.Abs(p-0.3) > 1e-9 {
			t.Fatalf("row %d: the quantile of 0.3 has probability %g", i, p)
		}
	}
	testSameInBatches(t, reread(t, e), dev, set, whole.H, distances)
}

// testSameInBatches tests that a model from its file predicts what was predicted, a few rows at a time.
func testSameInBatches(t *testing.T, e *fitted.Model, dev device.Device, set *data.Dataset, means,
	distances []float64) {
	t.Helper()
	p := must.Get(e.NewPredictor(dev, 16, 20))(t)
	if n := len(means) / (set.N() * max(1, len(set.Classes))); p.Samples() != n {
		t.Errorf("%d samples, expected %d", p.Samples(), n)
	}
	x, far, err := e.Rows(t.Context(), set)
	must.OK(t, err)
	whole := must.Get(p.Predict(t.Context(), set.N(), x))(t)
	sameBits(t, "mean or logit", whole.H, means)
	sameBits(t, "distance", far, distances)
}

// An ensemble of classifiers takes samples of its members as their weights say.
func TestEnsembleOfClasses(t *testing.T) {
	set := table(t, 60, 3, coin)
	e := ensemble(t, set, []float64{0.75, 0.2, 0.05}, "model=gp inducing=9 task=classification",
		"model=gpdrf inducing=9 latents=3 features=7 task=classification",
		"model=gp inducing=9 task=classification likelihood=bernoulli")
	dev := openCPU(t)
	whole, distances, err := e.PredictSet(t.Context(), dev, set, 20, fitted.PredictOptions{Distances: true})
	must.OK(t, err)
	got := metrics.Probabilities(whole.H, whole.S, whole.N, whole.C)
	want := make([]float64, len(got))
	for k, w := range []float64{0.75, 0.2, 0.05} {
		p := must.Get(e.Members[k].Predict(t.Context(), dev, set, []int{15, 4, 1}[k]))(t)
		for i, v := range metrics.Probabilities(p.H, p.S, p.N, p.C) {
			want[i] += w * v
		}
	}
	for i, v := range got {
		if math.Abs(v-want[i]) > 1e-12 {
			t.Fatalf("probability %d is %g, not %g", i, v, want[i])
		}
	}
	testSameInBatches(t, reread(t, e), dev, set, whole.H, distances)
}

// Members that are no mixture, and damaged files of one, are refused.
func TestEnsembleRefused(t *testing.T) {
	set := table(t, 60, 1, wave)
	e := ensemble(t, set, []float64{0.5, 0.5}, "model=gp inducing=9", "model=gp inducing=9 seed=2")
	other := mustFit(t, "model=gp device=cpu:f32 steps=3 inducing=9", table(t, 50, 2, wave)).Trained
	for want, members := range map[string][]fitted.Member{
		"without members": nil,
		"above 0":         {{Weight: 0, Model: e.Members[0].Model}, {Weight: 1, Model: e.Members[1].Model}},
		"sum to 1":        {{Weight: 0.7, Model: e.Members[0].Model}, {Weight: 0.7, Model: e.Members[1].Model}},
		"is an ensemble":  {{Weight: 0.5, Model: e}, {Weight: 0.5, Model: e.Members[1].Model}},
		"differ":          {{Weight: 0.5, Model: e.Members[0].Model}, {Weight: 0.5, Model: other}},
	} {
		if _, err := fitted.NewEnsemble(members); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected an error with %q, got %v", want, err)
		}
	}
}

// A single run does not pass for a search.
func TestSingleRunOfSeveralModels(t *testing.T) {
	for _, several := range []string{"preset=best", "ensemble=2"} {
		_, err := fit(t, t.Context(), config(t, several+" steps=3"), table(t, 60, 1, wave))
		if err == nil || !strings.Contains(err.Error(), "are for several models") {
			t.Errorf("%s: %v", several, err)
		}
	}
}
