package simd

import "github.com/gpdrf/gpdrf-gpu/internal/philox"

// Normals32 fills dst with a row of standard normals: element i is philox.Normal(key, c1, c2, c3, i) to within 1e-5.
func Normals32(dst []float32, key [2]uint32, c1, c2, c3 uint32) {
	normals32(dst, key, c1, c2, c3)
}

// NormalRows addresses rows of normals: row r has the counter word c1 = Rows[r], or First + r where Rows is nil.
type NormalRows struct {
	Key    [2]uint32
	Rows   []int32
	First  int
	C2, C3 uint32
}

// NormalRows32 fills an n × cols matrix, its rows ld apart, with the numbers of Normals32 for each row; if rows are
// short, it is several times faster.
func NormalRows32(dst []float32, ld, n, cols int, rows NormalRows) {
	if rows.check(len(dst), ld, n, cols) {
		normalRows32(dst, ld, n, cols, rows)
	}
}

// NormalRows64 computes NormalRows32 in double.
func NormalRows64(dst []float64, ld, n, cols int, rows NormalRows) {
	if rows.check(len(dst), ld, n, cols) {
		normalRowsScalar(dst, ld, n, cols, rows)
	}
}

func (s *NormalRows) check(length, ld, n, cols int) bool {
	if s.Rows != nil {
		checkLen(len(s.Rows), n)
	}
	if n <= 0 || cols <= 0 {
		return false
	}
	checkMatrix("of normals", n, cols, ld, length)
	return true
}

// c1 returns the counter word of row r.
func (s *NormalRows) c1(r int) uint32 {
	if s.Rows == nil {
		return uint32(s.First + r)
	}
	return uint32(s.Rows[r])
}

func normalRowsScalar[T Float](dst []T, ld, n, cols int, rows NormalRows) {
	for r := range n {
		normalsScalar(dst[r*ld:][:cols], rows.Key, rows.c1(r), rows.C2, rows.C3)
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
