package simd

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// eachTier runs a test with every tier that this processor has.
func eachTier(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	eachTierQuietly(func() { t.Run(Tier(), test) })
}

// eachTierQuietly works like eachTier, without a subtest for each.
func eachTierQuietly(f func()) {
	chosen := active
	defer func() { active = chosen }()
	for _, active = range availableTiers() {
		f()
	}
}

func TestChooseTier(t *testing.T) {
	x86 := []tier{scalar, avx2, avx512}
	for _, c := range []struct {
		name    string
		written []tier
		best    int
		want    tier
		problem string
	}{
		{"", x86, 2, avx512, ""},
		{"", x86, 0, scalar, ""},
		{"avx2", x86, 2, avx2, ""},
		{"scalar", x86, 2, scalar, ""},
		{"avx512", x86, 1, avx2, "no avx512; using avx2"},
		{"neon", x86, 2, avx512, "use avx512 or avx2 or scalar"},
		{"sse", []tier{scalar, neon}, 1, neon, "use neon or scalar"},
	} {
		got, err := chooseTier(c.name, c.written, c.written[:c.best+1])
		if got != c.want || (err == nil) != (c.problem == "") || err != nil &&
			!strings.Contains(err.Error(), c.problem) {
			t.Errorf("GPDRF_SIMD=%q on %v: %v, %v", c.name, c.written[c.best], got, err)
		}
	}
	if Tier() != active.String() {
		t.Errorf("Tier() = %s, want %s", Tier(), active)
	}
}

// uniform returns n numbers from −1 to 1 that are the same on every processor.
func uniform[T Float](seed uint32, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(int32(philox.Uint32([2]uint32{seed}, 1, 2, 3, i))>>8) * 0x1p-23
	}
	return x
}

// every runs all kernels with one tier and returns their results in order.
func every(tr tier) (out []float64) {
	chosen := active
	defer func() { active = chosen }()
	active = tr
	const n = 1003
	x, y, z := uniform[float32](1, n), uniform[float32](2, n), uniform[float32](3, n)
	keep32 := func(x []float32) {
		for _, v := range x {
			out = append(out, float64(v))
		}
	}
	wide := make([]float32, n)
	for i, v := range x {
		wide[i] = 128 * v
	}
	dst, dst2 := make([]float32, n), make([]float32, n)
	Exp32(dst, wide)
	keep32(dst)
	SinCos32(dst, dst2, wide)
	keep32(dst)
	keep32(dst2)
	Normals32(dst, [2]uint32{1, 2}, 3, 4, 5)
	keep32(dst)
	NormalRows32(dst, 7, 143, 6, NormalRows{Key: [2]uint32{1, 2}, First: 0, C2: 4, C3: 5})
	keep32(dst)
	keep32([]float32{Dot32(x, y), Dot32(x[:40], y[:40])})
	Axpy32(0.25, x, dst)
	keep32(dst)
	Rotate32(dst2, x, y, z, dst)
	keep32(dst2)
	for degree := range 3 {
		Rectify32(dst2, dst, x, degree)
		keep32(dst2)
		keep32(dst)
	}
	Exp32(dst2, dst2)
	Adam32(x, y, z, dst2, wide, AdamCoeffs{0.9, 0.99, 0.1, 2, 1e-8, 0.1, -0.2})
	keep32(x)

	a, b := uniform[float64](4, n), uniform[float64](5, n)
	d, e := make([]float64, n), make([]float64, n)
	for i, v := range a {
		d[i] = 1024 * v
	}
	Exp64(e, d)
	out = append(out, e...)
	RBF64(e, d, b, 0.5, 0.25)
	out = append(out, e...)
	for _, twiceNu := range []int{1, 3, 5} {
		slope := make([]float64, n)
		Matern64(e, slope, d, b, 0.5, 0.25, twiceNu, 1e-6)
		out = append(append(out, e...), slope...)
	}
	Mul64(e, a, d)
	MulAdd64(e, b, d)
	out = append(out, e...)
	Axpy64(0.25, a, b)
	out = append(out, b...)
	out = append(out, Dot64(a, b), Dot64(a[:21], b[:21]))
	Exp64(d, a)
	Mul64(e, e, e)
	Adam64(a, b, d, e, uniform[float64](8, n), AdamCoeffs{0.9, 0.99, 0.1, 2, 1e-8, 0.1, -0.2})
	out = append(out, a...)
	for form := range 4 {
		p := newProduct[float32](form&1 != 0, form&2 != 0, 37, 53, 300, 1)
		p.a, p.b = uniform[float32](6, len(p.a)), uniform[float32](7, len(p.b))
		gemmOf[float32]()(p.tA, p.tB, p.m, p.n, p.k, 0.3, p.a, p.lda, p.b, p.ldb, 0.7, p.c, p.ldc)
		keep32(p.c)
		q := newProduct[float64](form&1 != 0, form&2 != 0, 37, 53, 300, 1)
		q.a, q.b = uniform[float64](6, len(q.a)), uniform[float64](7, len(q.b))
		gemmOf[float64]()(q.tA, q.tB, q.m, q.n, q.k, 0.3, q.a, q.lda, q.b, q.ldb, 0.7, q.c, q.ldc)
		out = append(out, q.c...)
	}
	return out
}

// vectorHash is the hash of every vector tier's results: all do the same operations in the same order, on every
// processor. It changes with the arithmetic of a kernel.
const vectorHash = 0x4e4800928e1c895f

func TestTiersAgree(t *testing.T) {
	for _, tr := range availableTiers()[1:] {
		h := fnv.New64a()
		for _, v := range every(tr) {
			if math.IsNaN(v) {
				v = 0 // one processor's NaN is not another's
			}
			must.OK(t, binary.Write(h, binary.LittleEndian, v+0))
		}
		if got := h.Sum64(); got != vectorHash {
			t.Errorf("%v: results with hash %#x, want %#x", tr, got, uint64(vectorHash))
		}
	}
}

// Calls leave nothing on the heap, even where a caller's arrays are on its stack.
func TestAllocations(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		p, q := NewPack[float32](), NewPack[float64]()
		if n := must.AllocsPerRun(10, func() {
			var a, b, c, d, e [36]float32
			Gemm32(p, true, true, 6, 6, 6, 1, a[:], 6, b[:], 6, 0, c[:], 6)
			Exp32(a[:], b[:])
			SinCos32(a[:], b[:], c[:])
			Rotate32(a[:], b[:], c[:], d[:], e[:])
			Rectify32(a[:], b[:], c[:], 2)
			Normals32(d[:], [2]uint32{}, 1, 2, 3)
			NormalRows32(d[:], 6, 6, 3, NormalRows{First: 0, C2: 2, C3: 3})
			Axpy32(Dot32(a[:], b[:]), a[:], b[:])
			Adam32(a[:], b[:], c[:], d[:], e[:], AdamCoeffs{})
		}); n != 0 {
			t.Errorf("single precision: %g allocations", n)
		}
		if n := must.AllocsPerRun(10, func() {
			var a, b, c, d, e [36]float64
			Gemm64(q, true, true, 6, 6, 6, 1, a[:], 6, b[:], 6, 0, c[:], 6)
			Exp64(a[:], b[:])
			RBF64(a[:], b[:], c[:], 1, 2)
			Matern64(a[:], b[:], c[:], d[:], 1, 2, 1, 0.1)
			Matern64(a[:], b[:], c[:], d[:], 1, 2, 3, 0.1)
			MulAdd64(a[:], b[:], c[:])
			Mul64(a[:], b[:], c[:])
			SinCos64(a[:], b[:], c[:])
			Rotate64(a[:], b[:], c[:], d[:], e[:])
			NormalRows64(d[:], 36, 1, 36, NormalRows{First: 1, C2: 2, C3: 3})
			Axpy64(Dot64(a[:], b[:]), a[:], b[:])
			Adam64(a[:], b[:], c[:], d[:], e[:], AdamCoeffs{})
		}); n != 0 {
			t.Errorf("double: %g allocations", n)
		}
	})
}
