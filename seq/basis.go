package seq

import "slices"

// Basis is X̄, pseudo-inputs chosen among training sequences, under each map of a spec: all that it takes to compare other
// sequences with them.
type Basis struct {
	Spec Spec
	Set  *Set // X̄

	parts []basisPart
}

// basisPart is X̄ under one map.
type basisPart struct {
	features *Features
	rows     *Rows
	inverted *Inverted
}

// NewBasis makes the basis of the chosen training sequences. Features that no sequence of X̄ has only count for the length of a
// vector, so that those of X̄ are numbered alone, unless tf-idf needs all. An error is a *SpecError.
func NewBasis(spec Spec, train *Set, chosen []int) (*Basis, error) {
	b := &Basis{Spec: spec, Set: train.Subset(chosen)}
	for _, t := range spec {
		from := b.Set
		if t.TFIDF {
			from = train
		}
		f, err := Fit(t, from)
		if err != nil {
			return nil, err
		}
		b.add(f)
	}
	return b, nil
}

func (b *Basis) add(f *Features) {
	rows := f.Rows(b.Set)
	b.parts = append(b.parts, basisPart{f, rows, Invert(rows)})
}

// Check says whether the maps of a spec are for an alphabet. An error is a *SpecError.
func (s Spec) Check(a *Alphabet) error {
	for _, t := range s {
		if _, err := newFeatures(t, a); err != nil {
			return err
		}
	}
	return nil
}

// M is the number of pseudo-inputs.
func (b *Basis) M() int { return b.Set.N() }

// Width is how many distances a sequence has: M for each map.
func (b *Basis) Width() int { return len(b.Spec) * b.M() }

// States are what a model file must keep beside the sequences of X̄: nil for each map that needs nothing.
func (b *Basis) States() []*State {
	states := make([]*State, len(b.Spec))
	for i, t := range b.Spec {
		if t.TFIDF {
			states[i] = b.parts[i].features.State()
		}
	}
	return states
}

// RestoreBasis makes a basis again, from States in the order of the spec. An error is a *SpecError.
func RestoreBasis(spec Spec, xbar *Set, states []*State) (*Basis, error) {
	b := &Basis{Spec: spec, Set: xbar}
	for i, t := range spec {
		var f *Features
		var err error
		if t.TFIDF {
			f, err = Restore(t, xbar.Alphabet, states[i])
		} else {
			f, err = Fit(t, xbar)
		}
		if err != nil {
			return nil, err
		}
		b.add(f)
	}
	return b, nil
}

// Distances are ‖φ_i(x_n) − φ_i(x̄_m)‖² of the sequences lo ≤ n < hi of a set [hi−lo, I·M], map by map. Under a linear map, whose
// kernel is 1 − d/2, they are 2 − 2⟨φ, φ'⟩: sequences without any feature are 2 away from all others, and 0 from each other.
func (b *Basis) Distances(set *Set, lo, hi int) []float64 {
	m, width := b.M(), b.Width()
	out := make([]float64, (hi-lo)*width)
	set.slices(lo, hi, func(first int, part *Set) {
		n := part.N()
		for i, p := range b.parts {
			rows := p.features.Rows(part)
			d2 := make([]float64, n*m)
			inBlocks(n, func() (struct{}, func(from, to int)) {
				return struct{}{}, func(from, to int) { p.inverted.Dots(d2[from*m:to*m], rows, from, to) }
			})
			if b.Spec[i].Linear {
				angles(d2, rows, p.rows)
			} else {
				Distances(d2, rows, p.rows)
			}
			for r := range n {
				copy(out[(first-lo+r)*width+i*m:], d2[r*m:(r+1)*m])
			}
		}
	})
	return out
}

// atOnce is how many sequences are compared at a time, since their features may take much memory.
const atOnce = 512

// slices visits the sequences lo … hi−1, some at a time; first is the number of the first.
func (s *Set) slices(lo, hi int, visit func(first int, part *Set)) {
	for ; lo < hi; lo += atOnce {
		visit(lo, &Set{Alphabet: s.Alphabet, Codes: s.Codes, Start: s.Start[lo : min(lo+atOnce, hi)+1]})
	}
}

// angles turns inner products [N, M] into 2 − 2⟨φ(a_n), φ(b_m)⟩, or 0 where both vectors are zero, in place.
func angles(dots []float64, a, b *Rows) {
	m := b.N()
	for i, d := range dots {
		if dots[i] = max(0, 2-2*d); a.Square[i/m] == 0 && b.Square[i%m] == 0 {
			dots[i] = 0
		}
	}
}

// Own are the distances among X̄ [M, I·M], 0 between a sequence and itself.
func (b *Basis) Own() []float64 {
	d := b.Distances(b.Set, 0, b.M())
	for m := range b.M() {
		for i := range b.Spec {
			d[m*b.Width()+i*b.M()+m] = 0
		}
	}
	return d
}

// Medians are those of the distances above 0 between sequences of X̄ under each map; 1 where there are none.
func (b *Basis) Medians() []float64 {
	m, own := b.M(), b.Own()
	medians := make([]float64, len(b.Spec))
	for i := range b.Spec {
		var all []float64
		for n := range m {
			for _, d := range own[n*b.Width()+i*m:][:n] {
				if d > 0 {
					all = append(all, d)
				}
			}
		}
		medians[i] = 1
		if slices.Sort(all); len(all) > 0 {
			medians[i] = all[len(all)/2]
		}
	}
	return medians
}

// Empty counts the sequences of a set that have no feature under each map.
func (b *Basis) Empty(set *Set) []int {
	features := make([]*Features, len(b.parts))
	for i, p := range b.parts {
		features[i] = p.features
	}
	return empty(features, set)
}

// empty counts zero vectors by map.
func empty(features []*Features, set *Set) []int {
	counts := make([]int, len(features))
	set.slices(0, set.N(), func(_ int, part *Set) {
		for i, f := range features {
			counts[i] += f.Rows(part).Empty()
		}
	})
	return counts
}
