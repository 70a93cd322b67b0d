package seq

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// Codebook makes symbols of vectors: the number of the nearest of N centres. Learned on training
// sequences, it is part of their model; every map for integers then counts its symbols.
type Codebook struct {
	Width int       `json:"width"`
	Shift []float64 `json:"shift"` // by number of a vector: its mean
	// 1 over its standard deviation; 1 where it is always the same
	Scale   []float64 `json:"scale"`
	Centres []float32 `json:"centres"` // [N,Width], of (v − shift)·scale
}

const (
	codebookSite   = 0x636f6465 // "code": keeps this use of a seed apart from every other
	codebookRounds = 25
	// vectors that are looked at, or codebookEach for each centre where that is more
	codebookPool = 20000
	codebookEach = 64
)

// LearnCodebook finds n centres by k-means from a k-means++ start, or as many as there are
// different vectors. It looks at as many vectors of the training sequences as are enough, drawn by
// the seed, and the centres are the same for any number of goroutines. An error is that of ctx.
func LearnCodebook(ctx context.Context, train *Set, n int, seed uint64) (*Codebook, error) {
	if train.Alphabet.OfVectors() == nil {
		panic("seq: a codebook of symbols")
	}
	train = train.vectors()
	k := newClusters(train, max(codebookPool, codebookEach*n), seed)
	for c := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !k.start(c, philox.Uint32([2]uint32{uint32(seed), uint32(seed >> 32)}, 1, 0, codebookSite, c)) {
			n = c
			break
		}
	}
	for round := range codebookRounds {
		k.move(n)
		if !k.assign(phase(ctx, round, codebookRounds)) {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, v := range k.centre {
		k.book.Centres = append(k.book.Centres, float32(v))
	}
	return k.book, nil
}

// Letters is the number of centres.
func (c *Codebook) Letters() int { return len(c.Centres) / c.Width }

// Alphabet is that of the symbols which it makes of a set over a: whole numbers, or of graphs the
// pairs of a label and a whole number.
func (c *Codebook) Alphabet(a *Alphabet) *Alphabet {
	if a.Kind.IsGraph() {
		return &Alphabet{Kind: a.Kind, Letters: a.Letters * c.Letters()}
	}
	return &Alphabet{Kind: Integers, Letters: c.Letters()}
}

// Check refuses a codebook that no training can have made.
func (c *Codebook) Check() error {
	n := c.Width
	if n < 1 || len(c.Shift) != n || len(c.Scale) != n || len(c.Centres) < n || len(c.Centres)%n != 0 {
		return errors.New("the codebook is damaged: its lengths do not fit each other")
	}
	for _, v := range slices.Concat(c.Shift, c.Scale) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errors.New("the codebook is damaged: it holds a number that is not finite")
		}
	}
	for _, v := range c.Centres {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return errors.New("the codebook is damaged: it holds a number that is not finite")
		}
	}
	return nil
}

// Encode is the set with the number of the nearest centre in place of each vector, the first of
// those that are equally near. Its vectors must have Width numbers.
func (c *Codebook) Encode(set *Set) *Set {
	a := set.Alphabet
	if v := a.OfVectors(); v == nil || v.Width != c.Width {
		panic("seq: a set of other vectors than the codebook's")
	}
	if a.Kind.IsGraph() {
		return c.labelled(set)
	}
	used := make([]bool, a.Letters)
	for _, code := range set.Codes {
		used[code] = true
	}
	centre := make([]float64, len(c.Centres))
	for i, v := range c.Centres {
		centre[i] = float64(v)
	}
	number := make([]int32, a.Letters)
	inBlocks(context.Background(), a.Letters, func() (struct{}, func(lo, hi int)) {
		x := make([]float64, c.Width)
		return struct{}{}, func(lo, hi int) {
			for code := lo; code < hi; code++ {
				if used[code] {
					c.scaled(x, a.frame(int32(code)))
					number[code], _ = nearest(x, centre)
				}
			}
		}
	})
	coded := &Set{Alphabet: c.Alphabet(a), Codes: make([]int32, len(set.Codes)), Start: set.Start}
	for i, code := range set.Codes {
		coded.Codes[i] = number[code]
	}
	return coded
}

// scaled writes (v − shift)·scale.
func (c *Codebook) scaled(dst []float64, frame []float32) {
	for i, v := range frame {
		dst[i] = (float64(v) - c.Shift[i]) * c.Scale[i]
	}
}

// nearest is the number of the centre that is nearest to x, and its squared distance.
func nearest(x, centres []float64) (best int32, least float64) {
	least = math.Inf(1)
	for c := 0; c*len(x) < len(centres); c++ {
		if d := distance(x, centres[c*len(x):][:len(x)]); d < least {
			best, least = int32(c), d
		}
	}
	return best, least
}

func distance(x, y []float64) (sum float64) {
	y = y[:len(x)]
	for i, v := range x {
		v -= y[i]
		sum += v * v
	}
	return sum
}
