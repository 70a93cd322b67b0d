package simd

func dot32(x, y []float32) (sum float32) {
	if active == scalar {
		return dotScalar(x, y)
	}
	chunks(len(x), func(i, end int) { sum += dot32Kernel(x[i:end], y[i:end]) })
	return sum
}

func dot64(x, y []float64) (sum float64) {
	if active == scalar {
		return dotScalar(x, y)
	}
	chunks(len(x), func(i, end int) { sum += dot64Kernel(x[i:end], y[i:end]) })
	return sum
}

func axpy32(alpha float32, x, y []float32) {
	if active == scalar {
		axpyScalar(alpha, x, y)
		return
	}
	chunks(len(x), func(i, end int) { axpy32Kernel(alpha, x[i:end], y[i:end]) })
}

func axpy64(alpha float64, x, y []float64) {
	if active == scalar {
		axpyScalar(alpha, x, y)
		return
	}
	chunks(len(x), func(i, end int) { axpy64Kernel(alpha, x[i:end], y[i:end]) })
}

func mul64(dst, x, y []float64) {
	if active == scalar {
		mulScalar(dst, x, y)
		return
	}
	chunks(len(x), func(i, end int) { mul64Kernel(dst[i:end], x[i:end], y[i:end]) })
}

func mulAdd64(dst, x, y []float64) {
	if active == scalar {
		mulAddScalar(dst, x, y)
		return
	}
	chunks(len(x), func(i, end int) { mulAdd64Kernel(dst[i:end], x[i:end], y[i:end]) })
}
