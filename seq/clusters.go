package seq

import (
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// clusters is the state of k-means.
type clusters struct {
	book   *Codebook
	x      []float64 // [n,Width], scaled
	weight []float64 // [n]: how often each occurs
	near   []int32   // [n]: the centre that is nearest so far
	least  []float64 // [n]: its squared distance
	centre []float64
}

// newClusters takes at most so many different vectors of a training set, and scales them to mean 0
// and variance 1.
func newClusters(train *Set, most int, seed uint64) *clusters {
	a := train.Alphabet
	count := make([]float64, a.Letters)
	for _, code := range train.Codes {
		count[code]++
	}
	k := &clusters{book: &Codebook{Width: a.Width, Shift: make([]float64, a.Width), Scale: make([]float64, a.Width)}}
	square := make([]float64, a.Width)
	each := func(then func(i int, v, n float64)) {
		for code, n := range count {
			if n > 0 {
				for i, v := range a.frame(int32(code)) {
					then(i, float64(v), n)
				}
			}
		}
	}
	each(func(i int, v, n float64) { k.book.Shift[i] += v * n / float64(len(train.Codes)) })
	each(func(i int, v, n float64) {
		square[i] += (v - k.book.Shift[i]) * (v - k.book.Shift[i]) * n / float64(len(train.Codes))
	})
	for i, v := range square {
		k.book.Scale[i] = 1
		if s := 1 / math.Sqrt(v); v > 0 && !math.IsInf(s, 0) {
			k.book.Scale[i] = s
		}
	}
	order := make([]int32, a.Letters)
	philox.Permutation(order, [2]uint32{uint32(seed), uint32(seed >> 32)}, 0, 0, codebookSite)
	for _, code := range order {
		if count[code] > 0 && len(k.weight) < most {
			at := len(k.x)
			k.x = append(k.x, make([]float64, a.Width)...)
			k.book.scaled(k.x[at:], a.frame(code))
			k.weight = append(k.weight, count[code])
		}
	}
	k.near, k.least = make([]int32, len(k.weight)), make([]float64, len(k.weight))
	for i := range k.least {
		k.least[i] = math.Inf(1)
	}
	return k
}

func (k *clusters) row(i int) []float64 { return k.x[i*k.book.Width:][:k.book.Width] }

// start takes centre c, a vector drawn with a chance that goes by its squared distance from those
// before; false if there is none at a distance.
func (k *clusters) start(c int, word uint32) bool {
	at, total := 0, 0.0
	if c > 0 {
		for i, d := range k.least {
			total += k.weight[i] * d
		}
		if total == 0 {
			return false
		}
		left := total * (float64(word) + 0.5) / (1 << 32)
		for i, d := range k.least {
			if d > 0 {
				at = i
				if left -= k.weight[i] * d; left < 0 {
					break
				}
			}
		}
	}
	k.centre = append(k.centre, k.row(at)...)
	own := k.row(at)
	for i := range k.least {
		if d := distance(k.row(i), own); d < k.least[i] {
			k.least[i], k.near[i] = d, int32(c)
		}
	}
	return true
}

// assign finds the nearest centre of each vector, and says whether one has changed.
func (k *clusters) assign(ctx context.Context) (changed bool) {
	moved := inBlocks(ctx, len(k.weight), func() (*bool, func(lo, hi int)) {
		moved := new(bool)
		return moved, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				c, d := nearest(k.row(i), k.centre)
				*moved = *moved || c != k.near[i]
				k.near[i], k.least[i] = c, d
			}
		}
	})
	for _, m := range moved {
		changed = changed || *m
	}
	return changed
}

// move puts each centre into the middle of its vectors. One without any takes the vector that is
// farthest from its own.
func (k *clusters) move(n int) {
	width, total := k.book.Width, make([]float64, n)
	clear(k.centre)
	for i, c := range k.near {
		total[c] += k.weight[i]
		for j, v := range k.row(i) {
			k.centre[int(c)*width+j] += k.weight[i] * v
		}
	}
	for c, w := range total {
		centre := k.centre[c*width:][:width]
		if w > 0 {
			for j := range centre {
				centre[j] /= w
			}
			continue
		}
		far := 0
		for i, d := range k.least {
			if d > k.least[far] {
				far = i
			}
		}
		copy(centre, k.row(far))
		k.least[far] = 0
	}
}
