package metrics

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// countCase is a mixture with its values by scipy: testdata/counts.py.
type countCase struct {
	Rates, Dispersions, Weights, Y, Levels, Log, CDF, Quantiles, CRPS []float64
	Mean, Within, Variance                                            float64
}

func (r countCase) counts() CountMixture {
	c := CountMixture{S: len(r.Rates), N: 1, Dispersion: r.Dispersions, Weight: r.Weights}
	for _, rate := range r.Rates {
		c.LogRate = append(c.LogRate, math.Log(rate))
	}
	return c
}

// Every value agrees with scipy; a CRPS of very many counts to two thousandths.
func TestCountsOfScipy(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/counts.json"))(t)
	var cases []countCase
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatal(err)
	}
	for _, r := range cases {
		c := r.counts()
		mean, variance := c.Moments(0)
		check(t, "mean", mean, r.Mean, 1e-12)
		check(t, "variance", variance, r.Variance, 1e-12)
		check(t, "within", c.MeanComponentVariance(0), r.Within, 1e-12)
		tolerance := 1e-9
		if r.Variance > 1e5 {
			tolerance = 2e-3
		}
		for i, y := range r.Y {
			check(t, "log probability", c.LogDensity(0, y), r.Log[i], 1e-9)
			check(t, "CDF", c.CDF(0, y), r.CDF[i], 1e-9)
			check(t, "CRPS", c.CRPS(0, y), r.CRPS[i], tolerance)
		}
		quantile := c.QuantileFunc(0)
		for i, p := range r.Levels {
			if got := quantile(p); got != r.Quantiles[i] {
				t.Errorf("rates %v: quantile %g is %g, want %g", r.Rates, p, got, r.Quantiles[i])
			}
		}
	}
}

// naiveLog computes log q(y) straight from the gamma function.
func naiveLog(rate, dispersion, y float64) float64 {
	lgamma := func(x float64) float64 { l, _ := math.Lgamma(x); return l }
	if dispersion == 0 {
		return y*math.Log(rate) - rate - lgamma(y+1)
	}
	r := 1 / dispersion
	return lgamma(y+r) - lgamma(r) - lgamma(y+1) - r*math.Log1p(rate/r) + y*math.Log(rate/(r+rate))
}

// TestCountsByLoops: probabilities by their formula sum to the CDF, the moments and the CRPS.
func TestCountsByLoops(t *testing.T) {
	for _, dispersion := range []float64{0, 1e-3, 0.4, 2.5} {
		for _, rate := range []float64{0.05, 0.9, 7, 55} {
			c := CountMixture{S: 1, N: 1, LogRate: []float64{math.Log(rate)}, Dispersion: []float64{dispersion}}
			const top, y = 6000, 9
			cdf, mean, crps := 0.0, 0.0, 0.0
			for k := range top {
				p := math.Exp(naiveLog(rate, dispersion, float64(k)))
				check(t, "probability", math.Exp(c.LogDensity(0, float64(k))), p, 1e-10)
				cdf, mean = cdf+p, mean+p*float64(k)
				if k < 100 {
					check(t, "CDF", c.CDF(0, float64(k)), cdf, 1e-10)
				}
				if k < y {
					crps += cdf * cdf
				} else {
					crps += (1 - cdf) * (1 - cdf)
				}
			}
			m, _ := c.Moments(0)
			check(t, "mean", m, mean, 1e-8)
			check(t, "CRPS", c.CRPS(0, y), crps, 1e-8)
			below, upTo := c.PIT(0, y)
			check(t, "below", below, c.CDF(0, y-1), 1e-12)
			check(t, "up to", upTo, c.CDF(0, y), 0)
		}
	}
}

// TestQuantilesOfCounts: quantiles are the least counts that reach a level, also far out.
func TestQuantilesOfCounts(t *testing.T) {
	for _, c := range []CountMixture{
		{S: 2, N: 1, LogRate: []float64{-5, 3}, Dispersion: []float64{0, 0.7}},
		{S: 1, N: 1, LogRate: []float64{14}, Dispersion: []float64{0}},
		{S: 2, N: 1, LogRate: []float64{20, 2}, Dispersion: []float64{1.5, 0}, Weight: []float64{0.9, 0.1}},
	} {
		for _, p := range []float64{1e-12, 0.01, 0.3, 0.5, 0.95, 1 - 1e-9} {
			y := c.QuantileFunc(0)(p)
			if y != math.Floor(y) || c.CDF(0, y) < p-1e-9 || y > 0 && c.CDF(0, y-1) >= p+1e-9 {
				t.Errorf("%v: quantile %g is %g between %g and %g", c.LogRate, p, y, c.CDF(0, y-1), c.CDF(0, y))
			}
		}
	}
}

// TestCoverageOfCounts: intervals between whole quantiles hold at least their level, and exactly their level for large
// counts.
func TestCoverageOfCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for _, log := range []float64{0.5, 5} {
		const n = 4000
		c := CountMixture{S: 1, N: n, Dispersion: []float64{0.1}}
		y := make([]float64, n)
		for i := range n {
			c.LogRate = append(c.LogRate, log+rng.Float64())
			y[i] = c.ComponentQuantile(0, i, rng.NormFloat64())
		}
		r := ScoreRegression(c, y, nil)
		if slack := 0.02; r.Coverage90 < 0.9-slack || log == 5 && r.Coverage90 > 0.9+slack {
			t.Errorf("log rates from %g: %g of the targets are in 90 %% intervals", log, r.Coverage90)
		}
	}
}

// TestHugeCounts: rates beyond all counts take no time and give no NaN, and a NaN stays one.
func TestHugeCounts(t *testing.T) {
	begun := time.Now()
	for _, log := range []float64{-400, -30, 27, 60, 500} {
		for _, dispersion := range []float64{0, 1e-6, 1, 1e4} {
			c := CountMixture{S: 2, N: 1, LogRate: []float64{log, 1}, Dispersion: []float64{dispersion, 0}}
			mean, variance := c.Moments(0)
			for name, v := range map[string]float64{"mean": mean, "variance": variance, "density": c.LogDensity(0, 3),
				"CDF": c.CDF(0, 3), "CRPS": c.CRPS(0, 3), "quantile": c.QuantileFunc(0)(0.9),
				"draw": c.ComponentQuantile(0, 0, 1.5)} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("log rate %g, dispersion %g: %s %g", log, dispersion, name, v)
				}
			}
		}
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	c := CountMixture{S: 1, N: 1, LogRate: []float64{math.NaN()}, Dispersion: []float64{0}}
	for name, v := range map[string]float64{"density": c.LogDensity(0, 1), "CDF": c.CDF(0, 1),
		"quantile": c.QuantileFunc(0)(0.3), "CRPS": c.CRPS(0, 1)} {
		if !math.IsNaN(v) {
			t.Errorf("%s of a NaN rate is %g", name, v)
		}
	}
	one := CountMixture{S: 1, N: 1, LogRate: []float64{1}, Dispersion: []float64{0}}
	for _, y := range []float64{-1, 0.5, math.Inf(1)} {
		if p := one.LogDensity(0, y); !math.IsInf(p, -1) {
			t.Errorf("log density %g of %g", p, y)
		}
	}
}

// TestCountFarAboveItsRate: the log probability of a huge count keeps its digits where its rate is next to 0 and the
// dispersion is large.
func TestCountFarAboveItsRate(t *testing.T) {
	const y = 1e12
	for _, dispersion := range []float64{1, 1e3, 1e5, 1e8} {
		for _, log := range []float64{-20, -8, -1} {
			c := CountMixture{S: 1, N: 1, LogRate: []float64{log}, Dispersion: []float64{dispersion}}
			want := naiveLog(math.Exp(log), dispersion, y)
			check(t, "log probability", c.LogDensity(0, y), want, 1e-5)
		}
	}
}

func BenchmarkScoreCounts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, log := range map[string]float64{"tens": 3, "thousands": 8} {
		b.Run(name, func(b *testing.B) {
			const s, n = 100, 20
			c := CountMixture{S: s, N: n, Dispersion: make([]float64, s)}
			y := make([]float64, n)
			for range s * n {
				c.LogRate = append(c.LogRate, log+0.3*rng.NormFloat64())
			}
			for b.Loop() {
				ScoreRegression(c, y, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}

// Quantiles and the CRPS of large rates have the proportions of their limits: with dispersion those of a gamma variable
// of mean 1, without those of a normal one. A tiny dispersion makes a Poisson.
func TestLargeCounts(t *testing.T) {
	of := func(log, dispersion float64) (c CountMixture, quantile func(float64) float64, mean float64) {
		c = CountMixture{S: 1, N: 1, LogRate: []float64{log}, Dispersion: []float64{dispersion}}
		mean, _ = c.Moments(0)
		return c, c.QuantileFunc(0), mean
	}
	for log := 10.0; log <= 100; log++ {
		for _, c := range []struct{ dispersion, low, median, high, crps float64 }{
			{0.1, 0.54254057, 0.96687146, 1.57052164, 0.32824515}, // scipy.stats.gamma(10, scale=0.1)
			{1, -math.Log1p(-0.05), math.Ln2, -math.Log(0.05), 0.21306238},
		} {
			counts, quantile, mean := of(log, c.dispersion)
			check(t, "quantile 0.05", quantile(0.05)/mean, c.low, 1e-3)
			check(t, "median", quantile(0.5)/mean, c.median, 1e-3)
			check(t, "quantile 0.95", quantile(0.95)/mean, c.high, 1e-3)
			check(t, "CRPS", counts.CRPS(0, math.Floor(mean/2))/mean, c.crps, 1e-3)
			check(t, "draw", counts.ComponentQuantile(0, 0, 0)/mean, c.median, 1e-3)
		}
		_, poisson, mean := of(log, 0)
		check(t, "quantile of a Poisson", poisson(0.95), mean+1.6449*math.Sqrt(mean), 1/mean+1e-5)
		if _, close, _ := of(log, 1e-12); log < 20 {
			check(t, "quantile of a tiny dispersion", close(0.95), poisson(0.95), 1e-4)
		}
	}
}
