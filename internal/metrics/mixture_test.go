package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// bimodal returns a mixture with two narrow components far apart, and one row with equal components.
func bimodal() Mixture {
	return Mixture{S: 2, N: 2, Mean: []float64{-10, 3, 10, 3}, Var: []float64{0.01, 4}}
}

// TestCRPSBySampling: CRPS = E|X − y| − ½ E|X − X'|.
func TestCRPSBySampling(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := Mixture{S: 3, N: 1, Mean: []float64{-1, 0.5, 4}, Var: []float64{0.49}}
	draw := func() float64 { return m.Mean[rng.IntN(3)] + 0.7*rng.NormFloat64() }
	const y, draws = 1.3, 400000
	sum := 0.0
	for range draws {
		a, b := draw(), draw()
		sum += (math.Abs(a-y)+math.Abs(b-y))/2 - math.Abs(a-b)/2
	}
	check(t, "CRPS", m.CRPS(0, y), sum/draws, 0.005)
}

// TestSingleComponent: one component, or many equal ones, is a normal.
func TestSingleComponent(t *testing.T) {
	normal := distuv.Normal{Mu: 3, Sigma: 2}
	one := Mixture{S: 1, N: 1, Mean: []float64{3}, Var: []float64{4}}
	many := Mixture{S: 4, N: 1, Mean: []float64{3, 3, 3, 3}, Var: []float64{4}}
	for _, m := range []Mixture{one, many} {
		for _, y := range []float64{-40, 0, 3, 3.5, 20} {
			z := (y - 3) / 2
			check(t, "log density", m.LogDensity(0, y), normal.LogProb(y), 1e-13)
			check(t, "CDF", m.CDF(0, y), normal.CDF(y), 1e-13)
			check(t, "CRPS", m.CRPS(0, y), 2*(z*(2*normalCDF(z)-1)+2*normalPDF(z)-1/math.Sqrt(math.Pi)), 1e-13)
		}
		for _, p := range []float64{1e-9, 0.05, 0.5, 0.999} {
			check(t, "quantile", m.QuantileFunc(0)(p), normal.Quantile(p), 1e-9)
		}
		if mean, variance := m.Moments(0); mean != 3 || variance != 4 {
			t.Errorf("mean %g and variance %g, want 3 and 4", mean, variance)
		}
	}
}

// TestQuantileInverts the CDF, also in the flat stretch between two modes, where Newton's step alone would leave the
// bracket.
func TestQuantileInverts(t *testing.T) {
	m := bimodal()
	for p := 0.001; p < 1; p += 0.001 {
		q := m.QuantileFunc(0)(p)
		sd, slope := math.Sqrt(m.Var[0]), 0.0
		for s := range m.S {
			slope += normalPDF((q-m.Mean[s*m.N])/sd) / (sd * 2)
		}
		if err := math.Abs(m.CDF(0, q) - p); err > 1e-10*sd*slope+1e-14 {
			t.Fatalf("p = %.3f: CDF(%g) is off by %g", p, q, err)
		}
	}
	if q := m.QuantileFunc(0)(0.5); q < -10 || q > 10 {
		t.Errorf("median %g", q)
	}
}

// TestTails: no score overflows, underflows or turns to NaN far from the data.
func TestTails(t *testing.T) {
	m := bimodal()
	if lp := m.LogDensity(0, 1e6); lp > -1e13 || math.IsInf(lp, 0) || math.IsNaN(lp) {
		t.Errorf("the log density is %g, want a number below -1e13", lp)
	}
	check(t, "CRPS", m.CRPS(0, 1e9), 1e9, 1e-7)
	if p := m.CDF(0, -13.5); !(p > 0 && p < 1e-250) {
		t.Errorf("the lower tail is %g, want between 0 and 1e-250", p)
	}
	m.Mean[0] = math.NaN()
	for name, v := range map[string]float64{"density": m.LogDensity(0, 1), "CDF": m.CDF(0, 1),
		"quantile": m.QuantileFunc(0)(0.3), "CRPS": m.CRPS(0, 1)} {
		if !math.IsNaN(v) {
			t.Errorf("%s of a NaN mean is %g", name, v)
		}
	}
	if r := ScoreRegression(m, []float64{0, 0}, nil); !math.IsNaN(r.RMSE) || !math.IsNaN(r.NLPD) ||
		!math.IsNaN(r.CRPS) {
		t.Errorf("%+v", r)
	}
}

// TestCoverageByQuantiles: the shares count the targets between the quantiles, and, for targets drawn from the
// prediction, near the nominal ones.
func TestCoverageByQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const s, n = 5, 4000
	m := Mixture{S: s, N: n, Mean: make([]float64, s*n), Var: make([]float64, n)}
	y := make([]float64, n)
	for i := range m.Mean {
		m.Mean[i] = 2 * rng.NormFloat64()
	}
	for i := range n {
		m.Var[i] = 0.1 + rng.Float64()
		y[i] = m.Mean[rng.IntN(s)*n+i] + math.Sqrt(m.Var[i])*rng.NormFloat64()
	}
	r := ScoreRegression(m, y, nil)
	for p, got := range map[float64]float64{0.5: r.Coverage50, 0.9: r.Coverage90, 0.95: r.Coverage95} {
		inside := 0
		for i := range n {
			if at := m.QuantileFunc(i); at((1-p)/2) <= y[i] && y[i] <= at((1+p)/2) {
				inside++
			}
		}
		check(t, "coverage", got, float64(inside)/n, 1e-15)
		if math.Abs(got-p) > 4*math.Sqrt(p*(1-p)/n) {
			t.Errorf("coverage %g of the %g interval", got, p)
		}
	}
}

// TestScaledScores: scaling the scores is scoring the scaled prediction.
func TestScaledScores(t *testing.T) {
	m := Mixture{S: 2, N: 3, Mean: []float64{1, 2, 3, 1.5, 2.5, 0}, Var: []float64{1, 0.5, 2}}
	y := []float64{1, 4, 2}
	const sd = 17.5
	big := Mixture{S: 2, N: 3, Mean: make([]float64, 6), Var: make([]float64, 3)}
	bigY := make([]float64, 3)
	for i, v := range m.Mean {
		big.Mean[i] = sd*v - 400
	}
	for i := range y {
		big.Var[i], bigY[i] = sd*sd*m.Var[i], sd*y[i]-400
	}
	checkRegression(t, ScoreRegression(m, y, nil).InUnits(sd), ScoreRegression(big, bigY, nil))
}

func BenchmarkScoreRegression(b *testing.B) {
	b.Run("bare", func(b *testing.B) { benchmarkScore(b, 100, nil, 0) })
	b.Run("completed", func(b *testing.B) { benchmarkScore(b, 100, nil, 0.01) })
}

// benchmarkScore scores n rows of 100 samples each, with normal noise where student is nil.
func benchmarkScore(b *testing.B, n int, student []*StudentT, tailShare float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	const s = 100
	m := Mixture{S: s, N: n, Mean: make([]float64, s*n), Var: make([]float64, n), Student: student,
		TailShare: tailShare}
	for i := range m.Mean {
		m.Mean[i] = rng.NormFloat64()
	}
	for i := range m.Var {
		m.Var[i] = 0.5
	}
	y := make([]float64, n)
	for b.Loop() {
		ScoreRegression(m, y, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
}
