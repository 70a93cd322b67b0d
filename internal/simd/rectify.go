package simd

import "math"

// Rectify32 writes √2 pⁿ where p > 0, and its derivative, and 0 elsewhere: phi and slope of the arc-cosine kernel of
// degree n, 0 to 2. NaN stays NaN. p may be phi or slope.
func Rectify32(phi, slope, p []float32, degree int) {
	checkLens(p, phi, slope)
	co := rectifyTerms[float32](degree)
	byTier(len(p), func() { rectifyScalar(phi, slope, p, &co) },
		func(i, end int) { rectify32Kernel(phi[i:end], slope[i:end], p[i:end], &co) })
}

// Rectify64 computes Rectify32 in double.
func Rectify64(phi, slope, p []float64, degree int) {
	checkLens(p, phi, slope)
	co := rectifyTerms[float64](degree)
	rectifyScalar(phi, slope, p, &co)
}

// rectifyTerms returns the coefficients of phi = co[0] + p(co[1] + co[2] p) and slope = co[3] + co[4] p. Since only one
// term of each sum is not 0, fused sums and other sums round in the same way.
func rectifyTerms[T Float](degree int) [5]T {
	switch degree {
	case 0:
		return [5]T{0: math.Sqrt2}
	case 1:
		return [5]T{1: math.Sqrt2, 3: math.Sqrt2}
	case 2:
		return [5]T{2: math.Sqrt2, 4: 2 * math.Sqrt2}
	}
	panic("simd: an arc-cosine kernel has degree 0, 1 or 2")
}

func rectifyScalar[T Float](phi, slope, p []T, co *[5]T) {
	phi, slope = phi[:len(p)], slope[:len(p)]
	for i, v := range p {
		var f, s T
		if !(v <= 0) {
			f, s = co[0]+v*(co[1]+v*co[2]), co[3]+v*co[4]
		}
		phi[i], slope[i] = f, s
	}
}
