package model

import (
	"math"
	"reflect"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// functionsOf draws functions at rows of a fixture, each with different noise.
func functionsOf(t *testing.T, f *fixture, x []float64, n, samples int) *Prediction {
	t.Helper()
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	own := f.m.Export()
	p, err := f.m.SampleFunctions(f.m.Upload(n, x, nil, nil),
		FunctionArgs{Samples: samples, Seed: 9, TrainingSeed: 9, NoiseRows: rows})
	if err == nil {
		err = f.m.Import(own)
	}
	must.OK(t, err)
	return p
}

// sampleMoments computes the means of two columns of samples, and their covariance.
func sampleMoments(p *Prediction, i, j int) (mi, mj, cov float64) {
	width := p.N * p.C
	for s := range p.S {
		mi += p.H[s*width+i] / float64(p.S)
		mj += p.H[s*width+j] / float64(p.S)
	}
	for s := range p.S {
		cov += (p.H[s*width+i] - mi) * (p.H[s*width+j] - mj) / float64(p.S)
	}
	return mi, mj, cov
}

func functionConfigs() map[string]Config {
	base := Config{Inputs: 3, Outputs: 1, Likelihood: GaussianLikelihood, Samples: 2, Lengthscales: ARD,
		QCov: Full, Whiten: true, LearnInducing: true}
	gp := base
	gp.Model, gp.Latents, gp.Inducing = GP, 1, 5
	paper := gp
	paper.Whiten, paper.QCov = false, Diagonal
	drf := base
	drf.Model, drf.Layers, drf.Features, drf.Hidden = DRF, 1, 20, 1
	drf.Spectra, drf.LocalReparam, drf.WCov = VarIntegrated, true, Full
	deep := gpdrfConfig()
	deep.Spectra = VarIntegrated
	local := gpdrfConfig()
	warm := gp
	warm.Temperature = 1.5
	weights := base
	weights.Model, weights.Layers, weights.Features, weights.Hidden = DRF, 1, 20, 1
	weights.Spectra = VarResampled
	return map[string]Config{"gp": gp, "paper": paper, "drf": drf, "deep": deep, "resampled": local, "warm": warm,
		"weights": weights}
}

// Each row of the functions has the mean and variance of the prediction without noise.
func TestFunctionsHaveMomentsOfPrediction(t *testing.T) {
	const n, samples = 4, 3000
	x := make([]float64, n*3)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	for name, c := range functionConfigs() {
		f := newFixture(t, openDevice(t, "cpu:f64"), c)
		want := must.Get(f.m.Predict(f.m.Upload(n, x, nil, nil), samples, 9))(t)
		got := functionsOf(t, f, x, n, samples)
		for i := range n {
			mean, _, variance := sampleMoments(got, i, i)
			m, _, v := sampleMoments(want, i, i)
			for s := range want.S {
				v += (want.Var[s*n%len(want.Var)+i] - want.Noise[0]) / float64(want.S)
			}
			if d := math.Abs(mean - m); d > 5*math.Sqrt(2*v/samples) {
				t.Errorf("%s: row %d has mean %g, predicted %g", name, i, mean, m)
			}
			if math.Abs(variance/v-1) > 0.3 {
				t.Errorf("%s: row %d has variance %g, predicted %g", name, i, variance, v)
			}
			if math.Abs(got.Noise[i]/want.Noise[0]-1) > 1e-12 {
				t.Errorf("%s: row %d has noise %g, predicted %g", name, i, got.Noise[i], want.Noise[0])
			}
		}
	}
}

// At the inducing points a GP's functions have the covariance α L S Sᵀ Lᵀ of q(F̄).
func TestFunctionsAreJoint(t *testing.T) {
	const samples = 20000
	f := newFixture(t, openDevice(t, "cpu:f64"), functionConfigs()["gp"])
	settled := must.Get(f.m.Snapshot(1, 1))(t)
	g, n := settled.GP, 5
	p := functionsOf(t, f, g.Inducing, n, samples)
	root := make([]float64, n*n) // √α L S
	for i := range n {
		for j := range n {
			for k := range n {
				if k <= i && j <= k {
					root[i*n+j] += math.Sqrt(g.Alpha[0]) * g.L[i*n+k] * g.S[k*n+j]
				}
			}
		}
	}
	covariance := func(i, j int) (sum float64) {
		for k := range n {
			sum += root[i*n+k] * root[j*n+k]
		}
		return sum
	}
	for i := range n {
		for j := range i {
			_, _, got := sampleMoments(p, i, j)
			scale := math.Sqrt(covariance(i, i) * covariance(j, j))
			if d := math.Abs(got - covariance(i, j)); d > 5*math.Sqrt2*scale/math.Sqrt(samples)+1e-4 {
				t.Errorf("cov(%d, %d) is %g, expected %g", i, j, got, covariance(i, j))
			}
		}
	}
}

// A GP of counts has no functions.
func TestNoFunctionsOfCounts(t *testing.T) {
	c := functionConfigs()["gp"]
	c.Likelihood = PoissonLikelihood
	f := newFixture(t, openDevice(t, "cpu:f64"), c)
	rows := f.m.Upload(1, []float64{1, 2, 3}, nil, nil)
	if _, err := f.m.SampleFunctions(rows, FunctionArgs{Samples: 2, NoiseRows: []int32{0}}); err == nil {
		t.Error("no error")
	}
}

// The same seed gives the same functions, another one others, and rows that share their noise are equal.
func TestFunctionsRepeat(t *testing.T) {
	x := []float64{1, 2, 3, 1, 2, 3, 0, 1, 0}
	for name, c := range functionConfigs() {
		f := newFixture(t, openDevice(t, "cpu:f64"), c)
		var drawn []*Prediction
		own := f.m.Export()
		for _, seed := range []uint64{3, 3, 4} {
			p, err := f.m.SampleFunctions(f.m.Upload(3, x, nil, nil),
				FunctionArgs{Samples: 5, Seed: seed, TrainingSeed: 1, NoiseRows: []int32{0, 0, 2}})
			must.OK(t, err)
			drawn = append(drawn, p)
			must.OK(t, f.m.Import(own))
		}
		if !reflect.DeepEqual(drawn[0], drawn[1]) {
			t.Errorf("%s: the same seed gives other functions", name)
		}
		if reflect.DeepEqual(drawn[0], drawn[2]) {
			t.Errorf("%s: another seed gives the same functions", name)
		}
		for s := range 5 {
			if h := drawn[0].H[s*3:]; math.Abs(h[0]-h[1]) > 1e-9 || h[0] == h[2] {
				t.Errorf("%s: function %d is %g at one row and %g at its copy, %g elsewhere", name, s, h[0], h[1], h[2])
			}
		}
	}
}
