package seq

// Rows are N sparse vectors of one term, by rows: row i has Value[e] in Column[e] for
// Start[i] ≤ e < Start[i+1], columns ascending.
type Rows struct {
	Width  int // columns
	Start  []int
	Column []int32
	Value  []float64

	// Square is ‖φ‖²: 1, or 0 where a sequence has no feature. What a row has stored may fall short
	// of it, by features that no training sequence has.
	Square []float64
}

// N is the number of rows.
func (r *Rows) N() int { return len(r.Start) - 1 }

// empty counts the zero vectors.
func (r *Rows) empty() (count int) {
	for _, s := range r.Square {
		if s == 0 {
			count++
		}
	}
	return count
}

// row is the columns and values of row i.
func (r *Rows) row(i int) ([]int32, []float64) {
	return r.Column[r.Start[i]:r.Start[i+1]], r.Value[r.Start[i]:r.Start[i+1]]
}

// Subset is a copy of the given rows, in the given order.
func (r *Rows) Subset(rows []int) *Rows {
	s := &Rows{Width: r.Width, Start: make([]int, 1, len(rows)+1), Square: make([]float64, 0, len(rows))}
	for _, i := range rows {
		columns, values := r.row(i)
		s.Column, s.Value = append(s.Column, columns...), append(s.Value, values...)
		s.Start, s.Square = append(s.Start, len(s.Value)), append(s.Square, r.Square[i])
	}
	return s
}

// within is r without the columns that no row of z has, the others renumbered: products with z are
// the same, and take less memory where z is few of many rows. Square stays.
func (r *Rows) within(z *Rows) *Rows {
	number := make([]int32, r.Width)
	for _, c := range z.Column {
		number[c] = 1
	}
	s := &Rows{Start: make([]int, 1, r.N()+1), Square: r.Square}
	for c, used := range number {
		number[c] = -1
		if used > 0 {
			number[c] = int32(s.Width)
			s.Width++
		}
	}
	for i := range r.N() {
		columns, values := r.row(i)
		for e, c := range columns {
			if n := number[c]; n >= 0 {
				s.Column, s.Value = append(s.Column, n), append(s.Value, values[e])
			}
		}
		s.Start = append(s.Start, len(s.Value))
	}
	return s
}
