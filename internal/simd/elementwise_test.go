package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// ulps32 returns the number of steps of float32 that lie between got and want, subnormal steps included.
func ulps32(got float32, want float64) float64 {
	w := math.Abs(want)
	step := math.Max(math.Float64frombits(math.Float64bits(w)&^(1<<52-1))*0x1p-23, 0x1p-149)
	return math.Abs(float64(got)-want) / step
}

// same compares specials: NaN equals NaN.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestExp32(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		x := make([]float32, 200000)
		for i := range x {
			x[i] = float32(-104.5 + 193.3*r.Float64())
		}
		y := make([]float32, len(x))
		Exp32(y, x)
		worst := 0.0
		for i, v := range x {
			want := math.Exp(float64(v))
			if want > math.MaxFloat32 {
				if !math.IsInf(float64(y[i]), 1) {
					t.Fatalf("exp %g = %g, want +Inf", v, y[i])
				}
				continue
			}
			worst = max(worst, ulps32(y[i], want))
			if worst > 2 {
				t.Fatalf("exp %g = %g, want %g: %.2f ulp", v, y[i], want, worst)
			}
		}
		t.Logf("largest error %.2f ulp", worst)
		inf := math.Inf(1)
		for _, c := range [][2]float64{{0, 1}, {math.NaN(), math.NaN()}, {inf, inf}, {-inf, 0}, {-104, 0},
			{-1e30, 0}, {88.75, inf}, {1e30, inf}} {
			z := []float32{float32(c[0])}
			if Exp32(z, z); !same(float64(z[0]), c[1]) {
				t.Errorf("exp %g = %g, want %g", c[0], z[0], c[1])
			}
		}
	})
}

// bigExp computes eˣ to 100 bits: Taylor's series at x/2²⁰, squared twenty times.
func bigExp(x float64) *big.Float {
	const precision = 160
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }
	y, term, sum := num(math.Ldexp(x, -20)), num(1), num(1)
	for i := 1; i < 20; i++ {
		term.Mul(term, y)
		term.Quo(term, num(float64(i)))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExp64(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, 4000)
		for i := range x {
			x[i] = -746 + 1456*r.Float64()
			if i%2 == 0 {
				x[i] = 2 * r.NormFloat64()
			}
		}
		y := make([]float64, len(x))
		Exp64(y, x)
		worst := 0.0
		for i, v := range x {
			want := bigExp(v)
			w, _ := want.Float64()
			if math.IsInf(w, 1) {
				if y[i] != w {
					t.Fatalf("exp %g = %g, want +Inf", v, y[i])
				}
				continue
			}
			step := math.Max(math.Float64frombits(math.Float64bits(w)&^(1<<52-1))*0x1p-52, math.SmallestNonzeroFloat64)
			diff, _ := new(big.Float).Sub(want, big.NewFloat(y[i])).Float64()
			worst = max(worst, math.Abs(diff)/step)
			if worst > 2 {
				t.Fatalf("exp %g = %g, want %g: %.2f ulp", v, y[i], w, worst)
			}
		}
		t.Logf("largest error %.2f ulp", worst)
		inf := math.Inf(1)
		for _, c := range [][2]float64{{0, 1}, {math.NaN(), math.NaN()}, {inf, inf}, {-inf, 0},
			{-745.2, 0}, {-1e300, 0}, {709.79, inf}, {1e300, inf}} {
			z := []float64{c[0]}
			if Exp64(z, z); !same(z[0], c[1]) {
				t.Errorf("exp %g = %g, want %g", c[0], z[0], c[1])
			}
		}
	})
}

func TestSinCos32(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		x := make([]float32, 200000)
		for i := range x {
			x[i] = float32(20 * r.NormFloat64())
			if i%3 == 0 {
				x[i] = float32(10000*r.Float64() - 5000)
			}
		}
		copy(x, []float32{0, 5000, -5000, math.Pi / 4, math.Pi / 2, math.Pi})
		sin, cos := make([]float32, len(x)), make([]float32, len(x))
		SinCos32(sin, cos, x)
		worst := 0.0
		for i, v := range x {
			s, c := math.Sincos(float64(v))
			worst = max(worst, math.Abs(float64(sin[i])-s), math.Abs(float64(cos[i])-c))
			if worst > 2e-7 {
				t.Fatalf("sin, cos %g = %g, %g, want %g, %g", v, sin[i], cos[i], s, c)
			}
		}
		t.Logf("largest error %.2g", worst)
	})
}

// Large numbers among small ones: each result depends on its element alone.
func TestSinCos32Large(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		inf := float32(math.Inf(1))
		for _, n := range []int{1, 5, 16, 17, 40, 100} {
			x := random[float32](1, n)
			for i := 2; i < n; i += 11 {
				x[i] = []float32{5001, -1e6, 1e30, inf, -inf, float32(math.NaN())}[i%6]
			}
			x[n-1] = 7000
			want, wantCos := make([]float32, n), make([]float32, n)
			for i := range x {
				SinCos32(want[i:i+1], wantCos[i:i+1], x[i:i+1])
			}
			cos := make([]float32, n)
			x0 := append([]float32(nil), x...)
			SinCos32(x, cos, x)
			for i := range x {
				s, c := math.Sincos(float64(x0[i]))
				if !same(float64(x[i]), float64(want[i])) || !same(float64(cos[i]), float64(wantCos[i])) {
					t.Fatalf("n %d: sin, cos %g = %g, %g beside others, %g, %g alone", n, x0[i],
						x[i], cos[i], want[i], wantCos[i])
				}
				if !(math.Abs(float64(x[i])-s) <= 2e-7 && math.Abs(float64(cos[i])-c) <= 2e-7) &&
					!math.IsNaN(s+float64(x[i])*0) {
					t.Fatalf("n %d: sin, cos %g = %g, %g, want %g, %g", n, x0[i], x[i], cos[i], s, c)
				}
			}
		}
	})
}

func TestDoubles(t *testing.T) {
	x := random[float64](1, 100)
	s, c, l := make([]float64, 100), make([]float64, 100), make([]float64, 100)
	SinCos64(s, c, x)
	Exp64(l, x)
	for i, v := range x {
		if s[i] != math.Sin(v) || c[i] != math.Cos(v) || math.Abs(l[i]/math.Exp(v)-1) > 1e-14 {
			t.Fatalf("x %g: sin %g, cos %g, exp %g", v, s[i], c[i], l[i])
		}
	}
}

// RBF64 against its formula, at the rounding errors of a distance of 0 too.
func TestRBF64(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := range 40 {
			x, half := random[float64](1, n), random[float64](2, n)
			dst := append(make([]float64, n), gap)
			for i := range half {
				half[i] *= half[i]
				if i%5 == 0 {
					half[i] = x[i] - 0.75 - 1e-3 // above 0: taken for 0
				}
				if i%7 == 6 {
					x[i] = math.NaN()
				}
			}
			RBF64(dst[:n], x, half, 0.75, 1.5)
			for i, v := range x {
				want := math.Exp(1.5 * min(0, v-(0.75+half[i])))
				if got := dst[i]; !(math.Abs(got-want) <= 1e-15*want) && !same(got, want) {
					t.Fatalf("n %d, element %d: %g, want %g", n, i, got, want)
				}
			}
			inBounds(t, n, dst)
		}
	})
}

func testRotate[T Float](t *testing.T, rotate func(dst, cos, sin, a, b []T)) {
	for n := range 40 {
		cos, sin, a, b := random[T](1, n), random[T](2, n), random[T](3, n), random[T](4, n)
		dst := append(make([]T, n), gap)
		rotate(dst[:n], cos, sin, a, b)
		for i := range cos {
			x, y := float64(cos[i])*float64(b[i]), float64(sin[i])*float64(a[i])
			if math.Abs(float64(dst[i])-(x-y)) > epsilon[T]()*(math.Abs(x)+math.Abs(y)) {
				t.Fatalf("n %d, element %d: %g, want %g", n, i, dst[i], x-y)
			}
		}
		inBounds(t, n, dst)
	}
}

func TestRotate(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		testRotate(t, Rotate32)
		testRotate(t, Rotate64)
	})
}

func TestMul64(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := range 40 {
			x, y, z := random[float64](1, n), random[float64](2, n), random[float64](3, n)
			product, sum := append(make([]float64, n), gap), append(z[:n:n], gap)
			Mul64(product[:n], x, y)
			MulAdd64(sum[:n], x, y)
			for i, v := range x {
				if product[i] != v*y[i] || math.Abs(sum[i]-(z[i]+v*y[i])) > 4e-16*(math.Abs(z[i])+math.Abs(v*y[i])) {
					t.Fatalf("n %d, element %d: %g and %g", n, i, product[i], sum[i])
				}
			}
			inBounds(t, n, product, sum)
		}
	})
}

// Every length up to several registers: results go where they should and no further.
func TestLengths(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := range 70 {
			x := random[float32](1, n)
			a, b := make([]float32, n+1), make([]float32, n+1)
			a[n], b[n] = gap, gap
			SinCos32(a[:n], b[:n], x)
			for i, v := range x {
				if math.Abs(float64(a[i])-math.Sin(float64(v))) > 2e-7 ||
					math.Abs(float64(b[i])-math.Cos(float64(v))) > 2e-7 {
					t.Fatalf("n %d: sin, cos of element %d are %g, %g", n, i, a[i], b[i])
				}
			}
			Exp32(a[:n], x)
			for i, v := range x {
				if ulps32(a[i], math.Exp(float64(v))) > 2 {
					t.Fatalf("n %d: exp of element %d is %g", n, i, a[i])
				}
			}
			inBounds(t, n, a, b)
			y := random[float64](1, n)
			d := make([]float64, n+1)
			d[n] = gap
			Exp64(d[:n], y)
			for i, v := range y {
				if want := math.Exp(v); math.Abs(d[i]-want) > 1e-15*want {
					t.Fatalf("n %d: exp of element %d is %g", n, i, d[i])
				}
			}
			inBounds(t, n, d)
		}
		// more than one call of assembly
		big := make([]float32, 40001)
		Exp32(big, big)
		for i, v := range big {
			if v != 1 {
				t.Fatalf("element %d of many: exp 0 = %g", i, v)
			}
		}
	})
}
