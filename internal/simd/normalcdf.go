package simd

import "math"

// NormalCDF64 writes the distribution function and the density of the standard normal: below = Φ(u), density = φ(u). No
// slice may be another.
func NormalCDF64(below, density, u []float64) {
	checkLens(u, below, density)
	if active == scalar {
		normalCDFScalar(below, density, u)
	} else {
		normalCDFTable(below, density, u)
	}
}

func normalCDFScalar(below, density, u []float64) {
	below, density = below[:len(u)], density[:len(u)]
	for i, v := range u {
		below[i], density[i] = normalCDF(v)
	}
}

var logRoot2Pi = 0.5 * math.Log(2*math.Pi)

// normalCDF keeps the lower tail exact, by erfc.
func normalCDF(u float64) (below, density float64) {
	const invRoot2 = 1 / math.Sqrt2
	return 0.5 * math.Erfc(-u*invRoot2), math.Exp(-0.5*u*u - logRoot2Pi)
}

// Φ has a Taylor series Σ c_k hᵏ around each knot, |h| ≤ 1/64, and φ is its derivative.
const (
	normalReach = 8 // knots reach from −8 to 8, beyond which 1 − Φ is below 1e-15
	perUnit     = 32
)

var normalKnots = func() (knots [2*normalReach*perUnit + 1][8]float64) {
	for i := range knots {
		u := float64(i)/perUnit - normalReach
		below, density := normalCDF(u)
		// derivative k+1 is (−1)ᵏ He_k φ, with the Hermite polynomials He_k+1 = u He_k − k He_k−1
		hermite, before := 1.0, 0.0
		knots[i][0] = below
		for k := 1; k < len(knots[i]); k++ {
			density /= float64(k)
			knots[i][k] = density * hermite
			hermite, before, density = u*hermite-float64(k-1)*before, hermite, -density
		}
	}
	return knots
}()

// normalCDFTable reads a table, which is faster: it takes no exponential, except of far u.
func normalCDFTable(below, density, u []float64) {
	below, density = below[:len(u)], density[:len(u)]
	for i, v := range u {
		if !(math.Abs(v) < normalReach) {
			below[i], density[i] = normalCDF(v)
			continue
		}
		k := int((v+normalReach)*perUnit + 0.5)
		h, c := v-(float64(k)/perUnit-normalReach), &normalKnots[k]
		slope, sum := c[7], math.FMA(c[7], h, c[6])
		for j := 5; j >= 0; j-- {
			slope = math.FMA(slope, h, sum)
			sum = math.FMA(sum, h, c[j])
		}
		below[i], density[i] = sum, slope
	}
}
