package simd

import "unsafe"

func gemm32(p *Pack32, tA, tB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if active == scalar {
		gemmScalar(&p.pack, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	if tA && n == 1 && ldc == 1 {
		// Aᵀb is a column; the row bᵀA has the same bits and needs no transposition.
		gemmVector(&p.pack, !tB, false, 1, m, k, alpha, b, ldb, a, lda, beta, c, m)
		return
	}
	gemmVector(&p.pack, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func gemm64(p *Pack64, tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if active == scalar {
		gemmScalar(&p.pack, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	if tA && n == 1 && ldc == 1 {
		// Aᵀb is a column; the row bᵀA has the same bits and needs no transposition.
		gemmVector(&p.pack, !tB, false, 1, m, k, alpha, b, ldb, a, lda, beta, c, m)
		return
	}
	gemmVector(&p.pack, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// gemmVector packs a block of B into panels two registers wide, and has the
// micro-kernel run each group of rows along them.
func gemmVector[T Float](p *pack[T], tA, tB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	width := panelBytes() / int(unsafe.Sizeof(alpha))
	nBlock := len(p.b) / kBlock
	for j0 := 0; j0 < n; j0 += nBlock {
		nb := min(nBlock, n-j0)
		for k0 := 0; k0 < k; k0 += kBlock {
			kb := min(kBlock, k-k0)
			for j := 0; j < nb; j += width {
				panel := p.b[j*kb : (j+width)*kb]
				if tB {
					transpose(panel, width, b[(j0+j)*ldb+k0:], ldb, min(width, nb-j), kb)
				} else {
					packPanel(panel, b[k0*ldb+j0+j:], ldb, min(width, nb-j), kb)
				}
			}
			for i0 := 0; i0 < m; i0 += aRows {
				mb := min(aRows, m-i0)
				rows, stride := p.packA(tA, a, lda, i0, mb, k0, kb)
				cBlock := c[i0*ldc+j0:]
				if k0 == 0 && beta != 0 && beta != 1 {
					for i := range mb {
						scale(beta, cBlock[i*ldc:i*ldc+nb])
					}
				}
				multiplyRows(mb, nb, kb, alpha, rows, stride, p.b, cBlock, ldc, k0 == 0 && beta == 0)
			}
		}
	}
}

// packA gives rows i0 to i0+mb of op(A), from k0 on, with the distance between them.
// Rows of A are used where they are, unless they all fall on the same lines of the
// cache; columns are transposed into rows.
func (p *pack[T]) packA(tA bool, a []T, lda, i0, mb, k0, kb int) ([]T, int) {
	const stride = aStride
	switch {
	case tA:
		transpose(p.a, stride, a[k0*lda+i0:], lda, kb, mb)
	case lda*int(unsafe.Sizeof(a[0]))%4096 == 0:
		for i := range mb {
			copy(p.a[i*stride:], a[(i0+i)*lda+k0:][:kb])
		}
	default:
		return a[i0*lda+k0:], lda
	}
	return p.a, stride
}

// multiplyRows runs the micro-kernel over groups of rows.
func multiplyRows[T Float](m, n, k int, alpha T, a []T, lda int, b, c []T, ldc int, first bool) {
	heights := []int{6, 4, 2, 1}
	if active == avx512 {
		heights = []int{12, 8, 4, 2, 1}
	}
	size := int(unsafe.Sizeof(alpha))
	write := 0
	if first {
		write = 1
	}
	for i, h := 0, 0; i < m; i += heights[h] {
		for heights[h] > m-i {
			h++
		}
		x, y, z := unsafe.Pointer(&a[i*lda]), unsafe.Pointer(&b[0]), unsafe.Pointer(&c[i*ldc])
		switch {
		case active == avx512 && size == 4:
			gemm32AVX512(heights[h], n, k, float32(alpha), (*float32)(x), 4*lda, (*float32)(y), (*float32)(z), 4*ldc, write)
		case active == avx512:
			gemm64AVX512(heights[h], n, k, float64(alpha), (*float64)(x), 8*lda, (*float64)(y), (*float64)(z), 8*ldc, write)
		case size == 4:
			gemm32AVX2(heights[h], n, k, float32(alpha), (*float32)(x), 4*lda, (*float32)(y), (*float32)(z), 4*ldc, write)
		default:
			gemm64AVX2(heights[h], n, k, float64(alpha), (*float64)(x), 8*lda, (*float64)(y), (*float64)(z), 8*ldc, write)
		}
	}
}

// panelBytes is the width of a panel of B: two registers.
func panelBytes() int {
	if active == avx512 {
		return 128
	}
	return 64
}

// packPanel copies cols columns of k rows into a panel and fills it up with zeros.
func packPanel[T Float](dst, src []T, ld, cols, k int) {
	size := int(unsafe.Sizeof(src[0]))
	s, d := (*byte)(unsafe.Pointer(&src[0])), (*byte)(unsafe.Pointer(&dst[0]))
	if active == avx512 {
		packRowsAVX512(k, cols*size/4, s, ld*size, d)
	} else {
		packRowsAVX2(k, cols*size/4, s, ld*size, d)
	}
}

// transpose writes dst[j,i] = src[i,j]. The rows of dst must have room for i rounded up
// to a whole square; what it writes there is not used.
func transpose[T Float](dst []T, ldd int, src []T, lds, rows, cols int) {
	size := int(unsafe.Sizeof(src[0]))
	s, d := unsafe.Pointer(&src[0]), unsafe.Pointer(&dst[0])
	switch {
	case cols >= 8 && size == 4:
		transpose32AVX2(rows, cols, (*float32)(s), 4*lds, (*float32)(d), 4*ldd)
	case cols >= 4 && size == 8:
		transpose64AVX2(rows, cols, (*float64)(s), 8*lds, (*float64)(d), 8*ldd)
	default:
		for i := range rows {
			for j, x := range src[i*lds:][:cols] {
				dst[j*ldd+i] = x
			}
		}
	}
}
