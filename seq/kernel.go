package seq

import "math"

// Inverted lists, for each column of M rows, which of them have it and with what value. Products with
// other rows then touch only what is not zero in both.
type Inverted struct {
	Start  []int   // Width+1: column c is elements Start[c] … Start[c+1]−1
	Row    []int32 // ascending in a column
	Value  []float64
	Square []float64 // of each row
}

// Invert prepares rows for Dots.
func Invert(r *Rows) *Inverted {
	v := &Inverted{Start: make([]int, r.Width+1), Row: make([]int32, len(r.Column)), Value: make([]float64, len(r.Column)), Square: r.Square}
	for _, c := range r.Column {
		v.Start[c+1]++
	}
	for c := range r.Width {
		v.Start[c+1] += v.Start[c]
	}
	next := append([]int(nil), v.Start...)
	for i := range r.N() {
		columns, values := r.row(i)
		for e, c := range columns {
			v.Row[next[c]], v.Value[next[c]] = int32(i), values[e]
			next[c]++
		}
	}
	return v
}

// Dots writes ⟨φ(a_n), φ(b_m)⟩ for the rows lo ≤ n < hi of a into dst [hi−lo, M]. Every sum runs over
// ascending columns, so the result has the same bits for any cut into calls and any number of goroutines.
func (v *Inverted) Dots(dst []float64, a *Rows, lo, hi int) {
	clear(dst[:(hi-lo)*len(v.Square)])
	for n := lo; n < hi; n++ {
		out := dst[(n-lo)*len(v.Square) : (n-lo+1)*len(v.Square)]
		columns, values := a.row(n)
		for e, c := range columns {
			x := values[e]
			rows := v.Row[v.Start[c]:v.Start[c+1]]
			other := v.Value[v.Start[c]:v.Start[c+1]]
			for i, m := range rows {
				out[m] += float64(x * other[i]) // rounded by itself, as on every device
			}
		}
	}
}

// Dots is the matrix ⟨φ(a_n), φ(b_m)⟩ [N, M], computed by several goroutines.
func Dots(a, b *Rows) []float64 {
	v := Invert(b)
	dst := make([]float64, a.N()*len(v.Square))
	inBlocks(a.N(), func() (struct{}, func(lo, hi int)) {
		return struct{}{}, func(lo, hi int) { v.Dots(dst[lo*len(v.Square):hi*len(v.Square)], a, lo, hi) }
	})
	return dst
}

// Distances turns inner products [N, M] into ‖φ(a_n) − φ(b_m)‖² = ‖φ(a_n)‖² + ‖φ(b_m)‖² − 2⟨φ(a_n), φ(b_m)⟩, in
// place. Rounding below 0 is held there.
func Distances(dots []float64, a, b *Rows) []float64 {
	m := b.N()
	for i, d := range dots {
		dots[i] = max(0, a.Square[i/m]+b.Square[i%m]-2*d)
	}
	return dots
}

// Kernel is Σ_i α_i exp(−d²_i / 2σ_i²) of the squared distances d²_i between two sequences under each map.
func Kernel(d2, alpha, sigma []float64) (k float64) {
	for i, d := range d2 {
		k += alpha[i] * math.Exp(-d/(2*sigma[i]*sigma[i]))
	}
	return k
}
