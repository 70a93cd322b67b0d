package seq

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

// Codebook makes symbols of vectors: the number of the nearest of N centres. Learned on training sequences, it is part
// of their model; every map for integers then counts its symbols.
type Codebook struct {
	Width int       `json:"width"`
	Shift []float64 `json:"shift"` // mean of each number of a vector
	// 1 over the standard deviation of each number; 1 for a number that is always the same
	Scale   []float64 `json:"scale"`
	Centres []float32 `json:"centres"` // centres [N,Width] of (v − shift)·scale
}

const (
	codebookSite   = 0x636f6465 // "code": keeps this use of a seed apart from every other
	codebookRounds = 25
	// least number of vectors in the sample; with many centres, codebookEach for each centre
	codebookPool = 20000
	codebookEach = 64
)

// FitCodebook finds n centres by k-means from a k-means++ start, or fewer if there are fewer different vectors. It
// looks at a sample of the vectors of the training sequences, drawn by the seed. The centres are the same for any
// number of goroutines. An error is the error of ctx.
func FitCodebook(ctx context.Context, train *Set, n int, seed uint64) (*Codebook, error) {
	if train.Alphabet.OfVectors() == nil {
		panic("seq: a codebook of symbols")
	}
	train = train.vectors()
	k := newKMeans(train, max(codebookPool, codebookEach*n), seed)
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
		if !k.assign(subProgress(ctx, round, codebookRounds)) {
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

// Letters returns the number of centres.
func (c *Codebook) Letters() int { return len(c.Centres) / c.Width }

// Alphabet returns the alphabet of the symbols that it makes of a set over a: whole numbers or, for graphs, pairs of a
// label and a whole number.
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
	if !stats.AllFinite(slices.Concat(c.Shift, c.Scale)) ||
		slices.ContainsFunc(c.Centres, func(v float32) bool { return !stats.IsFinite(float64(v)) }) {
		return errors.New("the codebook is damaged: it holds a number that is not finite")
	}
	return nil
}

// Encode returns the set with the number of the nearest centre in place of each vector. If several centres are equally
// near, the first counts. The vectors must have Width numbers.
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
	eachBlock(context.Background(), a.Letters, func(lo, hi int) {
		x := make([]float64, c.Width)
		for code := lo; code < hi; code++ {
			if used[code] {
				c.scale(x, a.frame(int32(code)))
				number[code], _ = nearest(x, centre)
			}
		}
	})
	coded := &Set{Alphabet: c.Alphabet(a), Codes: make([]int32, len(set.Codes)), Start: set.Start}
	for i, code := range set.Codes {
		coded.Codes[i] = number[code]
	}
	return coded
}

// scale writes (v − shift)·scale of a vector into dst.
func (c *Codebook) scale(dst []float64, frame []float32) {
	for i, v := range frame {
		dst[i] = (float64(v) - c.Shift[i]) * c.Scale[i]
	}
}

// nearest returns the number of the centre that is nearest to x, and its squared distance.
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

// kMeans is the state of k-means.
type kMeans struct {
	book   *Codebook
	x      []float64 // scaled vectors [n,Width]
	weight []float64 // how often each vector occurs [n]
	near   []int32   // index of the nearest centre so far [n]
	least  []float64 // squared distance to that centre [n]
	centre []float64
}

// newKMeans takes up to most different vectors of a training set, and scales them to mean 0 and variance 1.
func newKMeans(train *Set, most int, seed uint64) *kMeans {
	a := train.Alphabet
	count := make([]float64, a.Letters)
	for _, code := range train.Codes {
		count[code]++
	}
	k := &kMeans{book: &Codebook{Width: a.Width, Shift: make([]float64, a.Width), Scale: make([]float64, a.Width)}}
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
			k.book.scale(k.x[at:], a.frame(code))
			k.weight = append(k.weight, count[code])
		}
	}
	k.near, k.least = make([]int32, len(k.weight)), slices.Repeat([]float64{math.Inf(1)}, len(k.weight))
	return k
}

func (k *kMeans) row(i int) []float64 { return k.x[i*k.book.Width:][:k.book.Width] }

// start chooses centre c among the vectors, with a probability proportional to the squared distance from the centres
// before. It returns false if all vectors are at distance 0.
func (k *kMeans) start(c int, word uint32) bool {
	at, total := 0, 0.0
	if c > 0 {
		for i, d := range k.least {
			total += k.weight[i] * d
		}
		if total == 0 {
			return false
		}
		rest := total * (float64(word) + 0.5) / (1 << 32)
		for i, d := range k.least {
			if d > 0 {
				at = i
				if rest -= k.weight[i] * d; rest < 0 {
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

// assign finds the nearest centre of each vector, and reports whether one has changed.
func (k *kMeans) assign(ctx context.Context) (changed bool) {
	moved := inBlocks(ctx, len(k.weight), func() *bool { return new(bool) }, func(moved *bool, lo, hi int) {
		for i := lo; i < hi; i++ {
			c, d := nearest(k.row(i), k.centre)
			*moved = *moved || c != k.near[i]
			k.near[i], k.least[i] = c, d
		}
	})
	for _, m := range moved {
		changed = changed || *m
	}
	return changed
}

// move puts each centre into the middle of its vectors. A centre without vectors takes the vector that is farthest from
// its own centre.
func (k *kMeans) move(n int) {
	width := k.book.Width
	total := make([]float64, n)
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
