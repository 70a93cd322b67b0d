package simd

// Dot32 returns Σ x_i y_i, summed in an order that depends on the length alone.
func Dot32(x, y []float32) float32 { checkLen(len(x), len(y)); return dot32(x, y) }

// Dot64 computes Dot32 in double.
func Dot64(x, y []float64) float64 { checkLen(len(x), len(y)); return dot64(x, y) }

// Axpy32 computes y += αx.
func Axpy32(alpha float32, x, y []float32) { checkLen(len(x), len(y)); axpy32(alpha, x, y) }

// Axpy64 computes Axpy32 in double.
func Axpy64(alpha float64, x, y []float64) { checkLen(len(x), len(y)); axpy64(alpha, x, y) }

func dotScalar[T Float](x, y []T) T {
	y = y[:len(x)]
	var s0, s1, s2, s3 T
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] * y[i]
		s1 += x[i+1] * y[i+1]
		s2 += x[i+2] * y[i+2]
		s3 += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s2) + (s1 + s3)
}

func axpyScalar[T Float](alpha T, x, y []T) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}
