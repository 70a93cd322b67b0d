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

func exp32(dst, x []float32)                            { expScalar(dst, x) }
func exp64(dst, x []float64)                            { expScalar(dst, x) }
func sinCos32(sin, cos, x []float32)                    { sinCosScalar(sin, cos, x) }
func rbf64(dst, x, half []float64, own, scale float64)  { rbfScalar(dst, x, half, own, scale) }
func mul64(dst, x, y []float64)                         { mulScalar(dst, x, y) }
func mulAdd64(dst, x, y []float64)                      { mulAddScalar(dst, x, y) }
func dot32(x, y []float32) float32                      { return dotScalar(x, y) }
func dot64(x, y []float64) float64                      { return dotScalar(x, y) }
func axpy32(alpha float32, x, y []float32)              { axpyScalar(alpha, x, y) }
func axpy64(alpha float64, x, y []float64)              { axpyScalar(alpha, x, y) }
func adam32(p, g, m, v, rate []float32, co *AdamCoeffs) { adamScalar(p, g, m, v, rate, co) }
func adam64(p, g, m, v, rate []float64, co *AdamCoeffs) { adamScalar(p, g, m, v, rate, co) }

func matern64(dst, slope, x, half []float64, own, scale, near float64, twiceNu int) bool {
	return maternScalar(dst, slope, x, half, own, scale, near, twiceNu)
}

func rotate32(dst, cos, sin, a, b []float32) { rotateScalar(dst, cos, sin, a, b) }

func rectify32(phi, slope, p []float32, co *[5]float32) { rectifyScalar(phi, slope, p, co) }

func normals32(dst []float32, key [2]uint32, c1, c2, c3 uint32) {
	normalsScalar(dst, key, c1, c2, c3)
}

func normalRows32(dst []float32, ld, n, cols int, rows NormalRows) {
	normalRowsScalar(dst, ld, n, cols, rows)
}

func integrate32(m *Integrals[float32]) { integrateScalar(m) }

func integrateSlopes32(dt, dv []float32, m, d *Integrals[float32]) { slopesScalar(dt, dv, m, d) }

// HasMatches says that Matches has assembly.
func HasMatches() bool { return false }

func matches(sums *[8]uint64, parts int, at []uint32, counts []uint64, weight *[16]byte) {
	matchesScalar(sums, parts, at, counts, weight)
}
