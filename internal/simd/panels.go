package simd

import "fmt"

// Panels64 is a matrix B that is packed once for many products, which may run at the same time. It holds the blocks of
// gemm one after the other.
type Panels64 struct {
	data []float64
	k, n int
}

// PanelColumns64 is the number of columns of B in one block of Panels64.
const PanelColumns64 = packBytes / 8 / kBlock

// Pack packs op(B) [k,n]. It allocates only if it never had as much to hold.
func (q *Panels64) Pack(tB bool, k, n int, b []float64, ldb int) {
	of := stored[float64]{b, ldb, tB}
	of.check("B", k, n)
	q.Reserve(Panels64Len(k, n))
	q.data, q.k, q.n = q.data[:Panels64Len(k, n)], k, n
	for j0 := 0; j0 < n; j0 += PanelColumns64 {
		nb := min(PanelColumns64, n-j0)
		for k0 := 0; k0 < k; k0 += kBlock {
			packBlock(q.block(j0, k0), &of, j0, nb, k0, min(kBlock, k-k0))
		}
	}
}

// Panels64Len returns the number of elements of memory that a packed matrix [k,n] takes.
func Panels64Len(k, n int) int { return wholePanels(n) * k }

// Reserve makes room for a number of elements and returns by how many it grew.
func (q *Panels64) Reserve(elements int) (grown int) {
	grown = max(0, elements-cap(q.data))
	if grown > 0 {
		q.data = make([]float64, elements)
	}
	return grown
}

// GemmPanels64 computes Gemm64 for columns from … from+n of a packed op(B), with the same bits. from must be a multiple
// of PanelColumns64.
func GemmPanels64(p *Pack[float64], tA bool, m, n int, alpha float64, a []float64, lda int, b *Panels64,
	from int, beta float64, c []float64, ldc int) {
	if from < 0 || from%PanelColumns64 != 0 || n < 0 || from+n > b.n {
		panic(fmt.Sprintf("simd: columns %d to %d of a packed matrix [%d,%d]", from, from+n, b.k, b.n))
	}
	q := matmul[float64]{m: m, n: n, k: b.k, alpha: alpha, a: stored[float64]{a, lda, tA}, beta: beta, c: c, ldc: ldc}
	if q.checkC() {
		q.a.check("A", m, b.k)
		q.multiply(p, func(j0, _, k0, _ int) []float64 { return b.block(from+j0, k0) })
	}
}

// block returns the block of columns from j0 and terms from k0 on.
func (q *Panels64) block(j0, k0 int) []float64 {
	nb := wholePanels(min(PanelColumns64, q.n-j0))
	at := j0*q.k + nb*k0
	return q.data[at:][:nb*min(kBlock, q.k-k0)]
}

// wholePanels returns n rounded up to whole panels.
func wholePanels(n int) int {
	width := panelWidth[float64]()
	return (n + width - 1) / width * width
}
