package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// With Gaussian noise, all rows in the batch and size 1, a natural step of a GP lands on the best q(F̄) from anywhere:
// in whitened coordinates S⁻¹ = I + ΨΨᵀ/σ² and m = SΨy/σ², where ψ_nᵀm is the mean of row n and ψ_n column n of Ψ; and
// the bound is then log N(y; 0, ΨᵀΨ + σ²I) − Σ_n (k_nn − ‖ψ_n‖²)/2σ² (Titsias 2009). In the paper's coordinates it is
// the same q.
func TestNaturalStepIsExact(t *testing.T) {
	const n = 9
	for _, whiten := range []bool{true, false} {
		dev := openDevice(t, "cpu:f64")
		c := Config{Model: GP, Inputs: 3, Outputs: 1, Likelihood: GaussianLikelihood, Samples: 1,
			Latents: 1, Inducing: 5,
			Lengthscales: ARD, QCov: Full, Whiten: whiten}
		f := newFixture(t, dev, c)
		f.pass, f.step.KLWeight = f.m.NewWorkspace(1, n), device.Scalar{Value: 1}
		f.naive.rows = nil
		for i := range int32(n) {
			f.naive.rows = append(f.naive.rows, i)
		}
		dev.UploadInts(f.pass.Rows(), f.naive.rows)
		f.value(t)
		f.m.NaturalStep(device.Scalar{Value: 1})
		bound := f.value(t)

		alpha, noise := math.Exp(f.naive.params["gp.log_alpha"][0]),
			math.Exp(f.naive.params["likelihood.log_variance"][0])
		psi := f.naive.projections()
		y := mat.NewVecDense(n, f.naive.y)
		covariance := mat.NewSymDense(n, nil) // covariance of y
		slack := 0.0
		for a := range n {
			for b := range n {
				covariance.SetSym(a, b, mat.Dot(psi.ColView(a), psi.ColView(b)))
			}
			slack += alpha - covariance.At(a, a)
			covariance.SetSym(a, a, covariance.At(a, a)+noise)
		}
		var chol mat.Cholesky
		var solved mat.VecDense
		if !chol.Factorize(covariance) || chol.SolveVecTo(&solved, y) != nil {
			t.Fatal("the covariance of y cannot be factorised")
		}
		want := -0.5*(mat.Dot(y, &solved)+chol.LogDet()+n*math.Log(2*math.Pi)) - slack/(2*noise)
		if math.Abs(bound-want) > 1e-8*math.Abs(want) {
			t.Errorf("whiten %v: the bound is %.12g, the best is %.12g", whiten, bound, want)
		}
		if whiten {
			bestMean, bestFactor := best(t, psi, y, noise)
			near(t, f.m, "gp.q_mu", bestMean)
			near(t, f.m, "gp.q_sqrt", bestFactor)
		}
	}
}

// projections computes Ψ [M,N]: the mean of row n is linear in the whitened m.
func (v *naive) projections() *mat.Dense {
	c, params := v.cfg, v.params
	w := *v
	w.cfg.Whiten, w.params = true, map[string][]float64{}
	for name, values := range params {
		w.params[name] = values
	}
	psi := mat.NewDense(c.Inducing, len(v.rows), nil)
	for i := range c.Inducing {
		w.params["gp.q_mu"] = make([]float64, c.Inducing)
		w.params["gp.q_mu"][i] = 1
		mean, _, _ := w.gpLayer()
		for n := range v.rows {
			psi.Set(i, n, mean[n][0])
		}
	}
	return psi
}

// best computes the mean and the Cholesky factor of the best whitened q(F̄).
func best(t *testing.T, psi *mat.Dense, y *mat.VecDense, noise float64) (mean, factor []float64) {
	m, _ := psi.Dims()
	var gram mat.Dense
	gram.Mul(psi, psi.T())
	precision := mat.NewSymDense(m, nil)
	for a := range m {
		for b := range m {
			precision.SetSym(a, b, gram.At(a, b)/noise)
		}
		precision.SetSym(a, a, precision.At(a, a)+1)
	}
	var chol, root mat.Cholesky
	var s mat.SymDense
	if !chol.Factorize(precision) || chol.InverseTo(&s) != nil || !root.Factorize(&s) {
		t.Fatal("the best precision cannot be factorised")
	}
	var mu mat.VecDense
	mu.MulVec(psi, y)
	mu.MulVec(&s, &mu)
	mu.ScaleVec(1/noise, &mu)
	var l mat.TriDense
	root.LTo(&l)
	for a := range m {
		mean = append(mean, mu.AtVec(a))
		for b := range m {
			factor = append(factor, l.At(a, b))
		}
	}
	return mean, factor
}

func near(t *testing.T, m *Model, name string, want []float64) {
	t.Helper()
	for _, n := range m.Export() {
		for i := range n.Data {
			if n.Name == name && math.Abs(n.Data[i]-want[i]) > 1e-8 {
				t.Errorf("%s[%d] is %.12g, want %.12g", name, i, n.Data[i], want[i])
			}
		}
	}
}

// A natural step allocates nothing, leaves all but q(F̄) alone, and a small one raises the bound on a whole batch, in
// every form of q(F̄).
func TestNaturalStep(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for _, c := range configs() {
		if c.Model != GPDRF || !c.freezesAll() {
			continue
		}
		t.Run(c.testName(), func(t *testing.T) {
			f := newFixture(t, dev, c)
			before := f.value(t)
			f.m.NaturalStep(device.Scalar{Value: 1e-9})
			if after := f.value(t); !(after > before) {
				t.Errorf("the bound goes from %.10g to %.10g", before, after)
			}
			moved := make([]float64, len(f.flat))
			dev.Download(moved, f.m.params.Value)
			for i, v := range moved {
				if f.blockOf(i).Role != InducingOutputs && v != f.flat[i] {
					t.Fatalf("%s[%d] has moved", f.blockOf(i).Name, i)
				}
			}
			if n := must.AllocsPerRun(1, func() { f.m.NaturalStep(device.Scalar{Value: 1e-3}) }); n > 0 {
				t.Errorf("it allocates %g times", n)
			}
		})
	}
}
