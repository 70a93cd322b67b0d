package metrics

import "math"

// Mixture is the predictive density of N rows: for row n
//
//	p(y) = (1/S) Σ_s N(y; Mean[s·N+n], Var[n])
//
// Var is a variance, positive. Where a mean or a variance is NaN, so is every score.
type Mixture struct {
	S, N int
	Mean []float64 // [S,N]
	Var  []float64 // [N]
}

const (
	sqrt2    = math.Sqrt2
	invRoot2 = 1 / math.Sqrt2
)

var logRoot2Pi = 0.5 * math.Log(2*math.Pi)

// cdf is the standard normal distribution function; erfc keeps its lower tail exact.
func cdf(z float64) float64 { return 0.5 * math.Erfc(-z*invRoot2) }

// pdf is the standard normal density.
func pdf(z float64) float64 { return math.Exp(-0.5*z*z - logRoot2Pi) }

// Moments of row n: the mean and the variance, Var + (1/S) Σ (Mean_s − mean)².
func (m Mixture) Moments(n int) (mean, variance float64) {
	for s := range m.S {
		mean += m.Mean[s*m.N+n]
	}
	mean /= float64(m.S)
	for s := range m.S {
		d := m.Mean[s*m.N+n] - mean
		variance += d * d
	}
	return mean, m.Var[n] + variance/float64(m.S)
}

// LogDensity is log p(y) of row n, by log-mean-exp over the components.
func (m Mixture) LogDensity(n int, y float64) float64 {
	v := m.Var[n]
	top := math.Inf(-1) // of −(y−μ_s)²/2v
	for s := range m.S {
		d := y - m.Mean[s*m.N+n]
		top = math.Max(top, -d*d/(2*v))
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for s := range m.S {
		d := y - m.Mean[s*m.N+n]
		sum += math.Exp(-d*d/(2*v) - top)
	}
	return top + math.Log(sum/float64(m.S)) - 0.5*math.Log(v) - logRoot2Pi
}

// CDF is the probability that row n's target is at most y.
func (m Mixture) CDF(n int, y float64) float64 {
	sd := math.Sqrt(m.Var[n])
	sum := 0.0
	for s := range m.S {
		sum += cdf((y - m.Mean[s*m.N+n]) / sd)
	}
	return sum / float64(m.S)
}

// Quantile is the y of row n with CDF(n, y) = p, 0 < p < 1, to 1e-10 of the standard
// deviation of a component: Newton steps on the CDF, kept inside a shrinking bracket.
func (m Mixture) Quantile(n int, p float64) float64 {
	sd := math.Sqrt(m.Var[n])
	z := sd * sqrt2 * math.Erfinv(2*p-1)
	low, high := math.Inf(1), math.Inf(-1)
	for s := range m.S {
		// Every component has reached p at its own μ_s + z, so the mixture has between
		// the least and the greatest of these.
		at := m.Mean[s*m.N+n] + z
		low, high = math.Min(low, at), math.Max(high, at)
	}
	const steps = 200 // bisection alone halves any float64 bracket to its last bit in about 60
	y := low + (high-low)/2
	for i := 0; i < steps && high-low > 1e-10*sd; i++ {
		f, slope := -p, 0.0
		for s := range m.S {
			u := (y - m.Mean[s*m.N+n]) / sd
			f += cdf(u) / float64(m.S)
			slope += pdf(u) / (sd * float64(m.S))
		}
		if f < 0 {
			low = y
		} else {
			high = y
		}
		next := y - f/slope
		if !(next > low && next < high) || i%8 == 7 { // now and then a bisection, so that the bracket shrinks from both sides
			next = low + (high-low)/2
		} else if math.Abs(next-y) < 1e-12*sd {
			return next
		}
		y = next
	}
	return y
}

// CRPS of row n, the continuous ranked probability score ∫ (CDF(t) − 1[t ≥ y])² dt, in
// the unit of y. For a mixture of normals (Grimit, Gneiting, Berrocal & Johnson 2006)
//
//	CRPS = (1/S) Σ_s A(y − μ_s, v) − (1/2S²) Σ_s Σ_t A(μ_s − μ_t, 2v)
//	A(d, v) = E|N(d, v)| = 2√v φ(d/√v) + d (2Φ(d/√v) − 1)
//
// A is even in d, so each pair is visited once; for S = 1 the second sum is √(v/π).
func (m Mixture) CRPS(n int, y float64) float64 {
	sd := math.Sqrt(m.Var[n])
	spread := sd * sqrt2 // of the difference of two components
	toY, pairs := 0.0, 0.0
	for s := range m.S {
		mu := m.Mean[s*m.N+n]
		toY += meanAbs(y-mu, sd)
		for t := range s {
			pairs += meanAbs(mu-m.Mean[t*m.N+n], spread)
		}
	}
	count := float64(m.S)
	return toY/count - pairs/(count*count) - sd/(math.Sqrt(math.Pi)*count)
}

// meanAbs is E|X| of a normal X with mean d and standard deviation sd.
func meanAbs(d, sd float64) float64 {
	z := d / sd
	return 2*sd*pdf(z) + d*math.Erf(z*invRoot2)
}
