package metrics

import "math"

// These are the limits of the temperatures, the precision of the search, and the prior standard deviation of log T: a
// few correct rows do not make a model certain.
const (
	maxTemperature   = 20 // largest temperature; its inverse is the least
	temperatureStep  = 1e-3
	temperatureSigma = 0.5
)

// FitTemperature returns the T with the largest log density of rows (Guo, Pleiss, Sun and Weinberger 2017), with log T
// normal around 0, and the log density of each row for 1 and for T. logs gives the log densities for a temperature.
func FitTemperature(logs func(t float64) []float64, w Weights) (t float64, as, with []float64) {
	best := goldenSection(-math.Log(maxTemperature), math.Log(maxTemperature), func(x float64) float64 {
		sum := -x * x / (2 * temperatureSigma * temperatureSigma)
		for i, l := range logs(math.Exp(x)) {
			sum += w.At(i) * l
		}
		return sum
	})
	return math.Exp(best), logs(1), logs(math.Exp(best))
}

// goldenSection returns the maximum point of f between lo and hi, by golden-section search.
func goldenSection(lo, hi float64, f func(float64) float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fa, fb := f(a), f(b)
	for hi-lo > temperatureStep {
		if fa >= fb {
			hi, b, fb = b, a, fa
			a = hi - ratio*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + ratio*(hi-lo)
			fb = f(b)
		}
	}
	return (lo + hi) / 2
}
