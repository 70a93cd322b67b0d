package model

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Nodes of Gauss–Hermite integrate polynomials up to degree 2n−1: the moments of N(0, 1).
func TestHermite(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 20} {
		nodes, weights := gaussHermite(n)
		moment := 1.0
		for degree := 0; degree < 2*n; degree += 2 {
			even, odd := 0.0, 0.0
			for i, x := range nodes {
				even += weights[i] * math.Pow(x, float64(degree))
				odd += weights[i] * math.Pow(x, float64(degree+1))
			}
			if math.Abs(even-moment) > 1e-12*moment || math.Abs(odd) > 1e-10*moment {
				t.Errorf("n = %d: E x^%d is %.15g, want %g; E x^%d is %g", n, degree, even, moment, degree+1, odd)
			}
			moment *= float64(degree + 1)
		}
	}
}

// Counts predict log rates: with their constant, with an offset where one is added, and the mixture of an exact normal
// has its mean rate exp(m + v/2).
func TestPredictCounts(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for likelihood, tol := range map[string]float64{PoissonLikelihood: 1e-9, NegativeBinomialLikelihood: 0.03} {
		c := Config{Model: GP, Inputs: 3, Outputs: 1, Likelihood: likelihood, Samples: 3, Latents: 1, Inducing: 5,
			Lengthscales: ARD, QCov: Full, Whiten: true}
		f := newFixture(t, dev, c)
		predictor := f.m.NewPredictor(f.data, 4000)
		p := must.Get(predictor.Predict(1))(t)
		if n := predictor.Samples(); n != p.S {
			t.Errorf("%s: Samples is %d, want %d", likelihood, n, p.S)
		}
		if p.Var != nil || len(p.Dispersion) != p.S || len(p.H) != p.S*p.N {
			t.Fatalf("%s: %d components, %d log rates, variances %v", likelihood, len(p.Dispersion), len(p.H), p.Var)
		}
		if c.Components(4000) != p.S {
			t.Errorf("%s: Components is %d, want %d", likelihood, c.Components(4000), p.S)
		}
		want := device.DispersionFloor + math.Exp(f.flat[len(f.flat)-1])
		if likelihood == PoissonLikelihood {
			want = 0
		}
		if math.Abs(p.Dispersion[0]-want) > 1e-12 {
			t.Errorf("%s: dispersion %g, want %g", likelihood, p.Dispersion[0], want)
		}
		mean, variance, _ := f.naive.gpLayer()
		p.AddOffset(f.naive.offset)
		for i, n := range f.rows {
			rate := 0.0
			for s := range p.S {
				w := 1 / float64(p.S)
				if p.Weight != nil {
					w = p.Weight[s]
				}
				rate += w * math.Exp(p.H[s*p.N+int(n)])
			}
			constant := f.naive.params["likelihood.log_rate"][0] + f.naive.offset[n]
			exact := math.Exp(mean[i][0] + constant + variance[i][0]/2)
			if !(math.Abs(rate/exact-1) < tol) {
				t.Errorf("%s: row %d has the mean rate %g, want %g", likelihood, n, rate, exact)
			}
		}
	}
}

// Levels have probabilities that sum to 1, and start at their shares.
func TestPredictLevels(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	c := Config{Model: GP, Inputs: 3, Outputs: 1, Likelihood: OrdinalLikelihood, Levels: 4, Samples: 3, Latents: 1,
		Inducing: 5, Lengthscales: ARD, QCov: Full, Whiten: true}
	f := newFixture(t, dev, c)
	counts := []int{500, 200, 250, 50}
	f.m.Init(Init{InducingPoints: make([]float64, 15), GPLengthscaleFactor: 1, ClassRows: counts})
	p := must.Get(f.m.Predict(f.data, 2000, 1))(t)
	if p.C != 4 || len(p.H) != p.S*p.N*4 || c.Components(p.S) != 4*p.S {
		t.Fatalf("%d levels, %d numbers", p.C, len(p.H))
	}
	shares := make([]float64, 4)
	for row := range p.S * p.N {
		sum := 0.0
		for k := range shares {
			v := math.Exp(p.H[row*4+k])
			shares[k] += v / float64(p.S*p.N)
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("probabilities sum to %g", sum)
		}
	}
	for k, n := range counts {
		if math.Abs(shares[k]-float64(n)/1000) > 0.05 {
			t.Errorf("level %d has the probability %g at the start, and %d of 1000 rows", k, shares[k], n)
		}
	}
}

// The constants of log rates start at the logarithm of counts per exposure, also where exposures are beyond all
// numbers.
func TestLogRates(t *testing.T) {
	got := LogRates([]float64{3, 0, 5, 0}, []float64{math.Log(2), math.Log(6)}, 2)
	want := []float64{math.Log(8.5 / 8), math.Log(0.5 / 8)}
	if !(math.Abs(got[0]-want[0])+math.Abs(got[1]-want[1]) < 1e-12) {
		t.Errorf("log rates %v, want %v", got, want)
	}
	if far := LogRates([]float64{3, 5}, []float64{2000, 2000}, 1)[0]; !(math.Abs(far-math.Log(4.25)+2000) < 1e-12) {
		t.Errorf("log rate %v of exposures e²⁰⁰⁰, want %v", far, math.Log(4.25)-2000)
	}
}

// A prediction of bernoulli holds the logits of two classes.
func TestComponentsOfBernoulli(t *testing.T) {
	c := gpdrfConfig()
	c.Likelihood, c.Outputs = BernoulliLikelihood, 1
	f := newFixture(t, openDevice(t, "cpu:f64"), c)
	p := must.Get(f.m.Predict(f.data, 5, 1))(t)
	if want := c.Components(5) * p.N * c.Outputs; len(p.H) != want {
		t.Errorf("%d numbers, Components says %d", len(p.H), want)
	}
}
