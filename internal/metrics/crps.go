package metrics

import (
	"math"
	"slices"
)

// CRPS returns the continuous ranked probability score of row n, ∫ (CDF(t) − 1[t ≥ y])² dt = E|Y − y| − ½ E|Y − Y'|, in
// the unit of y. For a mixture of normals (Grimit, Gneiting, Berrocal & Johnson 2006)
//
//	CRPS = Σ_s w_s A(y − μ_s, v_s) − ½ Σ_s Σ_t w_s w_t A(μ_s − μ_t, v_s + v_t)
//	A(d, v) = E|N(d, v)| = 2√v φ(d/√v) + d (2Φ(d/√v) − 1)
//
// and the tail component adds its part. The double sum is used for few components with different variances; otherwise
// ∫ CDF (1 − CDF) dt replaces it.
func (m Mixture) CRPS(n int, y float64) float64 {
	toY := 0.0
	for s := range m.S {
		mu, sd := m.Mean[s*m.N+n], m.scale(s, n)
		if t := m.student(s); t != nil {
			toY += m.scaledWeight(s) * (sd * t.meanDistance((y-mu)/sd))
		} else {
			toY += m.scaledWeight(s) * foldedNormalMean(y-mu, sd)
		}
	}
	const fewComponents = 2000 // all pairs of this number of components take no more time than the integral
	o := m.tail(n)
	toY = o.mix(toY/float64(m.S), func(z float64) float64 { return o.sd * tailDistance(z) }, y)
	switch {
	case !(toY < math.Inf(1)):
		return math.NaN()
	case m.Student == nil && m.Weight == nil && len(m.Var) == m.N:
		return toY - o.spread(m, n, m.equalSpread(n))
	case m.Student == nil && len(m.Var) == m.S*m.N && m.S <= fewComponents:
		return toY - o.spread(m, n, m.pairedSpread(n))
	}
	return toY - m.integratedSpread(n)
}

// foldedNormalMean returns E|X| of a normal X with mean d and standard deviation sd.
func foldedNormalMean(d, sd float64) float64 {
	z := d / sd
	return 2*sd*normalPDF(z) + d*math.Erf(z*invRoot2)
}

// pairedSpread returns ½ E|Y − Y'| of row n, normals, pair by pair: A is even in d, so each is visited once; the pairs
// s = t give σ_s/√π each.
func (m Mixture) pairedSpread(n int) float64 {
	pairs, alone := 0.0, 0.0
	count := float64(m.S)
	for s := range m.S {
		alone += m.scaledWeight(s) * m.scaledWeight(s) * m.scale(s, n)
		for t := range s {
			both := math.Sqrt(m.Var[s*m.N+n] + m.Var[t*m.N+n])
			pairs += m.scaledWeight(s) * m.scaledWeight(t) * foldedNormalMean(m.Mean[s*m.N+n]-m.Mean[t*m.N+n], both)
		}
	}
	return (pairs + alone/math.Sqrt(math.Pi)) / (count * count)
}

// equalSpread returns ½ E|Y − Y'| = ∫ CDF (1 − CDF) dt of row n, normals with one σ, by the trapezoid rule in steps of
// 0.6 σ, to 1e-12. A component is looked at within 7.5 σ of its mean only, and the integrand is constant where none is
// near.
func (m Mixture) equalSpread(n int) float64 {
	const reach, fineness = 7.5, 0.6
	sd := m.scale(0, n)
	means := make([]float64, m.S)
	for s := range means {
		means[s] = m.Mean[s*m.N+n]
	}
	slices.Sort(means)
	count := float64(m.S)
	total := 0.0
	// number of means out of reach below t, and number of these and of means in reach
	below, near := 0, 0
	for first := 0; first < m.S; {
		last := first // last of a group without a gap
		for last+1 < m.S && means[last+1]-means[last] <= 2*reach*sd {
			last++
		}
		from, to := means[first]-reach*sd, means[last]+reach*sd
		// gaps are no longer than 2·reach·σ, so that there are 25 steps to a mean
		steps := int(math.Min(math.Ceil((to-from)/(fineness*sd)), 2*reach/fineness*count+1))
		step := (to - from) / float64(max(steps, 1))
		sum := 0.0
		for i := range steps + 1 {
			t := from + float64(i)*step
			for below < m.S && means[below] < t-reach*sd {
				below++
			}
			for near < m.S && means[near] <= t+reach*sd {
				near++
			}
			p := float64(below)
			for _, mu := range means[below:near] {
				p += normalCDF((t - mu) / sd)
			}
			p /= count
			if i == 0 || i == steps {
				sum += p * (1 - p) / 2
			} else {
				sum += p * (1 - p)
			}
		}
		total += sum * step
		if first = last + 1; first < m.S {
			p := float64(first) / count
			total += p * (1 - p) * (means[first] - reach*sd - to)
		}
	}
	return total
}

// integratedSpread returns ½ E|Y − Y'| = ∫ CDF (1 − CDF) dt of row n, by the trapezoid rule on t = mean + sd sinh(½π
// sinh x). It halves the step until two sums agree to 1e-5 of the standard deviation. The weight of t grows to 1e20, so
// the smaller of CDF and 1 − CDF needs all its digits.
func (m Mixture) integratedSpread(n int) float64 {
	const (
		reach    = 4.0
		steps    = 64
		halvings = 5
	)
	mean, variance := m.Moments(n)
	sd := math.Sqrt(variance)
	sum := func(first, step float64, count int) (total float64) {
		for i := range count {
			x := first + float64(i)*step
			inner := 0.5 * math.Pi * math.Sinh(x)
			p := 0.0
			t := mean + sd*math.Sinh(inner)
			if inner < 0 {
				p = m.CDF(n, t)
			} else {
				p = m.survival(n, t)
			}
			total += p * (1 - p) * sd * math.Cosh(inner) * 0.5 * math.Pi * math.Cosh(x)
		}
		return total
	}
	step, count := 2*reach/steps, steps
	total := sum(-reach, step, count)
	for range halvings {
		before := total * step
		total += sum(-reach+step/2, step, count)
		step, count = step/2, 2*count
		if math.Abs(total*step-before) < 1e-5*sd {
			break
		}
	}
	return total * step
}
