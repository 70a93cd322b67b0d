//go:build cuda && cgo

package gpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/cuda"
)

// tile is the number of rows, and of columns, of C that one block of 128 threads computes, as in gemm.cuh.
const tile = 64

// matrix is an operand of a product: a matrix by rows for each matrix of a batch and each term of a sum.
type matrix struct {
	at         cuda.Arg
	ld         int  // distance from row to row
	step       int  // distance between matrices of the batch; 0 if there is one for all
	term       int  // distance from term to term
	lower      bool // only the lower triangle of the stored matrix counts
	transposed bool
}

// part is the set of elements of C that a product writes.
type part int

const (
	whole    part = 0
	lower    part = 4 // the lower triangle
	mirrored part = 8 // the lower triangle, on both sides
)

// product is C = α e^(power·logs) Σ A B + β C for each matrix of a batch. C is m×n, and each term sums over k numbers.
type product struct {
	m, n, k, batch int
	terms          int // number of terms; 0 is 1
	alpha, beta    float64
	a, b, c        matrix
	part           part
	logs           cuda.Arg // [batch]; the factor is 1 without logs
	power          float64
}

// stacked returns the same product as a single one, if the matrices A and C of a batch lie below each other and share
// B. Its tiles have no empty rows between matrices.
func (p product) stacked() product {
	const most = tile * 65535 // largest number of rows of a grid
	rows, bare := p.m*p.batch, !p.a.transposed && !p.a.lower && p.part == whole && p.logs == (cuda.Arg{})
	joined := p.b.step == 0 && p.a.step == p.m*p.a.ld && p.c.step == p.m*p.c.ld
	if bare && joined && rows <= most && rows*max(p.a.ld, p.c.ld) <= math.MaxInt32 {
		p.m, p.batch = rows, 1
	}
	return p
}

// gemm launches a product of doubles. No operation multiplies two transposed matrices.
func (d *Device) gemm(p product) {
	p = p.stacked()
	bits := int(p.part)
	if p.a.lower {
		bits |= 1
	}
	if p.b.lower {
		bits |= 2
	}
	if p.logs == (cuda.Arg{}) {
		p.logs = cuda.Pointer(0)
	}
	flags, m, n, k, terms := cuda.Int(bits), cuda.Int(p.m), cuda.Int(p.n), cuda.Int(p.k), cuda.Int(max(p.terms, 1))
	alpha, beta, power := cuda.Float64(p.alpha), cuda.Float64(p.beta), cuda.Float64(p.power)
	a, b, c := p.a.strides(), p.b.strides(), p.c.strides()
	name := "gemm_nn"
	switch {
	case p.a.transposed && p.b.transposed:
		panic("gpu: a product of two transposed matrices")
	case p.a.transposed:
		name = "gemm_tn"
	case p.b.transposed:
		name = "gemm_nt"
	}
	d.double.launch(name, tiles(p.m, p.n, p.batch), 0, flags, m, n, k, terms, alpha, beta,
		p.a.at, a[0], a[1], a[2], p.b.at, b[0], b[1], b[2], p.c.at, c[0], c[1], p.logs, power)
}

// strides returns the distances of a matrix as arguments: from row to row, in the batch, from term to term.
func (a matrix) strides() [3]cuda.Arg {
	return [3]cuda.Arg{cuda.Int(a.ld), cuda.Int(a.step), cuda.Int(a.term)}
}

// transpose returns the transposed matrix.
func (a matrix) transpose() matrix {
	a.transposed = !a.transposed
	return a
}

// tiles returns a grid of a block for each tile of an m×n matrix, for each matrix of a batch.
func tiles(m, n, batch int) cuda.Grid {
	return cuda.Grid{X: blocksOf(n, tile), Y: blocksOf(m, tile), Z: batch}
}
