package simd

import "math"

// AdamCoeffs are the numbers of one step of Adam that do not depend on the element.
type AdamCoeffs struct {
	Beta1, Beta2 float64 // decay of the first and second moments
	StepSize     float64 // lr/(1−β1ᵗ)
	RootScale    float64 // 1/√(1−β2ᵗ)
	Eps          float64
	L2           float64 // coupled: part of the gradient
	Scale        float64 // factor of g
}

// Adam32 updates parameters p and their moments m and v from the gradient g:
//
//	ĝ = Scale·g + L2·p
//	m = β1 m + (1−β1) ĝ
//	v = β2 v + (1−β2) ĝ²
//	p −= rate·StepSize·m/(√v·RootScale + Eps)
//
// rate multiplies the step size of each element; if it is 0, p does not change.
func Adam32(p, g, m, v, rate []float32, co AdamCoeffs) {
	checkLens(p, g, m, v, rate)
	c := adamTable[float32](&co)
	byTier(len(p), func() { adamScalar(p, g, m, v, rate, &co) },
		func(i, end int) { adam32Kernel(p[i:end], g[i:end], m[i:end], v[i:end], rate[i:end], &c) })
}

// Adam64 computes Adam32 in double.
func Adam64(p, g, m, v, rate []float64, co AdamCoeffs) {
	checkLens(p, g, m, v, rate)
	c := adamTable[float64](&co)
	byTier(len(p), func() { adamScalar(p, g, m, v, rate, &co) },
		func(i, end int) { adam64Kernel(p[i:end], g[i:end], m[i:end], v[i:end], rate[i:end], &c) })
}

func adamScalar[T Float](p, g, m, v, rate []T, co *AdamCoeffs) {
	b1, b2, a1, a2 := T(co.Beta1), T(co.Beta2), T(1-co.Beta1), T(1-co.Beta2)
	step, root, eps := T(co.StepSize), T(co.RootScale), T(co.Eps)
	l2, scale := T(co.L2), T(co.Scale)
	g, m, v, rate = g[:len(p)], m[:len(p)], v[:len(p)], rate[:len(p)]
	for i, x := range p {
		grad := scale*g[i] + l2*x
		m[i] = b1*m[i] + a1*grad
		v[i] = b2*v[i] + a2*(grad*grad)
		p[i] = x - rate[i]*step*m[i]/(T(math.Sqrt(float64(v[i])))*root+eps)
	}
}

// adamTable returns the order in which the kernels read the coefficients.
func adamTable[T Float](co *AdamCoeffs) [9]T {
	return [9]T{T(co.Beta1), T(1 - co.Beta1), T(co.Beta2), T(1 - co.Beta2), T(co.StepSize),
		T(co.RootScale), T(co.Eps), T(co.L2), T(co.Scale)}
}
