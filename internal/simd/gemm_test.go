package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// gemmOf gives a test the product in either precision.
func gemmOf[T Float]() func(tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	switch any(T(0)).(type) {
	case float32:
		p := NewPack32()
		return func(tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
			Gemm32(p, tA, tB, m, n, k, float32(alpha), any(a).([]float32), lda, any(b).([]float32), ldb, float32(beta), any(c).([]float32), ldc)
		}
	default:
		p := NewPack64()
		return func(tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
			Gemm64(p, tA, tB, m, n, k, float64(alpha), any(a).([]float64), lda, any(b).([]float64), ldb, float64(beta), any(c).([]float64), ldc)
		}
	}
}

func epsilon[T Float]() float64 {
	if _, ok := any(T(0)).(float32); ok {
		return 0x1p-23
	}
	return 0x1p-52
}

func random[T Float](seed uint64, n int) []T {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	return x
}

// gap is what the tests put between the rows of a matrix: it must stay untouched.
const gap = 12345

// product is a problem with its naive answer.
type product[T Float] struct {
	tA, tB        bool
	m, n, k       int
	lda, ldb, ldc int
	a, b, c       []T
	want, size    []float64 // op(A)op(B) and Σ|a||b|, [m,n]
}

func newProduct[T Float](tA, tB bool, m, n, k, pad int) *product[T] {
	p := &product[T]{tA: tA, tB: tB, m: m, n: n, k: k, lda: k + pad, ldb: n + pad, ldc: n + pad}
	aRows, bRows := m, k
	if tA {
		p.lda, aRows = m+pad, k
	}
	if tB {
		p.ldb, bRows = k+pad, n
	}
	p.a, p.b = random[T](1, aRows*p.lda), random[T](2, bRows*p.ldb)
	p.c = make([]T, m*p.ldc)
	p.want, p.size = make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for j := range n {
			for q := range k {
				x, y := i*p.lda+q, q*p.ldb+j
				if tA {
					x = q*p.lda + i
				}
				if tB {
					y = j*p.ldb + q
				}
				t := float64(p.a[x]) * float64(p.b[y])
				p.want[i*n+j] += t
				p.size[i*n+j] += math.Abs(t)
			}
		}
	}
	return p
}

// check multiplies and compares every element of C, the gaps between its rows included.
func (p *product[T]) check(t *testing.T, alpha, beta T) {
	t.Helper()
	before := random[T](3, p.m*p.n)
	for i := range p.c {
		p.c[i] = gap
	}
	for i := range p.m {
		row := p.c[i*p.ldc:][:p.n]
		copy(row, before[i*p.n:])
		if beta == 0 {
			for j := range row {
				row[j] = T(math.NaN())
			}
		}
	}
	gemmOf[T]()(p.tA, p.tB, p.m, p.n, p.k, alpha, p.a, p.lda, p.b, p.ldb, beta, p.c, p.ldc)
	for i := range p.m {
		for j := range p.ldc {
			got := float64(p.c[i*p.ldc+j])
			if j >= p.n {
				if got != gap {
					t.Fatalf("column %d of row %d is outside C and became %g", j, i, got)
				}
				continue
			}
			e := i*p.n + j
			want := float64(alpha) * p.want[e]
			if beta != 0 {
				want += float64(beta) * float64(before[e])
			}
			tol := epsilon[T]() * (3 + math.Sqrt(float64(p.k))) * (1 + math.Abs(float64(alpha))*p.size[e])
			if !(math.Abs(got-want) <= tol) {
				t.Fatalf("tA %v tB %v %d×%d×%d α %g β %g: C[%d,%d] = %.9g, want %.9g ± %.2g", p.tA, p.tB, p.m, p.n, p.k, alpha, beta, i, j, got, want, tol)
			}
		}
	}
}

func testGemm[T Float](t *testing.T) {
	sizes := []int{1, 31, 33, 257}
	for form := range 4 {
		tA, tB := form&1 != 0, form&2 != 0
		for _, m := range sizes {
			for _, n := range sizes {
				for _, k := range sizes {
					p := newProduct[T](tA, tB, m, n, k, (m+n+k)%3)
					p.check(t, 1, 0)
					if m*n*k < 300000 {
						p.check(t, -1, 1)
						p.check(t, 0.3, -0.7)
					}
				}
			}
		}
	}
	// every remainder of rows and columns, several blocks of k and of n
	for r := 1; r <= 13; r++ {
		newProduct[T](r&1 != 0, r&2 != 0, r, 40-r, 19, r).check(t, 1, 1)
		newProduct[T](r&2 != 0, r&1 != 0, 24+r, r, 2*kBlock+r, 0).check(t, 2, 0)
	}
	newProduct[T](false, true, 5, 600, 300, 3).check(t, 1, 0.5)
	newProduct[T](true, false, 14, 1100, 270, 0).check(t, -1, 1)
}

func TestGemm(t *testing.T) {
	t.Run("float32", testGemm[float32])
	t.Run("float64", testGemm[float64])
}

// No product to add: C is scaled, and A and B are not looked at.
func TestGemmEmpty(t *testing.T) {
	p := NewPack64()
	c := []float64{math.NaN(), 2, 3, 4}
	Gemm64(p, false, false, 2, 2, 0, 1, nil, 1, nil, 2, 0, c, 2)
	if c[0] != 0 || c[3] != 0 {
		t.Errorf("k = 0, β = 0: %v", c)
	}
	c = []float64{1, 2, 3, 4}
	Gemm64(p, false, false, 2, 2, 3, 0, nil, 3, nil, 2, 2, c, 2)
	if c[0] != 2 || c[3] != 8 {
		t.Errorf("α = 0, β = 2: %v", c)
	}
	Gemm64(p, false, false, 0, 2, 2, 1, nil, 2, make([]float64, 4), 2, 0, nil, 2)
	Gemm64(p, false, false, 2, 0, 2, 1, make([]float64, 4), 2, nil, 0, 0, nil, 0)
}

func TestGemmPanics(t *testing.T) {
	p, x := NewPack64(), make([]float64, 6)
	for name, f := range map[string]func(){
		"short A":  func() { Gemm64(p, false, false, 3, 2, 3, 1, x, 3, x, 2, 0, x, 2) },
		"short B":  func() { Gemm64(p, false, true, 2, 3, 3, 1, x, 3, x, 3, 0, x, 3) },
		"short C":  func() { Gemm64(p, false, false, 3, 3, 2, 1, x, 2, x, 3, 0, x, 3) },
		"stride":   func() { Gemm64(p, false, false, 2, 3, 2, 1, x, 2, x, 2, 0, x, 3) },
		"negative": func() { Gemm64(p, false, false, -1, 3, 2, 1, x, 2, x, 3, 0, x, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// The bits of C do not depend on how a caller splits its rows or its columns.
func testSplit[T Float](t *testing.T) {
	const m, n, k = 61, 83, 300
	gemm := gemmOf[T]()
	for form := range 4 {
		tA, tB := form&1 != 0, form&2 != 0
		p := newProduct[T](tA, tB, m, n, k, 0)
		part := make([]T, m*n)
		gemm(tA, tB, m, n, k, 0.7, p.a, p.lda, p.b, p.ldb, 0, p.c, n)
		stepA, stepB := p.lda, 1
		if tA {
			stepA = 1
		}
		if tB {
			stepB = p.ldb
		}
		for i := 0; i < m; i += 7 {
			for j := 0; j < n; j += 19 {
				gemm(tA, tB, min(7, m-i), min(19, n-j), k, 0.7, p.a[i*stepA:], p.lda, p.b[j*stepB:], p.ldb, 0, part[i*n+j:], n)
			}
		}
		for i := range part {
			if part[i] != p.c[i] {
				t.Fatalf("tA %v tB %v: element %d is %.17g in parts, %.17g as a whole", tA, tB, i, part[i], p.c[i])
			}
		}
	}
}

func TestGemmSplit(t *testing.T) {
	t.Run("float32", testSplit[float32])
	t.Run("float64", testSplit[float64])
}

func TestGemmAllocates(t *testing.T) {
	p := NewPack64()
	if n := testing.AllocsPerRun(10, func() {
		var a, b, c [36]float64
		Gemm64(p, true, true, 6, 6, 6, 1, a[:], 6, b[:], 6, 0, c[:], 6)
	}); n != 0 {
		t.Errorf("%g allocations a call", n)
	}
}

func benchGemm[T Float](b *testing.B, tA, tB bool, m, n, k int) {
	form := [2]string{"N", "T"}
	pick := func(t bool) string {
		if t {
			return form[1]
		}
		return form[0]
	}
	b.Run(fmt.Sprintf("%dx%dx%d%s%s", m, n, k, pick(tA), pick(tB)), func(b *testing.B) {
		x, y, c := random[T](1, m*k), random[T](2, k*n), make([]T, m*n)
		lda, ldb := k, n
		if tA {
			lda = m
		}
		if tB {
			ldb = k
		}
		gemm := gemmOf[T]()
		b.ResetTimer()
		for range b.N {
			gemm(tA, tB, m, n, k, 1, x, lda, y, ldb, 0, c, n)
		}
		b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}

func BenchmarkGemm32(b *testing.B) {
	benchGemm[float32](b, false, false, 512, 512, 512)
}

func BenchmarkGemm64(b *testing.B) {
	benchGemm[float64](b, false, false, 512, 512, 512)
	benchGemm[float64](b, false, false, 200, 256, 200)
	benchGemm[float64](b, false, true, 256, 200, 12)
}
