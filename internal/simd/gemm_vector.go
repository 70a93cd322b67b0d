//go:build amd64 || arm64

package simd

import "unsafe"

// panelWidth returns the number of columns of op(B) that lie together: the columns of two registers, or of a scalar
// tile.
func panelWidth[T Float]() int {
	if active == scalar {
		return tileCols
	}
	return panelBytes() / sizeOf[T]()
}

// packBlock packs a block of op(B) into panels, padded with zeros to whole ones.
func packBlock[T Float](dst []T, b *stored[T], j0, nb, k0, kb int) {
	if active == scalar {
		packBlockScalar(dst, b, j0, nb, k0, kb)
		return
	}
	width := panelWidth[T]()
	for j := 0; j < nb; j += width {
		panel, cols := dst[j*kb:(j+width)*kb], min(width, nb-j)
		if b.transposed {
			transpose(panel, width, b.x[(j0+j)*b.ld+k0:], b.ld, cols, kb)
		} else {
			packPanel(panel, b.x[k0*b.ld+j0+j:], b.ld, cols, kb)
		}
	}
}

// multiplyBlock runs the micro-kernel for each group of rows along the panels of a block.
func (q *matmul[T]) multiplyBlock(p *Pack[T], block, c []T, nb, k0, kb int) {
	if active == scalar {
		q.multiplyBlockScalar(p, block, c, nb, k0, kb)
		return
	}
	for i0 := 0; i0 < q.m; i0 += aRows {
		mb, to := min(aRows, q.m-i0), c[i0*q.ldc:]
		if q.beta != 0 && q.beta != 1 {
			for i := range mb {
				scale(q.beta, to[i*q.ldc:][:nb])
			}
		}
		rows := matmul[T]{m: mb, n: nb, k: kb, alpha: q.alpha, a: q.packA(p, i0, mb, k0, kb), beta: q.beta, c: to,
			ldc: q.ldc}
		rows.multiplyRows(block)
	}
}

// packA gives mb rows of op(A) from i0 on, from term k0 on. Rows of A are used where they are, unless they all fall on
// the same lines of the cache; columns are transposed into rows.
func (q *matmul[T]) packA(p *Pack[T], i0, mb, k0, kb int) stored[T] {
	a, lda := q.a.x, q.a.ld
	switch {
	case q.a.transposed:
		transpose(p.a, aStride, a[k0*lda+i0:], lda, kb, mb)
	case lda*sizeOf[T]()%4096 == 0:
		for i := range mb {
			copy(p.a[i*aStride:], a[(i0+i)*lda+k0:][:kb])
		}
	default:
		return stored[T]{x: a[i0*lda+k0:], ld: lda}
	}
	return stored[T]{x: p.a, ld: aStride}
}

// packPanel copies cols columns of k rows into a panel and fills it up with zeros.
func packPanel[T Float](dst, src []T, ld, cols, k int) {
	size := sizeOf[T]()
	packRowsKernel(k, cols*size/4, (*byte)(unsafe.Pointer(&src[0])), ld*size, (*byte)(unsafe.Pointer(&dst[0])))
}

// transpose writes dst[j,i] = src[i,j]. The rows of dst must have room for i rounded up to a whole square; the numbers
// written there are not used.
func transpose[T Float](dst []T, ldd int, src []T, lds, rows, cols int) {
	size := sizeOf[T]()
	s, d := unsafe.Pointer(&src[0]), unsafe.Pointer(&dst[0])
	switch {
	case size == 4 && cols >= square32:
		transpose32Kernel(rows, cols, (*float32)(s), 4*lds, (*float32)(d), 4*ldd)
	case size == 8 && cols >= square64:
		transpose64Kernel(rows, cols, (*float64)(s), 8*lds, (*float64)(d), 8*ldd)
	default:
		for i := range rows {
			for j, x := range src[i*lds:][:cols] {
				dst[j*ldd+i] = x
			}
		}
	}
}
