package simd

import (
	"math"
	"strings"
	"testing"
)

// eachTier runs a test with every tier that this processor has.
func eachTier(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	eachTierQuietly(func() { t.Run(Tier(), test) })
}

// eachTierQuietly is eachTier without a subtest for each.
func eachTierQuietly(f func()) {
	chosen := active
	defer func() { active = chosen }()
	for active = scalar; active <= bestTier(); active++ {
		f()
	}
}

func TestChooseTier(t *testing.T) {
	for _, c := range []struct {
		name    string
		best    tier
		want    tier
		problem string
	}{
		{"", avx512, avx512, ""},
		{"", scalar, scalar, ""},
		{"avx2", avx512, avx2, ""},
		{"scalar", avx512, scalar, ""},
		{"avx512", avx2, avx2, "no avx512"},
		{"sse", avx512, avx512, "use avx512, avx2 or scalar"},
	} {
		got, err := chooseTier(c.name, c.best)
		if got != c.want || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("GPDRF_SIMD=%q on %v: %v, %v", c.name, c.best, got, err)
		}
	}
	if Tier() != active.String() {
		t.Errorf("Tier() = %s, want %s", Tier(), active)
	}
}

// every runs all kernels with one tier and returns their results in order.
func every(tr tier) (out []float64) {
	chosen := active
	defer func() { active = chosen }()
	active = tr
	const n = 1003
	x, y, z := random[float32](1, n), random[float32](2, n), random[float32](3, n)
	keep32 := func(x []float32) {
		for _, v := range x {
			out = append(out, float64(v))
		}
	}
	wide := make([]float32, n)
	for i, v := range x {
		wide[i] = 50 * v
	}
	dst, dst2 := make([]float32, n), make([]float32, n)
	Exp32(dst, wide)
	keep32(dst)
	SinCos32(dst, dst2, wide)
	keep32(dst)
	keep32(dst2)
	Exp32(dst, x)
	Log32(dst, dst)
	keep32(dst)
	Normals32(dst, [2]uint32{1, 2}, 3, 4, 5)
	keep32(dst)
	keep32([]float32{Dot32(x, y), Dot32(x[:40], y[:40])})
	Axpy32(0.3, x, dst)
	keep32(dst)
	Adam32(x, y, z, dst2, wide, AdamCoeffs{0.9, 0.99, 0.1, 2, 1e-8, 0.1, -0.2})
	keep32(x)

	a, b := random[float64](4, n), random[float64](5, n)
	d := make([]float64, n)
	for i, v := range a {
		d[i] = 300 * v
	}
	Exp64(d, d)
	out = append(out, d...)
	Axpy64(0.3, a, b)
	out = append(out, b...)
	out = append(out, Dot64(a, b), Dot64(a[:21], b[:21]))
	Exp64(d, a)
	Adam64(a, b, d, d, b, AdamCoeffs{0.9, 0.99, 0.1, 2, 1e-8, 0.1, -0.2})
	out = append(out, a...)
	for form := range 4 {
		p := newProduct[float32](form&1 != 0, form&2 != 0, 37, 53, 300, 1)
		gemmOf[float32]()(p.tA, p.tB, p.m, p.n, p.k, 0.3, p.a, p.lda, p.b, p.ldb, 0.7, p.c, p.ldc)
		keep32(p.c)
		q := newProduct[float64](form&1 != 0, form&2 != 0, 37, 53, 300, 1)
		gemmOf[float64]()(q.tA, q.tB, q.m, q.n, q.k, 0.3, q.a, q.lda, q.b, q.ldb, 0.7, q.c, q.ldc)
		out = append(out, q.c...)
	}
	return out
}

// The vector tiers give the same bits: each does the same operations in the same order.
func TestTiersAgree(t *testing.T) {
	if bestTier() < avx512 {
		t.Skip("this processor has only one vector tier")
	}
	a, b := every(avx2), every(avx512)
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			t.Fatalf("result %d of %d: avx2 %.17g, avx512 %.17g", i, len(a), a[i], b[i])
		}
	}
}

// Calls leave nothing on the heap, even where a caller's arrays are on its stack.
func TestAllocations(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		p, q := NewPack32(), NewPack64()
		if n := testing.AllocsPerRun(10, func() {
			var a, b, c, d, e [36]float32
			Gemm32(p, true, true, 6, 6, 6, 1, a[:], 6, b[:], 6, 0, c[:], 6)
			Exp32(a[:], b[:])
			Log32(a[:], b[:])
			SinCos32(a[:], b[:], c[:])
			Normals32(d[:], [2]uint32{}, 1, 2, 3)
			NormalRows32(d[:], 6, 6, 3, [2]uint32{}, nil, 2, 3)
			Axpy32(Dot32(a[:], b[:]), a[:], b[:])
			Adam32(a[:], b[:], c[:], d[:], e[:], AdamCoeffs{})
		}); n != 0 {
			t.Errorf("single precision: %g allocations", n)
		}
		if n := testing.AllocsPerRun(10, func() {
			var a, b, c, d, e [36]float64
			Gemm64(q, true, true, 6, 6, 6, 1, a[:], 6, b[:], 6, 0, c[:], 6)
			Exp64(a[:], b[:])
			Log64(a[:], b[:])
			SinCos64(a[:], b[:], c[:])
			Normals64(d[:], [2]uint32{}, 1, 2, 3)
			Axpy64(Dot64(a[:], b[:]), a[:], b[:])
			Adam64(a[:], b[:], c[:], d[:], e[:], AdamCoeffs{})
		}); n != 0 {
			t.Errorf("double: %g allocations", n)
		}
	})
}
