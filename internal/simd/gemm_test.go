package simd

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// gemmOf gives a test the product in either precision.
func gemmOf[T Float]() func(tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	switch any(T(0)).(type) {
	case float32:
		p := NewPack[float32]()
		return func(tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
			Gemm32(p, tA, tB, m, n, k, float32(alpha), any(a).([]float32), lda, any(b).([]float32), ldb,
				float32(beta), any(c).([]float32), ldc)
		}
	default:
		p := NewPack[float64]()
		return func(tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
			Gemm64(p, tA, tB, m, n, k, float64(alpha), any(a).([]float64), lda, any(b).([]float64), ldb,
				float64(beta), any(c).([]float64), ldc)
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

// gap is the filler of the tests between the rows of a matrix: it must stay untouched.
const gap = 12345

// inBounds fails if a kernel wrote past the n elements of a slice that gap follows.
func inBounds[T Float](t *testing.T, n int, all ...[]T) {
	t.Helper()
	for _, x := range all {
		if x[n] != gap {
			t.Fatalf("n %d: wrote past the end of %T", n, x)
		}
	}
}

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
	ai, aq, bq, bj := p.lda, 1, p.ldb, 1
	if tA {
		ai, aq = aq, ai
	}
	if tB {
		bq, bj = bj, bq
	}
	for i := range m {
		for j := range n {
			sum, size := 0.0, 0.0
			x, y := i*ai, j*bj
			for range k {
				t := float64(p.a[x]) * float64(p.b[y])
				sum += t
				size += math.Abs(t)
				x += aq
				y += bq
			}
			p.want[i*n+j], p.size[i*n+j] = sum, size
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
				t.Fatalf("tA %v tB %v %d×%d×%d α %g β %g: C[%d,%d] = %.9g, want %.9g ± %.2g", p.tA, p.tB, p.m,
					p.n, p.k, alpha, beta, i, j, got, want, tol)
			}
		}
	}
}

func testGemm[T Float](t *testing.T) {
	var problems []*product[T]
	sizes := []int{1, 31, 33, 257}
	for form := range 4 {
		for i, m := range sizes {
			for _, n := range sizes {
				for _, k := range sizes {
					if m*n*k > 1<<22 && form%3 > 0 {
						continue // the largest takes the naive loops too long to do for all forms
					}
					problems = append(problems, newProduct[T](form&1 != 0, form&2 != 0, m, n, k, (i+n+k)%3))
				}
			}
		}
	}
	// every remainder of rows and columns, several blocks of k and of n, a critical stride
	for r := 1; r <= 13; r++ {
		problems = append(problems,
			newProduct[T](r&1 != 0, r&2 != 0, r, 40-r, 19, r),
			newProduct[T](r&2 != 0, r&1 != 0, 24+r, r, 2*kBlock+r, 0))
	}
	problems = append(problems,
		newProduct[T](false, true, 5, 600, 300, 3),
		newProduct[T](true, false, 14, 1100, 270, 0),
		newProduct[T](false, false, 100, 20, 1024, 0))
	eachTier(t, func(t *testing.T) {
		for _, p := range problems {
			p.check(t, 1, 0)
			p.check(t, -1, 1)
			p.check(t, 0.3, -0.7)
		}
	})
}

func TestGemm32(t *testing.T) { testGemm[float32](t) }
func TestGemm64(t *testing.T) { testGemm[float64](t) }

// No product to add: C is scaled, and A and B are not looked at.
func TestGemmEmpty(t *testing.T) {
	p := NewPack[float64]()
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
	p, x := NewPack[float64](), make([]float64, 6)
	for name, f := range map[string]func(){
		"short A":  func() { Gemm64(p, false, false, 3, 2, 3, 1, x, 3, x, 2, 0, x, 2) },
		"short B":  func() { Gemm64(p, false, true, 2, 3, 3, 1, x, 3, x, 3, 0, x, 3) },
		"short C":  func() { Gemm64(p, false, false, 3, 3, 2, 1, x, 2, x, 3, 0, x, 3) },
		"stride":   func() { Gemm64(p, false, false, 2, 3, 2, 1, x, 2, x, 2, 0, x, 3) },
		"negative": func() { Gemm64(p, false, false, -1, 3, 2, 1, x, 2, x, 3, 0, x, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			if must.PanicOf(f) == nil {
				t.Error("no panic")
			}
		})
	}
}

// testSplit tests that the bits of C do not depend on how a caller splits its rows or its columns.
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
				gemm(tA, tB, min(7, m-i), min(19, n-j), k, 0.7, p.a[i*stepA:], p.lda, p.b[j*stepB:],
					p.ldb, 0, part[i*n+j:], n)
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
	eachTier(t, func(t *testing.T) {
		t.Run("float32", testSplit[float32])
		t.Run("float64", testSplit[float64])
	})
}

func benchGemm[T Float](b *testing.B) {
	for _, s := range []struct {
		m, n, k int
		tA, tB  bool
		what    string
	}{
		{m: 512, n: 512, k: 512, what: "square"},
		{m: 2000, n: 500, k: 50, what: "HΩ"},
		{m: 2000, n: 10, k: 1000, what: "ΦW"},
		{m: 2000, n: 1, k: 1000, what: "ΦW,1output"},
		{m: 1000, n: 50, k: 2000, tA: true, what: "ΦᵀdY"},
		{m: 1000, n: 1, k: 2000, tA: true, what: "ΦᵀdY,1output"},
		{m: 2000, n: 1000, k: 50, tB: true, what: "dYWᵀ"},
		{m: 256, n: 200, k: 12, tB: true, what: "distances"},
		{m: 200, n: 256, k: 200, what: "L⁻¹Kuf"},
		{m: 200, n: 200, k: 256, tB: true, what: "dbaᵀ"},
		{m: 200, n: 256, k: 200, tA: true, what: "L⁻ᵀdA"},
		{m: 32, n: 200, k: 100, what: "trsm,block"},
		{m: 100, n: 32, k: 100, tB: true, what: "potrf,block"},
	} {
		b.Run(s.what, func(b *testing.B) {
			x, y, c := random[T](1, s.m*s.k), random[T](2, s.k*s.n), make([]T, s.m*s.n)
			lda, ldb := s.k, s.n
			if s.tA {
				lda = s.m
			}
			if s.tB {
				ldb = s.k
			}
			gemm := gemmOf[T]()
			b.ResetTimer()
			for range b.N {
				gemm(s.tA, s.tB, s.m, s.n, s.k, 1, x, lda, y, ldb, 0, c, s.n)
			}
			b.ReportMetric(2*float64(s.m)*float64(s.n)*float64(s.k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkGemm32(b *testing.B) { benchGemm[float32](b) }
func BenchmarkGemm64(b *testing.B) { benchGemm[float64](b) }

// Products of subnormal numbers are slow on Intel's processors, and are zero there. Go's own arithmetic keeps them.
func TestSubnormalProducts(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("NEON multiplies subnormal numbers at full speed")
	}
	eachTierQuietly(func() {
		if active != scalar {
			testSubnormalProducts[float32](t, 0x1p-130)
			testSubnormalProducts[float64](t, 0x1p-1030)
		}
	})
}

// testSubnormalProducts calls the micro-kernel once for each height and width that it has.
func testSubnormalProducts[T Float](t *testing.T, tiny T) {
	const k, widest = 9, 40
	for _, m := range []int{1, 2, 4, 6, 8, 12} {
		for n := 1; n <= widest; n++ {
			a, b, c := slices.Repeat([]T{tiny}, m*k), slices.Repeat([]T{1}, k*n), make([]T, m*n)
			gemmOf[T]()(false, false, m, n, k, 1, a, k, b, n, 0, c, n)
			if i := slices.IndexFunc(c, func(v T) bool { return v != 0 }); i >= 0 {
				t.Fatalf("%s: element %d of %d×%d is %g, expected 0", Tier(), i, m, n, c[i])
			}
			if half := a[0] / 2; half == 0 {
				t.Fatalf("%s: half of %g is 0 after a product %d×%d", Tier(), tiny, m, n)
			}
		}
	}
}
