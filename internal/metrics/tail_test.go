package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The tail component is Student's t of 3 degrees of freedom and variance 1.
func TestOuterIsStudent(t *testing.T) {
	want := distuv.StudentsT{Sigma: 1 / math.Sqrt(3), Nu: 3}
	for _, z := range []float64{-1e6, -40, -9, -7.5, -3, -0.2, 0, 1e-3, 0.7, 2, 30, 1e5} {
		check(t, "log density", tailLogDensity(z), want.LogProb(z), 1e-12)
		check(t, "density", math.Log(tailDensity(z)), want.LogProb(z), 1e-12)
		if got := tailCDF(z); math.Abs(got/want.CDF(z)-1) > 1e-9 {
			t.Errorf("CDF(%g) is %.15g, want %.15g", z, got, want.CDF(z))
		}
		student := NewStudentT(3)
		check(t, "distance", tailDistance(z), student.meanDistance(z*math.Sqrt(3))/math.Sqrt(3), 1e-10)
	}
	for _, p := range []float64{1e-300, 1e-15, 1e-9, 1e-4, 0.05, 0.3, 0.5, 0.8, 0.999, 1 - 1e-9} {
		back := tailCDF(tailQuantile(p))
		if p > 0.5 {
			back, p = tailCDF(-tailQuantile(p)), 1-p
		}
		if !(math.Abs(back/p-1) < 1e-12) {
			t.Errorf("quantile of %g is that of %g", p, back)
		}
	}
	if tailCDF(math.Inf(-1)) != 0 || tailCDF(math.Inf(1)) != 1 {
		t.Error("infinity is not the end")
	}
}

// completed returns mixtures of S components of each kind, with a tail component.
func completed(size int, rng *rand.Rand) map[string]Mixture {
	one := Mixture{S: size, N: 1, Mean: make([]float64, size), Var: []float64{0.3 * rng.Float64()}, TailShare: 0.01}
	own := one
	own.Var, own.Weight = make([]float64, size), make([]float64, size)
	total := 0.0
	for s := range size {
		one.Mean[s], own.Var[s] = rng.NormFloat64(), 0.1*math.Exp(rng.NormFloat64())
		own.Weight[s] = 0.1 + rng.Float64()
		total += own.Weight[s]
	}
	for s := range size {
		own.Weight[s] /= total
	}
	alike := own
	alike.Weight = nil
	both := own
	both.Student = slices.Repeat([]*StudentT{NewStudentT(2.5), nil}, size)[:size]
	return map[string]Mixture{"one variance": one, "own variances": alike, "weighted": own, "both kinds": both}
}

// Far from its mean a mixture is no less dense than the normal of its moments, whatever it mixes.
func TestOuterBound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where TestScoresOnThreads has the threads")
	}
	rng := rand.New(rand.NewPCG(8, 8))
	for _, size := range []int{2, 3, 10, 100, 1000} {
		for name, m := range completed(size, rng) {
			mean, variance := m.Moments(0)
			sd := math.Sqrt(variance)
			normal := distuv.Normal{Mu: mean, Sigma: sd}
			for z := 4.6; z < 1e200; z *= 1.5 {
				for _, y := range []float64{mean - z*sd, mean + z*sd} {
					if got := m.LogDensity(0, y); !(got >= normal.LogProb(y)) || math.IsInf(got, 0) {
						t.Fatalf("%d, %s: log density %g at %g sd, of the normal %g", size, name, got, z,
							normal.LogProb(y))
					}
				}
			}
			if got := m.LogDensity(0, math.Inf(1)); !math.IsInf(got, -1) {
				t.Errorf("%d, %s: log density %g at infinity", size, name, got)
			}
			bare := m
			bare.TailShare = 0
			for z := -5.0; z < 5; z += 0.1 {
				if loss := bare.LogDensity(0, mean+z*sd) - m.LogDensity(0, mean+z*sd); loss > 0.0101 {
					t.Fatalf("%d, %s: %g nats are lost at %g", size, name, loss, z)
				}
			}
		}
	}
}

// The completed density has the integral 1, the moments of its S components, the CDF and the CRPS of their definitions;
// and the quantile inverts the CDF.
func TestCompletedDensity(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where TestScoresOnThreads has the threads")
	}
	for name, m := range completed(30, rand.New(rand.NewPCG(9, 9))) {
		bare := m
		bare.TailShare = 0
		want, variance := m.Moments(0)
		const y, reach, step = 0.7, 14, 0.0025
		total, mean, square, crps := 0.0, 0.0, 0.0, 0.0
		for u := -reach + step/2; u < reach; u += step { // substitutes at = y + sinh u
			at, width := y+math.Sinh(u), math.Cosh(u)*step
			mass := math.Exp(m.LogDensity(0, at)) * width
			if total += mass; math.Abs(m.CDF(0, y+math.Sinh(u+step/2))-total) > 1e-4 {
				t.Fatalf("%s: CDF(%g) is %g, not %g", name, at, m.CDF(0, at), total)
			}
			mean, square = mean+at*mass, square+(at-want)*(at-want)*mass
			off := m.CDF(0, at)
			if u > 0 {
				off = m.survival(0, at)
			}
			crps += off * off * width
		}
		check(t, name+", integral", total, 1, 1e-6)
		check(t, name+", mean", mean, want, 1e-5)
		// whose t of 2.5 degrees of freedom has more of its variance outside
		if name != "both kinds" {
			check(t, name+", variance", square, variance, 1e-3)
		}
		check(t, name+", CRPS", m.CRPS(0, y), crps, 2e-5)
		if a, b := bare.MeanComponentVariance(0), m.MeanComponentVariance(0); a != b {
			t.Errorf("%s: %g is within, without the tail component %g", name, b, a)
		}
		for _, p := range []float64{1e-7, 0.01, 0.05, 0.5, 0.9, 0.999} {
			check(t, name+", CDF of the quantile", m.CDF(0, m.QuantileFunc(0)(p)), p, 1e-9)
		}
	}
}

// The trapezoid rule for E E|T − Y|, against one of far finer steps.
func TestMeanOuterDistance(t *testing.T) {
	for _, sd := range []float64{0, 1e-6, 0.1, 0.5, 0.9, 1, 2, 30} {
		for mean := -3.0; mean < 3; mean += 0.1 {
			want, weights := 0.0, 0.0
			for x := -9.0; x < 9; x += 0.002 {
				want += normalPDF(x) * tailDistance(mean+sd*x)
				weights += normalPDF(x)
			}
			got, slope := meanTailDistance(mean, sd)
			check(t, fmt.Sprintf("mean %g, deviation %g", mean, sd), got, want/weights, 3e-4)
			above, _ := meanTailDistance(mean+1e-5, sd)
			below, _ := meanTailDistance(mean-1e-5, sd)
			check(t, fmt.Sprintf("slope at %g, deviation %g", mean, sd), slope, (above-below)/2e-5, 1e-6)
		}
	}
}

// One variance and as many equal ones give the same CRPS.
func TestDistancesInterpolated(t *testing.T) {
	for _, size := range []int{2, 20, 100, 1000} {
		m := completed(size, rand.New(rand.NewPCG(1, uint64(size))))["one variance"]
		own := m
		own.Var = slices.Repeat(m.Var, size)
		for _, y := range []float64{-3, 0.1, 20} {
			check(t, "CRPS", m.CRPS(0, y), own.CRPS(0, y), 2e-6)
		}
	}
}

// Draws have the distribution of the whole.
func TestDrawsOfOuter(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, where TestScoresOnThreads has the threads")
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for name, m := range completed(4, rng) {
		m.TailShare = 0.3
		const draws = 20000
		for _, p := range []float64{0.01, 0.3, 0.5, 0.95} {
			below, q := 0.0, m.QuantileFunc(0)(p)
			for range draws {
				if m.ComponentQuantile(m.SampleComponent(rng.Float64()), 0, rng.NormFloat64()) <= q {
					below++
				}
			}
			if math.Abs(below/draws-p) > 4*math.Sqrt(p*(1-p)/draws) {
				t.Errorf("%s: %g of the draws are below the quantile at %g", name, below/draws, p)
			}
		}
	}
}
