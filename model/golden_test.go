package model

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// golden is one case of testdata/golden.json, which testdata/golden.py wrote: a second implementation of the paper, in
// numpy and scipy.
type golden struct {
	Name     string
	Config   Config
	Seed     uint64
	Step     uint32
	KLWeight float64 `json:"kl_weight"`
	N        int
	X, Y     []float64
	Labels   []int32
	Rows     []int32
	Params   []Parameter
	Expected struct {
		ELL, KL, ELBO float64
		KLTerms       []float64 `json:"kl_terms"` // F̄, then W and Ω of each layer
	}
	Prediction struct {
		Samples        int
		H, Var         []float64
		Mean, Variance []float64 // mean and variance of the mixture
		Probabilities  []float64
		LogDensity     []float64 `json:"log_density"` // log density of each row's target
	}
}

// goldenTolerance is relative. Both programs compute in float64, but numpy inverts the kernel matrices, whose condition
// numbers reach 10³ here, and the two sum in different orders.
const goldenTolerance = 1e-8

func readGolden(t *testing.T) []golden {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/golden.json"))(t)
	var cases []golden
	must.OK(t, json.Unmarshal(text, &cases))
	return cases
}

func (g *golden) model(t *testing.T, dev device.Device) *Model {
	t.Helper()
	m := must.Get(New(dev, g.Config))(t)
	must.OK(t, m.Import(g.Params))
	return m
}

// The bound, each of its terms and the predictive mixture agree with another program's.
func TestGolden(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	cases := readGolden(t)
	if len(cases) < 6 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, g := range cases {
		t.Run(g.Name, func(t *testing.T) {
			m := g.model(t, dev)
			p := m.NewWorkspace(g.Config.Samples, len(g.Rows))
			dev.UploadInts(p.Rows(), g.Rows)
			m.Gradient(p, m.Upload(g.N, g.X, g.Y, g.Labels), GradientArgs{Seed: g.Seed,
				Step: device.StepNumber{N: g.Step}, KLWeight: device.Scalar{Value: g.KLWeight}})
			e := must.Get(m.ReadELBO(g.KLWeight))(t)
			if m.gp != nil && e.Jitter != device.JitterLadder[0] {
				t.Errorf("jitter %g: the other program used the first rung", e.Jitter)
			}
			same(t, "ELL", []float64{e.ELL}, []float64{g.Expected.ELL})
			same(t, "KL", []float64{e.KL}, []float64{g.Expected.KL})
			same(t, "ELBO", []float64{e.Value}, []float64{g.Expected.ELBO})
			same(t, "KL by term", m.host[slotInducing:slotLayers+2*len(m.drf)], g.Expected.KLTerms)
		})
	}
}

func TestGoldenPrediction(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for _, g := range readGolden(t) {
		t.Run(g.Name, func(t *testing.T) {
			m, want := g.model(t, dev), &g.Prediction
			p := must.Get(m.Predict(m.Upload(g.N, g.X, nil, nil), want.Samples, g.Seed))(t)
			same(t, "components", p.H, want.H)
			same(t, "component variances", p.Var, want.Var)
			logDensity := make([]float64, g.N)
			if g.Config.Likelihood == SoftmaxLikelihood {
				probabilities := metrics.Probabilities(p.H, p.S, p.N, p.C)
				for n, y := range g.Labels {
					logDensity[n] = math.Log(probabilities[n*p.C+int(y)])
				}
				same(t, "class probabilities", probabilities, want.Probabilities)
			} else {
				mixture := metrics.Mixture{S: p.S, N: p.N, Mean: p.H, Var: p.Var}
				mean, variance := make([]float64, g.N), make([]float64, g.N)
				for n, y := range g.Y {
					mean[n], variance[n] = mixture.Moments(n)
					logDensity[n] = mixture.LogDensity(n, y)
				}
				same(t, "means of the mixture", mean, want.Mean)
				same(t, "variances of the mixture", variance, want.Variance)
			}
			same(t, "log densities", logDensity, want.LogDensity)
		})
	}
}

// same compares two lists; errors of elements near zero are relative to the largest element.
func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, expected %d", what, len(got), len(want))
		return
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if diff := math.Abs(got[i] - w); !(diff <= goldenTolerance*max(math.Abs(w), 1e-3*largest)) {
			t.Errorf("%s: element %d is %.15g, the other program gives %.15g", what, i, got[i], w)
		}
	}
}
