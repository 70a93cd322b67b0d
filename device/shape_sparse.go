package device

// MaxMaps is how many feature maps SparseBlock can add up.
const MaxMaps = 32

// SparseShape holds the lengths of a SparseBlock.
type SparseShape struct {
	K, M, B, I int
}

// CheckSparseBlock checks SparseBlock, or SparseBlockBackward with dc in place of c.
func CheckSparseBlock(op string, c, d, logits, logsigma *Tensor, linear []bool) SparseShape {
	c.wantRank(op, "c", Double, 3)
	n := SparseShape{K: c.shape[0], M: c.shape[1], B: c.shape[2], I: len(linear)}
	if n.I < 1 || n.I > MaxMaps {
		wrong(op, "there is no feature map, or too many")
	}
	d.want(op, "d", Double, n.B, n.I*n.M)
	logits.want(op, "logits", Double, n.K, n.I)
	logsigma.want(op, "logsigma", Double, n.K, n.I)
	return n
}

// CheckSparseBlockBackward checks SparseBlockBackward.
func CheckSparseBlockBackward(dlogits, dlogsigma, dc, d, logits, logsigma *Tensor, linear []bool) SparseShape {
	const op = "SparseBlockBackward"
	n := CheckSparseBlock(op, dc, d, logits, logsigma, linear)
	dlogits.want(op, "dlogits", Double, n.K, n.I)
	dlogsigma.want(op, "dlogsigma", Double, n.K, n.I)
	return n
}

// CheckSparseDistances checks SparseDistances and returns its rows, the number of vectors of z, and
// the width of d.
func CheckSparseDistances(d *Tensor, i int, x Sparse, rows *Tensor, z Sparse) (b, m, width int) {
	const op = "SparseDistances"
	x.check(op)
	z.check(op)
	x.Start.want(op, "Start of x", Int, x.Square.size+1)
	rows.wantRank(op, "rows", Int, 1)
	b, m = rows.size, z.Square.size
	if d.dtype != Real {
		d.wantRank(op, "d", Double, 2)
	}
	d.want(op, "d", d.dtype, b, -1)
	if width = d.shape[1]; i < 0 || (i+1)*m > width {
		wrong(op, "d has no columns for this map")
	}
	return b, m, width
}

func (s Sparse) check(op string) {
	s.Start.wantRank(op, "Start", Int, 1)
	s.Index.wantRank(op, "Index", Int, 1)
	s.Value.want(op, "Value", Double, s.Index.size)
	s.Square.wantRank(op, "Square", Double, 1)
}
