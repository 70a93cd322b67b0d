package device

import (
	"fmt"
	"math"
)

// CheckTransfer checks Upload and Download, or UploadInts where ints is set.
func CheckTransfer(op string, t *Tensor, n int, ints bool) {
	if t.size != n {
		panic(fmt.Sprintf("device: %s: %d values for a tensor of %d", op, n, t.size))
	}
	if (t.dtype == Int) != ints {
		panic(fmt.Sprintf("device: %s: wrong type %v", op, t.dtype))
	}
}

// CheckCopy checks Copy.
func CheckCopy(dst, src *Tensor) {
	x := axes{op: "Copy"}
	x.wantSize(src.dtype, "dst", src.size, dst)
}

// CheckGather checks Gather and returns the number of rows and their width (1 for Int).
func CheckGather(dst, src, rows *Tensor) (b, d int) {
	x := axes{op: "Gather"}
	x.want(Int, "rows[B]", rows)
	if dst.dtype == Int {
		x.want(Int, "src[N] dst[B]", src, dst)
		return x.of('B'), 1
	}
	x.want(Real, "src[N,D]", src)
	x.want(dst.dtype, "dst[B,D]", dst)
	return x.of('B'), x.of('D')
}

// CheckDrawRows checks DrawRows and returns the number of rows that are drawn.
func CheckDrawRows(rows *Tensor, n int) int {
	x := axes{op: "DrawRows"}
	x.want(Int, "rows[B]", rows)
	if n < 1 || n > math.MaxInt32 {
		x.wrong("there is no such number of rows to draw from")
	}
	return rows.size
}

// CheckConvert checks Widen and NarrowAdd.
func CheckConvert(op string, double, real *Tensor) {
	x := axes{op: op}
	x.wantSize(Real, "the real tensor", real.size, real)
	x.wantSize(Double, "the double tensor", real.size, double)
}

// CheckConcat checks Concat and returns the lengths of dst [S,B,Σw].
func CheckConcat(dst *Tensor, parts []*Tensor) (s, b, width int) {
	x := axes{op: "Concat"}
	x.want(Real, "dst[S,B,W]", dst)
	for _, p := range parts {
		if !p.Is(Real, x.of('S'), x.of('B'), -1) && !p.Is(Real, x.of('B'), -1) {
			x.wrong("a part has the wrong shape")
		}
		width += p.shape[len(p.shape)-1]
	}
	x.set('W', width)
	x.want(Real, "dst[S,B,W]", dst)
	return x.of3('S', 'B', 'W')
}

// CheckConcatBackward checks ConcatBackward and returns the lengths of ddst.
func CheckConcatBackward(dparts []*Tensor, widths []int, ddst *Tensor) (s, b, width int) {
	x := axes{op: "ConcatBackward"}
	x.want(Real, "ddst[S,B,W]", ddst)
	if len(dparts) != len(widths) {
		x.wrong("as many widths as parts are needed")
	}
	for i, p := range dparts {
		x.set('P', widths[i])
		x.want(Real, "part?[S,B,P]", p)
		width += widths[i]
	}
	x.set('W', width)
	x.want(Real, "ddst[S,B,W]", ddst)
	return x.of3('S', 'B', 'W')
}

// CheckAddColumns checks AddColumns and returns the number of rows and both widths.
func CheckAddColumns(dst, src *Tensor) (rows, wdst, wsrc int) {
	x := axes{op: "AddColumns"}
	x.want(Real, "dst[S,B,C] src[S,B,D]", dst, src)
	return x.of('S') * x.of('B'), x.of('C'), x.of('D')
}

// FeatureShape holds the lengths of a random-feature layer: samples, batch, widths in and out, and frequencies.
type FeatureShape struct {
	S, B, D, R, Out int
	Prior           bool // PRIOR-FIXED, without q(Ω)
	Full            bool // the covariance of W is full, with LowerW
	Activation      Activation
}

// Columns returns the number of columns of Φ and of rows of W: 2R, or R.
func (s *FeatureShape) Columns() int { return s.R * s.Activation.Columns() }

// check checks the arguments that both operations of a layer share.
func (a FeatureArgs) check(op string) (n FeatureShape, x axes) {
	x.op = op
	x.want(Real, "H[S,B,D] MeanW[C,O] Out[S,B,O]", a.H, a.Params.MeanW, a.Out)
	n = FeatureShape{S: x.of('S'), B: x.of('B'), D: x.of('D'), Out: x.of('O'), Activation: a.Params.Activation,
		Prior: a.Params.MeanOmega == nil, Full: a.Params.LowerW != nil}
	n.R = x.of('C') / n.Activation.Columns()
	x.set('R', n.R)
	x.set('C', n.Columns())
	a.Params.check(&x, n)
	return n, x
}

func (p FeatureParams) check(x *axes, n FeatureShape) {
	x.want(Real, "LogAlpha[1] LogLength[D] MeanW[C,O] LogVarW[C,O] LowerW?[O,C,C] Mixing?[R]",
		p.LogAlpha, p.LogLength, p.MeanW, p.LogVarW, p.LowerW, p.Mixing)
	switch {
	case !n.Prior:
		x.want(Real, "MeanOmega[D,R] LogVarOmega[D,R]", p.MeanOmega, p.LogVarOmega)
	case p.MeanOmega != nil || p.LogVarOmega != nil:
		x.wrong("MeanOmega and LogVarOmega are nil together")
	}
}

// checkGradients checks the gradients of a layer, whose Out has been checked.
func (g FeatureArgs) checkGradients(x *axes, n FeatureShape) {
	x.want(Real, "dH?[S,B,D]", g.H)
	g.Params.check(x, n)
}

// CheckFeatures checks RandomFeatures.
func CheckFeatures(op string, a FeatureArgs) FeatureShape {
	n, x := a.check(op)
	x.want(Int, "Rows[B]", a.Rows)
	return n
}

// CheckFeaturesBackward checks RandomFeaturesBackward.
func CheckFeaturesBackward(op string, g, a FeatureArgs) FeatureShape {
	a.Out = g.Out
	n, x := a.check(op)
	x.want(Int, "Rows[B]", a.Rows)
	g.checkGradients(&x, n)
	return n
}

// CheckFeatureMoments checks FeatureMoments.
func CheckFeatureMoments(op string, a FeatureArgs) FeatureShape {
	n, x := a.check(op)
	x.want(Real, "Variance[S,B,O]", a.Variance)
	if n.Activation != Fourier || n.Prior {
		x.wrong("only cosines and sines of an Ω with a q are integrated")
	}
	return n
}

// CheckFeatureMomentsBackward checks FeatureMomentsBackward.
func CheckFeatureMomentsBackward(op string, g, a FeatureArgs) FeatureShape {
	a.Out = g.Out
	CheckFeatureMoments(op, a)
	n, x := a.check(op)
	x.want(Real, "dVariance[S,B,O]", g.Variance)
	g.checkGradients(&x, n)
	if n.Full != (g.Params.LowerW != nil) {
		x.wrong("LowerW and its gradient are nil together")
	}
	return n
}

// CheckFrequencies checks Frequencies and returns the lengths of Ω.
func CheckFrequencies(op string, a FrequencyArgs) (d, r int) {
	x := axes{op: op}
	x.want(Real, "Tau[D,R] MeanOmega[D,R] LogVarOmega[D,R] Mean[D,R] LogVar[D,R] LogRho[1] LogLength[D]",
		a.Tau, a.MeanOmega, a.LogVarOmega, a.Mean, a.LogVar, a.LogRho, a.LogLength)
	return x.of('D'), x.of('R')
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
	x := axes{op: op}
	x.want(Real, "out[S,B,C] variance[S,B,C]", out, variance)
	x.want(Int, "rows[B]", rows)
	return x.of3('S', 'B', 'C')
}

// CheckBias checks AddBias, or AddBiasBackward of gradients, and returns the number of rows and their width.
func CheckBias(op string, h, bias *Tensor) (rows, c int) {
	x := axes{op: op}
	x.want(Real, "h[S,B,C] bias[C]", h, bias)
	return x.of('S') * x.of('B'), x.of('C')
}

// CheckKLDiag checks KLDiag and returns the number of rows, each of which has a length-scale, and their width. Without
// LogLength there is one row.
func CheckKLDiag(kl *Tensor, g, a DiagArgs) (d, r int) {
	x := axes{op: "KLDiag"}
	x.want(Double, "kl[1]", kl)
	x.wantSize(Real, "dMean", a.Mean.size, g.Mean)
	if a.LogVar == nil && a.LogLength == nil && g.LogVar == nil {
		return 1, a.Mean.size
	}
	x.wantSize(Real, "LogVar", a.Mean.size, a.LogVar)
	x.wantSize(Real, "dLogVar", a.Mean.size, g.LogVar)
	if a.LogLength == nil {
		return 1, a.Mean.size
	}
	x.want(Real, "Mean[D,R] LogLength[D] dLogLength[D]", a.Mean, a.LogLength, g.LogLength)
	return x.of('D'), x.of('R')
}

// CheckAdam checks Adam and returns the number of parameters.
func CheckAdam(p, g, m, v, rate *Tensor) int {
	x := axes{op: "Adam"}
	for _, t := range [...]*Tensor{p, g, m, v, rate} {
		x.wantSize(Real, "an argument", p.size, t)
	}
	return p.size
}
