package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rows returns densities of n rows of normal predictions with standard deviation sd, whose errors are draws times sd.
func rows(n int, sd float64, draw func() float64) Densities {
	m, y := Mixture{S: 1, N: n, Mean: make([]float64, n), Var: make([]float64, n)}, make([]float64, n)
	for i := range y {
		m.Var[i], y[i] = sd*sd, sd*draw()
	}
	return RegressionDensities(m, y)
}

func TestMemorised(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where TestScoresOnThreads has the threads")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	times := func(factor float64) func() float64 {
		return func() float64 { return factor * rng.NormFloat64() }
	}
	few := func() float64 { // one row of 25 at the density e⁻¹⁰⁰⁰
		if rng.IntN(25) == 0 {
			return math.Sqrt(2000)
		}
		return 2 * rng.NormFloat64()
	}
	// Student's t of 2 degrees of freedom, which has no variance, scored by normals.
	heavy := func() float64 {
		return rng.NormFloat64() / math.Sqrt(rng.ExpFloat64())
	}
	for _, c := range []struct {
		what         string
		seen, unseen func() Densities
		most, least  int // bounds of the number of flagged draws, out of 200
	}{
		{"memorised", func() Densities { return rows(1000, 0.1, times(1)) },
			func() Densities { return rows(100, 0.1, times(7)) }, 200, 200},
		{"memorised, few rows", func() Densities { return rows(180, 0.1, times(1)) },
			func() Densities { return rows(20, 0.1, times(4)) }, 200, 199},
		{"memorised, with outliers", func() Densities { return rows(1000, 0.1, times(1)) },
			func() Densities { return rows(50, 0.1, few) }, 200, 195},
		{"twice too sure", func() Densities { return rows(2000, 0.1, times(1)) },
			func() Densities { return rows(2000, 0.1, times(2)) }, 200, 200},
		{"calibrated", func() Densities { return rows(2000, 0.1, times(1)) },
			func() Densities { return rows(2000, 0.1, times(1)) }, 0, 0},
		{"calibrated, few rows", func() Densities { return rows(180, 0.1, times(1)) },
			func() Densities { return rows(20, 0.1, times(1)) }, 1, 0},
		{"an honest interpolator", func() Densities { return rows(180, 1e-3, times(0.9)) },
			func() Densities { return rows(20, 1, times(1)) }, 1, 0},
		{"heavy tails", func() Densities { return rows(2000, 1, heavy) },
			func() Densities { return rows(200, 1, heavy) }, 1, 0},
		{"heavy tails, few rows", func() Densities { return rows(180, 1, heavy) },
			func() Densities { return rows(20, 1, heavy) }, 2, 0},
		{"too sure of all rows", func() Densities { return rows(1000, 0.1, times(3)) },
			func() Densities { return rows(1000, 0.1, times(3)) }, 0, 0},
		{"hardly too sure", func() Densities { return rows(2000, 0.1, times(1)) },
			func() Densities { return rows(2000, 0.1, times(1.15)) }, 0, 0},
		{"too few rows to tell", func() Densities { return rows(1000, 0.1, times(1)) },
			func() Densities { return rows(4, 0.1, times(1.5)) }, 2, 0},
		{"two rows", func() Densities { return rows(1000, 0.1, times(1)) },
			func() Densities { return rows(2, 0.1, times(1000)) }, 0, 0},
		{"one row", func() Densities { return rows(1000, 0.1, times(1)) },
			func() Densities { return rows(1, 0.1, times(1000)) }, 0, 0},
	} {
		flagged := 0
		for range 200 {
			if Memorised(c.seen(), c.unseen()) {
				flagged++
			}
		}
		if flagged < c.least || flagged > c.most {
			t.Errorf("%s: flagged %d times of 200, not %d to %d", c.what, flagged, c.least, c.most)
		}
	}
}

// Few rows of next to no density make a standard error as large as the gap, and do not hide it.
func TestOutliersHideNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	seen := rows(1000, 0.1, rng.NormFloat64)
	unseen := rows(50, 0.1, func() float64 { return 3 * rng.NormFloat64() })
	unseen.Log[7] = -1e4
	if gap, se := GeneralisationGap(seen, unseen); gap > 3*se || !Memorised(seen, unseen) {
		t.Errorf("gap %g ± %g, memorised %v", gap, se, Memorised(seen, unseen))
	}
}

func TestGap(t *testing.T) {
	gap, se := GeneralisationGap(Densities{Log: []float64{1, 2, 3}}, Densities{Log: []float64{-1, 1}})
	check(t, "gap", gap, 2, 1e-15)
	check(t, "its error", se, math.Sqrt(1.0/3+2.0/2), 1e-15)
	mean, se := MeanStdErr([]float64{1, 2, 3})
	check(t, "mean", mean, 2, 1e-15)
	check(t, "its error", se, math.Sqrt(1.0/3), 1e-15)
	if _, se := GeneralisationGap(Densities{Log: []float64{1, 2}}, Densities{Log: []float64{3}}); !math.IsNaN(se) {
		t.Errorf("a single row has the error %g", se)
	}
}

// The mean of the densities equals the scores', and the expectation is the mean over draws of the prediction, or below
// it.
func TestDensities(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where TestScoresOnThreads has the threads")
	}
	const n, draws = 40, 4000
	for name, m := range map[string]Mixture{
		"normal":  {S: 1, N: n},
		"mixture": {S: 5, N: n},
		"student": {S: 5, N: n, Student: slices.Repeat([]*StudentT{NewStudentT(5)}, 5)},
	} {
		rng := rand.New(rand.NewPCG(5, 6))
		m.Mean, m.Var = make([]float64, m.S*n), make([]float64, n)
		for i := range m.Mean {
			m.Mean[i] = rng.NormFloat64()
		}
		y, sampled := make([]float64, n), 0.0
		for i := range y {
			m.Var[i], y[i] = math.Exp(rng.NormFloat64()), rng.NormFloat64()
			for range draws {
				sampled += m.LogDensity(i, m.ComponentQuantile(rng.IntN(m.S), i, rng.NormFloat64())) / (n * draws)
			}
		}
		d := RegressionDensities(m, y)
		check(t, name, mean(d.Log), -ScoreRegression(m, y, nil).NLPD, 1e-13)
		if expected := mean(d.Expected); expected > sampled+0.01 || expected < sampled-0.25 ||
			m.S == 1 && expected < sampled-0.01 {
			t.Errorf("%s: expected %g, and %g of draws", name, expected, sampled)
		}
		twice := MeanDensities([]Densities{d, {Log: d.Expected, Expected: d.Log}})
		check(t, name+", two targets", twice.Log[3], (d.Log[3]+d.Expected[3])/2, 1e-15)
		check(t, name+", two targets", twice.Expected[3], twice.Log[3], 1e-15)
	}

	rng := rand.New(rand.NewPCG(7, 8))
	logits, labels := make([]float64, 5*n*3), make([]int32, n)
	for i := range logits {
		logits[i] = rng.NormFloat64()
	}
	for i := range labels {
		labels[i] = int32(rng.IntN(3))
	}
	d := ClassDensities(logits, 5, n, 3, labels)
	check(t, "labels", mean(d.Log), -ScoreClassification(logits, 5, n, 3, labels, nil).NLL, 1e-13)
	p, want := Probabilities(logits, 5, n, 3), 0.0
	for _, p := range p[3:6] {
		want += p * math.Log(p)
	}
	check(t, "entropy", d.Expected[1], want, 1e-13)
	sure := ClassDensities([]float64{0, 2000}, 1, 1, 2, []int32{1})
	if sure.Log[0] != 0 || sure.Expected[0] != 0 {
		t.Errorf("a sure class has %+v", sure)
	}
}

func mean(x []float64) float64 {
	m, _ := MeanStdErr(x)
	return m
}
