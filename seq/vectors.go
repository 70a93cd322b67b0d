package seq

// Vectors are the sequences lo ≤ n < hi of a set under each map, without the columns that no sequence of X̄ has: what their distances
// can be computed from, with Columns.
func (b *Basis) Vectors(set *Set, lo, hi int) []*Rows {
	part := &Set{Alphabet: set.Alphabet, Codes: set.Codes, Start: set.Start[lo : hi+1]}
	all := make([]*Rows, len(b.parts))
	for i, p := range b.parts {
		all[i] = b.within(i, p.features.Rows(part))
	}
	return all
}

// Columns are X̄ under each map by the columns of Vectors. They are not to be changed.
func (b *Basis) Columns() []*Inverted {
	all := make([]*Inverted, len(b.parts))
	for i, p := range b.parts {
		if all[i] = p.inverted; p.rows != nil {
			all[i] = Invert(p.rows.Within(p.rows))
		}
	}
	return all
}

// within leaves out what X̄ does not have. But for tf-idf it has all columns.
func (b *Basis) within(i int, rows *Rows) *Rows {
	if own := b.parts[i].rows; own != nil {
		return rows.Within(own)
	}
	return rows
}

// Sizes are how many numbers the Vectors of a whole set have under each map.
func (b *Basis) Sizes(set *Set) []int {
	sizes := make([]int, len(b.parts))
	set.slices(0, set.N(), func(first int, part *Set) {
		for i, rows := range b.Vectors(part, 0, part.N()) {
			sizes[i] += len(rows.Column)
		}
	})
	return sizes
}
