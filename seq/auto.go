package seq

import (
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// Candidates are the specs among which Select chooses for an alphabet. The first is taken where they are equally
// good. Which ones they are was found on public sets of each alphabet.
func Candidates(k Kind) []Spec {
	texts := map[Kind][]string{
		DNA:      {"gapped:10,4/rc", "gapped:8,3/sqrt", "gapped:6,2/sqrt", "spectrum:8/sqrt", "double:1,5/sqrt"},
		Protein:  {"double:1,5", "double:1,5/log+spectrum:3/sqrt", "gapped:5,2/sqrt", "triple:1,3/log"},
		Bytes:    {"words:1/log/tfidf", "words:2/log", "blended:5/log/tfidf/fold", "double:1,5/log/fold"},
		Words:    {"spectrum:1/log/tfidf", "words:2/log", "double:1,5/log"},
		Integers: {"spectrum:1/log", "spectrum:1/sqrt", "blended:2/sqrt", "double:1,5/sqrt"},
	}[k]
	specs := make([]Spec, len(texts))
	for i, text := range texts {
		spec, err := Parse(text)
		if err != nil {
			panic("seq: candidates: " + err.Error())
		}
		specs[i] = spec
	}
	return specs
}

// Score is how well a spec predicts training rows that were left out.
type Score struct {
	Spec  Spec
	Loss  float64 // share of wrong classes; or mean squared error over the variance of the targets
	SE    float64 // its standard error
	Empty int     // rows without any feature under one of its maps
}

// Select compares specs on at most 1000 rows, drawn by the seed, and returns the number of the best in scores. Each row is
// predicted by kernel ridge regression on all others, k = Σ_i exp(−‖φ_i−φ_i'‖²/2σ²), with the better of two σ and of three
// amounts of ridge. For classes, targets holds 1 in the column of a row's class and 0 in the others [N,C]; the largest
// prediction is the class. Otherwise C is 1. An error is a *SpecError, or
// that of ctx.
func Select(ctx context.Context, specs []Spec, set *Set, targets []float64, columns int, classes bool, seed uint64) (best int, scores []Score, err error) {
	n := set.N()
	order := make([]int32, n)
	philox.Permutation(order, [2]uint32{uint32(seed), uint32(seed >> 32)}, 1, 0, chooseSite)
	rows := make([]int, min(n, selectRows))
	l := loo{n: len(rows), columns: columns, classes: classes}
	for i := range rows {
		rows[i] = int(order[i])
		l.y = append(l.y, targets[rows[i]*columns:(rows[i]+1)*columns]...)
	}
	l.center()
	some := set.Subset(rows)
	for i, spec := range specs {
		s, err := l.score(phase(ctx, i, len(specs)), spec, some)
		if err != nil {
			return 0, nil, err
		}
		if scores = append(scores, s); s.Loss < scores[best].Loss {
			best = len(scores) - 1
		}
	}
	return best, scores, nil
}

const selectRows = 1000

// loo predicts rows by all others.
type loo struct {
	n, columns int
	classes    bool
	y          []float64 // [n, columns], centred
	mean       []float64 // by column
}

func (l *loo) center() {
	l.mean = make([]float64, l.columns)
	for i, v := range l.y {
		l.mean[i%l.columns] += v / float64(l.n)
	}
	for i := range l.y {
		l.y[i] -= l.mean[i%l.columns]
	}
}

// score is the best loss of a spec over widths and ridges.
func (l *loo) score(ctx context.Context, spec Spec, set *Set) (Score, error) {
	s := Score{Spec: spec, Loss: math.Inf(1)}
	var distances [][]float64
	for i, t := range spec {
		f, err := Fit(phase(ctx, 2*i, 2*len(spec)), t, set)
		if err != nil {
			return s, err
		}
		d2, empty := f.distances(phase(ctx, 2*i+1, 2*len(spec)), set)
		s.Empty = max(s.Empty, empty)
		distances = append(distances, d2)
	}
	k := make([]float64, l.n*l.n)
	for _, variance := range []float64{0.5, 2} {
		for _, ridge := range []float64{0.01, 0.1, 1} {
			if err := ctx.Err(); err != nil {
				return s, err
			}
			clear(k)
			for _, d2 := range distances {
				for i, d := range d2 {
					k[i] += math.Exp(-d/(2*variance)) / float64(len(spec))
				}
			}
			for i := range l.n {
				k[i*l.n+i] += ridge
			}
			if loss, se := l.loss(k); loss < s.Loss {
				s.Loss, s.SE = loss, se
			}
		}
	}
	return s, nil
}

// loss predicts row i by the others: y_i − (G⁻¹y)_i / (G⁻¹)_ii for G = K + ridge, which overwrites it.
func (l *loo) loss(g []float64) (loss, se float64) {
	n := l.n
	inverse := invertFactor(g, n) // U = L⁻ᵀ, so G⁻¹ = U Uᵀ
	sum, squares := 0.0, 0.0
	variance := simd.Dot64(l.y, l.y) / float64(n)
	half := make([]float64, n*l.columns) // L⁻¹y, by columns
	y := make([]float64, n)
	for c := range l.columns {
		for i := range n {
			y[i] = l.y[i*l.columns+c]
		}
		for j := range n {
			simd.Axpy64(y[j], inverse[j*n+j:(j+1)*n], half[c*n+j:(c+1)*n])
		}
	}
	prediction := make([]float64, l.columns)
	for i := range n {
		row := inverse[i*n+i : (i+1)*n]
		diagonal := simd.Dot64(row, row)
		one := 0.0
		for c := range l.columns {
			residual := simd.Dot64(row, half[c*n+i:(c+1)*n]) / diagonal
			prediction[c] = l.y[i*l.columns+c] - residual + l.mean[c]
			one += residual * residual
		}
		if l.classes {
			one = 0
			if truth := l.class(i); largestAt(prediction) != truth {
				one = 1
			}
		} else {
			one /= variance
		}
		sum += one
		squares += one * one
	}
	loss = sum / float64(n)
	return loss, math.Sqrt(max(0, squares/float64(n)-loss*loss) / float64(n))
}

// class is the column with the largest target of row i.
func (l *loo) class(i int) int {
	row := make([]float64, l.columns)
	for c := range row {
		row[c] = l.y[i*l.columns+c] + l.mean[c]
	}
	return largestAt(row)
}

func largestAt(v []float64) (at int) {
	for i, x := range v {
		if x > v[at] {
			at = i
		}
	}
	return at
}

// invertFactor overwrites g = LLᵀ by L and returns U = L⁻ᵀ, upper triangular.
func invertFactor(g []float64, n int) []float64 {
	for i := range n {
		for j := range i + 1 {
			v := g[i*n+j] - simd.Dot64(g[i*n:i*n+j], g[j*n:j*n+j])
			if i == j {
				g[i*n+i] = math.Sqrt(v)
			} else {
				g[i*n+j] = v / g[j*n+j]
			}
		}
	}
	u := make([]float64, n*n)
	for j := range n {
		u[j*n+j] = 1 / g[j*n+j]
		for i := j + 1; i < n; i++ {
			u[j*n+i] = -simd.Dot64(g[i*n+j:i*n+i], u[j*n+j:j*n+i]) / g[i*n+i]
		}
	}
	return u
}
