package metrics

import (
	"math"
	"sort"
)

// A row has the distribution function at every count if these are few. Otherwise it has it at coarser points.
const (
	everyCount  = 8192
	countPoints = 256
)

// cdfTable is the distribution function of a row at some counts. Almost all probability lies between the first and the
// last.
type cdfTable struct{ at, cdf []float64 }

// tabulate tabulates the distribution function of row n.
func (c CountMixture) tabulate(n int) cdfTable {
	lo, hi := math.Inf(1), 0.0
	for s := range c.S {
		one := c.component(s, n)
		lo, hi = min(lo, one.lowerBound()), max(hi, one.upperBound())
	}
	switch {
	case math.IsNaN(lo + hi):
		return cdfTable{[]float64{lo + hi}, []float64{lo + hi}}
	case hi-lo < everyCount:
		return c.tabulateAll(n, lo, math.Ceil(hi))
	}
	return c.tabulateCoarsely(n, lo, math.Ceil(hi))
}

// tabulateAll adds up the probabilities of all counts from lo to hi. It computes each probability from the one before.
func (c CountMixture) tabulateAll(n int, lo, hi float64) cdfTable {
	const negligible = 1e-12
	mass := make([]float64, int(hi-lo)+2) // probabilities from lo−1 on
	for s := range c.S {
		one, w := c.component(s, n), c.weight(s)
		r := 1 / one.dispersion
		fall := one.dispersion * one.rate / (1 + one.dispersion*one.rate)
		y := one.lowerBound()
		p := math.Exp(one.logProbability(y))
		for ; y <= hi && (y < one.rate || p > negligible/everyCount); y++ {
			mass[int(y-lo)+1] += w * p
			if one.dispersion == 0 {
				p *= one.rate / (y + 1)
			} else {
				p *= (y + r) / (y + 1) * fall
			}
		}
	}
	row := cdfTable{make([]float64, len(mass)), mass}
	for i := range mass {
		row.at[i] = lo - 1 + float64(i)
		if i > 0 {
			mass[i] += mass[i-1]
		}
	}
	return row
}

// tabulateCoarsely computes the points at even steps of √y, on whose scale a Poisson distribution has the same width
// everywhere.
func (c CountMixture) tabulateCoarsely(n int, lo, hi float64) cdfTable {
	row := cdfTable{at: []float64{lo - 1}, cdf: []float64{c.CDF(n, lo-1)}}
	from, to := math.Sqrt(lo), math.Sqrt(hi)
	for i := 1; i <= countPoints; i++ {
		root := from + (to-from)*float64(i)/countPoints
		if y := math.Floor(root * root); y > row.at[len(row.at)-1] {
			row.at, row.cdf = append(row.at, y), append(row.cdf, c.CDF(n, y))
		}
	}
	return row
}

// QuantileFunc returns the least count of row n with CDF(n, y) ≥ p, 0 < p < 1.
func (c CountMixture) QuantileFunc(n int) func(p float64) float64 {
	row := c.tabulate(n)
	return func(p float64) float64 {
		last := len(row.at) - 1
		i := sort.SearchFloat64s(row.cdf, p)
		switch {
		case math.IsNaN(row.cdf[last]):
			return row.cdf[last]
		case i == 0:
			return c.search(n, p, -1, row.at[0])
		case i > last:
			return c.search(n, p, row.at[last], 2*row.at[last]+1)
		case row.at[i] == row.at[i-1]+1:
			return row.at[i]
		}
		return c.search(n, p, row.at[i-1], row.at[i])
	}
}

// search returns the quantile of row n at p, above low, by bisection; high moves up while it is below.
func (c CountMixture) search(n int, p, low, high float64) float64 {
	const most = 1e300
	for c.CDF(n, high) < p && high < most {
		low, high = high, 2*high+1
	}
	for high-low > 1 {
		middle := math.Floor(low + (high-low)/2)
		if middle == low || middle == high { // whole numbers are farther apart
			break
		}
		if c.CDF(n, middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// CRPS returns Σ_k (CDF(k) − 1[k ≥ y])² over all counts k, the CRPS of row n and a count y: exact if there are few
// counts, and otherwise by the trapezoid rule between the points of a cdfTable.
func (c CountMixture) CRPS(n int, y float64) float64 {
	row := c.tabulate(n)
	first, last := row.at[0], row.at[len(row.at)-1]
	if math.IsNaN(first) {
		return first
	}
	sum := max(0, y-last) + max(0, first-y) // the distribution function is 0 before first, and 1 after last
	add := func(from, to, f, g float64) {
		if from < y {
			f, g = f*f, g*g
		} else {
			f, g = (1-f)*(1-f), (1-g)*(1-g)
		}
		sum += (to-from)*(f+g)/2 + (f-g)/2 // from ≤ k < to
	}
	for i := range len(row.at) - 1 {
		from, to, f, g := row.at[i], row.at[i+1], row.cdf[i], row.cdf[i+1]
		if from < y && y < to {
			between := c.CDF(n, y)
			add(from, y, f, between)
			from, f = y, between
		}
		add(from, to, f, g)
	}
	return sum
}
