package simd

import "math"

// Exp32 is dst = eˣ. dst may be x.
func Exp32(dst, x []float32) { checkLen(len(dst), len(x)); exp32(dst, x) }

// Exp64 is Exp32 in double.
func Exp64(dst, x []float64) { checkLen(len(dst), len(x)); exp64(dst, x) }

// RBF64 is dst = exp(scale·min(0, x − (own + half))): elements of a kernel matrix −½‖z−x‖² from the
// scalar products x of z with the rows, ½‖z‖² (own) and half the squared lengths of the rows. dst
// may be x.
func RBF64(dst, x, half []float64, own, scale float64) {
	checkLen(len(dst), len(x))
	checkLen(len(half), len(x))
	rbf64(dst, x, half, own, scale)
}

// SinCos32 is sin = sin x and cos = cos x, NaN for an infinite x. Elements beyond 5000
// are left to package math and are slow. Either result may be x, but they must not be
// one slice.
func SinCos32(sin, cos, x []float32) {
	checkLen(len(sin), len(x))
	checkLen(len(cos), len(x))
	sinCos32(sin, cos, x)
}

// SinCos64 is SinCos32 in double.
func SinCos64(sin, cos, x []float64) {
	checkLen(len(sin), len(x))
	checkLen(len(cos), len(x))
	sinCosScalar(sin, cos, x)
}

// Rotate32 is dst = cos∘b − sin∘a, the derivative along an angle where a and b are those along its
// cosine and sine. dst may be any of them.
func Rotate32(dst, cos, sin, a, b []float32) {
	checkRotate(len(dst), len(cos), len(sin), len(a), len(b))
	rotate32(dst, cos, sin, a, b)
}

// Rotate64 is Rotate32 in double.
func Rotate64(dst, cos, sin, a, b []float64) {
	checkRotate(len(dst), len(cos), len(sin), len(a), len(b))
	rotateScalar(dst, cos, sin, a, b)
}

func checkRotate(dst, cos, sin, a, b int) {
	checkLen(cos, dst)
	checkLen(sin, dst)
	checkLen(a, dst)
	checkLen(b, dst)
}

// Mul64 is dst = xy. dst may be x or y.
func Mul64(dst, x, y []float64) {
	checkLen(len(dst), len(x))
	checkLen(len(y), len(x))
	mul64(dst, x, y)
}

// MulAdd64 is dst += xy.
func MulAdd64(dst, x, y []float64) {
	checkLen(len(dst), len(x))
	checkLen(len(y), len(x))
	mulAdd64(dst, x, y)
}

func checkLen(got, want int) {
	if got != want {
		panic("simd: slices of different lengths")
	}
}

func expScalar[T Float](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Exp(float64(v)))
	}
}

func rbfScalar(dst, x, half []float64, own, scale float64) {
	half = half[:len(x)]
	for i, v := range x {
		v -= own + half[i]
		if v > 0 { // NaN stays NaN
			v = 0
		}
		dst[i] = math.Exp(scale * v)
	}
}

func mulScalar(dst, x, y []float64) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

func mulAddScalar(dst, x, y []float64) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] += v * y[i]
	}
}

func rotateScalar[T Float](dst, cos, sin, a, b []T) {
	n := len(dst)
	cos, sin, a, b = cos[:n], sin[:n], a[:n], b[:n]
	for i := range dst {
		dst[i] = cos[i]*b[i] - sin[i]*a[i]
	}
}

func sinCosScalar[T Float](sin, cos, x []T) {
	for i, v := range x {
		s, c := math.Sincos(float64(v))
		sin[i], cos[i] = T(s), T(c)
	}
}
