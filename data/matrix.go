package data

import (
	"slices"

	"gorgonia.org/tensor"
)

// A table of inputs is a tensor [N,D] of float64, or of float32 if the file has only that: images
// and arrays of float32 then take half the memory. Only this file knows which of the two it is.

func matrix(n, d int, x []float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x))
}

func matrix32(n, d int, x []float32) *tensor.Dense {
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x))
}

func size(x *tensor.Dense) (n, d int) { return x.Shape()[0], x.Shape()[1] }

// rowOf is row i of x: the memory of x itself, or dst filled with it.
func rowOf(dst []float64, x *tensor.Dense, i int) []float64 {
	if x == nil { // sequences only
		return nil
	}
	_, d := size(x)
	if x.Dtype() == tensor.Float64 {
		return x.Float64s()[i*d : (i+1)*d : (i+1)*d]
	}
	dst = dst[:d]
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
	return matrix32(len(rows), d, gather(x.Float32s(), d, rows))
}

func gather[T any](values []T, d int, rows []int) []T {
	to := make([]T, 0, len(rows)*d)
	for _, r := range rows {
		to = append(to, values[r*d:(r+1)*d]...)
	}
	return to
}

// joinRows is the rows of a and then those of b.
func joinRows(a, b *tensor.Dense) *tensor.Dense {
	n, d := size(a)
	m, _ := size(b)
	if a.Dtype() == tensor.Float64 {
		return matrix(n+m, d, slices.Concat(a.Float64s(), b.Float64s()))
	}
	return matrix32(n+m, d, slices.Concat(a.Float32s(), b.Float32s()))
}
