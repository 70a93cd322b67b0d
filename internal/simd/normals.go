package simd

import "github.com/gpdrf/gpdrf-gpu/internal/philox"

// Normals32 fills dst with a row of standard normals: element i is
// philox.Normal(key, c1, c2, c3, i) to within 1e-5.
func Normals32(dst []float32, key [2]uint32, c1, c2, c3 uint32) {
	normals32(dst, key, c1, c2, c3)
}

// NormalRows32 fills an n × cols matrix, its rows ld apart: row r is the row of normals
// whose counter word c1 is rows[r], or first+r where rows is nil. The numbers are those of
// Normals32 for each row; where rows are short, they come several times faster.
func NormalRows32(dst []float32, ld, n, cols int, key [2]uint32, rows []int32, first int, c2, c3 uint32) {
	if checkRows(len(dst), ld, n, cols, rows) {
		normalRows32(dst, ld, n, cols, key, rowNumbers{rows, first}, c2, c3)
	}
}

// NormalRows64 is NormalRows32 in double.
func NormalRows64(dst []float64, ld, n, cols int, key [2]uint32, rows []int32, first int, c2, c3 uint32) {
	if checkRows(len(dst), ld, n, cols, rows) {
		normalRowsScalar(dst, ld, n, cols, key, rowNumbers{rows, first}, c2, c3)
	}
}

func checkRows(length, ld, n, cols int, rows []int32) bool {
	if rows != nil {
		checkLen(len(rows), n)
	}
	if n <= 0 || cols <= 0 {
		return false
	}
	checkMatrix("of normals", n, cols, ld, length)
	return true
}

// rowNumbers are rows by number, or those from first on.
type rowNumbers struct {
	rows  []int32
	first int
}

// of is the counter word c1 of row r.
func (n rowNumbers) of(r int) uint32 {
	if n.rows == nil {
		return uint32(n.first + r)
	}
	return uint32(n.rows[r])
}

func normalRowsScalar[T Float](dst []T, ld, n, cols int, key [2]uint32, rows rowNumbers, c2, c3 uint32) {
	for r := range n {
		normalsScalar(dst[r*ld:r*ld+cols], key, rows.of(r), c2, c3)
	}
}

func normalsScalar[T Float](dst []T, key [2]uint32, c1, c2, c3 uint32) {
	for i := 0; i < len(dst); i += 4 {
		z := philox.Normals(philox.Block(key, [4]uint32{uint32(i / 4), c1, c2, c3}))
		for q := range min(4, len(dst)-i) {
			dst[i+q] = T(z[q])
		}
	}
}
