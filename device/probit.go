package device

import "math"

// LogProbit returns log(Φ(upper) − Φ(lower)) for lower < upper, one of which may be infinite; Φ is the normal
// distribution function. It keeps its digits in both tails.
func LogProbit(lower, upper float64) float64 {
	if lower > 0 { // the same probability, mirrored
		lower, upper = -upper, -lower
	}
	if upper > 0 {
		return math.Log1p(-normalCDF(lower) - normalCDF(-upper))
	}
	top := logNormalCDF(upper)
	return top + math.Log(-math.Expm1(logNormalCDF(lower)-top))
}

// normalCDF returns Φ(x).
func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// logNormalCDF returns log Φ(x) for x ≤ 0: from −30 down by the asymptotic series of Φ.
func logNormalCDF(x float64) float64 {
	if x > -30 {
		return math.Log(normalCDF(x))
	}
	v := 1 / (x * x)
	series := -v * (1 - v*(3-v*(15-v*(105-v*(945-v*10395)))))
	return -x*x/2 - math.Log(-x*math.Sqrt(2*math.Pi)) + math.Log1p(series)
}

// CutPoints returns κ_1 … κ_K−1 of OrdinalLogLik, from its Cuts.
func CutPoints(cuts []float64) []float64 {
	points := make([]float64, len(cuts))
	copy(points, cuts)
	for k := 1; k < len(points); k++ {
		points[k] = points[k-1] + GapFloor + math.Exp(cuts[k])
	}
	return points
}
