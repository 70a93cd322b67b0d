package simd

import "fmt"

const (
	// kBlock is the fixed blocking of k: every element of C is the sum of one partial
	// sum for each kBlock terms, so that its bits depend on k alone.
	kBlock = 256
	// packBytes is the size of a packed block of B, chosen to stay in a 1 MiB L2 cache.
	packBytes = 512 << 10
)

// Float is the element type of a kernel.
type Float interface{ float32 | float64 }

// pack is the scratch of one goroutine: a block of B in panels, and rows of A.
type pack[T Float] struct {
	b []T
	a []T
}

// Pack32 is the scratch that Gemm32 packs into; each goroutine needs its own.
type Pack32 struct{ pack[float32] }

// Pack64 is the scratch that Gemm64 packs into; each goroutine needs its own.
type Pack64 struct{ pack[float64] }

// NewPack32 allocates the scratch of one goroutine.
func NewPack32() *Pack32 {
	return &Pack32{pack[float32]{make([]float32, packBytes/4), make([]float32, aRows*aStride)}}
}

// NewPack64 allocates the scratch of one goroutine.
func NewPack64() *Pack64 {
	return &Pack64{pack[float64]{make([]float64, packBytes/8), make([]float64, aRows*aStride)}}
}

// aRows is how many rows of A are packed at a time, aStride the distance between
// them: not a power of two, so that they fall on different lines of a cache.
const (
	aRows   = 96
	aStride = kBlock + 16
)

// Gemm32 is C = α·op(A)·op(B) + β·C for row-major matrices, op(A) [m,k], op(B) [k,n],
// C [m,n], where op transposes if tA or tB is set: A is then stored as [k,m], B as
// [n,k]. lda, ldb and ldc are the distances between stored rows. With β = 0, C is not read. C
// must not overlap A or B.
func Gemm32(p *Pack32, tA, tB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32,
	ldb int, beta float32, c []float32, ldc int) {
	if checkC(m, n, k, alpha, beta, c, ldc) {
		checkStored("A", tA, m, k, lda, len(a))
		checkStored("B", tB, k, n, ldb, len(b))
		gemm(&p.pack, tA, m, n, k, alpha, a, lda, &operand[float32]{stored: b, ld: ldb, transposed: tB}, beta, c, ldc)
	}
}

// Gemm64 is Gemm32 in double.
func Gemm64(p *Pack64, tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64,
	ldb int, beta float64, c []float64, ldc int) {
	if checkC(m, n, k, alpha, beta, c, ldc) {
		checkStored("A", tA, m, k, lda, len(a))
		checkStored("B", tB, k, n, ldb, len(b))
		gemm(&p.pack, tA, m, n, k, alpha, a, lda, &operand[float64]{stored: b, ld: ldb, transposed: tB}, beta, c, ldc)
	}
}

// checkC panics where C does not fit its slice, and says whether there is a product to add; if not,
// C has been scaled and all is done.
func checkC[T Float](m, n, k int, alpha, beta T, c []T, ldc int) bool {
	if m < 0 || n < 0 || k < 0 {
		panic(fmt.Sprintf("simd: product of size %d×%d×%d", m, n, k))
	}
	if m == 0 || n == 0 {
		return false
	}
	checkMatrix("C", m, n, ldc, len(c))
	if k == 0 || alpha == 0 {
		for i := range m {
			scale(beta, c[i*ldc:i*ldc+n])
		}
		return false
	}
	return true
}

// checkStored is checkMatrix for op(X) [rows,cols].
func checkStored(name string, transposed bool, rows, cols, ld, length int) {
	if transposed {
		rows, cols = cols, rows
	}
	checkMatrix(name, rows, cols, ld, length)
}

func checkMatrix(name string, rows, cols, ld, length int) {
	if ld < cols || (rows-1)*ld+cols > length {
		panic(fmt.Sprintf("simd: matrix %s [%d,%d] with stride %d does not fit a slice of %d", name,
			rows, cols, ld, length))
	}
}

// scale is x = βx, and zero for β = 0 whatever x holds.
func scale[T Float](beta T, x []T) {
	if beta == 0 {
		clear(x)
		return
	}
	for i := range x {
		x[i] *= beta
	}
}
