package seq

import (
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// SignProjection takes the feature vectors of sequences to P numbers by a sparse random matrix of signs (Achlioptas
// 2003; Kane & Nelson 2014): each feature is added to four of them or subtracted. The four and the signs are a function
// of the seed and the feature. Inner products equal the inner products of the feature vectors up to noise of the size
// 1/√P. Features that no training sequence has are left out.
//
//	z = (√(P/4I) Σ_i Σ_c φ_i[c] s_ic − mean)/Scale
//
// over the I maps, s_ic being the signs of feature c of map i, so that the numbers of training sequences have mean 0
// and, all together, variance 1.
type SignProjection struct {
	Spec  Spec
	P     int
	Seed  uint64
	Mean  []float64 // mean of each number [P]
	Scale float64

	features []*Features
}

// projectionSigns is how many of the P numbers a feature reaches.
const projectionSigns = 4

const projectionSite = 0x73657101 // "seq", for a second use of a seed

// NewSignProjection fits the projection of a spec to P numbers on training sequences. An error is a *SpecError, or the
// error of ctx.
func NewSignProjection(ctx context.Context, spec Spec, p int, train *Set, seed uint64) (*SignProjection, error) {
	z := &SignProjection{Spec: spec, P: p, Seed: seed, Mean: make([]float64, p), Scale: 1}
	for i, t := range spec {
		f, err := Fit(subProgress(ctx, i, 2*len(spec)), t, train)
		if err != nil {
			return nil, err
		}
		z.features = append(z.features, f)
	}
	n := train.N()
	mean := make([]float64, p)
	squares := 0.0
	train.eachPart(func(first int, part *Set) {
		for i, v := range z.Rows(subProgress(ctx, n+first, 2*n), part, 0, part.N()) {
			mean[i%p] += v / float64(n)
			squares += v * v / float64(n)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, m := range mean {
		squares -= m * m
	}
	z.Mean = mean
	if squares > 0 {
		z.Scale = math.Sqrt(squares / float64(p))
	}
	return z, nil
}

// Projects refuses maps whose kernel is no inner product of their features. An error is a *SpecError.
func (s Spec) Projects() error {
	for _, t := range s {
		if t.Counts == Tanimoto {
			return specErrorf("%s: model drf projects features, which keeps inner products and no ratio of them: "+
				"use /%s", t, Min)
		}
	}
	return nil
}

// States returns the state of each map, which a model file must keep.
func (p *SignProjection) States() []*State {
	states := make([]*State, len(p.features))
	for i, f := range p.features {
		states[i] = f.state()
	}
	return states
}

// Restore completes a projection whose other fields come from a model file, from States. An error is a *SpecError.
func (p *SignProjection) Restore(a *Alphabet, states []*State) error {
	for i, t := range p.Spec {
		f, err := restore(t, a, states[i])
		if err != nil {
			return err
		}
		p.features = append(p.features, f)
	}
	return nil
}

// Rows returns the numbers of the sequences lo ≤ n < hi of a set [hi−lo, P]. Once ctx is done they are not valid.
func (p *SignProjection) Rows(ctx context.Context, set *Set, lo, hi int) []float64 {
	out := make([]float64, (hi-lo)*p.P)
	for i, f := range p.features {
		f.each(subProgress(ctx, i, len(p.features)), set.part(lo, hi), func(first int, rows *SparseRows) {
			for n := 0; n < rows.N() && ctx.Err() == nil; n++ {
				p.add(out[(first+n)*p.P:][:p.P], rows, n, i)
			}
		})
	}
	for i := range out {
		out[i] = (out[i] - p.Mean[i%p.P]) / p.Scale
	}
	return out
}

// add adds map i of row n of rows to dst.
func (p *SignProjection) add(dst []float64, rows *SparseRows, n, i int) {
	columns, values := rows.row(n)
	scale := math.Sqrt(float64(p.P) / float64(projectionSigns*len(p.Spec)))
	for e, c := range columns {
		key := p.features[i].found.keys[c]
		words := philox.Block([2]uint32{uint32(p.Seed), uint32(p.Seed >> 32)},
			[4]uint32{uint32(key), uint32(key >> 32), uint32(i), projectionSite})
		for _, w := range words {
			v := scale * values[e]
			if w&1 == 1 {
				v = -v
			}
			dst[uint64(w>>1)*uint64(p.P)>>31] += v
		}
	}
}

// Empty counts the sequences of a set that have no feature under each map. Once ctx is done they are not valid.
func (p *SignProjection) Empty(ctx context.Context, set *Set) []int {
	return countEmpty(ctx, p.features, set)
}
