package device

import (
	"fmt"
	"math"
)

// Every backend makes the checks of this file and of shape_gp.go before an
// operation runs: they return its lengths, or panic on a tensor of a wrong
// shape or type, which is a bug of ours. They allocate nothing.

// Is reports whether t has a type and shape; a length of −1 stands for any.
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

// wantOptional panics as want does, for a tensor that may be nil.
func (t *Tensor) wantOptional(op, name string, dtype DType, shape ...int) {
	if t != nil {
		t.want(op, name, dtype, shape...)
	}
}

// wantSize panics unless t has the type and number of elements of other.
func (t *Tensor) wantSize(op, name string, dtype DType, n int) {
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
func CheckCopy(dst, src *Tensor) { dst.wantSize("Copy", "dst", src.dtype, src.size) }

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
	real.wantSize(op, "the real tensor", Real, real.size)
	double.wantSize(op, "the double tensor", Double, real.size)
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
	Full            bool // the covariance of W is full: there is LowerW
	Activation      Activation
}

// Columns returns the number of columns of Φ and of rows of W: 2R, or R.
func (n *FeatureShape) Columns() int { return n.R * n.Activation.Columns() }

// check checks the arguments that both operations of a layer share.
func (a FeatureArgs) check(op string) FeatureShape {
	h, w := a.H, a.Params.MeanW
	h.wantRank(op, "H", Real, 3)
	w.wantRank(op, "MeanW", Real, 2)
	n := FeatureShape{S: h.shape[0], B: h.shape[1], D: h.shape[2], Out: w.shape[1],
		Prior: a.Params.MeanOmega == nil, Full: a.Params.LowerW != nil, Activation: a.Params.Activation}
	n.R = w.shape[0] / n.Activation.Columns()
	a.Out.want(op, "Out", Real, n.S, n.B, n.Out)
	a.Params.check(op, n)
	return n
}

// checkGradients checks the gradients of a layer, whose Out has been checked.
func (g FeatureArgs) checkGradients(op string, n FeatureShape) {
	g.H.wantOptional(op, "the gradient of H", Real, n.S, n.B, n.D)
	g.Params.check(op, n)
}

// CheckFeatures checks RandomFeatures.
func CheckFeatures(op string, a FeatureArgs) FeatureShape {
	n := a.check(op)
	a.Rows.want(op, "Rows", Int, n.B)
	return n
}

// CheckFeaturesBackward checks RandomFeaturesBackward.
func CheckFeaturesBackward(op string, g, a FeatureArgs) FeatureShape {
	a.Out = g.Out
	n := CheckFeatures(op, a)
	g.checkGradients(op, n)
	return n
}

// CheckFeatureMoments checks FeatureMoments.
func CheckFeatureMoments(op string, a FeatureArgs) FeatureShape {
	n := a.check(op)
	a.Variance.want(op, "Variance", Real, n.S, n.B, n.Out)
	if n.Activation != Waves || n.Prior {
		wrong(op, "only cosines and sines of an Ω with a q are integrated")
	}
	return n
}

// CheckFeatureMomentsBackward checks FeatureMomentsBackward.
func CheckFeatureMomentsBackward(op string, g, a FeatureArgs) FeatureShape {
	a.Out = g.Out
	n := CheckFeatureMoments(op, a)
	g.Variance.want(op, "the gradient of Variance", Real, n.S, n.B, n.Out)
	g.checkGradients(op, n)
	if n.Full != (g.Params.LowerW != nil) {
		wrong(op, "LowerW and its gradient are nil together")
	}
	return n
}

// CheckFrequencies checks Frequencies and returns the lengths of Ω.
func CheckFrequencies(op string, a FrequencyArgs) (d, r int) {
	a.Tau.wantRank(op, "Tau", Real, 2)
	d, r = a.Tau.shape[0], a.Tau.shape[1]
	a.Eta.want(op, "Eta", Real, d, r)
	a.LogVar.want(op, "LogVar", Real, d, r)
	a.Mean.want(op, "Mean", Real, d, r)
	a.LogS2.want(op, "LogS2", Real, d, r)
	a.LogRho.want(op, "LogRho", Real, 1)
	a.LogLength.want(op, "LogLength", Real, d)
	return d, r
}

// CheckFrequenciesBackward checks FrequenciesBackward and returns the lengths of Ω.
func CheckFrequenciesBackward(g, a FrequencyArgs) (d, r int) {
	const op = "FrequenciesBackward"
	g.Tau = a.Tau
	CheckFrequencies(op, g)
	return CheckFrequencies(op, a)
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
	p.LogLength.want(op, "LogLength", Real, n.D)
	p.MeanW.want(op, "MeanW", Real, n.Columns(), n.Out)
	p.LogVarW.want(op, "LogVarW", Real, n.Columns(), n.Out)
	p.LowerW.wantOptional(op, "LowerW", Real, n.Out, n.Columns(), n.Columns())
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

// CheckOffset checks AddOffset, or AddOffsetBackward of gradients, and returns the number of rows
// and their width.
func CheckOffset(op string, h, offset *Tensor) (rows, c int) {
	h.wantRank(op, "h", Real, 3)
	offset.want(op, "offset", Real, h.shape[2])
	return h.shape[0] * h.shape[1], h.shape[2]
}

// CheckKLDiag checks KLDiag and returns the number of rows that have a length-scale each, and their
// width; without LogLength there is one row.
func CheckKLDiag(kl *Tensor, g, a DiagArgs) (d, r int) {
	const op = "KLDiag"
	kl.want(op, "kl", Double, 1)
	g.Mean.wantSize(op, "the gradient of Mean", Real, a.Mean.size)
	if a.LogVar == nil && a.LogLength == nil && g.LogVar == nil {
		return 1, a.Mean.size
	}
	a.LogVar.wantSize(op, "LogVar", Real, a.Mean.size)
	g.LogVar.wantSize(op, "the gradient of LogVar", Real, a.Mean.size)
	if a.LogLength == nil {
		return 1, a.Mean.size
	}
	a.Mean.wantRank(op, "Mean", Real, 2)
	a.LogLength.want(op, "LogLength", Real, a.Mean.shape[0])
	g.LogLength.want(op, "the gradient of LogL", Real, a.Mean.shape[0])
	return a.Mean.shape[0], a.Mean.shape[1]
}

// CheckAdam checks Adam and returns the number of parameters.
func CheckAdam(p, g, m, v, rate *Tensor) int {
	for _, t := range [...]*Tensor{p, g, m, v, rate} {
		t.wantSize("Adam", "an argument", Real, p.size)
	}
	return p.size
}
