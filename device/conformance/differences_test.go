package conformance

import "math"

// derivative returns f′(0) by the central difference of fourth order,
//
//	(8 (f(h) − f(−h)) − (f(2h) − f(−2h))) / 12h,
//
// whose error is of order h⁴ f⁽⁵⁾ + ε f/h: about 1e-12 of f.
func derivative(f func(t float64) float64) float64 {
	const h = 1e-3 // good for functions whose arguments and curvature are of order one
	return (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
}

// partial returns ∂f/∂x[i]. f reads x, which is moved and put back.
func partial(f func() float64, x []float64, i int) float64 {
	at := x[i]
	d := derivative(func(t float64) float64 {
		x[i] = at + t
		return f()
	})
	x[i] = at
	return d
}

// along returns the derivative of f at x in the direction v, Σ v ∂f/∂x.
func along(f func() float64, x, v []float64) float64 {
	at := append([]float64(nil), x...)
	d := derivative(func(t float64) float64 {
		for i := range x {
			x[i] = at[i] + t*v[i]
		}
		return f()
	})
	copy(x, at)
	return d
}

// relativeError returns the largest |got − want| over the largest |want|; NaN counts as infinite, and if want is all
// zero the error is absolute.
func relativeError(got, want []float64) float64 {
	worst, size := 0.0, 0.0
	for i, w := range want {
		e := math.Abs(got[i] - w)
		if math.IsNaN(e) {
			return math.Inf(1)
		}
		worst, size = max(worst, e), max(size, math.Abs(w))
	}
	if size == 0 {
		return worst
	}
	return worst / size
}

// nmse returns the normalised mean square error Σ(got − want)²/Σ want²; NaN counts as infinite, and if want is all zero
// the error is Σ got².
func nmse(got, want []float64) float64 {
	miss, size := 0.0, 0.0
	for i, w := range want {
		miss += (got[i] - w) * (got[i] - w)
		size += w * w
	}
	if math.IsNaN(miss) {
		return math.Inf(1)
	}
	if size == 0 {
		return miss
	}
	return miss / size
}
