package data

import (
	"slices"

	"gorgonia.org/tensor"

	"github.com/gpdrf/gpdrf-gpu/seq"
)

// A table of inputs is a tensor [N,D] of float64, or of float32 if the file has no more precision. Images and
// arrays of float32 then take half the memory. Only this file depends on the type.

func matrix[T float32 | float64](n, d int, x []T) *tensor.Dense {
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x))
}

func size(x *tensor.Dense) (n, d int) { return x.Shape()[0], x.Shape()[1] }

// rowOf is row i of x: the memory of x itself, or dst filled with it, or new memory if dst has no room.
func rowOf(dst []float64, x *tensor.Dense, i int) []float64 {
	if x == nil { // there are only sequences
		return nil
	}
	_, d := size(x)
	if x.Dtype() == tensor.Float64 {
		return x.Float64s()[i*d : (i+1)*d : (i+1)*d]
	}
	dst = slices.Grow(dst[:0], d)[:d]
	for j, v := range x.Float32s()[i*d : (i+1)*d] {
		dst[j] = float64(v)
	}
	return dst
}

// column copies column j of x to c, which has room for N values.
func column(c []float64, x *tensor.Dense, j int) []float64 {
	n, d := size(x)
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

// pickRows is a copy of the given rows of x, in the given order.
func pickRows(x *tensor.Dense, rows []int) *tensor.Dense {
	_, d := size(x)
	if x.Dtype() == tensor.Float64 {
		return matrix(len(rows), d, gather(x.Float64s(), d, rows))
	}
	return matrix(len(rows), d, gather(x.Float32s(), d, rows))
}

// pickColumns is a copy of the given columns of x, in the given order.
func pickColumns(x *tensor.Dense, columns []int) *tensor.Dense {
	n, d := size(x)
	if x.Dtype() == tensor.Float64 {
		return matrix(n, len(columns), gatherColumns(x.Float64s(), d, columns))
	}
	return matrix(n, len(columns), gatherColumns(x.Float32s(), d, columns))
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

// gather are the given rows of a table of width d; nil for nil.
func gather[T any](values []T, d int, rows []int) []T {
	if values == nil {
		return nil
	}
	to := make([]T, 0, len(rows)*d)
	for _, r := range rows {
		to = append(to, values[r*d:(r+1)*d]...)
	}
	return to
}

// everyRow are the numbers of all of n rows.
func everyRow(n int) []int { return which(n, func(int) bool { return true }) }

// which are the numbers of those of n rows that want accepts.
func which(n int, want func(i int) bool) (rows []int) {
	for i := range n {
		if want(i) {
			rows = append(rows, i)
		}
	}
	return slices.Clip(rows)
}

func pick[T any](values []T, rows []int) []T { return gather(values, 1, rows) }

// joinRows is the rows of a and then those of b.
func joinRows(a, b *tensor.Dense) *tensor.Dense {
	n, d := size(a)
	m, _ := size(b)
	if a.Dtype() == tensor.Float64 {
		return matrix(n+m, d, slices.Concat(a.Float64s(), b.Float64s()))
	}
	return matrix(n+m, d, slices.Concat(a.Float32s(), b.Float32s()))
}

// join is the rows of a and then the rows of b, which was read like a. The result has the name of a; each row
// knows its own file.
func (a *Dataset) join(b *Dataset) *Dataset {
	j := *a
	if a.X != nil {
		j.X = joinRows(a.X, b.X)
	}
	if a.Sequences != nil {
		j.Sequences = seq.Join(a.Sequences, b.Sequences)
	}
	j.Y = slices.Concat(a.Y, b.Y)
	j.Labels = slices.Concat(a.Labels, b.Labels)
	j.Weights, j.Offset = slices.Concat(a.Weights, b.Weights), slices.Concat(a.Offset, b.Offset)
	if len(j.Weights) != j.N() {
		j.Weights = nil
	}
	j.ids = slices.Concat(a.ids, b.ids)
	if len(j.ids) != j.N() {
		j.ids = nil
	}
	if a.lines != nil {
		j.lines = slices.Concat(a.lines, b.lines)
		j.files = append(slices.Repeat([]string{a.Path}, a.N()), slices.Repeat([]string{b.Path}, b.N())...)
	}
	j.Fingerprint = j.fingerprint()
	return &j
}

// Shuffled is d followed by a copy of it for each of some inputs. In the copy, row i has this input from row
// from[i].
func (d *Dataset) Shuffled(inputs []Input, from []int) *Dataset {
	n := d.N()
	var rows, sequences []int
	for k := range len(inputs) + 1 {
		rows = append(rows, everyRow(n)...)
		if k > 0 && inputs[k-1].Columns == nil {
			sequences = append(sequences, from...)
		} else {
			sequences = append(sequences, rows[:n]...)
		}
	}
	s := d.Subset(rows)
	if d.Sequences != nil {
		s.Sequences = d.Sequences.Subset(sequences)
	}
	for k, in := range inputs {
		lo := (k + 1) * n
		if in.Columns == nil {
			continue
		}
		if d.X.Dtype() == tensor.Float64 {
			moveColumns(s.X.Float64s()[lo*d.D():], d.X.Float64s(), d.D(), in.Columns, from)
		} else {
			moveColumns(s.X.Float32s()[lo*d.D():], d.X.Float32s(), d.D(), in.Columns, from)
		}
	}
	s.Fingerprint = s.fingerprint()
	return s
}

// moveColumns copies some columns of a table of a width: row i gets the cells of row from[i].
func moveColumns[T any](to, source []T, width int, columns, from []int) {
	for i, donor := range from {
		for _, c := range columns {
			to[i*width+c] = source[donor*width+c]
		}
	}
}
