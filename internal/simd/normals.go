package simd

import "github.com/gpdrf/gpdrf-gpu/internal/philox"

// Normals32 fills dst with a row of standard normals: element i is
// philox.Normal(key, c1, c2, c3, i) to within 1e-5.
func Normals32(dst []float32, key [2]uint32, c1, c2, c3 uint32) {
	normalsScalar(dst, key, 0, c1, c2, c3)
}

// Normals64 is Normals32 in double: element i is philox.Normal(key, c1, c2, c3, i).
func Normals64(dst []float64, key [2]uint32, c1, c2, c3 uint32) {
	normalsScalar(dst, key, 0, c1, c2, c3)
}

// normalsScalar starts at the block with counter c0.
func normalsScalar[T Float](dst []T, key [2]uint32, c0, c1, c2, c3 uint32) {
	for i := 0; i < len(dst); i += 4 {
		z := philox.Normals(philox.Block(key, [4]uint32{c0 + uint32(i/4), c1, c2, c3}))
		for q := range min(4, len(dst)-i) {
			dst[i+q] = T(z[q])
		}
	}
}
