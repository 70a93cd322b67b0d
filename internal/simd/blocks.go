package simd

import "unsafe"

// operand is op(B) of a product: as it is stored, or packed before.
type operand[T Float] struct {
	stored     []T
	ld         int
	transposed bool

	packed *panels[T]
	from   int // the first column of packed
}

// gemm walks the blocks of op(B).
func gemm[T Float](p *pack[T], tA bool, m, n, k int, alpha T, a []T, lda int, b *operand[T], beta T, c []T, ldc int) {
	if tA && n == 1 && ldc == 1 && b.packed == nil {
		// Aᵀb is a column; the row bᵀA has the same bits and needs no transposition.
		tA, m, n = !b.transposed, 1, m
		a, lda, b = b.stored, b.ld, &operand[T]{stored: a, ld: lda}
		ldc = n
	}
	for j0 := 0; j0 < n; j0 += blockColumns[T]() {
		nb := min(blockColumns[T](), n-j0)
		for k0 := 0; k0 < k; k0 += kBlock {
			kb, block := min(kBlock, k-k0), p.b
			if b.packed != nil {
				block = b.packed.block(b.from+j0, k0)
			} else {
				packBlock(block, b, j0, nb, k0, kb)
			}
			factor := beta
			if k0 > 0 {
				factor = 1
			}
			multiplyBlock(p, tA, m, nb, k0, kb, alpha, a, lda, block, factor, c[j0:], ldc)
		}
	}
}

// blockColumns is how many columns a block of op(B) has.
func blockColumns[T Float]() int { return packBytes / kBlock / sizeOf[T]() }

func sizeOf[T Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}
