package simd

import "math"

// Exp32 computes dst = eˣ. dst may be x.
func Exp32(dst, x []float32) {
	checkLen(len(dst), len(x))
	byTier(len(x), func() { expScalar(dst, x) }, func(i, end int) { exp32Kernel(dst[i:end], x[i:end]) })
}

// Exp64 computes Exp32 in double.
func Exp64(dst, x []float64) {
	checkLen(len(dst), len(x))
	byTier(len(x), func() { expScalar(dst, x) }, func(i, end int) { exp64Kernel(dst[i:end], x[i:end]) })
}

// RBF64 computes dst = exp(scale·min(0, x − (own + half))): elements of a kernel matrix −½‖z−x‖² from the scalar
// products x of z with the rows, ½‖z‖² (own) and half the squared lengths of the rows. dst may be x.
func RBF64(dst, x, half []float64, own, scale float64) {
	checkLens(x, dst, half)
	byTier(len(x), func() { rbfScalar(dst, x, half, own, scale) },
		func(i, end int) { rbf64Kernel(dst[i:end], x[i:end], half[i:end], own, scale) })
}

// SinCos32 computes sin = sin x and cos = cos x, NaN for an infinite x. Elements beyond 5000 are left to package math
// and are slow. Either result may be x, but they must not be one slice.
func SinCos32(sin, cos, x []float32) {
	checkLens(x, sin, cos)
	if active == scalar {
		sinCosScalar(sin, cos, x)
		return
	}
	for i := 0; i < len(x); {
		end := min(i+chunk, len(x))
		left := sinCos32Kernel(sin[i:end], cos[i:end], x[i:end])
		i = end - left
		if left > 0 {
			n := min(16, left)
			sinCosLarge(sin[i:i+n], cos[i:i+n], x[i:i+n])
			i += n
		}
	}
}

// sinCosLarge computes up to 16 elements, and leaves to the kernel the elements that it can: the result for an element
// must not depend on its neighbours.
func sinCosLarge(sin, cos, x []float32) {
	const limit = 5000
	var all, some [16]float32
	n := copy(all[:], x)
	for i, v := range x {
		if math.Abs(float64(v)) <= limit {
			some[i] = v
		}
	}
	sinCos32Kernel(sin, cos, some[:n])
	for i, v := range all[:n] {
		if !(math.Abs(float64(v)) <= limit) {
			s, c := math.Sincos(float64(v))
			sin[i], cos[i] = float32(s), float32(c)
		}
	}
}

// SinCos64 computes SinCos32 in double.
func SinCos64(sin, cos, x []float64) {
	checkLens(x, sin, cos)
	sinCosScalar(sin, cos, x)
}

// Rotate32 computes dst = cos∘b − sin∘a, the derivative along an angle, if a and b are the derivatives along its cosine
// and sine. dst may be any of them.
func Rotate32(dst, cos, sin, a, b []float32) {
	checkLens(dst, cos, sin, a, b)
	byTier(len(dst), func() { rotateScalar(dst, cos, sin, a, b) },
		func(i, end int) { rotate32Kernel(dst[i:end], cos[i:end], sin[i:end], a[i:end], b[i:end]) })
}

// Rotate64 computes Rotate32 in double.
func Rotate64(dst, cos, sin, a, b []float64) {
	checkLens(dst, cos, sin, a, b)
	rotateScalar(dst, cos, sin, a, b)
}

// Mul64 computes dst = xy. dst may be x or y.
func Mul64(dst, x, y []float64) {
	checkLen(len(dst), len(x))
	checkLen(len(y), len(x))
	mul64(dst, x, y)
}

// MulAdd64 computes dst += xy.
func MulAdd64(dst, x, y []float64) {
	checkLen(len(dst), len(x))
	checkLen(len(y), len(x))
	mulAdd64(dst, x, y)
}

// chunk is the number of elements one call of assembly handles: the scheduler cannot stop a goroutine there, so a call
// is kept to some tens of microseconds.
const chunk = 1 << 14

// byTier computes n elements by their scalar definition, or by a kernel of chunks.
func byTier(n int, plain func(), kernel func(lo, hi int)) {
	if active == scalar {
		plain()
		return
	}
	chunks(n, kernel)
}

// chunks calls f for each chunk of n elements.
func chunks(n int, f func(lo, hi int)) {
	for lo := 0; lo < n; lo += chunk {
		f(lo, min(lo+chunk, n))
	}
}

func checkLen(got, want int) {
	if got != want {
		panic("simd: slices of different lengths")
	}
}

// checkLens calls checkLen for others, each as long as x.
func checkLens[T Float](x []T, others ...[]T) {
	for _, y := range others {
		checkLen(len(y), len(x))
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
