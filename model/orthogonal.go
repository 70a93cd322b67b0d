package model

import "math"

// orthogonal fills matrices [rows,columns], one after the other, with orthogonal frequencies (Yu et
// al. 2016): blocks of as many columns as there are rows are orthogonal directions, uniformly
// distributed, times the length that a vector of standard normals has. Each column by itself is
// such a vector, so that features keep their mean; together they cover the directions more evenly.
func orthogonal(dst []float64, rows, columns int, normal func([]float64)) {
	z := make([]float64, 2*len(dst))
	normal(z)
	lengths := z[len(dst):]
	copy(dst, z)
	for at := 0; at < len(dst); at += rows * columns {
		m := dst[at:][:rows*columns]
		for c := range columns {
			first := c / rows * rows // column of its block
			for range 2 {            // once more against rounding
				for o := first; o < c; o++ {
					project(m, columns, c, o)
				}
			}
			norm, length := 0.0, 0.0
			for r := range rows {
				norm += m[r*columns+c] * m[r*columns+c]
				length += lengths[at+r*columns+c] * lengths[at+r*columns+c]
			}
			for r := range rows {
				m[r*columns+c] *= math.Sqrt(length / norm)
			}
		}
	}
}

// project takes from column c its part along column o.
func project(m []float64, ld, c, o int) {
	inner, norm := 0.0, 0.0
	for i := 0; i < len(m); i += ld {
		inner += m[i+c] * m[i+o]
		norm += m[i+o] * m[i+o]
	}
	for i := 0; i < len(m); i += ld {
		m[i+c] -= inner / norm * m[i+o]
	}
}
