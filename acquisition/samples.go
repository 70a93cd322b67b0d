// Package acquisition ranks rows by the worth of measuring them next, by joint samples of a function at all rows. Each
// method is greedy: it chooses a row given the rows before it, so a batch does not repeat similar rows. Larger is
// better; a caller that minimises changes signs.
package acquisition

import (
	"math"
	"slices"
)

// Samples are S functions at N rows, F [S,N].
type Samples struct {
	S, N int
	F    []float64
	More More
}

// More is called before each choice of a row, with the number of chosen rows. If it returns false, the choice ends. A
// nil More chooses all rows. It can report progress, too.
type More func(chosen int) bool

// of returns the values of function s at the rows.
func (f Samples) of(s int) []float64 { return f.F[s*f.N : (s+1)*f.N] }

// means returns the mean values of the rows over the functions.
func (f Samples) means() []float64 {
	means := make([]float64, f.N)
	for s := range f.S {
		for i, v := range f.of(s) {
			means[i] += v / float64(f.S)
		}
	}
	return means
}

// centred returns the functions less their mean.
func (f Samples) centred() Samples {
	g := Samples{S: f.S, N: f.N, F: slices.Clone(f.F)}
	means := f.means()
	for i := range g.F {
		g.F[i] -= means[i%f.N]
	}
	return g
}

// Pick is a chosen row, from 0, and its value given the rows chosen before.
type Pick struct {
	Row   int
	Value float64
}

// greedy chooses rows one after the other: the one with the largest value, the first among equal ones. A value of −Inf
// excludes a row. chosen is called with a chosen row if more rows follow.
func greedy(n, batch int, more More, value func(row int) float64, chosen func(row int)) (picks []Pick) {
	taken := make([]bool, n)
	most := min(batch, n)
	for k := range most {
		if more != nil && !more(k) {
			break
		}
		best := Pick{-1, math.Inf(-1)}
		for i := range n {
			if taken[i] {
				continue
			}
			if v := value(i); best.Row < 0 || v > best.Value {
				best = Pick{i, v}
			}
		}
		taken[best.Row] = true
		if picks = append(picks, best); len(picks) < most {
			chosen(best.Row)
		}
	}
	return picks
}

// weightOf returns the weight of a row; nil weights are 1.
func weightOf(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}
