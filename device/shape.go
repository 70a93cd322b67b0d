package device

import (
	"fmt"
	"math"
)

// The checks of this file and of shape_gp.go are what every backend does before
// an operation runs: they return its lengths, or panic on a tensor of a wrong
// shape or type, which is a bug of ours. They allocate nothing.

// Is says whether t has a type and shape; a length of −1 stands for any.
func (t *Tensor) Is(dtype DType, shape ...int) bool {
	if t.dtype != dtype || len(t.shape) != len(shape) {
		return false
	}
	for i, n := range shape {
		if n >= 0 && t.shape[i] != n {
			return false
		}
	}
	return true
}

// want panics unless t.Is(dtype, shape...). The copies of shape keep it off the heap
// where all is well.
func (t *Tensor) want(op, name string, dtype DType, shape ...int) {
	if t == nil {
		panic(fmt.Sprintf("device: %s: %s is nil, want %v %v", op, name, dtype, append([]int(nil), shape...)))
	}
	if !t.Is(dtype, shape...) {
		panic(fmt.Sprintf("device: %s: %s is %v %v, want %v %v", op, name, t.dtype, t.shape, dtype,
			append([]int(nil), shape...)))
	}
}

// wantOptional is want for a tensor that may be nil.
func (t *Tensor) wantOptional(op, name string, dtype DType, shape ...int) {
	if t != nil {
		t.want(op, name, dtype, shape...)
	}
}

// wantLike panics unless t has the type and number of elements of other.
func (t *Tensor) wantLike(op, name string, dtype DType, n int) {
	if t == nil || t.dtype != dtype || t.size != n {
		panic(fmt.Sprintf("device: %s: %s is not %v with %d elements", op, name, dtype, n))
	}
}

// wantRank panics unless t has a type and a number of axes.
func (t *Tensor) wantRank(op, name string, dtype DType, rank int) {
	if t == nil || t.dtype != dtype || len(t.shape) != rank {
		panic(fmt.Sprintf("device: %s: %s is not %v with %d axes", op, name, dtype, rank))
	}
}

func wrong(op, what string) { panic("device: " + op + ": " + what) }

// CheckTransfer checks Upload and Download, or UploadInts where ints is set.
func CheckTransfer(op string, t *Tensor, n int, ints bool) {
	if t.size != n {
		panic(fmt.Sprintf("device: %s: %d values for a tensor of %d", op, n, t.size))
	}
	if (t.dtype == Int) != ints {
		wrong(op, "wrong type "+t.dtype.String())
	}
}

// CheckCopy checks Copy.
func CheckCopy(dst, src *Tensor) { dst.wantLike("Copy", "dst", src.dtype, src.size) }

// CheckGather checks Gather and returns the number of rows and their width (1 for Int).
func CheckGather(dst, src, rows *Tensor) (b, d int) {
	rows.wantRank("Gather", "rows", Int, 1)
	b = rows.shape[0]
	if dst.dtype == Int {
		src.wantRank("Gather", "src", Int, 1)
		dst.want("Gather", "dst", Int, b)
		return b, 1
	}
	src.wantRank("Gather", "src", Real, 2)
	d = src.shape[1]
	dst.want("Gather", "dst", dst.dtype, b, d)
	return b, d
}

// CheckDrawRows checks DrawRows and returns the number of rows that are drawn.
func CheckDrawRows(rows *Tensor, n int) int {
	rows.wantRank("DrawRows", "rows", Int, 1)
	if n < 1 || n > math.MaxInt32 {
		wrong("DrawRows", "there is no such number of rows to draw from")
	}
	return rows.size
}

// CheckConvert checks Widen and NarrowAdd.
func CheckConvert(op string, double, real *Tensor) {
	real.wantLike(op, "the real tensor", Real, real.size)
	double.wantLike(op, "the double tensor", Double, real.size)
}

// CheckConcat checks Concat and returns the lengths of dst [S,B,Σw].
func CheckConcat(dst *Tensor, parts []*Tensor) (s, b, width int) {
	dst.wantRank("Concat", "dst", Real, 3)
	s, b = dst.shape[0], dst.shape[1]
	for _, p := range parts {
		if !p.Is(Real, s, b, -1) && !p.Is(Real, b, -1) {
			wrong("Concat", "a part has the wrong shape")
		}
		width += p.shape[len(p.shape)-1]
	}
	dst.want("Concat", "dst", Real, s, b, width)
	return s, b, width
}

// CheckConcatBackward checks ConcatBackward and returns the lengths of ddst.
func CheckConcatBackward(dparts []*Tensor, widths []int, ddst *Tensor) (s, b, width int) {
	ddst.wantRank("ConcatBackward", "ddst", Real, 3)
	s, b = ddst.shape[0], ddst.shape[1]
	if len(dparts) != len(widths) {
		wrong("ConcatBackward", "as many widths as parts are needed")
	}
	for i, p := range dparts {
		p.wantOptional("ConcatBackward", "a part", Real, s, b, widths[i])
		width += widths[i]
	}
	ddst.want("ConcatBackward", "ddst", Real, s, b, width)
	return s, b, width
}

// CheckAddColumns checks AddColumns and returns the number of rows and both widths.
func CheckAddColumns(dst, src *Tensor) (rows, wdst, wsrc int) {
	dst.wantRank("AddColumns", "dst", Real, 3)
	src.want("AddColumns", "src", Real, dst.shape[0], dst.shape[1], -1)
	return dst.shape[0] * dst.shape[1], dst.shape[2], src.shape[2]
}

// FeatureShape holds the lengths of a random-feature layer: samples, batch, widths
// in and out, and frequencies.
type FeatureShape struct {
	S, B, D, R, Out int
	Prior           bool // PRIOR-FIXED: there is no q(Ω)
	Activation      Activation
}

// Columns is the number of columns of Φ and of rows of W: 2R, or R.
func (n *FeatureShape) Columns() int { return n.R * n.Activation.Columns() }

// CheckFeatures checks RandomFeatures.
func CheckFeatures(op string, out, h *Tensor, p FeatureParams, rows *Tensor) FeatureShape {
	h.wantRank(op, "h", Real, 3)
	p.MeanW.wantRank(op, "MeanW", Real, 2)
	n := FeatureShape{S: h.shape[0], B: h.shape[1], D: h.shape[2], Out: p.MeanW.shape[1],
		Prior: p.MeanOmega == nil, Activation: p.Activation}
	n.R = p.MeanW.shape[0] / p.Activation.Columns()
	out.want(op, "out", Real, n.S, n.B, n.Out)
	rows.want(op, "rows", Int, n.B)
	p.check(op, n)
	return n
}

// CheckFeaturesBackward checks RandomFeaturesBackward.
func CheckFeaturesBackward(dh *Tensor, g FeatureParams, dout, h *Tensor, p FeatureParams, rows *Tensor) FeatureShape {
	const op = "RandomFeaturesBackward"
	n := CheckFeatures(op, dout, h, p, rows)
	dh.wantOptional(op, "dh", Real, n.S, n.B, n.D)
	g.check(op, n)
	return n
}

// CheckFeatureMoments checks FeatureMoments.
func CheckFeatureMoments(op string, mean, variance, h *Tensor, p FeatureParams) FeatureShape {
	h.wantRank(op, "h", Real, 3)
	p.MeanW.wantRank(op, "MeanW", Real, 2)
	n := FeatureShape{S: h.shape[0], B: h.shape[1], D: h.shape[2], R: p.MeanW.shape[0] / 2, Out: p.MeanW.shape[1]}
	mean.want(op, "mean", Real, n.S, n.B, n.Out)
	variance.want(op, "variance", Real, n.S, n.B, n.Out)
	if p.Activation != Waves || p.MeanOmega == nil {
		wrong(op, "only cosines and sines of an Ω with a q are integrated")
	}
	p.check(op, n)
	return n
}

// CheckFeatureMomentsBackward checks FeatureMomentsBackward.
func CheckFeatureMomentsBackward(op string, dh *Tensor, g FeatureParams, dmean, dvariance, variance,
	h *Tensor, p FeatureParams) FeatureShape {
	n := CheckFeatureMoments(op, dmean, dvariance, h, p)
	variance.want(op, "variance", Real, n.S, n.B, n.Out)
	dh.wantOptional(op, "dh", Real, n.S, n.B, n.D)
	g.check(op, n)
	return n
}

// CheckFrequencies checks Frequencies and FrequenciesBackward and returns the lengths of Ω.
func CheckFrequencies(op string, eta, logvar, tau, mean, logs2, logrho, logl *Tensor) (d, r int) {
	eta.wantRank(op, "eta", Real, 2)
	d, r = eta.shape[0], eta.shape[1]
	logvar.want(op, "logvar", Real, d, r)
	tau.want(op, "tau", Real, d, r)
	mean.want(op, "mean", Real, d, r)
	logs2.want(op, "logs2", Real, d, r)
	logrho.want(op, "logrho", Real, 1)
	logl.want(op, "logl", Real, d)
	return d, r
}

// CheckAddNoise checks AddNoise and AddNoiseBackward and returns the lengths of out.
func CheckAddNoise(op string, out, variance, rows *Tensor) (s, b, c int) {
	out.wantRank(op, "out", Real, 3)
	s, b, c = out.shape[0], out.shape[1], out.shape[2]
	variance.want(op, "variance", Real, s, b, c)
	rows.want(op, "rows", Int, b)
	return s, b, c
}

func (p FeatureParams) check(op string, n FeatureShape) {
	p.LogAlpha.want(op, "LogAlpha", Real, 1)
	p.LogL.want(op, "LogL", Real, n.D)
	p.MeanW.want(op, "MeanW", Real, n.Columns(), n.Out)
	p.LogVarW.want(op, "LogVarW", Real, n.Columns(), n.Out)
	p.Mixing.wantOptional(op, "Mixing", Real, n.R)
	if n.Prior {
		if p.MeanOmega != nil || p.LogVarOmega != nil {
			wrong(op, "MeanOmega and LogVarOmega are nil together")
		}
		return
	}
	p.MeanOmega.want(op, "MeanOmega", Real, n.D, n.R)
	p.LogVarOmega.want(op, "LogVarOmega", Real, n.D, n.R)
}

// checkLik checks what all likelihoods of draws have, and returns the lengths of h.
func checkLik(op string, ell, dh, h *Tensor) (s, b, c int) {
	h.wantRank(op, "h", Real, 3)
	s, b, c = h.shape[0], h.shape[1], h.shape[2]
	ell.want(op, "ell", Double, 1)
	dh.want(op, "dh", Real, s, b, c)
	return s, b, c
}

// checkNumbers checks the targets of b rows, and the noise of each of their c numbers.
func checkNumbers(op string, b, c int, dlogvar, y, logvar *Tensor) {
	dlogvar.want(op, "dlogvar", Real, c)
	y.want(op, "y", Real, b, c)
	logvar.want(op, "logvar", Real, c)
}

// CheckGaussian checks GaussianLogLik and returns the lengths of h.
func CheckGaussian(ell, dh, dlogvar, h, y, logvar *Tensor) (s, b, c int) {
	const op = "GaussianLogLik"
	s, b, c = checkLik(op, ell, dh, h)
	checkNumbers(op, b, c, dlogvar, y, logvar)
	return s, b, c
}

// CheckGaussianExpected checks GaussianExpected and returns the lengths of mean, s = 1 of one
// without samples.
func CheckGaussianExpected(ell, dmean, dvariance, dlogvar, mean, variance, y, logvar *Tensor) (s, b, c int) {
	const op = "GaussianExpected"
	if s = 1; mean.dtype == Double {
		mean.wantRank(op, "mean", Double, 2)
	} else {
		mean.wantRank(op, "mean", Real, 3)
		s = mean.shape[0]
	}
	rank := len(mean.shape)
	b, c = mean.shape[rank-2], mean.shape[rank-1]
	ell.want(op, "ell", Double, 1)
	for _, t := range [...]*Tensor{variance, dmean, dvariance} {
		t.wantLike(op, "a moment or its gradient", mean.dtype, mean.size)
	}
	checkNumbers(op, b, c, dlogvar, y, logvar)
	return s, b, c
}

// CheckSoftmax checks SoftmaxLogLik and returns the lengths of h.
func CheckSoftmax(ell, dh, h, y *Tensor) (s, b, c int) {
	const op = "SoftmaxLogLik"
	s, b, c = checkLik(op, ell, dh, h)
	y.want(op, "y", Int, b)
	return s, b, c
}

// CheckBernoulli checks BernoulliLogLik and returns the lengths of h.
func CheckBernoulli(ell, dh, h, y *Tensor) (s, b int) {
	const op = "BernoulliLogLik"
	s, b, _ = checkLik(op, ell, dh, h)
	h.want(op, "h", Real, s, b, 1)
	y.want(op, "y", Int, b)
	return s, b
}

// CheckOffset checks AddOffset, or AddOffsetBackward of gradients, and returns the number of rows
// and their width.
func CheckOffset(op string, h, offset *Tensor) (rows, c int) {
	h.wantRank(op, "h", Real, 3)
	offset.want(op, "offset", Real, h.shape[2])
	return h.shape[0] * h.shape[1], h.shape[2]
}

// CheckStudent checks StudentLogLik and returns the lengths of h.
func CheckStudent(ell, dh, dlogvar, dtail, h, y, logvar, tail *Tensor) (s, b, c int) {
	const op = "StudentLogLik"
	s, b, c = checkLik(op, ell, dh, h)
	checkNumbers(op, b, c, dlogvar, y, logvar)
	dtail.want(op, "dtail", Real, 1)
	tail.want(op, "tail", Real, 1)
	return s, b, c
}

// CheckHeteroscedastic checks HeteroscedasticLogLik and returns the lengths of h, with c of y.
func CheckHeteroscedastic(ell, dh, dlogvar, h, y, logvar *Tensor) (s, b, c int) {
	const op = "HeteroscedasticLogLik"
	s, b, c = checkLik(op, ell, dh, h)
	h.want(op, "h", Real, s, b, c/2*2)
	checkNumbers(op, b, c/2, dlogvar, y, logvar)
	return s, b, c / 2
}

// CheckKLDiag checks KLDiag and returns the number of rows that have a length-scale
// each, and their width; without logl there is one row.
func CheckKLDiag(kl, dmean, dlogvar, dlogl, mean, logvar, logl *Tensor) (d, r int) {
	const op = "KLDiag"
	kl.want(op, "kl", Double, 1)
	for _, t := range [...]*Tensor{mean, logvar, dmean, dlogvar} {
		t.wantLike(op, "a parameter or its gradient", Real, mean.size)
	}
	if logl == nil {
		return 1, mean.size
	}
	mean.wantRank(op, "mean", Real, 2)
	logl.want(op, "logl", Real, mean.shape[0])
	dlogl.want(op, "dlogl", Real, mean.shape[0])
	return mean.shape[0], mean.shape[1]
}

// CheckAdam checks Adam and returns the number of parameters.
func CheckAdam(p, g, m, v, rate *Tensor) int {
	for _, t := range [...]*Tensor{p, g, m, v, rate} {
		t.wantLike("Adam", "an argument", Real, p.size)
	}
	return p.size
}
