package simd

import (
	"fmt"
	"unsafe"
)

const (
	// kBlock is the fixed blocking of k: every element of C is the sum of one partial sum for each kBlock terms, so
	// that its bits depend on k alone.
	kBlock = 256
	// packBytes is the size of a packed block of B, chosen to stay in a 1 MiB L2 cache.
	packBytes = 512 << 10
)

// Float is the element type of a kernel.
type Float interface{ float32 | float64 }

// Pack holds a product's packed operands: a block of B in panels, and rows of A. Each goroutine needs a separate Pack.
type Pack[T Float] struct{ b, a []T }

// NewPack allocates a Pack.
func NewPack[T Float]() *Pack[T] {
	return &Pack[T]{make([]T, packBytes/sizeOf[T]()), make([]T, aRows*aStride)}
}

// aRows is the number of rows of A that are packed at a time, aStride the distance between them: not a power of two, so
// that they fall on different lines of a cache.
const (
	aRows   = 96
	aStride = kBlock + 16
)

// Gemm32 computes C = α·op(A)·op(B) + β·C for row-major matrices, op(A) [m,k], op(B) [k,n], C [m,n], where op
// transposes if tA or tB is set: A is then stored as [k,m], B as [n,k]. lda, ldb and ldc are the distances between
// stored rows. With β = 0, C is not read. C must not overlap A or B.
func Gemm32(p *Pack[float32], tA, tB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32,
	ldb int, beta float32, c []float32, ldc int) {
	gemm(p, matmul[float32]{m, n, k, alpha, stored[float32]{a, lda, tA}, stored[float32]{b, ldb, tB}, beta, c, ldc})
}

// Gemm64 computes Gemm32 in double.
func Gemm64(p *Pack[float64], tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64,
	ldb int, beta float64, c []float64, ldc int) {
	gemm(p, matmul[float64]{m, n, k, alpha, stored[float64]{a, lda, tA}, stored[float64]{b, ldb, tB}, beta, c, ldc})
}

// matmul holds the arguments of Gemm.
type matmul[T Float] struct {
	m, n, k int
	alpha   T
	a, b    stored[T]
	beta    T
	c       []T
	ldc     int
}

// stored is a matrix X as it is stored, or Xᵀ.
type stored[T Float] struct {
	x          []T
	ld         int
	transposed bool
}

func gemm[T Float](p *Pack[T], q matmul[T]) {
	if !q.checkC() {
		return
	}
	q.a.check("A", q.m, q.k)
	q.b.check("B", q.k, q.n)
	if q.a.transposed && q.n == 1 && q.ldc == 1 {
		// Aᵀb is a column; the row bᵀA has the same bits and needs no transposition.
		q.m, q.n, q.ldc = 1, q.m, q.m
		q.a, q.b = stored[T]{q.b.x, q.b.ld, !q.b.transposed}, stored[T]{q.a.x, q.a.ld, false}
	}
	q.multiply(p, func(j0, nb, k0, kb int) []T {
		packBlock(p.b, &q.b, j0, nb, k0, kb)
		return p.b
	})
}

// multiply walks the blocks of op(B), which pack gives: nb columns from j0 and kb terms from k0 on.
func (q *matmul[T]) multiply(p *Pack[T], pack func(j0, nb, k0, kb int) []T) {
	beta := q.beta
	for j0 := 0; j0 < q.n; j0 += blockColumns[T]() {
		nb := min(blockColumns[T](), q.n-j0)
		for k0 := 0; k0 < q.k; k0 += kBlock {
			kb := min(kBlock, q.k-k0)
			q.beta = beta
			if k0 > 0 {
				q.beta = 1
			}
			q.multiplyBlock(p, pack(j0, nb, k0, kb), q.c[j0:], nb, k0, kb)
		}
	}
}

// blockColumns returns the number of columns a block of op(B) has.
func blockColumns[T Float]() int { return packBytes / kBlock / sizeOf[T]() }

func sizeOf[T Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// checkC panics where C does not fit its slice, and reports whether there is a product to add; if not, C has been
// scaled and all is done.
func (q *matmul[T]) checkC() bool {
	if q.m < 0 || q.n < 0 || q.k < 0 {
		panic(fmt.Sprintf("simd: product of size %d×%d×%d", q.m, q.n, q.k))
	}
	if q.m == 0 || q.n == 0 {
		return false
	}
	checkMatrix("C", q.m, q.n, q.ldc, len(q.c))
	if q.k == 0 || q.alpha == 0 {
		for i := range q.m {
			scale(q.beta, q.c[i*q.ldc:][:q.n])
		}
		return false
	}
	return true
}

// check calls checkMatrix for op(X) [rows,cols].
func (s *stored[T]) check(name string, rows, cols int) {
	if s.transposed {
		rows, cols = cols, rows
	}
	checkMatrix(name, rows, cols, s.ld, len(s.x))
}

func checkMatrix(name string, rows, cols, ld, length int) {
	if ld < cols || (rows-1)*ld+cols > length {
		panic(fmt.Sprintf("simd: matrix %s [%d,%d] with stride %d does not fit a slice of %d", name,
			rows, cols, ld, length))
	}
}

// scale computes x = βx, and zero for β = 0 whatever x holds.
func scale[T Float](beta T, x []T) {
	if beta == 0 {
		clear(x)
		return
	}
	for i := range x {
		x[i] *= beta
	}
}
