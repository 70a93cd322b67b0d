package simd

import "math"

// Matern64 writes elements of a Matérn kernel matrix of ν = twiceNu/2, where twiceNu is 1, 3 or 5. It also writes the
// slope −2 dc/d(r²) for the gradients. It starts from scalar products, as RBF64 does: r² = −2·scale·min(0, x − (own +
// half)), t = √(twiceNu)·r and
//
//	1: dst = e⁻ᵗ                  slope = e⁻ᵗ/t, infinite at 0
//	3: dst = (1 + t)e⁻ᵗ           slope = 3e⁻ᵗ
//	5: dst = (1 + t + t²/3)e⁻ᵗ    slope = 5/3 (1 + t)e⁻ᵗ
//
// isNear reports whether some row is nearer than −2(x − (own + half)) = 2·near·(own + half), where rounding is no
// longer small compared with the distance. The slices must be different.
func Matern64(dst, slope, x, half []float64, own, scale float64, twiceNu int, near float64) (isNear bool) {
	checkLens(x, dst, slope, half)
	scale *= -2 * float64(twiceNu)
	byTier(len(x), func() { isNear = maternScalar(dst, slope, x, half, own, scale, near, twiceNu) }, func(i, end int) {
		isNear = matern64Kernel(dst[i:end], slope[i:end], x[i:end], half[i:end], own, scale, near, twiceNu) || isNear
	})
	return isNear
}

// maternTerms returns the coefficients of dst = e⁻ᵗ(1 + t(co[0] + co[1] t)) and slope = e⁻ᵗ(co[2] + co[3] t).
func maternTerms(twiceNu int) [4]float64 {
	switch twiceNu {
	case 3:
		return [4]float64{1, 0, 3, 0}
	case 5:
		return [4]float64{1, 1.0 / 3, 5.0 / 3, 5.0 / 3}
	}
	panic("simd: a Matérn kernel of this order has no polynomial")
}

// maternScalar computes Matern64 by its scalar definition. Its scale is −2·twiceNu times the scale of Matern64.
func maternScalar(dst, slope, x, half []float64, own, scale, near float64, twiceNu int) (isNear bool) {
	isNear = maternRoots(slope, x, half, own, scale, near)
	for i, t := range slope {
		dst[i] = math.Exp(-t)
	}
	maternFinish(dst, slope, twiceNu)
	return isNear
}

// maternRoots writes t. Products are rounded before they are added, on every processor.
func maternRoots(t, x, half []float64, own, scale, near float64) (isNear bool) {
	half, t = half[:len(x)], t[:len(x)]
	for i, v := range x {
		h := own + half[i]
		v -= h
		isNear = isNear || math.FMA(h, near, v) >= 0
		if v > 0 { // NaN stays NaN
			v = 0
		}
		t[i] = math.Sqrt(scale * v)
	}
	return isNear
}

// maternFinish makes both results from dst = e⁻ᵗ and slope = t.
func maternFinish(dst, slope []float64, twiceNu int) {
	slope = slope[:len(dst)]
	if twiceNu == 1 {
		for i, e := range dst {
			slope[i] = e / slope[i]
		}
		return
	}
	co := maternTerms(twiceNu)
	for i, e := range dst {
		t := slope[i]
		dst[i] = e * math.FMA(math.FMA(co[1], t, co[0]), t, 1)
		slope[i] = e * math.FMA(co[3], t, co[2])
	}
}
