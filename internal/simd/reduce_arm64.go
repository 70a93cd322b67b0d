package simd

func dot32(x, y []float32) float32 {
	if active == scalar {
		return dotScalar(x, y)
	}
	sum := float32(0)
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		sum += dot32Kernel(x[i:end], y[i:end])
	}
	return sum
}

func dot64(x, y []float64) float64 {
	if active == scalar {
		return dotScalar(x, y)
	}
	sum := 0.0
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		sum += dot64Kernel(x[i:end], y[i:end])
	}
	return sum
}

func axpy32(alpha float32, x, y []float32) {
	if active == scalar {
		axpyScalar(alpha, x, y)
		return
	}
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		axpy32Kernel(alpha, x[i:end], y[i:end])
	}
}

func axpy64(alpha float64, x, y []float64) {
	if active == scalar {
		axpyScalar(alpha, x, y)
		return
	}
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		axpy64Kernel(alpha, x[i:end], y[i:end])
	}
}

func mul64(dst, x, y []float64) {
	if active == scalar {
		mulScalar(dst, x, y)
		return
	}
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		mul64Kernel(dst[i:end], x[i:end], y[i:end])
	}
}

func mulAdd64(dst, x, y []float64) {
	if active == scalar {
		mulAddScalar(dst, x, y)
		return
	}
	for i := 0; i < len(x); i += chunk {
		end := min(i+chunk, len(x))
		mulAdd64Kernel(dst[i:end], x[i:end], y[i:end])
	}
}
