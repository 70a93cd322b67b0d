package simd

// These are called for short slices, millions of times a second: no call stands between them and the assembly.

func dot32(x, y []float32) float32 {
	if active == scalar {
		return dotScalar(x, y)
	}
	sum := float32(0)
	for i := 0; i < len(x); i += chunk {
		n := min(chunk, len(x)-i)
		if active == avx512 {
			sum += dot32AVX512(n, &x[i], &y[i])
		} else {
			sum += dot32AVX2(n, &x[i], &y[i])
		}
	}
	return sum
}

func dot64(x, y []float64) float64 {
	if active == scalar {
		return dotScalar(x, y)
	}
	sum := 0.0
	for i := 0; i < len(x); i += chunk {
		n := min(chunk, len(x)-i)
		if active == avx512 {
			sum += dot64AVX512(n, &x[i], &y[i])
		} else {
			sum += dot64AVX2(n, &x[i], &y[i])
		}
	}
	return sum
}

func axpy32(alpha float32, x, y []float32) {
	if active == scalar {
		axpyScalar(alpha, x, y)
		return
	}
	for i := 0; i < len(x); i += chunk {
		n := min(chunk, len(x)-i)
		if active == avx512 {
			axpy32AVX512(n, alpha, &x[i], &y[i])
		} else {
			axpy32AVX2(n, alpha, &x[i], &y[i])
		}
	}
}

func axpy64(alpha float64, x, y []float64) {
	if active == scalar {
		axpyScalar(alpha, x, y)
		return
	}
	for i := 0; i < len(x); i += chunk {
		n := min(chunk, len(x)-i)
		if active == avx512 {
			axpy64AVX512(n, alpha, &x[i], &y[i])
		} else {
			axpy64AVX2(n, alpha, &x[i], &y[i])
		}
	}
}

func mul64(dst, x, y []float64) {
	if active == scalar {
		mulScalar(dst, x, y)
		return
	}
	for i := 0; i < len(x); i += chunk {
		n := min(chunk, len(x)-i)
		if active == avx512 {
			mul64AVX512(n, &dst[i], &x[i], &y[i])
		} else {
			mul64AVX2(n, &dst[i], &x[i], &y[i])
		}
	}
}

func mulAdd64(dst, x, y []float64) {
	if active == scalar {
		mulAddScalar(dst, x, y)
		return
	}
	for i := 0; i < len(x); i += chunk {
		n := min(chunk, len(x)-i)
		if active == avx512 {
			mulAdd64AVX512(n, &dst[i], &x[i], &y[i])
		} else {
			mulAdd64AVX2(n, &dst[i], &x[i], &y[i])
		}
	}
}
