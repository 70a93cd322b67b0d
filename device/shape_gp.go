package device

// ARDShape holds the lengths of an ARD block.
type ARDShape struct {
	K, M, B, D int
	Isotropic  bool // one length-scale for all dimensions
	Same       bool // z is x: the block is Kuu
}

// CheckARD checks ARD.
func CheckARD(c, slope, z, x, logl *Tensor, shape Correlation) ARDShape {
	const op = "ARD"
	n := checkARD(op, c, z, x, logl)
	slope.want(op, "slope", Double, n.K, n.M, n.B)
	if (shape == RBF) != (slope == c) {
		wrong(op, "slope is c for RBF, and another tensor otherwise")
	}
	return n
}

func checkARD(op string, c, z, x, logl *Tensor) ARDShape {
	logl.wantRank(op, "logl", Double, 2)
	z.wantRank(op, "z", Double, 2)
	n := ARDShape{K: logl.shape[0], M: z.shape[0], B: x.shape[0], D: z.shape[1], Same: z == x}
	n.Isotropic = logl.shape[1] == 1
	x.want(op, "x", Double, -1, n.D)
	c.want(op, "c", Double, n.K, n.M, n.B)
	if !n.Isotropic {
		logl.want(op, "logl", Double, n.K, n.D)
	}
	return n
}

// CheckARDBackward checks ARDBackward.
func CheckARDBackward(dz, dlogl, dc, slope, z, x, logl *Tensor) ARDShape {
	const op = "ARDBackward"
	n := checkARD(op, slope, z, x, logl)
	dz.wantOptional(op, "dz", Double, n.M, n.D)
	dlogl.want(op, "dlogl", Double, n.K, logl.shape[1])
	dc.want(op, "dc", Double, n.K, n.M, n.B)
	return n
}

// CheckMix checks Mix, or MixBackward with its gradients in place of c, a and b. n is the size of
// one matrix.
func CheckMix(op string, c, a, b, logit *Tensor) (k, n int) {
	c.wantRank(op, "c", Double, 3)
	for _, t := range []struct {
		name string
		*Tensor
	}{{"a", a}, {"b", b}} {
		t.want(op, t.name, Double, c.shape...)
	}
	logit.want(op, "logit", Double, c.shape[0])
	return c.shape[0], c.shape[1] * c.shape[2]
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

// QShape holds the lengths of q(F̄) and of what is conditioned on it: J latents that share
// K kernels (K is J or 1), M inducing points, B rows.
type QShape struct {
	J, K, M, B int
	Diagonal   bool // the covariance factor is given by its diagonal
}

// Kernel is the number of the kernel of latent j.
func (n QShape) Kernel(j int) int {
	if n.K == 1 {
		return 0
	}
	return j
}

// Latents is the range of latents that have kernel k.
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

// CheckWhiten checks Whiten.
func CheckWhiten(m, s, l, logalpha, mu, sqrt *Tensor) QShape {
	const op = "Whiten"
	n := checkWhite(op, m, s, l, logalpha)
	mu.want(op, "mu", Double, n.J, n.M)
	n.factor(op, "sqrt", sqrt)
	return n
}

// CheckWhitenBackward checks WhitenBackward.
func CheckWhitenBackward(dmu, dsqrt, dl, dlogalpha, dm, ds, m, s, l, logalpha *Tensor) QShape {
	const op = "WhitenBackward"
	n := checkWhite(op, m, s, l, logalpha)
	dmu.want(op, "dmu", Double, n.J, n.M)
	n.factor(op, "dsqrt", dsqrt)
	dl.want(op, "dl", Double, n.K, n.M, n.M)
	dlogalpha.want(op, "dlogalpha", Double, n.J)
	dm.want(op, "dm", Double, n.J, n.M)
	ds.want(op, "ds", Double, n.J, n.M, n.M)
	return n
}

func checkWhite(op string, m, s, l, logalpha *Tensor) QShape {
	m.wantRank(op, "m", Double, 2)
	l.wantRank(op, "l", Double, 3)
	n := QShape{J: m.shape[0], M: m.shape[1]}
	n.kernels(op, l.shape[0])
	l.want(op, "l", Double, n.K, n.M, n.M)
	s.want(op, "s", Double, n.J, n.M, n.M)
	logalpha.want(op, "logalpha", Double, n.J)
	return n
}

// CheckMoments checks Moments.
func CheckMoments(op string, mean, variance, p, a, m, s, logalpha *Tensor) QShape {
	a.wantRank(op, "a", Double, 3)
	m.wantRank(op, "m", Double, 2)
	n := QShape{J: m.shape[0], M: m.shape[1], B: a.shape[2]}
	n.kernels(op, a.shape[0])
	a.want(op, "a", Double, n.K, n.M, n.B)
	n.factor(op, "s", s)
	if !n.Diagonal {
		p.want(op, "p", Double, n.J, n.M, n.B)
	}
	mean.want(op, "mean", Double, n.B, n.J)
	variance.want(op, "variance", Double, n.B, n.J)
	logalpha.want(op, "logalpha", Double, n.J)
	return n
}

// CheckMomentsBackward checks MomentsBackward.
func CheckMomentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, m, s,
	logalpha *Tensor) QShape {
	const op = "MomentsBackward"
	n := CheckMoments(op, mean, variance, p, a, m, s, logalpha)
	da.want(op, "da", Double, n.K, n.M, n.B)
	dm.want(op, "dm", Double, n.J, n.M)
	if n.Diagonal {
		ds.want(op, "ds", Double, n.J, n.M)
	} else {
		ds.want(op, "ds", Double, n.J, n.M, n.M)
	}
	dlogalpha.want(op, "dlogalpha", Double, n.J)
	dmean.want(op, "dmean", Double, n.B, n.J)
	dvariance.want(op, "dvariance", Double, n.B, n.J)
	return n
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
	ds.wantLike(op, "ds", Double, s.size)
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
	ds.wantLike(op, "ds", Double, s.size)
	return n
}
