package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// integrals returns columns of n phases whose means and variances are random, with room behind them.
func integrals[T Float](n int) (m Integrals[T], mean, variance []float64) {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	column := func() []T { return append(make([]T, n, n+1), gap)[:n] }
	m = Integrals[T]{column(), column(), column(), column(), column(), column(), column(), column(), column()}
	for i := range n {
		t, v := 3*rng.NormFloat64(), math.Exp(2*rng.NormFloat64()-1)
		mean, variance = append(mean, t), append(variance, v)
		m.Cos[i], m.Sin[i], m.Shrink[i] = T(math.Cos(t)), T(math.Sin(t)), T(math.Exp(-v/2))
	}
	return m, mean, variance
}

// columnsOf returns the six columns by their definitions.
func columnsOf(t, v float64) [6]float64 {
	q, u := math.Exp(-v/2), math.Exp(-v)
	return [6]float64{
		q * math.Cos(t), q * math.Sin(t), u * u * math.Cos(2*t) / 2, (1 - u) / 2,
		-u * (1 - u) * math.Cos(2*t) / 2, -u * (1 - u) * math.Sin(2*t),
	}
}

func (m *Integrals[T]) columns() [6][]T {
	return [6][]T{m.MeanCos, m.MeanSin, m.Wave, m.Lost, m.CrossCos, m.CrossSin}
}

func testIntegrate[T Float](t *testing.T, integrate func(Integrals[T])) {
	for _, n := range []int{0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 70, 20003} {
		m, mean, variance := integrals[T](n)
		integrate(m)
		for k, column := range m.columns() {
			for i, got := range column {
				if want := columnsOf(mean[i], variance[i])[k]; math.Abs(float64(got)-want) > 4*epsilon[T]() {
					t.Fatalf("n %d, column %d, element %d: %g, want %g", n, k, i, got, want)
				}
			}
			if column[:n+1][n] != gap {
				t.Fatalf("n %d, column %d: wrote past the end", n, k)
			}
		}
	}
}

func TestIntegrate(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		testIntegrate(t, Integrate32)
		testIntegrate(t, Integrate64)
	})
}

// testIntegrateSlopes tests that the slopes are the central differences of the columns.
func testIntegrateSlopes[T Float](t *testing.T, slopes func(dt, dv []T, m Integrals[T])) {
	for _, n := range []int{0, 1, 7, 8, 9, 17, 33, 70, 20003} {
		m, mean, variance := integrals[T](n)
		rng := rand.New(rand.NewPCG(uint64(n), 6))
		for _, column := range m.columns() {
			for i := range column {
				column[i] = T(rng.NormFloat64())
			}
		}
		dt, dv := append(make([]T, n), gap), append(make([]T, n), gap)
		slopes(dt[:n], dv[:n], m)
		for i := range n {
			along := func(t, v float64) (sum float64) {
				for k, x := range columnsOf(t, v) {
					sum += x * float64(m.columns()[k][i])
				}
				return sum
			}
			const h = 1e-5
			wantT := (along(mean[i]+h, variance[i]) - along(mean[i]-h, variance[i])) / (2 * h)
			wantV := (along(mean[i], variance[i]+h) - along(mean[i], variance[i]-h)) / (2 * h)
			limit := 40*epsilon[T]() + 1e-9
			if math.Abs(float64(dt[i])-wantT) > limit || math.Abs(float64(dv[i])-wantV) > limit {
				t.Fatalf("n %d, element %d: slopes %g and %g, want %g and %g", n, i, dt[i], dv[i], wantT, wantV)
			}
		}
		inBounds(t, n, dt, dv)
	}
}

func TestIntegrateSlopes(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		testIntegrateSlopes(t, IntegrateSlopes32)
		testIntegrateSlopes(t, IntegrateSlopes64)
	})
}

// No kernel reads or writes past the end of a column.
func TestGuardedIntegrals(t *testing.T) {
	for n := range 36 {
		m, _, _ := integrals[float32](n)
		for _, column := range []*[]float32{&m.MeanCos, &m.MeanSin, &m.Wave, &m.Lost, &m.CrossCos, &m.CrossSin,
			&m.Cos, &m.Sin, &m.Shrink} {
			*column = guarded(t, *column)
		}
		dt, dv := guarded(t, make([]float32, n)), guarded(t, make([]float32, n))
		eachTierQuietly(func() {
			Integrate32(m)
			IntegrateSlopes32(dt, dv, m)
		})
	}
}

// The vector tiers of a processor have the same bits.
func TestIntegralsOfTiers(t *testing.T) {
	m, _, _ := integrals[float32](1003)
	var first []float32
	eachTierQuietly(func() {
		if active == scalar {
			return
		}
		Integrate32(m)
		dt, dv := make([]float32, 1003), make([]float32, 1003)
		IntegrateSlopes32(dt, dv, m)
		all := append(dt, dv...)
		for _, column := range m.columns() {
			all = append(all, column...)
		}
		if first == nil {
			first = all
		}
		for i, v := range all {
			if v != first[i] {
				t.Fatalf("%v: number %d is %g, want %g", active, i, v, first[i])
			}
		}
	})
}
