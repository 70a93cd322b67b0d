package simd

// The scalar micro-kernel computes a tile of tileRows × tileCols elements of C.
const (
	tileRows = 4
	tileCols = 4
)

// packBlockScalar packs a block of op(B) by tiles, padded with zeros to whole ones.
func packBlockScalar[T Float](dst []T, b *stored[T], j0, nb, k0, kb int) {
	for j := 0; j < nb; j += tileCols {
		packTile(dst[j*kb:(j+tileCols)*kb], b, !b.transposed, j0+j, min(tileCols, nb-j), k0)
	}
}

// multiplyBlockScalar multiplies without vector instructions. A is packed like B, so that one micro-kernel computes
// every element.
func (q *matmul[T]) multiplyBlockScalar(p *Pack[T], block, c []T, nb, k0, kb int) {
	for i := 0; i < q.m; i += tileRows {
		rows := min(tileRows, q.m-i)
		packTile(p.a[:tileRows*kb], &q.a, q.a.transposed, i, rows, k0)
		for j := 0; j < nb; j += tileCols {
			sums := multiplyTile(p.a[:tileRows*kb], block[j*kb:(j+tileCols)*kb])
			cols := min(tileCols, nb-j)
			for r := range rows {
				storeRow(c[(i+r)*q.ldc+j:][:cols], &sums[r], q.alpha, q.beta)
			}
		}
	}
}

// packTile copies four rows, or columns, of x from number i on, interleaved: the four elements of one k are neighbours.
// Rows from number count on are zeros. If kMajor is set, the elements of one k are already neighbours in x.
func packTile[T Float](dst []T, from *stored[T], kMajor bool, i, count, k0 int) {
	x, ld := from.x, from.ld
	if count < 4 {
		clear(dst)
	}
	for r := range count {
		if kMajor {
			for q, s := r, k0*ld+i+r; q < len(dst); q, s = q+4, s+ld {
				dst[q] = x[s]
			}
		} else {
			for q, s := r, (i+r)*ld+k0; q < len(dst); q, s = q+4, s+1 {
				dst[q] = x[s]
			}
		}
	}
}

// multiplyTile sums over k in two halves of the tile, because eight sums and their six operands fit into sixteen
// registers.
func multiplyTile[T Float](a, b []T) (sums [tileRows][tileCols]T) {
	for h := 0; h < tileRows; h += 2 {
		var s00, s01, s02, s03, s10, s11, s12, s13 T
		a, b := a[h:], b
		for len(b) >= 4 && len(a) >= 2 {
			a0, a1 := a[0], a[1]
			s00 += a0 * b[0]
			s01 += a0 * b[1]
			s02 += a0 * b[2]
			s03 += a0 * b[3]
			s10 += a1 * b[0]
			s11 += a1 * b[1]
			s12 += a1 * b[2]
			s13 += a1 * b[3]
			b = b[4:]
			a = a[min(4, len(a)):]
		}
		sums[h] = [tileCols]T{s00, s01, s02, s03}
		sums[h+1] = [tileCols]T{s10, s11, s12, s13}
	}
	return sums
}

// storeRow adds a row of sums to C.
func storeRow[T Float](c []T, sums *[tileCols]T, alpha, beta T) {
	if beta == 0 {
		for j := range c {
			c[j] = alpha * sums[j]
		}
		return
	}
	for j := range c {
		c[j] = beta*c[j] + alpha*sums[j]
	}
}
