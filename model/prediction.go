package model

import (
	"math"
	"slices"
)

// Prediction is the predictive mixture pred_ys_mc, (1/S) Σ_s p(y | G(F⁽ˢ⁾), θ_l), for N rows. The mixture of several
// models has weights.
type Prediction struct {
	S, N, C int
	H       []float64 // means in training-sd units, or logits [S,N,C]
	// for a regression, variance of the components of a row [N,C], or of each component [S,N,C]; σ² of Student's t
	Var    []float64
	Weight []float64 // weights of the components [S], with sum 1; nil: equal weights
	DoF    []float64 // ν of components of Student's t, 0 of normal components [S]; nil: all are normal
	// δ of components that are counts with log rate H [S]: Poisson for 0, otherwise negative binomial with variance λ +
	// δλ². nil: no counts. Var is nil for counts.
	Dispersion []float64
	Noise      []float64 // part of the components' variance that is noise [N,C]; nil: all of it
}

// RowFields returns the fields of p with numbers of each row, [blocks,N,C]. Var and Noise may be nil.
func (p *Prediction) RowFields() []*[]float64 { return []*[]float64{&p.H, &p.Var, &p.Noise} }

// Slice returns the prediction of the rows lo … hi−1. It copies neighbouring rows at once, since a server asks for it
// with each answer.
func (p *Prediction) Slice(lo, hi int) *Prediction {
	return p.choose(hi-lo, func(to, block []float64) []float64 { return append(to, block[lo*p.C:hi*p.C]...) })
}

// choose returns the prediction of n rows. rows appends them to a vector, from a block [N,C] of all.
func (p *Prediction) choose(n int, rows func(to, block []float64) []float64) *Prediction {
	chosen := *p
	chosen.N = n
	for _, x := range chosen.RowFields() {
		all := *x
		*x = slices.Grow([]float64(nil), len(all)/max(1, p.N)*n) // the copy of a nil slice is nil
		for at := 0; at < len(all); at += p.N * p.C {
			*x = rows(*x, all[at:at+p.N*p.C])
		}
	}
	return &chosen
}

// SelectRows returns the prediction of some of its rows, and itself if these are all rows in their order.
func (p *Prediction) SelectRows(rows []int) *Prediction {
	all := len(rows) == p.N
	for i, r := range rows {
		all = all && r == i
	}
	if all {
		return p
	}
	return p.choose(len(rows), func(to, block []float64) []float64 {
		for _, r := range rows {
			to = append(to, block[r*p.C:(r+1)*p.C]...)
		}
		return to
	})
}

// JoinPredictions returns one prediction of rows that were predicted in parts.
func JoinPredictions(parts []*Prediction) *Prediction {
	if len(parts) == 1 {
		return parts[0]
	}
	whole := *parts[0]
	whole.N = 0
	for _, part := range parts {
		whole.N += part.N
	}
	for field, x := range whole.RowFields() {
		blocks := len(*x) / (parts[0].N * whole.C)
		*x = slices.Grow([]float64(nil), blocks*whole.N*whole.C) // nil of nil
		for b := range blocks {
			for _, part := range parts {
				size := part.N * whole.C
				*x = append(*x, (*part.RowFields()[field])[b*size:(b+1)*size]...)
			}
		}
	}
	return &whole
}

// AddOffset adds the offset of each row [N] to its log rates; nil adds nothing. Predictions of other likelihoods have
// no offsets.
func (p *Prediction) AddOffset(offset []float64) {
	for i := range p.H {
		if offset != nil {
			p.H[i] += offset[i/p.C%p.N]
		}
	}
}

// add adds a constant to each output; nil adds nothing.
func (p *Prediction) add(constants []float64) {
	for i := 0; i < len(p.H) && constants != nil; i++ {
		p.H[i] += constants[i%len(constants)]
	}
}

// expandHermite replaces normal components of [S,N,C] by several at the nodes of Gauss–Hermite, with their weights.
func (p *Prediction) expandHermite() {
	nodes, weights := gaussHermite(gaussHermiteNodes(p.S))
	h := make([]float64, 0, len(p.H)*len(nodes))
	size := p.N * p.C
	p.Weight = nil
	for s := range p.S {
		for q, x := range nodes {
			p.Weight = append(p.Weight, weights[q]/float64(p.S))
			for i := s * size; i < (s+1)*size; i++ {
				h = append(h, p.H[i]+x*math.Sqrt(p.Var[i]))
			}
		}
	}
	p.S = p.S * len(nodes)
	p.H = h
	p.Var = nil
}

// gaussHermiteNodes returns the number of nodes of each normal in a mixture of samples: fewer if there are several
// normals.
func gaussHermiteNodes(samples int) int {
	if samples == 1 {
		return 20
	}
	return 3
}

// Tempered returns the prediction with the temperature t: logits become h/t, and the variances of numbers t² times as
// large. Counts stay as they are.
func (p *Prediction) Tempered(t float64) *Prediction {
	other := *p
	if p.Var == nil {
		other.H = slices.Clone(p.H)
	} else {
		other.Var, other.Noise = slices.Clone(p.Var), slices.Clone(p.Noise)
	}
	other.temper(t)
	return &other
}

// temper changes the prediction in place as Tempered does.
func (p *Prediction) temper(t float64) {
	switch {
	case p.Dispersion != nil:
	case p.Var == nil:
		scale(p.H, 1/t)
	default:
		scale(p.Var, t*t)
		scale(p.Noise, t*t)
	}
}

// scale multiplies numbers by a factor.
func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}
