// Package matrix has tables of inputs: tensors [N,D] of float64, or of float32 if a file has no more precision. Images
// and arrays of float32 then take half the memory. Only this package depends on the type. It also has the lists of row
// numbers that pick rows out of them.
package matrix

import (
	"slices"

	"gorgonia.org/tensor"
)

// New makes a matrix of n rows with d columns, whose values x are row by row.
func New[T float32 | float64](n, d int, x []T) *tensor.Dense {
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x))
}

// Size returns the number of rows of x, and of columns.
func Size(x *tensor.Dense) (n, d int) { return x.Shape()[0], x.Shape()[1] }

// Row returns row i of x: the memory of x itself, or dst filled with it, or new memory if dst has no room.
func Row(dst []float64, x *tensor.Dense, i int) []float64 {
	if x == nil { // there are only sequences
		return nil
	}
	_, d := Size(x)
	if x.Dtype() == tensor.Float64 {
		return x.Float64s()[i*d : (i+1)*d : (i+1)*d]
	}
	dst = slices.Grow(dst[:0], d)[:d]
	for j, v := range x.Float32s()[i*d : (i+1)*d] {
		dst[j] = float64(v)
	}
	return dst
}

// Column copies column j of x to c, which has room for N values.
func Column(c []float64, x *tensor.Dense, j int) []float64 {
	n, d := Size(x)
	c = c[:n]
	if x.Dtype() == tensor.Float64 {
		for i, values := 0, x.Float64s(); i < n; i++ {
			c[i] = values[i*d+j]
		}
		return c
	}
	for i, values := 0, x.Float32s(); i < n; i++ {
		c[i] = float64(values[i*d+j])
	}
	return c
}

// Rows copies the given rows of x, in the given order.
func Rows(x *tensor.Dense, rows []int) *tensor.Dense {
	_, d := Size(x)
	if x.Dtype() == tensor.Float64 {
		return New(len(rows), d, Gather(x.Float64s(), d, rows))
	}
	return New(len(rows), d, Gather(x.Float32s(), d, rows))
}

// Columns copies the given columns of x, in the given order.
func Columns(x *tensor.Dense, columns []int) *tensor.Dense {
	n, d := Size(x)
	if x.Dtype() == tensor.Float64 {
		return New(n, len(columns), gatherColumns(x.Float64s(), d, columns))
	}
	return New(n, len(columns), gatherColumns(x.Float32s(), d, columns))
}

func gatherColumns[T any](values []T, d int, columns []int) []T {
	to := make([]T, 0, len(values)/d*len(columns))
	for lo := 0; lo < len(values); lo += d {
		for _, c := range columns {
			to = append(to, values[lo+c])
		}
	}
	return to
}

// Gather returns the given rows of a table of width d; nil for nil.
func Gather[T any](values []T, d int, rows []int) []T {
	if values == nil {
		return nil
	}
	to := make([]T, 0, len(rows)*d)
	for _, r := range rows {
		to = append(to, values[r*d:(r+1)*d]...)
	}
	return to
}

// Every returns the numbers of all of n rows.
func Every(n int) []int { return Which(n, func(int) bool { return true }) }

// Which returns the numbers of those of n rows that want accepts.
func Which(n int, want func(i int) bool) (rows []int) {
	for i := range n {
		if want(i) {
			rows = append(rows, i)
		}
	}
	return slices.Clip(rows)
}

// Others returns the numbers 0 … n−1 that are not in rows, in order.
func Others(n int, rows []int) []int {
	out := make([]bool, n)
	for _, r := range rows {
		out[r] = true
	}
	return Which(n, func(i int) bool { return !out[i] })
}

// Pick returns the given values; nil for nil.
func Pick[T any](values []T, rows []int) []T { return Gather(values, 1, rows) }

// Join joins the rows of a and then those of b.
func Join(a, b *tensor.Dense) *tensor.Dense {
	n, d := Size(a)
	m, _ := Size(b)
	if a.Dtype() == tensor.Float64 {
		return New(n+m, d, slices.Concat(a.Float64s(), b.Float64s()))
	}
	return New(n+m, d, slices.Concat(a.Float32s(), b.Float32s()))
}

// Shuffle copies some columns of x to rows lo, lo+1, … of a matrix of the same width: its row lo+i gets the cells of
// row from[i].
func Shuffle(to *tensor.Dense, lo int, x *tensor.Dense, columns, from []int) {
	_, d := Size(x)
	if x.Dtype() == tensor.Float64 {
		moveColumns(to.Float64s()[lo*d:], x.Float64s(), d, columns, from)
	} else {
		moveColumns(to.Float32s()[lo*d:], x.Float32s(), d, columns, from)
	}
}

// moveColumns copies some columns of a table of a width: row i gets the cells of row from[i].
func moveColumns[T any](to, source []T, width int, columns, from []int) {
	for i, donor := range from {
		for _, c := range columns {
			to[i*width+c] = source[donor*width+c]
		}
	}
}
