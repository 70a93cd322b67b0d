package seq

import "context"

// distances turns the inner products [N, M] of rows with these squares into the squared distances of
// the term's kernel, in place.
func (t Term) distances(dots, a, b []float64) []float64 {
	switch {
	case t.Counts == Tanimoto:
		return tanimoto(dots, a, b)
	case t.Linear:
		return angles(dots, a, b)
	}
	return distances(dots, a, b)
}

// distances turns inner products [N, M] into ‖φ(a_n) − φ(b_m)‖² = ‖φ(a_n)‖² + ‖φ(b_m)‖² − 2⟨φ(a_n),
// φ(b_m)⟩, in place, for rows with these squares. Rounding below 0 is held there.
func distances(dots, a, b []float64) []float64 {
	for n, square := range a {
		row := dots[n*len(b) : (n+1)*len(b)]
		for i, d := range row {
			row[i] = max(0, square+b[i]-2*d)
		}
	}
	return dots
}

// angles turns inner products [N, M] of rows with these squares into 2 − 2⟨φ(a_n), φ(b_m)⟩, or 0
// where both vectors are zero, in place.
func angles(dots, a, b []float64) []float64 {
	for n, square := range a {
		row := dots[n*len(b) : (n+1)*len(b)]
		for i, d := range row {
			if row[i] = max(0, 2-2*d); square == 0 && b[i] == 0 {
				row[i] = 0
			}
		}
	}
	return dots
}

// tanimoto turns inner products [N, M] of rows with these squares into 2 − 2T = 2(a+b−2m)/(a+b−m),
// or 0 where both vectors are zero, in place.
func tanimoto(dots, a, b []float64) []float64 {
	for n, square := range a {
		row := dots[n*len(b) : (n+1)*len(b)]
		for i, m := range row {
			if norms := square + b[i]; norms > 0 {
				row[i] = 2 * (norms - 2*m) / (norms - m)
			}
		}
	}
	return dots
}

// Products are the inner products [N, M] of two sets of rows of a term that its kernel stands for,
// T under Tanimoto, and the squared norms that go with them.
func (t Term) Products(a, b *Rows) (dots, aSquare, bSquare []float64) {
	dots = innerProducts(a, b)
	if t.Counts != Tanimoto {
		return dots, a.Square, b.Square
	}
	for i, d := range tanimoto(dots, a.Square, b.Square) {
		dots[i] = 1 - d/2
	}
	return dots, ones(a.N()), ones(b.N())
}

func ones(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

// distances are the squared distances between the sequences of a set [N,N], and k(x, x) of each: 0
// where it has no feature, except under Tanimoto. Once ctx is done they are nil.
func (f *Features) distances(ctx context.Context, set *Set) (d2, square []float64) {
	var v *inverted
	t, n := f.Term, set.N()
	t.Linear = false // k(x, x) tells which are empty
	if f.kept() {
		rows := f.rows(phase(ctx, 0, 2), set)
		if rows == nil {
			return nil, nil
		}
		v, d2 = invert(rows), make([]float64, n*n)
		eachBlock(phase(ctx, 1, 2), n, func(lo, hi int) {
			v.dots(d2[lo*n:hi*n], rows, lo, hi)
			t.distances(d2[lo*n:hi*n], rows.Square[lo:hi], v.Square)
		})
	} else {
		if v = f.inverted(phase(ctx, 0, 2), set); v == nil {
			return nil, nil
		}
		d2 = make([]float64, n*n)
		f.each(phase(ctx, 1, 2), set, func(first int, rows *Rows) {
			part := d2[first*n : (first+rows.N())*n]
			v.dots(part, rows, 0, rows.N())
			t.distances(part, rows.Square, v.Square)
		})
	}
	if t.Counts == Tanimoto {
		return d2, ones(n)
	}
	return d2, v.Square
}

// distancesAmong are the squared distances under a map between the sequences of a set [N,N], and
// k(x, x) of each. An error is a *SpecError, or that of ctx.
func distancesAmong(ctx context.Context, t Term, set *Set) (d2, square []float64, err error) {
	if m := matchesFor(t, set); m != nil {
		dots, units := m.among(ctx, set)
		return distances(dots, units, units), units, ctx.Err()
	}
	f, err := Fit(phase(ctx, 0, 4), t, set)
	if err != nil {
		return nil, nil, err
	}
	d2, square = f.distances(between(ctx, 0.25, 1), set)
	return d2, square, ctx.Err()
}
