package device

// MaxMaps is how many feature maps SparseBlock can add up.
const MaxMaps = 32

// SparseShape holds the lengths of a SparseBlock.
type SparseShape struct {
	K, M, B, I int
}

// CheckSparseBlock checks SparseBlock.
func CheckSparseBlock(op string, a SparseBlockArgs) SparseShape {
	a.C.wantRank(op, "C", Double, 3)
	n := SparseShape{K: a.C.shape[0], M: a.C.shape[1], B: a.C.shape[2], I: len(a.Linear)}
	if n.I < 1 || n.I > MaxMaps {
		wrong(op, "there is no feature map, or too many")
	}
	a.D.want(op, "D", Double, n.B, n.I*n.M)
	a.Logits.want(op, "Logits", Double, n.K, n.I)
	a.LogSigma.want(op, "LogSigma", Double, n.K, n.I)
	return n
}

// CheckSparseBlockBackward checks SparseBlockBackward.
func CheckSparseBlockBackward(g, a SparseBlockArgs) SparseShape {
	const op = "SparseBlockBackward"
	a.C = g.C
	g.D, g.Linear = a.D, a.Linear
	CheckSparseBlock(op, g)
	return CheckSparseBlock(op, a)
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
