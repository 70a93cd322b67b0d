package metrics

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// Quantiles writes a row's quantiles at several levels. Several goroutines may call it. With one component of a
// Mixture, these are μ + σ z(p), and z is computed once.
func Quantiles(d Distribution, levels []float64) func(n int, into []float64) {
	m, ok := d.(Mixture)
	if !ok || m.S > 1 || m.TailShare > 0 {
		return func(n int, into []float64) {
			at := d.QuantileFunc(n)
			for k, p := range levels {
				into[k] = at(p)
			}
		}
	}
	z := make([]float64, len(levels))
	for k, p := range levels {
		z[k] = m.student(0).quantile(p)
	}
	return func(n int, into []float64) {
		mean, sd := m.Mean[n], m.scale(0, n)
		for k, at := range z {
			into[k] = mean + sd*at
		}
	}
}

// QuantileFunc returns the y of row n with CDF(n, y) = p, 0 < p < 1, to 1e-10 of the least standard deviation of a
// component. One goroutine may use it at a time.
func (m Mixture) QuantileFunc(n int) func(p float64) float64 { return m.solver(n).quantile }

// quantileSolver is one row of a mixture. It has copies of the components, which lie far apart in the mixture, side by
// side, so that several quantiles are found faster.
type quantileSolver struct {
	mixture            Mixture
	mean, scale, times []float64 // [S]
	least              float64   // the least of the scales
	tail               tailComponent

	u, below, density []float64 // [S] results of the last call of beyond
}

// solver returns the components of row n, side by side.
func (m Mixture) solver(n int) *quantileSolver {
	memory := make([]float64, 6*m.S)
	next := func() (some []float64) {
		some, memory = memory[:m.S:m.S], memory[m.S:]
		return some
	}
	r := &quantileSolver{m, next(), next(), next(), math.Inf(1), m.tail(n), next(), next(), next()}
	for s := range m.S {
		r.mean[s], r.scale[s], r.times[s] = m.Mean[s*m.N+n], m.scale(s, n), m.scaledWeight(s)*(1-m.TailShare)
		r.least = math.Min(r.least, r.scale[s])
	}
	return r
}

// quantile solves CDF(y) = p for QuantileFunc, by Newton steps inside a shrinking bracket.
func (r *quantileSolver) quantile(p float64) float64 {
	low, high := r.bracket(p)
	const steps = 200 // bisection alone halves any float64 bracket to its last bit in about 60
	y := low + (high-low)/2
	for i := 0; i < steps && high-low > 1e-10*r.least; i++ {
		f, slope := r.excess(y, p)
		if f < 0 {
			low = y
		} else {
			high = y
		}
		next := y - f/slope
		// every few steps, a bisection shrinks the bracket from both sides
		if !(next > low && next < high) || i%8 == 7 {
			next = low + (high-low)/2
		} else if math.Abs(next-y) < 1e-12*r.least {
			return next
		}
		y = next
	}
	return y
}

// bracket brackets the quantile at p. Component s reaches p at μ_s + σ_s z, so that the mixture reaches it between the
// least and the greatest of these.
func (r *quantileSolver) bracket(p float64) (low, high float64) {
	z := 0.0
	low, high = math.Inf(1), math.Inf(-1)
	for s, mean := range r.mean {
		if s == 0 || r.mixture.student(s) != r.mixture.student(s-1) {
			z = r.mixture.student(s).quantile(p)
		}
		at := mean + r.scale[s]*z
		low, high = math.Min(low, at), math.Max(high, at)
	}
	if o := r.tail; o.share > 0 {
		at := o.mean + o.sd*tailQuantile(p)
		low, high = math.Min(low, at), math.Max(high, at)
	}
	return low, high
}

// excess returns f = CDF(y) − p, and its slope, the density at y.
func (r *quantileSolver) excess(y, p float64) (f, slope float64) {
	for s, mean := range r.mean {
		r.u[s] = (y - mean) / r.scale[s]
	}
	if r.mixture.Student == nil {
		simd.NormalCDF64(r.below, r.density, r.u)
	} else {
		for s, u := range r.u {
			t := r.mixture.student(s)
			r.below[s], r.density[s] = t.CDF(u), math.Exp(t.logDensity(u))
		}
	}
	f = -p
	count := float64(r.mixture.S)
	for s, times := range r.times {
		f += times * r.below[s] / count
		slope += times * r.density[s] / (r.scale[s] * count)
	}
	if o := r.tail; o.share > 0 {
		z := (y - o.mean) / o.sd
		f += o.share * tailCDF(z)
		slope += o.share * tailDensity(z) / o.sd
	}
	return f, slope
}
