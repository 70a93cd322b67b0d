package device

// ARDShape holds the lengths of an ARD block.
type ARDShape struct {
	K, M, B, D int
	Isotropic  bool // one length-scale for all dimensions
	Same       bool // z is x: the block is Kuu
}

// CheckARD checks ARD.
func CheckARD(a ARDArgs) ARDShape {
	const op = "ARD"
	if (a.Form == RBF) != (a.Slope == a.C) {
		wrong(op, "Slope is C for RBF, and another tensor otherwise")
	}
	return a.check(op)
}

func (a ARDArgs) check(op string) ARDShape {
	a.LogLength.wantRank(op, "LogL", Double, 2)
	a.Z.wantRank(op, "Z", Double, 2)
	n := ARDShape{K: a.LogLength.shape[0], M: a.Z.shape[0], B: a.X.shape[0], D: a.Z.shape[1], Same: a.Z == a.X}
	n.Isotropic = a.LogLength.shape[1] == 1
	a.X.want(op, "X", Double, -1, n.D)
	a.C.want(op, "C", Double, n.K, n.M, n.B)
	a.Slope.want(op, "Slope", Double, n.K, n.M, n.B)
	if !n.Isotropic {
		a.LogLength.want(op, "LogL", Double, n.K, n.D)
	}
	return n
}

// CheckARDBackward checks ARDBackward.
func CheckARDBackward(g, a ARDArgs) ARDShape {
	const op = "ARDBackward"
	a.C = g.C
	n := a.check(op)
	g.Z.wantOptional(op, "the gradient of Z", Double, n.M, n.D)
	g.LogLength.want(op, "the gradient of LogL", Double, n.K, a.LogLength.shape[1])
	return n
}

// CheckMix checks Mix. n is the size of one matrix.
func CheckMix(op string, a MixArgs) (k, n int) {
	a.C.wantRank(op, "C", Double, 3)
	a.A.want(op, "A", Double, a.C.shape...)
	a.B.want(op, "B", Double, a.C.shape...)
	a.Logit.want(op, "Logit", Double, a.C.shape[0])
	return a.C.shape[0], a.C.shape[1] * a.C.shape[2]
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
	c.wantRank("Potrf", "c", Double, 3)
	k, m = c.shape[0], c.shape[1]
	c.want("Potrf", "c", Double, k, m, m)
	l.want("Potrf", "l", Double, k, m, m)
	jitter.want("Potrf", "jitter", Double, k)
	return k, m
}

// CheckPotrfBackward checks PotrfBackward.
func CheckPotrfBackward(dc, dl, l *Tensor) (k, m int) {
	const op = "PotrfBackward"
	l.wantRank(op, "l", Double, 3)
	k, m = l.shape[0], l.shape[1]
	l.want(op, "l", Double, k, m, m)
	dl.want(op, "dl", Double, k, m, m)
	dc.want(op, "dc", Double, k, m, m)
	return k, m
}

// CheckTrsm checks Trsm.
func CheckTrsm(op string, a, l, b *Tensor) (k, m, n int) {
	a.wantRank(op, "a", Double, 3)
	k, m, n = a.shape[0], a.shape[1], a.shape[2]
	l.want(op, "l", Double, k, m, m)
	b.want(op, "b", Double, k, m, n)
	return k, m, n
}

// CheckTrsmBackward checks TrsmBackward.
func CheckTrsmBackward(db, dl, da, l, a *Tensor) (k, m, n int) {
	const op = "TrsmBackward"
	k, m, n = CheckTrsm(op, a, l, db)
	da.want(op, "da", Double, k, m, n)
	dl.want(op, "dl", Double, k, m, m)
	return k, m, n
}

// QShape holds the lengths of q(F̄) and of the tensors conditioned on it: J latents that share
// K kernels (K is J or 1), M inducing points, B rows.
type QShape struct {
	J, K, M, B int
	Diagonal   bool // the covariance factor is given by its diagonal
}

// Kernel returns the number of the kernel of latent j.
func (n QShape) Kernel(j int) int {
	if n.K == 1 {
		return 0
	}
	return j
}

// Latents returns the range of latents that have kernel k.
func (n QShape) Latents(k int) (lo, hi int) {
	if n.K == 1 {
		return 0, n.J
	}
	return k, k + 1
}

// factor checks a covariance factor, [J,M,M] or the diagonal [J,M].
func (n *QShape) factor(op, name string, s *Tensor) {
	if s.Is(Double, n.J, n.M) {
		n.Diagonal = true
		return
	}
	s.want(op, name, Double, n.J, n.M, n.M)
}

func (n *QShape) kernels(op string, k int) {
	if n.K = k; k != 1 && k != n.J {
		wrong(op, "there are neither as many kernels as latents nor one")
	}
}

// agree returns the lengths of gradients, and panics unless they equal those of their arguments.
func agree(op string, gradients, arguments QShape) QShape {
	if gradients != arguments {
		wrong(op, "gradients have other lengths than their arguments")
	}
	return gradients
}

// CheckWhiten checks Whiten.
func CheckWhiten(op string, a WhitenArgs) QShape {
	a.QMean.wantRank(op, "QMean", Double, 2)
	a.L.wantRank(op, "L", Double, 3)
	n := QShape{J: a.QMean.shape[0], M: a.QMean.shape[1]}
	n.kernels(op, a.L.shape[0])
	a.L.want(op, "L", Double, n.K, n.M, n.M)
	a.QRoot.want(op, "QRoot", Double, n.J, n.M, n.M)
	a.LogAlpha.want(op, "LogAlpha", Double, n.J)
	a.Mu.want(op, "Mu", Double, n.J, n.M)
	n.factor(op, "Sqrt", a.Sqrt)
	return n
}

// CheckWhitenBackward checks WhitenBackward.
func CheckWhitenBackward(g, a WhitenArgs) QShape {
	const op = "WhitenBackward"
	return agree(op, CheckWhiten(op, g), CheckWhiten(op, a))
}

// CheckMoments checks Moments.
func CheckMoments(op string, a MomentsArgs) QShape {
	a.A.wantRank(op, "A", Double, 3)
	a.QMean.wantRank(op, "QMean", Double, 2)
	n := QShape{J: a.QMean.shape[0], M: a.QMean.shape[1], B: a.A.shape[2]}
	n.kernels(op, a.A.shape[0])
	a.A.want(op, "A", Double, n.K, n.M, n.B)
	n.factor(op, "QRoot", a.QRoot)
	if !n.Diagonal {
		a.P.want(op, "P", Double, n.J, n.M, n.B)
	}
	a.Mean.want(op, "Mean", Double, n.B, n.J)
	a.Variance.want(op, "Variance", Double, n.B, n.J)
	a.LogAlpha.want(op, "LogAlpha", Double, n.J)
	return n
}

// CheckMomentsBackward checks MomentsBackward.
func CheckMomentsBackward(g, a MomentsArgs) QShape {
	const op = "MomentsBackward"
	g.P = a.P
	return agree(op, CheckMoments(op, g), CheckMoments(op, a))
}

// CheckSampleF checks SampleF, or SampleFBackward with the gradients in place of f, mean and
// variance.
func CheckSampleF(op string, f, mean, variance, rows *Tensor) (s, b, j int) {
	f.wantRank(op, "f", Real, 3)
	s, b, j = f.shape[0], f.shape[1], f.shape[2]
	mean.want(op, "mean", Double, b, j)
	variance.want(op, "variance", Double, b, j)
	rows.want(op, "rows", Int, b)
	return s, b, j
}

// CheckNaturalStep checks NaturalStep.
func CheckNaturalStep(m, s, dm, ds *Tensor, size float64) QShape {
	const op = "NaturalStep"
	m.wantRank(op, "m", Double, 2)
	n := QShape{J: m.shape[0], M: m.shape[1]}
	dm.want(op, "dm", Double, n.J, n.M)
	n.factor(op, "s", s)
	ds.wantSize(op, "ds", Double, s.size)
	if !(size >= 0 && size <= 1) {
		wrong(op, "size does not lie in [0, 1]")
	}
	return n
}

// CheckKLInducing checks KLInducing.
func CheckKLInducing(kl, dm, ds, m, s *Tensor) QShape {
	const op = "KLInducing"
	m.wantRank(op, "m", Double, 2)
	n := QShape{J: m.shape[0], M: m.shape[1]}
	kl.want(op, "kl", Double, 1)
	dm.want(op, "dm", Double, n.J, n.M)
	n.factor(op, "s", s)
	ds.wantSize(op, "ds", Double, s.size)
	return n
}
