package scaling

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

// mixedModel is a linear mixed model of targets:
//
//	t = μ + Σ_j β_j z_j + Σ_k u_k(word_k) + ε
//
// with columns of numbers z_j and of words. The coefficients β_j, the effects u_k of each column of words, and the
// noise ε are normal with mean 0. Each of the three has a variance of its own.
type mixedModel struct {
	numbers [][]float64 // standardised columns of numbers, each [N]
	words   [][]int     // numbers of the words of each column [N]; −1 for none
	sizes   []int       // number of words of each column
}

// mixedFit are estimates for a mixedModel.
type mixedFit struct {
	effects      [][]float64 // u of each column of words
	coefficients []float64   // β
	residuals    []float64   // targets less all terms [N]

	noise, slope float64   // variances of ε and β
	spreads      []float64 // variances of u_k
	freedom      float64   // degrees of freedom that the terms take
}

// The fit takes this many rounds at most, and ends after one in which no effect moves by more than effectTolerance.
const (
	effectRounds    = 100
	effectTolerance = 1e-3
	leastVariance   = 1e-9
	leastNoise      = 1e-6
)

// fit estimates the model for targets [N] of unit variance. Rows count by their weights [N]. A round of the EM
// algorithm gives every coefficient and effect its posterior mean, given the others. Then it gives every variance its
// expectation.
func (m *mixedModel) fit(targets, weights []float64) *mixedFit {
	share := 0.5 / float64(len(m.words)) // of the variance of the targets
	f := &mixedFit{residuals: slices.Clone(targets), noise: 0.5, slope: 0.5 / float64(1+len(m.numbers)),
		coefficients: make([]float64, len(m.numbers)), spreads: slices.Repeat([]float64{share}, len(m.words))}
	for _, size := range m.sizes {
		f.effects = append(f.effects, make([]float64, size))
	}
	total := stats.Sum(weights)
	for range effectRounds {
		f.freedom = 1
		floats.AddConst(-floats.Dot(weights, f.residuals)/total, f.residuals)
		m.fitNumbers(f, weights)
		moved := 0.0
		for k := range m.words {
			moved = max(moved, m.fitWords(f, k, weights))
		}
		squares := 0.0
		for i, e := range f.residuals {
			squares += weights[i] * e * e
		}
		f.noise = max(squares/max(total-f.freedom, total/10), leastNoise)
		if moved < effectTolerance {
			break
		}
	}
	return f
}

// fitNumbers moves the coefficients of the numbers.
func (m *mixedModel) fitNumbers(f *mixedFit, weights []float64) {
	squares, ridge := 0.0, f.noise/f.slope
	for j, z := range m.numbers {
		length, along := 0.0, 0.0
		for i, v := range z {
			length += weights[i] * v * v
			along += weights[i] * v * f.residuals[i]
		}
		change := (along - ridge*f.coefficients[j]) / (length + ridge)
		f.coefficients[j] += change
		floats.AddScaled(f.residuals, -change, z)
		squares += f.coefficients[j]*f.coefficients[j] + f.noise/(length+ridge)
		f.freedom += length / (length + ridge)
	}
	f.slope = max(squares/float64(max(1, len(m.numbers))), leastVariance)
}

// fitWords moves the effects of column k. It returns the largest movement.
func (m *mixedModel) fitWords(f *mixedFit, k int, weights []float64) (moved float64) {
	effects, ridge := f.effects[k], f.noise/f.spreads[k]
	counts, changes := make([]float64, len(effects)), make([]float64, len(effects))
	for i, w := range m.words[k] {
		if w >= 0 {
			counts[w] += weights[i]
			changes[w] += weights[i] * f.residuals[i]
		}
	}
	squares, known := 0.0, 0.0
	for w, n := range counts {
		if n == 0 {
			continue
		}
		changes[w] = (changes[w] - ridge*effects[w]) / (n + ridge)
		effects[w] += changes[w]
		moved = max(moved, math.Abs(changes[w]))
		squares += effects[w]*effects[w] + f.noise/(n+ridge)
		f.freedom += n / (n + ridge)
		known++
	}
	for i, w := range m.words[k] {
		if w >= 0 {
			f.residuals[i] -= changes[w]
		}
	}
	f.spreads[k] = max(squares/max(1, known), leastVariance)
	return moved
}
