package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The integrals are the double sum over pairs, whatever the means are like: near one another, far apart, in two heaps.
func TestSpread(t *testing.T) {
	for _, size := range []int{1, 2, 30, 700} {
		for _, sd := range []float64{1e-9, 1e-3, 0.3, 2, 1e4} {
			rng := rand.New(rand.NewPCG(uint64(size), 1))
			m := Mixture{S: size, N: 1, Mean: make([]float64, size), Var: []float64{sd * sd}}
			own := Mixture{S: size, N: 1, Mean: m.Mean, Var: make([]float64, size)}
			varied := own
			varied.Var = make([]float64, size)
			for s := range m.Mean {
				m.Mean[s] = rng.ExpFloat64() - 3*float64(s%2)
				own.Var[s] = sd * sd
				varied.Var[s] = sd * sd * math.Exp(rng.NormFloat64())
			}
			want := own.pairedSpread(0)
			check(t, fmt.Sprintf("%d normals of sd %g", size, sd), m.equalSpread(0), want, 1e-11)
			if sd > 0.1 { // it takes narrow components for noise
				want = varied.pairedSpread(0)
				check(t, fmt.Sprintf("%d normals of sds like %g", size, sd), varied.integratedSpread(0), want, 2e-5)
			}
		}
	}
}

// Components too narrow for the resolution of their means, and means that are not numbers, come to an end.
func TestSpreadEnds(t *testing.T) {
	m := Mixture{S: 3, N: 1, Mean: []float64{1, 2, 4}, Var: []float64{1e-300}}
	check(t, "points", m.CRPS(0, 2), 1-12.0/18, 1e-12)
	for _, mean := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m.Mean[1] = mean
		if got := m.CRPS(0, 2); !math.IsNaN(got) {
			t.Errorf("%g", got)
		}
	}
}

// Weights sum to 1 except in their last digits, and components may be of both kinds: as stacked models are. The
// integral of (CDF − 1[t ≥ y])² is taken as it stands.
func TestCRPSOfWeighted(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 4 {
		const size = 40
		m := Mixture{S: size, N: 1, Mean: make([]float64, size), Var: make([]float64, size),
			Weight: make([]float64, size), Student: make([]*StudentT, size)}
		total := 0.0
		for s := range size {
			m.Mean[s], m.Var[s], m.Weight[s] = rng.NormFloat64(), math.Exp(rng.NormFloat64()), rng.Float64()
			total += m.Weight[s]
		}
		for s := range size {
			m.Weight[s] /= total
		}
		students := m
		student := NewStudentT(5 + float64(trial))
		for s := range size / 2 {
			students.Student[s] = student
		}
		m.Student = nil
		check(t, "spread of weighted normals", m.integratedSpread(0), m.pairedSpread(0), 1e-6)
		const y, reach, step = 0.7, 12, 0.005
		for name, m := range map[string]Mixture{"normals": m, "both kinds": students} {
			want := 0.0
			for u := -reach + step/2; u < reach; u += step { // t = y + sinh u
				off := m.CDF(0, y+math.Sinh(u))
				if u > 0 {
					off = m.survival(0, y+math.Sinh(u))
				}
				want += off * off * math.Cosh(u) * step
			}
			check(t, "CRPS of "+name, m.CRPS(0, y), want, 1e-4)
		}
	}
}

func BenchmarkCRPS(b *testing.B) {
	for _, size := range []int{100, 50000} {
		m := Mixture{S: size, N: 1, Mean: make([]float64, size), Var: []float64{0.1}}
		own := Mixture{S: size, N: 1, Mean: m.Mean, Var: make([]float64, size)}
		for s := range m.Mean {
			m.Mean[s], own.Var[s] = rand.NormFloat64(), 0.1*rand.ExpFloat64()
		}
		b.Run(fmt.Sprint("one variance, ", size), func(b *testing.B) {
			for b.Loop() {
				m.CRPS(0, 0.3)
			}
		})
		b.Run(fmt.Sprint("own variances, ", size), func(b *testing.B) {
			for b.Loop() {
				own.CRPS(0, 0.3)
			}
		})
	}
}
