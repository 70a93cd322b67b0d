package simd

import "math"

// chunk is how many elements one call of assembly handles: the scheduler cannot stop a
// goroutine there, so a call is kept to some tens of microseconds.
const chunk = 1 << 14

func exp32(dst, x []float32) {
	if active == scalar {
		expScalar(dst, x)
		return
	}
	for i := 0; i < len(x); i += chunk {
		n := min(chunk, len(x)-i)
		if active == avx512 {
			exp32AVX512(n, &x[i], &dst[i])
		} else {
			exp32AVX2(n, &x[i], &dst[i])
		}
	}
}

func exp64(dst, x []float64) {
	if active == scalar {
		expScalar(dst, x)
		return
	}
	for i := 0; i < len(x); i += chunk {
		n := min(chunk, len(x)-i)
		if active == avx512 {
			exp64AVX512(n, &x[i], &dst[i])
		} else {
			exp64AVX2(n, &x[i], &dst[i])
		}
	}
}

func log32(dst, x []float32) {
	if active == scalar {
		logScalar(dst, x)
		return
	}
	for i := 0; i < len(x); i += chunk {
		n := min(chunk, len(x)-i)
		if active == avx512 {
			log32AVX512(n, &x[i], &dst[i])
		} else {
			log32AVX2(n, &x[i], &dst[i])
		}
	}
}

func sinCos32(sin, cos, x []float32) {
	if active == scalar {
		sinCosScalar(sin, cos, x)
		return
	}
	for i := 0; i < len(x); {
		end := min(i+chunk, len(x))
		left := sinCosKernel(sin[i:end], cos[i:end], x[i:end])
		i = end - left
		if left > 0 {
			n := min(16, left)
			sinCosLarge(sin[i:i+n], cos[i:i+n], x[i:i+n])
			i += n
		}
	}
}

// sinCosKernel returns how many elements are left because of a large one among them.
func sinCosKernel(sin, cos, x []float32) int {
	if active == avx512 {
		return sinCos32AVX512(len(x), &x[0], &sin[0], &cos[0])
	}
	return sinCos32AVX2(len(x), &x[0], &sin[0], &cos[0])
}

// sinCosLarge handles up to 16 elements, the kernel those that it can: the result for
// an element must not depend on its neighbours.
func sinCosLarge(sin, cos, x []float32) {
	const limit = 5000
	var all, some [16]float32
	n := copy(all[:], x)
	for i, v := range x {
		if math.Abs(float64(v)) <= limit {
			some[i] = v
		}
	}
	sinCosKernel(sin, cos, some[:n])
	for i, v := range all[:n] {
		if !(math.Abs(float64(v)) <= limit) {
			s, c := math.Sincos(float64(v))
			sin[i], cos[i] = float32(s), float32(c)
		}
	}
}
