package device

// Properties of the arguments of a likelihood.
const (
	ofLabels   = 1 << iota // Y has labels [B]; otherwise numbers or counts [B,C]
	ofCounts               // Y has counts, with LogRate and Offset; other likelihoods have no Offset
	ofMoments              // H and Variance are moments; otherwise H is draws
	hasNoise               // there is LogVar
	hasTail                // there is Tail
	hasCuts                // there are Cuts
	oneOutput              // H has a single output
	twoOutputs             // H has two outputs for each target
)

var likelihoods = map[string]int{
	"GaussianLogLik":         hasNoise,
	"GaussianExpected":       hasNoise | ofMoments,
	"GaussianPredictive":     hasNoise | ofMoments,
	"SoftmaxLogLik":          ofLabels,
	"BernoulliLogLik":        ofLabels | oneOutput,
	"StudentLogLik":          hasNoise | hasTail,
	"HeteroscedasticLogLik":  hasNoise | twoOutputs,
	"PoissonLogLik":          ofCounts,
	"PoissonExpected":        ofCounts | ofMoments,
	"NegativeBinomialLogLik": ofCounts | hasTail,
	"OrdinalLogLik":          ofLabels | oneOutput | hasCuts,
}

// CheckLikelihood checks an operation of Likelihoods. It returns the lengths of H, with s = 1 if H has no samples. c is
// the number of targets, classes or cut points, and 0 for BernoulliLogLik.
func CheckLikelihood(op string, ell *Tensor, g, a LikelihoodArgs) (s, b, c int) {
	x, parts := axes{op: op}, likelihoods[op]
	has := func(part int) bool { return parts&part != 0 }
	x.want(Double, "ell[1]", ell)
	switch {
	case has(ofMoments) && a.H.dtype == Double:
		x.set('S', 1)
		x.want(Double, "H[B,C] Variance[B,C] dH[B,C] dVariance[B,C]", a.H, a.Variance, g.H, g.Variance)
	case has(ofMoments):
		x.want(Real, "H[S,B,C] Variance[S,B,C] dH[S,B,C] dVariance[S,B,C]", a.H, a.Variance, g.H, g.Variance)
	case has(oneOutput):
		x.want(Real, "H[S,B,1] dH[S,B,1]", a.H, g.H)
	default:
		x.want(Real, "H[S,B,C] dH[S,B,C]", a.H, g.H)
	}
	if has(twoOutputs) {
		x.set('D', 2*(x.of('C')/2))
		x.want(Real, "H[S,B,D]", a.H)
		x.set('C', x.of('D')/2)
	}
	if has(ofLabels) {
		x.want(Int, "Y[B]", a.Y)
	} else {
		x.want(Real, "Y[B,C]", a.Y)
	}
	if has(hasNoise) {
		x.want(Real, "LogVar[C] dLogVar[C]", a.LogVar, g.LogVar)
	}
	if has(hasTail) {
		x.want(Real, "Tail[1] dTail[1]", a.Tail, g.Tail)
	}
	if has(hasCuts) {
		x.want(Real, "Cuts[C] dCuts[C]", a.Cuts, g.Cuts)
	}
	if has(ofCounts) {
		x.want(Real, "LogRate[C] dLogRate[C]", a.LogRate, g.LogRate)
	} else if a.Offset != nil {
		x.wrong("Offset is of counts")
	}
	for _, t := range [...]*Tensor{a.Weight, a.Offset} {
		if t != nil {
			x.wantSize(Real, "Weight or Offset", x.of('B'), t)
		}
	}
	return x.of3('S', 'B', 'C')
}
