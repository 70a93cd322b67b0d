package acquisition

import (
	"context"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// Classes are the probabilities of C classes at N rows under S functions, P [S,N,C].
type Classes struct {
	S, N, C int
	P       []float64
	More    More
}

// at returns the class probabilities of a row under function s.
func (p Classes) at(s, row int) []float64 { return p.P[(s*p.N+row)*p.C:][:p.C] }

// rowsAtOnce is the number of rows a thread takes at a time.
const rowsAtOnce = 16

// each calls work for each row, on all threads. It passes the row's probabilities [S,C], copied from P.
func (p Classes) each(work func(i int, at []float64)) {
	start := func() []float64 { return make([]float64, p.S*p.C) }
	parallel.Blocks(context.Background(), p.N, rowsAtOnce, start, func(at []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			for s := range p.S {
				copy(at[s*p.C:], p.at(s, i))
			}
			work(i, at)
		}
	})
}

// Entropy chooses rows by the entropy of their label in nats, given the labels of the rows chosen before, times weight
// [N]; nil is 1.
func (p Classes) Entropy(weight []float64, batch int, seed uint64) []Pick {
	return p.choose(weight, make([]float64, p.N), batch, seed)
}

// BALD chooses rows by the information in nats that their label has about the function, given the labels of the rows
// chosen before: H(y) − E_s H(y | s) (BatchBALD of Kirsch, van Amersfoort and Gal 2019); times weight [N], nil is 1.
func (p Classes) BALD(weight []float64, batch int, seed uint64) []Pick {
	own := make([]float64, p.N)
	p.each(func(i int, at []float64) {
		for s := range p.S {
			one := at[s*p.C : (s+1)*p.C]
			own[i] += entropy(one) / float64(p.S)
		}
	})
	return p.choose(weight, own, batch, seed)
}

// worlds is the number of draws of the labels of the chosen rows, over which entropies are averaged.
const worlds = 32

// choose chooses rows by their conditional entropy less their own. In each world the chosen rows have labels, which
// weight the functions by how probable they made these labels.
func (p Classes) choose(weight, own []float64, batch int, seed uint64) []Pick {
	key := [2]uint32{uint32(seed), uint32(seed >> 32)}
	believed := [][]float64{uniform(p.S)} // [worlds][S]; a single one before any label is drawn
	values := make([]float64, p.N)
	update := func() {
		p.each(func(i int, at []float64) {
			mean := make([]float64, p.C)
			sum := 0.0
			for _, belief := range believed {
				clear(mean)
				for s, w := range belief {
					for c, v := range at[s*p.C : (s+1)*p.C] {
						mean[c] += w * v
					}
				}
				sum += entropy(mean) / float64(len(believed))
			}
			values[i] = weightOf(weight, i) * max(0, sum-own[i])
		})
	}
	update()
	return greedy(p.N, batch, p.More, func(i int) float64 { return values[i] }, func(row int) {
		for len(believed) < worlds {
			believed = append(believed, uniform(p.S))
		}
		for w, belief := range believed {
			u := philox.Uint32(key, uint32(row), 0, labelWord, w)
			p.observe(belief, row, float64(u)*0x1p-32)
		}
		update()
	})
}

// labelWord is the third word of the counter of draws of labels.
const labelWord = 0x6c6162

// observe takes the label of a row at the level u of a belief in the functions, and updates the belief by it.
func (p Classes) observe(belief []float64, row int, u float64) {
	label := 0
	mean := make([]float64, p.C)
	for s, w := range belief {
		for c, v := range p.at(s, row) {
			mean[c] += w * v
		}
	}
	for c, v := range mean {
		if v > 0 {
			label = c
		}
		if u -= v; u < 0 {
			break
		}
	}
	total := 0.0
	for s := range belief {
		belief[s] *= p.at(s, row)[label]
		total += belief[s]
	}
	for s := range belief {
		belief[s] /= total
	}
}

// uniform returns n equal shares of 1.
func uniform(n int) []float64 { return slices.Repeat([]float64{1 / float64(n)}, n) }

// entropy returns −Σ p log p in nats.
func entropy(p []float64) (sum float64) {
	for _, v := range p {
		if v > 0 {
			sum -= v * math.Log(v)
		}
	}
	return sum
}
