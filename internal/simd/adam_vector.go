//go:build amd64 || arm64

package simd

func adam32(p, g, m, v, rate []float32, co *AdamCoeffs) {
	if active == scalar {
		adamScalar(p, g, m, v, rate, co)
		return
	}
	c := adamTable[float32](co)
	for i := 0; i < len(p); i += chunk {
		end := min(i+chunk, len(p))
		adam32Kernel(p[i:end], g[i:end], m[i:end], v[i:end], rate[i:end], &c)
	}
}

func adam64(p, g, m, v, rate []float64, co *AdamCoeffs) {
	if active == scalar {
		adamScalar(p, g, m, v, rate, co)
		return
	}
	c := adamTable[float64](co)
	for i := 0; i < len(p); i += chunk {
		end := min(i+chunk, len(p))
		adam64Kernel(p[i:end], g[i:end], m[i:end], v[i:end], rate[i:end], &c)
	}
}

// adamTable is the order in which the kernels read the coefficients.
func adamTable[T Float](co *AdamCoeffs) [9]T {
	return [9]T{T(co.Beta1), T(1 - co.Beta1), T(co.Beta2), T(1 - co.Beta2), T(co.StepSize),
		T(co.RootScale), T(co.Eps), T(co.L2), T(co.Scale)}
}
