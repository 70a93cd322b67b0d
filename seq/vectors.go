package seq

import "context"

// Vectors are the sequences lo ≤ n < hi of a set under each map, without the columns that no
// sequence of X̄ has: what their distances can be computed from, with Columns. Once ctx is done it
// is nil.
func (b *Basis) Vectors(ctx context.Context, set *Set, lo, hi int) []*Rows {
	some := &Set{Alphabet: set.Alphabet, Codes: set.Codes, Start: set.Start[lo : hi+1]}
	all := make([]*Rows, len(b.parts))
	for i, p := range b.parts {
		if b.lists(ctx, p) != nil {
			return nil
		}
		rows := p.features.rows(phase(ctx, i, len(b.parts)), some)
		if rows == nil {
			return nil
		}
		all[i] = b.within(i, rows)
	}
	return all
}

// Columns are X̄ under each map by the columns of Vectors. They are not to be changed. Once ctx is
// done there may be none.
func (b *Basis) Columns(ctx context.Context) []*inverted {
	all := make([]*inverted, len(b.parts))
	for i, p := range b.parts {
		if b.lists(ctx, p) != nil {
			return nil
		}
		if all[i] = p.inverted; p.rows != nil {
			all[i] = invert(p.rows.within(p.rows))
		}
	}
	return all
}

// within leaves out what X̄ does not have. Except for tf-idf it has all columns.
func (b *Basis) within(i int, rows *Rows) *Rows {
	if own := b.parts[i].rows; own != nil {
		return rows.within(own)
	}
	return rows
}

// Sizes are how many numbers the Vectors of a whole set have under each map. Once ctx is done they
// are worth nothing.
func (b *Basis) Sizes(ctx context.Context, set *Set) []int {
	sizes := make([]int, len(b.parts))
	n := set.N()
	set.slices(0, n, func(first int, some *Set) {
		for i, rows := range b.Vectors(phase(ctx, first/atOnce, (n+atOnce-1)/atOnce), some, 0, some.N()) {
			sizes[i] += len(rows.Column)
		}
	})
	return sizes
}
