package simd

import "unsafe"

// The assembly takes whole registers: four float32 or two doubles. What is left over goes through a separate register,
// filled up with zeros.

const (
	lanes32 = 4
	lanes64 = 2
)

func exp32Kernel(dst, x []float32) {
	n := len(x) &^ (lanes32 - 1)
	if n > 0 {
		exp32NEON(n, &x[0], &dst[0])
	}
	if n < len(x) {
		var r [lanes32]float32
		copy(r[:], x[n:])
		exp32NEON(lanes32, &r[0], &r[0])
		copy(dst[n:], r[:])
	}
}

func exp64Kernel(dst, x []float64) {
	n := len(x) &^ (lanes64 - 1)
	if n > 0 {
		exp64NEON(n, &x[0], &dst[0])
	}
	if n < len(x) {
		r := [lanes64]float64{x[n]}
		exp64NEON(lanes64, &r[0], &r[0])
		dst[n] = r[0]
	}
}

// sinCos32Kernel returns how many elements are left because of a large one among them.
func sinCos32Kernel(sin, cos, x []float32) int {
	n := len(x) &^ (lanes32 - 1)
	rest := len(x) - n
	if n > 0 {
		if left := sinCos32NEON(n, &x[0], &sin[0], &cos[0]); left > 0 {
			return left + rest
		}
	}
	if rest > 0 {
		var r, s, c [lanes32]float32
		copy(r[:], x[n:])
		if sinCos32NEON(lanes32, &r[0], &s[0], &c[0]) > 0 {
			return rest
		}
		copy(sin[n:], s[:])
		copy(cos[n:], c[:])
	}
	return 0
}

func rbf64Kernel(dst, x, half []float64, own, scale float64) {
	n := len(x) &^ (lanes64 - 1)
	if n > 0 {
		rbf64NEON(n, &dst[0], &x[0], &half[0], own, scale)
	}
	if n < len(x) {
		r, h := [lanes64]float64{x[n]}, [lanes64]float64{half[n]}
		rbf64NEON(lanes64, &r[0], &r[0], &h[0], own, scale)
		dst[n] = r[0]
	}
}

// matern64Kernel takes eˣ from NEON and the rest from the compiler.
func matern64Kernel(dst, slope, x, half []float64, own, scale, near float64, twiceNu int) (isNear bool) {
	isNear = maternRoots(slope, x, half, own, scale, near)
	for i, t := range slope {
		dst[i] = -t
	}
	exp64Kernel(dst, dst)
	maternFinish(dst, slope, twiceNu)
	return isNear
}

func mul64Kernel(dst, x, y []float64) {
	n := len(x) &^ (lanes64 - 1)
	if n > 0 {
		mul64NEON(n, &dst[0], &x[0], &y[0])
	}
	if n < len(x) {
		dst[n] = x[n] * y[n]
	}
}

func mulAdd64Kernel(dst, x, y []float64) {
	n := len(x) &^ (lanes64 - 1)
	if n > 0 {
		mulAdd64NEON(n, &dst[0], &x[0], &y[0])
	}
	if n < len(x) {
		d, a, b := [lanes64]float64{dst[n]}, [lanes64]float64{x[n]}, [lanes64]float64{y[n]}
		mulAdd64NEON(lanes64, &d[0], &a[0], &b[0])
		dst[n] = d[0]
	}
}

func dot32Kernel(x, y []float32) float32 {
	n := len(x) &^ (lanes32 - 1)
	var a, b [lanes32]float32
	copy(a[:], x[n:])
	copy(b[:], y[n:])
	return dot32NEON(n, &x[0], &y[0], &a[0], &b[0])
}

func dot64Kernel(x, y []float64) float64 {
	n := len(x) &^ (lanes64 - 1)
	var a, b [lanes64]float64
	copy(a[:], x[n:])
	copy(b[:], y[n:])
	return dot64NEON(n, &x[0], &y[0], &a[0], &b[0])
}

func axpy32Kernel(alpha float32, x, y []float32) {
	n := len(x) &^ (lanes32 - 1)
	if n > 0 {
		axpy32NEON(n, alpha, &x[0], &y[0])
	}
	if n < len(x) {
		var a, b [lanes32]float32
		copy(a[:], x[n:])
		copy(b[:], y[n:])
		axpy32NEON(lanes32, alpha, &a[0], &b[0])
		copy(y[n:], b[:])
	}
}

func axpy64Kernel(alpha float64, x, y []float64) {
	n := len(x) &^ (lanes64 - 1)
	if n > 0 {
		axpy64NEON(n, alpha, &x[0], &y[0])
	}
	if n < len(x) {
		a, b := [lanes64]float64{x[n]}, [lanes64]float64{y[n]}
		axpy64NEON(lanes64, alpha, &a[0], &b[0])
		y[n] = b[0]
	}
}

func rotate32Kernel(dst, cos, sin, a, b []float32) {
	n := len(dst) &^ (lanes32 - 1)
	if n > 0 {
		rotate32NEON(n, &dst[0], &cos[0], &sin[0], &a[0], &b[0])
	}
	if n < len(dst) {
		var r [4][lanes32]float32
		for i, x := range [4][]float32{cos, sin, a, b} {
			copy(r[i][:], x[n:])
		}
		rotate32NEON(lanes32, &r[0][0], &r[0][0], &r[1][0], &r[2][0], &r[3][0])
		copy(dst[n:], r[0][:])
	}
}

// rectify32Kernel calls, without assembly, the compiled scalar loop.
func rectify32Kernel(phi, slope, p []float32, co *[5]float32) { rectifyScalar(phi, slope, p, co) }

func adam32Kernel(p, g, m, v, rate []float32, co *[9]float32) {
	n := len(p) &^ (lanes32 - 1)
	if n > 0 {
		adam32NEON(n, &p[0], &g[0], &m[0], &v[0], &rate[0], co)
	}
	if n < len(p) {
		var r [5][lanes32]float32
		for i, x := range [5][]float32{p, g, m, v, rate} {
			copy(r[i][:], x[n:])
		}
		adam32NEON(lanes32, &r[0][0], &r[1][0], &r[2][0], &r[3][0], &r[4][0], co)
		copy(p[n:], r[0][:])
		copy(m[n:], r[2][:])
		copy(v[n:], r[3][:])
	}
}

func adam64Kernel(p, g, m, v, rate []float64, co *[9]float64) {
	n := len(p) &^ (lanes64 - 1)
	if n > 0 {
		adam64NEON(n, &p[0], &g[0], &m[0], &v[0], &rate[0], co)
	}
	if n < len(p) {
		r := [5][lanes64]float64{{p[n]}, {g[n]}, {m[n]}, {v[n]}, {rate[n]}}
		adam64NEON(lanes64, &r[0][0], &r[1][0], &r[2][0], &r[3][0], &r[4][0], co)
		p[n], m[n], v[n] = r[0][0], r[2][0], r[3][0]
	}
}

func normals32Kernel(blocks int, dst *float32, keys *[20]uint32, c0, c1 *[16]uint32, c2, c3 uint32) {
	normals32NEON(blocks, dst, keys, c0, c1, c2, c3)
}

// The squares that the transpositions move.
const (
	square32 = 4
	square64 = 2
)

// panelBytes returns the width of a panel of B: two registers.
func panelBytes() int { return 32 }

// multiplyRows runs the micro-kernel over groups of rows, as tall as its tiles may be. block is op(B).
func (q *matmul[T]) multiplyRows(block []T) {
	heights, write := []int{8, 4, 1}, 0
	if q.beta == 0 {
		write = 1
	}
	for i, h := 0, 0; i < q.m; i += heights[h] {
		for heights[h] > q.m-i {
			h++
		}
		x, y, z := unsafe.Pointer(&q.a.x[i*q.a.ld]), unsafe.Pointer(&block[0]), unsafe.Pointer(&q.c[i*q.ldc])
		if sizeOf[T]() == 4 {
			gemm32NEON(heights[h], q.n, q.k, float32(q.alpha), (*float32)(x), 4*q.a.ld, (*float32)(y),
				(*float32)(z), 4*q.ldc, write)
		} else {
			gemm64NEON(heights[h], q.n, q.k, float64(q.alpha), (*float64)(x), 8*q.a.ld, (*float64)(y),
				(*float64)(z), 8*q.ldc, write)
		}
	}
}

func packRowsKernel(k, dwords int, src *byte, stride int, dst *byte) {
	if dwords == 8 {
		packRowsNEON(k, src, stride, dst)
		return
	}
	from, to := unsafe.Pointer(src), unsafe.Slice((*[8]uint32)(unsafe.Pointer(dst)), k)
	for i := range to {
		to[i] = [8]uint32{}
		copy(to[i][:], unsafe.Slice((*uint32)(unsafe.Add(from, i*stride)), dwords))
	}
}

func transpose32Kernel(rows, cols int, src *float32, lds int, dst *float32, ldd int) {
	row := func(i int) *float32 { return (*float32)(unsafe.Add(unsafe.Pointer(src), min(i, rows-1)*lds)) }
	for i := 0; i < rows; i += square32 {
		to := (*float32)(unsafe.Add(unsafe.Pointer(dst), 4*i))
		transposeBand32NEON(cols, row(i), row(i+1), row(i+2), row(i+3), to, ldd)
	}
}

func transpose64Kernel(rows, cols int, src *float64, lds int, dst *float64, ldd int) {
	row := func(i int) *float64 { return (*float64)(unsafe.Add(unsafe.Pointer(src), min(i, rows-1)*lds)) }
	for i := 0; i < rows; i += square64 {
		transposeBand64NEON(cols, row(i), row(i+1), (*float64)(unsafe.Add(unsafe.Pointer(dst), 8*i)), ldd)
	}
}

// integrate32Kernel leaves the moments of cosines and sines to the compiler.
func integrate32Kernel(m *Integrals[float32]) { integrateScalar(m) }

func integrateSlopes32Kernel(dt, dv []float32, m *Integrals[float32]) { slopesScalar(dt, dv, m) }

// HasMatches reports whether Matches has assembly.
func HasMatches() bool { return false }

func matches(sums *[8]uint64, parts int, at []uint32, counts []uint64, weight *[16]byte) {
	matchesScalar(sums, parts, at, counts, weight)
}
