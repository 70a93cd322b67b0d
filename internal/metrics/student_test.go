package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// One component of Student's t is that distribution, in every score.
func TestStudentComponent(t *testing.T) {
	for _, dof := range []float64{2.05, 3, 8.5, 400} {
		want := distuv.StudentsT{Mu: 3, Sigma: 2, Nu: dof}
		m := Mixture{S: 1, N: 1, Mean: []float64{3}, Var: []float64{4}, Student: []*StudentT{NewStudentT(dof)}}
		for _, y := range []float64{-400, -3, 2.9, 3, 3.5, 11, 1e5} {
			check(t, "log density", m.LogDensity(0, y), want.LogProb(y), 1e-10)
			if got := m.CDF(0, y); math.Abs(got-want.CDF(y)) > 1e-11 {
				t.Errorf("ν = %g: CDF(%g) = %.15g, not %.15g", dof, y, got, want.CDF(y))
			}
			// Jordan, Krüger & Lerch 2019
			z := (y - 3) / 2
			crps := z*(2*want.CDF(y)-1) + 2*2*want.Prob(y)*(dof+z*z)/(dof-1) -
				2*math.Sqrt(dof)/(dof-1)*mathext.Beta(0.5, dof-0.5)/math.Pow(mathext.Beta(0.5, dof/2), 2)
			if got := m.CRPS(0, y); math.Abs(got-2*crps) > 1e-6*(1+math.Abs(2*crps)) {
				t.Errorf("ν = %g: CRPS(%g) = %.9g, not %.9g", dof, y, got, 2*crps)
			}
		}
		for _, p := range []float64{0.001, 0.3, 0.95} {
			check(t, "quantile", m.QuantileFunc(0)(p), want.Quantile(p), 1e-7)
		}
		if _, variance := m.Moments(0); math.Abs(variance-want.Variance()) > 1e-12*variance {
			t.Errorf("variance %g, not %g", variance, want.Variance())
		}
	}
}

// The CRPS of mixtures whose components have tails, or variances, of their own, by sampling; and the coverage of draws.
func TestMixturesOfOwnVariances(t *testing.T) {
	const s, n, dof = 3, 3000, 4.0
	for name, student := range map[string][]*StudentT{"normal": nil,
		"student": slices.Repeat([]*StudentT{NewStudentT(dof)}, s)} {
		rng := rand.New(rand.NewPCG(3, 4))
		m := Mixture{S: s, N: n, Mean: make([]float64, s*n), Var: make([]float64, s*n), Student: student}
		for i := range m.Mean {
			m.Mean[i], m.Var[i] = 3*rng.NormFloat64(), math.Exp(rng.NormFloat64())
		}
		draw := func(i int) float64 {
			k := rng.IntN(s)*n + i
			z := rng.NormFloat64()
			if student != nil {
				z = distuv.StudentsT{Sigma: 1, Nu: dof, Src: rng}.Rand()
			}
			return m.Mean[k] + math.Sqrt(m.Var[k])*z
		}
		y := make([]float64, n)
		for i := range y {
			y[i] = draw(i)
		}
		r := ScoreRegression(m, y, nil)
		for p, got := range map[float64]float64{0.5: r.Coverage50, 0.9: r.Coverage90, 0.95: r.Coverage95} {
			if math.Abs(got-p) > 4*math.Sqrt(p*(1-p)/n) {
				t.Errorf("%s: coverage %g of the %g interval", name, got, p)
			}
		}
		const draws = 200000
		sum, mean, square := 0.0, 0.0, 0.0
		for range draws {
			a, b := draw(0), draw(0)
			sum += (math.Abs(a-1)+math.Abs(b-1))/2 - math.Abs(a-b)/2
			mean += a / draws
			square += a * a / draws
		}
		check(t, name+" CRPS", m.CRPS(0, 1), sum/draws, 0.03)
		want, variance := m.Moments(0)
		if math.Abs(want-mean) > 0.05*math.Sqrt(variance) || math.Abs(variance-(square-mean*mean)) > 0.1*variance {
			t.Errorf("%s: moments %g and %g, of draws %g and %g", name, want, variance, mean, square-mean*mean)
		}
		if q := m.QuantileFunc(1)(0.9); math.Abs(m.CDF(1, q)-0.9) > 1e-9 {
			t.Errorf("%s: CDF of the quantile is %g", name, m.CDF(1, q))
		}
	}
}

func BenchmarkScoreStudent(b *testing.B) {
	benchmarkScore(b, 20, slices.Repeat([]*StudentT{NewStudentT(5)}, 100), 0.01)
}
