//go:build !amd64 && !arm64

package simd

// Where there is no assembly, every kernel is its scalar definition.

func writtenTiers() []tier { return []tier{scalar} }

func availableTiers() []tier { return writtenTiers() }

func panelWidth[T Float]() int { return tileCols }

func packBlock[T Float](dst []T, b *stored[T], j0, nb, k0, kb int) {
	packBlockScalar(dst, b, j0, nb, k0, kb)
}

func (q *matmul[T]) multiplyBlock(p *Pack[T], block, c []T, nb, k0, kb int) {
	q.multiplyBlockScalar(p, block, c, nb, k0, kb)
}

func dot32(x, y []float32) float32         { return dotScalar(x, y) }
func dot64(x, y []float64) float64         { return dotScalar(x, y) }
func axpy32(alpha float32, x, y []float32) { axpyScalar(alpha, x, y) }
func axpy64(alpha float64, x, y []float64) { axpyScalar(alpha, x, y) }
func mul64(dst, x, y []float64)            { mulScalar(dst, x, y) }
func mulAdd64(dst, x, y []float64)         { mulAddScalar(dst, x, y) }

func normals32(dst []float32, key [2]uint32, c1, c2, c3 uint32) { normalsScalar(dst, key, c1, c2, c3) }
func normalRows32(dst []float32, ld, n, cols int, rows NormalRows) {
	normalRowsScalar(dst, ld, n, cols, rows)
}

// These are never called: the scalar tier does without them.

func exp32Kernel(_, _ []float32)                                       {}
func exp64Kernel(_, _ []float64)                                       {}
func sinCos32Kernel(_, _, _ []float32) int                             { return 0 }
func rbf64Kernel(_, _, _ []float64, _, _ float64)                      {}
func matern64Kernel(_, _, _, _ []float64, _, _, _ float64, _ int) bool { return false }
func rotate32Kernel(_, _, _, _, _ []float32)                           {}
func rectify32Kernel(_, _, _ []float32, _ *[5]float32)                 {}
func adam32Kernel(_, _, _, _, _ []float32, _ *[9]float32)              {}
func adam64Kernel(_, _, _, _, _ []float64, _ *[9]float64)              {}
func integrate32Kernel(*Integrals[float32])                            {}
func integrateSlopes32Kernel(_, _ []float32, _ *Integrals[float32])    {}

// HasMatches reports whether Matches has assembly.
func HasMatches() bool { return false }

func matches(sums *[8]uint64, parts int, at []uint32, counts []uint64, weight *[16]byte) {
	matchesScalar(sums, parts, at, counts, weight)
}
