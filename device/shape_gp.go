package device

// ARDShape holds the lengths of an ARD block.
type ARDShape struct {
	K, M, B, D int
	Isotropic  bool // one length-scale for all dimensions
	Same       bool // z is x: the block is Kuu
}

// CheckARD checks ARD.
func CheckARD(a ARDArgs) ARDShape {
	n, x := a.check("ARD")
	if (a.Form == RBF) != (a.Slope == a.C) {
		x.wrong("Slope is C for RBF, and another tensor otherwise")
	}
	return n
}

func (a ARDArgs) check(op string) (n ARDShape, x axes) {
	x.op = op
	x.want(Double, "LogLength[K,L] Z[M,D] X[B,D] C[K,M,B] Slope[K,M,B]", a.LogLength, a.Z, a.X, a.C, a.Slope)
	n = ARDShape{K: x.of('K'), M: x.of('M'), B: x.of('B'), D: x.of('D'), Isotropic: x.of('L') == 1, Same: a.Z == a.X}
	if !n.Isotropic {
		x.want(Double, "LogLength[K,D]", a.LogLength)
	}
	return n, x
}

// CheckARDBackward checks ARDBackward.
func CheckARDBackward(g, a ARDArgs) ARDShape {
	a.C = g.C
	n, x := a.check("ARDBackward")
	x.want(Double, "dZ?[M,D] dLogLength[K,L]", g.Z, g.LogLength)
	return n
}

// CheckMix checks Mix. n is the size of one matrix.
func CheckMix(op string, a MixArgs) (k, n int) {
	x := axes{op: op}
	x.want(Double, "C[K,M,B] A[K,M,B] B[K,M,B] Logit[K]", a.C, a.A, a.B, a.Logit)
	return x.of('K'), x.of('M') * x.of('B')
}

// CheckMixBackward checks MixBackward.
func CheckMixBackward(g, a MixArgs) (k, n int) {
	const op = "MixBackward"
	a.C = g.C
	CheckMix(op, a)
	return CheckMix(op, g)
}

// CheckPotrf checks Potrf.
func CheckPotrf(l, jitter, c *Tensor) (k, m int) {
	x := axes{op: "Potrf"}
	x.want(Double, "c[K,M,M] l[K,M,M] jitter[K]", c, l, jitter)
	return x.of('K'), x.of('M')
}

// CheckPotrfBackward checks PotrfBackward.
func CheckPotrfBackward(dc, dl, l *Tensor) (k, m int) {
	x := axes{op: "PotrfBackward"}
	x.want(Double, "l[K,M,M] dl[K,M,M] dc[K,M,M]", l, dl, dc)
	return x.of('K'), x.of('M')
}

// CheckTrsm checks Trsm.
func CheckTrsm(op string, a, l, b *Tensor) (k, m, n int) {
	x := axes{op: op}
	x.want(Double, "a[K,M,N] l[K,M,M] b[K,M,N]", a, l, b)
	return x.of3('K', 'M', 'N')
}

// CheckTrsmBackward checks TrsmBackward.
func CheckTrsmBackward(db, dl, da, l, a *Tensor) (k, m, n int) {
	x := axes{op: "TrsmBackward"}
	x.want(Double, "a[K,M,N] l[K,M,M] db[K,M,N] da[K,M,N] dl[K,M,M]", a, l, db, da, dl)
	return x.of3('K', 'M', 'N')
}

// QShape holds the lengths of q(F̄) and of the tensors conditioned on it: J latents that share K kernels (K is J or 1),
// M inducing points, B rows.
type QShape struct {
	J, K, M, B int
	Diagonal   bool // the covariance factor is given by its diagonal
}

// Kernel returns the number of the kernel of latent j.
func (q QShape) Kernel(j int) int {
	if q.K == 1 {
		return 0
	}
	return j
}

// Latents returns the range of latents that have kernel k.
func (q QShape) Latents(k int) (lo, hi int) {
	if q.K == 1 {
		return 0, q.J
	}
	return k, k + 1
}

// latents returns the lengths, and checks a covariance factor, which has the axes of a pattern or is the diagonal
// [J,M].
func (x *axes) latents(pattern string, root *Tensor) QShape {
	n := QShape{J: x.of('J'), K: x.of('K'), M: x.of('M'), B: x.of('B'), Diagonal: root.Is(Double, x.of('J'), x.of('M'))}
	if !n.Diagonal {
		x.wantOne(Double, pattern, root)
	}
	if x.known['K'-'A'] && n.K != 1 && n.K != n.J {
		x.wrong("there are neither as many kernels as latents nor one")
	}
	return n
}

// agree returns the lengths of gradients, and panics unless they equal the lengths of their arguments.
func agree(op string, gradients, arguments QShape) QShape {
	if gradients != arguments {
		panic("device: " + op + ": gradients have other lengths than their arguments")
	}
	return gradients
}

// CheckWhiten checks Whiten.
func CheckWhiten(op string, a WhitenArgs) QShape {
	x := axes{op: op}
	x.want(Double, "QMean[J,M] L[K,M,M] QSqrt[J,M,M] LogAlpha[J] Mu[J,M]", a.QMean, a.L, a.QSqrt, a.LogAlpha, a.Mu)
	return x.latents("Sqrt[J,M,M]", a.Sqrt)
}

// CheckWhitenBackward checks WhitenBackward.
func CheckWhitenBackward(g, a WhitenArgs) QShape {
	const op = "WhitenBackward"
	return agree(op, CheckWhiten(op, g), CheckWhiten(op, a))
}

// CheckMoments checks Moments.
func CheckMoments(op string, a MomentsArgs) QShape {
	x := axes{op: op}
	x.want(Double, "A[K,M,B] QMean[J,M] Mean[B,J] Variance[B,J] LogAlpha[J]", a.A, a.QMean, a.Mean, a.Variance,
		a.LogAlpha)
	n := x.latents("QSqrt[J,M,M]", a.QSqrt)
	if !n.Diagonal {
		x.want(Double, "P[J,M,B]", a.P)
	}
	return n
}

// CheckMomentsBackward checks MomentsBackward.
func CheckMomentsBackward(g, a MomentsArgs) QShape {
	const op = "MomentsBackward"
	g.P = a.P
	return agree(op, CheckMoments(op, g), CheckMoments(op, a))
}

// CheckSampleF checks SampleF, or SampleFBackward with the gradients in place of f, mean and variance.
func CheckSampleF(op string, f, mean, variance, rows *Tensor) (s, b, j int) {
	x := axes{op: op}
	x.want(Real, "f[S,B,J]", f)
	x.want(Double, "mean[B,J] variance[B,J]", mean, variance)
	x.want(Int, "rows[B]", rows)
	return x.of3('S', 'B', 'J')
}

// CheckNaturalStep checks NaturalStep.
func CheckNaturalStep(m, s, dm, ds *Tensor, size float64) QShape {
	x := axes{op: "NaturalStep"}
	if !(size >= 0 && size <= 1) {
		x.wrong("size does not lie in [0, 1]")
	}
	return x.distribution(m, s, dm, ds)
}

// distribution checks the moments of q(F̄) and their gradients.
func (x *axes) distribution(m, s, dm, ds *Tensor) QShape {
	x.want(Double, "m[J,M] dm[J,M]", m, dm)
	n := x.latents("s[J,M,M]", s)
	x.wantSize(Double, "ds", s.size, ds)
	return n
}

// CheckKLInducing checks KLInducing.
func CheckKLInducing(kl, dm, ds, m, s *Tensor) QShape {
	x := axes{op: "KLInducing"}
	x.want(Double, "kl[1]", kl)
	return x.distribution(m, s, dm, ds)
}

// MaxMaps is the largest number of feature maps that SparseBlock can add up.
const MaxMaps = 32

// SparseShape holds the lengths of a SparseBlock.
type SparseShape struct {
	K, M, B, I int
}

// CheckSparseBlock checks SparseBlock.
func CheckSparseBlock(op string, a SparseBlockArgs) SparseShape {
	x, maps := axes{op: op}, len(a.Linear)
	x.want(Double, "C[K,M,B] Logits[K,I] LogSigma[K,I]", a.C, a.Logits, a.LogSigma)
	if maps != x.of('I') || maps < 1 || maps > MaxMaps {
		x.wrong("the feature maps are none, too many, or not as many as Logits has")
	}
	x.set('W', maps*x.of('M'))
	x.want(Double, "D[B,W]", a.D)
	return SparseShape{K: x.of('K'), M: x.of('M'), B: x.of('B'), I: maps}
}

// CheckSparseBlockBackward checks SparseBlockBackward.
func CheckSparseBlockBackward(g, a SparseBlockArgs) SparseShape {
	const op = "SparseBlockBackward"
	a.C = g.C
	g.D, g.Linear = a.D, a.Linear
	CheckSparseBlock(op, g)
	return CheckSparseBlock(op, a)
}

// CheckSparseDistances checks SparseDistances and returns its rows, the number of vectors of z, and the width of d.
func CheckSparseDistances(d *Tensor, i int, x Sparse, rows *Tensor, z Sparse) (b, m, width int) {
	a, dtype := axes{op: "SparseDistances"}, Double
	if d.dtype == Real {
		dtype = Real
	}
	a.want(Int, "x.Start[L] x.Index[N] z.Start[C] z.Index[E] rows[B]", x.Start, x.Index, z.Start, z.Index, rows)
	a.want(Double, "x.Value[N] x.Square[V] z.Value[E] z.Square[M]", x.Value, x.Square, z.Value, z.Square)
	a.want(dtype, "d[B,W]", d)
	a.wantSize(Int, "x.Start", x.Square.size+1, x.Start)
	if b, m, width = a.of3('B', 'M', 'W'); i < 0 || (i+1)*m > width {
		a.wrong("d has no columns for this map")
	}
	return b, m, width
}
