package metrics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// CountMixture is the predictive distribution of N rows whose targets are counts 0, 1, 2, …: for row n
//
//	P(y) = Σ_s w_s q_s(y),   w_s = 1/S or Weight[s]
//
// Component s has the mean λ = exp(LogRate[s·N+n]). It is a Poisson if Dispersion[s] is 0, and otherwise a negative
// binomial of variance λ + Dispersion[s] λ². If a log rate is NaN, every score is NaN.
type CountMixture struct {
	S, N       int
	LogRate    []float64 // [S,N]
	Dispersion []float64 // [S]
	Weight     []float64 // [S], with sum 1; nil for equal weights
}

// maxLogRate bounds a log rate, up and down, so that the square of a rate is finite.
const maxLogRate = 300

// weight returns w_s.
func (c CountMixture) weight(s int) float64 {
	if c.Weight == nil {
		return 1 / float64(c.S)
	}
	return c.Weight[s]
}

// component returns component s of row n.
func (c CountMixture) component(s, n int) countComponent {
	log := max(-maxLogRate, min(c.LogRate[s*c.N+n], maxLogRate))
	return countComponent{math.Exp(log), log, c.Dispersion[s]}
}

// ComponentMean returns the mean of component s of row n.
func (c CountMixture) ComponentMean(s, n int) float64 { return c.component(s, n).rate }

// Moments returns row n's mean Σ w_s λ_s, and its variance, MeanComponentVariance + Σ w_s (λ_s − mean)².
func (c CountMixture) Moments(n int) (mean, variance float64) {
	for s := range c.S {
		mean += c.weight(s) * c.ComponentMean(s, n)
	}
	for s := range c.S {
		d := c.ComponentMean(s, n) - mean
		variance += c.weight(s) * d * d
	}
	return mean, c.MeanComponentVariance(n) + variance
}

// MeanComponentVariance returns the mean of the variances of row n's components: the noise of counts whose rates are
// known.
func (c CountMixture) MeanComponentVariance(n int) (variance float64) {
	for s := range c.S {
		variance += c.weight(s) * c.component(s, n).variance()
	}
	return variance
}

// LogDensity returns log P(y) of row n, by counting measure: −∞ if y is no count.
func (c CountMixture) LogDensity(n int, y float64) float64 {
	logs := make([]float64, c.S)
	for s := range logs {
		logs[s] = c.component(s, n).logProbability(y)
	}
	return LogSumExp(logs, c.weight, 1)
}

// CDF returns the probability that row n's target is at most y.
func (c CountMixture) CDF(n int, y float64) (p float64) {
	for s := range c.S {
		p += c.weight(s) * c.component(s, n).cdf(math.Floor(y))
	}
	return min(p, 1)
}

// PIT returns the probability integral transform of the count y in row n: the probabilities of less than y, and of at
// most y.
func (c CountMixture) PIT(n int, y float64) (below, upTo float64) {
	upTo = c.CDF(n, y)
	return max(0, upTo-math.Exp(c.LogDensity(n, y))), upTo
}

// SampleComponent returns the component that a number u from 0 to 1 chooses: s with probability w_s.
func (c CountMixture) SampleComponent(u float64) int {
	for s := range c.S {
		if u -= c.weight(s); u < 0 {
			return s
		}
	}
	return c.S - 1
}

// ComponentQuantile returns the quantile of component s of row n at Φ(z): a draw, if z is a standard normal.
func (c CountMixture) ComponentQuantile(s, n int, z float64) float64 {
	one := CountMixture{S: 1, N: 1, LogRate: c.LogRate[s*c.N+n:][:1], Dispersion: c.Dispersion[s : s+1]}
	return one.search(0, normalCDF(z), -1, math.Ceil(one.component(0, 0).upperBound()))
}

// countComponent is the distribution of one component.
type countComponent struct{ rate, log, dispersion float64 }

// variance returns λ + δλ².
func (c countComponent) variance() float64 { return c.rate * (1 + c.dispersion*c.rate) }

// upperBound returns an upper bound on almost all counts: the tail of a negative binomial falls off as exp(−y/(1 +
// δλ)).
func (c countComponent) upperBound() float64 {
	return c.rate + 9*math.Sqrt(c.variance()) + 20*(1+c.dispersion*c.rate)
}

// lowerBound returns a lower bound on almost all counts.
func (c countComponent) lowerBound() float64 {
	return max(0, math.Floor(c.rate-9*math.Sqrt(c.variance())))
}

// logProbability returns log q(y). With r = 1/δ, and Stirling's error e(x) = log Γ(x+1) − log(√(2πx) (x/e)ˣ), it is
//
//	y log(λ/y) − λ + y − e(y) − ½ log(2πy)                                                    Poisson
//	log(r/(r+y)) + r log((r+y)/(r+λ)) + y log(λ(r+y)/(y(r+λ)))                      negative binomial
//	  + e(r+y) − e(r) − e(y) + ½ log((r+y)/(2πry))
//
// in which no two large terms cancel. (Loader 2000)
func (c countComponent) logProbability(y float64) float64 {
	switch {
	case math.IsNaN(c.rate):
		return c.rate
	case y < 0 || y != math.Floor(y) || math.IsInf(y, 0):
		return math.Inf(-1)
	case y == 0 && c.dispersion == 0:
		return -c.rate
	case y == 0:
		return -math.Log1p(c.dispersion*c.rate) / c.dispersion
	case c.dispersion == 0:
		return -(y*c.logRatio(y) + c.rate - y) - stirlingError(y) - 0.5*math.Log(2*math.Pi*y)
	}
	r := 1 / c.dispersion
	shift := math.Log1p((c.rate - y) / (r + y)) // log((r+λ)/(r+y))
	if 2*(r+c.rate) < r+y {                     // log1p is near its pole here
		shift = math.Log((r + c.rate) / (r + y))
	}
	deviance := r*shift + y*(shift+c.logRatio(y))
	if t := r * (y - c.rate) / (c.rate * (r + y)); t > -0.5 {
		deviance = r*shift + y*math.Log1p(t)
	}
	return math.Log(r/(r+y)) - deviance + stirlingError(r+y) - stirlingError(r) - stirlingError(y) +
		0.5*math.Log((r+y)/(2*math.Pi*r*y))
}

// logRatio returns log(y/λ).
func (c countComponent) logRatio(y float64) float64 {
	if t := (y - c.rate) / c.rate; math.Abs(t) < 0.5 {
		return math.Log1p(t)
	}
	return math.Log(y) - c.log
}

// stirlingError returns e(x) of logProbability, by its asymptotic series from 15 on.
func stirlingError(x float64) float64 {
	if x < 15 {
		l, _ := math.Lgamma(x + 1)
		return l - (x+0.5)*math.Log(x) + x - logRoot2Pi
	}
	v := 1 / (x * x)
	return (1.0/12 - v*(1.0/360-v*(1.0/1260-v*(1.0/1680-v/1188)))) / x
}

// cdf returns the probability of at most y, a whole number: by the regularised gamma and beta functions.
func (c countComponent) cdf(y float64) float64 {
	switch {
	case math.IsNaN(c.rate):
		return c.rate
	case y < 0:
		return 0
	case y > c.rate+40*(1+math.Sqrt(c.variance()))+800*(1+c.dispersion*c.rate):
		return 1
	case c.dispersion == 0 && c.rate <= largePoisson:
		return mathext.GammaIncRegComp(y+1, c.rate)
	case c.dispersion == 0 || y+1/c.dispersion > largeBinomial:
		return c.gammaCDF(y)
	}
	over, r := c.dispersion*c.rate, 1/c.dispersion
	if over < 1 {
		return 1 - mathext.RegIncBeta(y+1, r, over/(1+over))
	}
	return mathext.RegIncBeta(r, y+1, 1/(1+over))
}

// Beyond these, the terms of the gamma and beta functions are too large for digits of probabilities. largeBinomial
// bounds y + 1/δ.
const (
	largePoisson  = 1e14
	largeBinomial = 1e8
)

// gammaCDF approximates cdf at a large rate or count. With s = 1 + 2δλ, y + ½ has the distribution of a gamma variable
// with the same mean, variance and skewness, of shape 4λ(1 + δλ)/s², scale s/2 and least value −λ/s. If the skewness is
// negligible, it is a normal one, and if the dispersion is, a Poisson.
func (c countComponent) gammaCDF(y float64) float64 {
	s := 1 + 2*c.dispersion*c.rate
	shape := 4 * c.variance() / (s * s)
	switch {
	case c.rate < 1e4:
		return countComponent{rate: c.rate, log: c.log}.cdf(y)
	case shape > largePoisson:
		return normalCDF((y + 0.5 - c.rate) / math.Sqrt(c.variance()))
	}
	return mathext.GammaIncReg(shape, (y+0.5+c.rate/s)/(s/2))
}
