package devicetest

import (
	"math"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Workload is the size of a training step.
type Workload struct {
	Name                      string
	D, M, B, K, J, R, S, DOut int
	Diagonal                  bool // q(F̄) with diagonal covariance
}

// Workloads are the steps that benchmarks time: the two settings of the powerplant
// data set, and of protein.
func Workloads() []Workload {
	return []Workload{
		{Name: "powerplant shared diagonal", D: 4, M: 200, B: 256, K: 1, J: 8, R: 200, S: 1, DOut: 1, Diagonal: true},
		{Name: "powerplant", D: 4, M: 200, B: 256, K: 8, J: 8, R: 200, S: 1, DOut: 1},
		{Name: "protein", D: 9, M: 500, B: 512, K: 1, J: 16, R: 500, S: 1, DOut: 1},
	}
}

// Operation is one operation with its arguments in place.
type Operation struct {
	Name string
	Run  func()
}

// Operations are the operations of a training step, each ready to be run many times: of the GP
// layer, of sequences, of the layer of random features, of the objective, and of all parameters. In
// each family the gradients come last.
func Operations(dev device.Device, w Workload) []Operation {
	b := &operands{Workload: w, dev: dev, r: newRandom(1)}
	return slices.Concat(b.gp(), b.sequences(), b.features(), b.objective(), b.parameters())
}

// operands makes the tensors of operations.
type operands struct {
	Workload
	dev device.Device
	r   *random

	q, dq device.MomentsArgs // of the GP layer
}

func (b *operands) double(shape ...int) *device.Tensor { return b.dev.New(device.Double, shape...) }
func (b *operands) real(shape ...int) *device.Tensor   { return b.dev.New(device.Real, shape...) }
func (b *operands) normal(dtype device.DType, mean, sd float64, shape ...int) *device.Tensor {
	return upload(b.dev, b.r.normal("", dtype, none, mean, sd, shape...))
}

func (b *operands) gp() []Operation {
	w, dev := &b.Workload, b.dev
	z, x := b.normal(device.Double, 0, 1, w.M, w.D), b.normal(device.Double, 0, 1, w.B, w.D)
	logl := b.normal(device.Double, math.Log(float64(w.D))/2, 0.1, w.K, w.D)
	block := func(x *device.Tensor, form device.Correlation) device.ARDArgs {
		a := device.ARDArgs{C: b.double(w.K, w.M, x.Dim(0)), Z: z, X: x, LogL: logl, Form: form}
		if a.Slope = a.C; form != device.RBF {
			a.Slope = b.double(a.C.Shape()...)
		}
		return a
	}
	gradient := func(a device.ARDArgs) device.ARDArgs {
		return device.ARDArgs{C: b.double(a.C.Shape()...), Z: b.double(w.M, w.D), LogL: b.double(w.K, w.D)}
	}
	kuu, kuf := block(z, device.RBF), block(x, device.RBF)
	rough, smooth := block(x, device.Matern12), block(x, device.Matern52)
	dkuu, dkuf := gradient(kuu), gradient(kuf)
	mix := device.MixArgs{C: b.double(w.K, w.M, w.B), A: kuf.C, B: smooth.C, Logit: b.double(w.K)}
	dmix := device.MixArgs{C: b.normal(device.Double, 0, 1, w.K, w.M, w.B), A: b.double(w.K, w.M, w.B),
		B: b.double(w.K, w.M, w.B), Logit: b.double(w.K)}
	l, jitter, dl := b.double(w.K, w.M, w.M), b.double(w.K), b.double(w.K, w.M, w.M)
	factor := b.r.factor("", w.Diagonal, w.J, w.M)
	b.q = device.MomentsArgs{Mean: b.double(w.B, w.J), Variance: b.double(w.B, w.J), P: b.double(w.J, w.M, w.B),
		A: b.double(w.K, w.M, w.B), M: b.normal(device.Double, 0, 1, w.J, w.M), S: upload(dev, factor),
		LogAlpha: b.double(w.J)}
	// With α = 1 a cotangent of ½ leaves P as it is, however often MomentsBackward runs.
	b.dq = device.MomentsArgs{Mean: b.normal(device.Double, 0, 1, w.B, w.J),
		Variance: b.normal(device.Double, 0.5, 0, w.B, w.J), A: b.double(w.K, w.M, w.B), M: b.double(w.J, w.M),
		S: b.double(factor.shape...), LogAlpha: b.double(w.J)}
	ops := []Operation{
		{"ARD Kuu", func() { dev.ARD(kuu) }}, {"ARD Kuf", func() { dev.ARD(kuf) }},
		{"ARD Kuf matern12", func() { dev.ARD(rough) }}, {"ARD Kuf matern52", func() { dev.ARD(smooth) }},
		{"Mix Kuf", func() { dev.Mix(mix) }},
		{"Potrf", func() { dev.Potrf(l, jitter, kuu.C) }}, {"Trsm", func() { dev.Trsm(b.q.A, l, kuf.C) }},
		{"Moments", func() { dev.Moments(b.q) }}, {"MomentsBackward", func() { dev.MomentsBackward(b.dq, b.q) }},
		{"TrsmBackward", func() { dev.TrsmBackward(dkuf.C, dl, b.dq.A, l, b.q.A) }},
		{"PotrfBackward", func() { dev.PotrfBackward(dkuu.C, dl, l); dev.Zero(dl) }},
		{"MixBackward Kuf", func() { dev.MixBackward(dmix, mix) }},
		{"ARDBackward Kuf", func() { dev.Copy(dkuf.C, dmix.C); dev.ARDBackward(dkuf, kuf) }}, // it is overwritten
		{"ARDBackward Kuu", func() { dev.ARDBackward(dkuu, kuu) }},
	}
	if w.Diagonal {
		return ops
	}
	white := func(l *device.Tensor, q device.MomentsArgs) device.WhitenArgs {
		return device.WhitenArgs{M: b.double(w.J, w.M), S: b.double(w.J, w.M, w.M), L: l, LogAlpha: q.LogAlpha,
			Mu: q.M, Sqrt: q.S}
	}
	q, dq := white(l, b.q), white(dl, b.dq)
	return append(ops, // which the paper's q(F̄) costs besides
		Operation{"Whiten", func() { dev.Whiten(q) }}, Operation{"WhitenBackward", func() { dev.WhitenBackward(dq, q) }})
}

// sequences are those with two feature maps, a tenth of whose columns are not zero.
func (b *operands) sequences() []Operation {
	w, dev := &b.Workload, b.dev
	x, z := sparseOf(dev, b.r, w.B, 1000, false), sparseOf(dev, b.r, w.M, 1000, true)
	rows := upload(dev, b.r.below("", w.B, w.B))
	a := device.SparseBlockArgs{C: b.double(w.K, w.M, w.B), D: b.normal(device.Double, 1, 0.3, w.B, 2*w.M),
		Logits: b.normal(device.Double, 0, 1, w.K, 2), LogSigma: b.normal(device.Double, 0, 0.1, w.K, 2),
		Linear: make([]bool, 2)}
	g := device.SparseBlockArgs{C: b.normal(device.Double, 0, 1, w.K, w.M, w.B), Logits: b.double(w.K, 2),
		LogSigma: b.double(w.K, 2)}
	return []Operation{
		{"SparseDistances", func() { dev.SparseDistances(a.D, 1, x, rows, z, device.Tanimoto) }},
		{"SparseBlock", func() { dev.SparseBlock(a) }},
		{"SparseBlockBackward", func() { dev.SparseBlockBackward(g, a) }},
	}
}

// params are the parameters of a layer of J inputs, or room for their gradients where sd is 0.
func (b *operands) params(sd float64, a device.Activation) device.FeatureParams {
	w, columns := &b.Workload, a.Columns()
	return device.FeatureParams{Activation: a,
		LogAlpha: b.normal(device.Real, 0, sd, 1), LogL: b.normal(device.Real, 0, sd, w.J),
		MeanOmega: b.normal(device.Real, 0, sd, w.J, w.R), LogVarOmega: b.normal(device.Real, 0, sd, w.J, w.R),
		MeanW:   b.normal(device.Real, 0, sd, columns*w.R, w.DOut),
		LogVarW: b.normal(device.Real, 0, sd, columns*w.R, w.DOut),
	}
}

func (b *operands) features() (ops []Operation) {
	w, dev := &b.Workload, b.dev
	key := device.Key{Site: device.SiteLatents}
	rows, drawn := upload(dev, b.r.below("", 10000, w.B)), dev.New(device.Int, w.B)
	f, df, dmean, dvariance := b.real(w.S, w.B, w.J), b.real(w.S, w.B, w.J), b.double(w.B, w.J), b.double(w.B, w.J)
	layer := func(a device.Activation, local bool) (g, args device.FeatureArgs) {
		args = device.FeatureArgs{Out: b.real(w.S, w.B, w.DOut), Variance: b.real(w.S, w.B, w.DOut), H: f,
			Params: b.params(1, a), Scratch: dev.FeatureScratch(w.S, w.B, w.J, w.R, w.DOut), Rows: rows,
			Noise: device.FeatureNoise{Weights: device.Key{Site: device.SiteWeights},
				Spectra: device.Key{Site: device.SiteSpectra}, Local: local}}
		g = device.FeatureArgs{Out: b.normal(device.Real, 0, 1, w.S, w.B, w.DOut),
			Variance: b.normal(device.Real, 0, 1, w.S, w.B, w.DOut), H: df, Params: b.params(0, a)}
		return g, args
	}
	ops = []Operation{
		{"DrawRows", func() { dev.DrawRows(drawn, 10000, key) }},
		{"SampleF", func() { dev.SampleF(f, b.q.Mean, b.q.Variance, rows, key) }},
	}
	for _, name := range []string{"local", "sampled", "arccos1"} {
		activation := device.Waves
		if name == "arccos1" {
			activation = device.ArcCos1
		}
		g, a := layer(activation, name != "sampled")
		ops = append(ops, Operation{"RandomFeatures " + name, func() { dev.RandomFeatures(a) }},
			Operation{"RandomFeaturesBackward " + name, func() { dev.RandomFeaturesBackward(g, a) }})
	}
	dm, m := layer(device.Waves, false)
	spectra := func(q, p device.FeatureParams) device.FrequencyArgs {
		return device.FrequencyArgs{Eta: q.MeanOmega, LogVar: q.LogVarOmega, Tau: m.Params.MeanOmega,
			Mean: p.MeanOmega, LogS2: p.LogVarOmega, LogRho: p.LogAlpha, LogL: p.LogL}
	}
	eta, deta := spectra(b.params(0, device.Waves), m.Params), spectra(b.params(0, device.Waves), dm.Params)
	return append(ops, []Operation{
		{"Frequencies", func() { dev.Frequencies(eta) }},
		{"FrequenciesBackward", func() { dev.FrequenciesBackward(deta, eta) }},
		{"FeatureMoments", func() { dev.FeatureMoments(m) }},
		{"FeatureMomentsBackward", func() { dev.FeatureMomentsBackward(dm, m) }},
		{"AddNoise", func() { dev.AddNoise(m.Out, m.Variance, rows, key) }},
		{"AddNoiseBackward", func() { dev.AddNoiseBackward(dm.Variance, dm.Out, m.Variance, rows, key) }},
		{"SampleFBackward", func() { dev.SampleFBackward(dmean, dvariance, df, b.q.Variance, rows, key) }},
	}...)
}

func (b *operands) objective() []Operation {
	w, dev := &b.Workload, b.dev
	value, one := b.double(1), device.Scalar{Value: 1}
	outputs := func(c int, y *device.Tensor) (g, a device.LikelihoodArgs) {
		a = device.LikelihoodArgs{H: b.normal(device.Real, 0, 1, w.S, w.B, c), Y: y, LogVar: b.real(w.DOut),
			LogRate: b.real(w.DOut), Tail: b.real(1), Cuts: b.real(4)}
		return device.LikelihoodArgs{H: b.real(w.S, w.B, c), LogVar: b.real(w.DOut), LogRate: b.real(w.DOut),
			Tail: b.real(1), Cuts: b.real(4)}, a
	}
	y := b.normal(device.Real, 0, 1, w.B, w.DOut)
	g, a := outputs(w.DOut, y)
	dpair, pair := outputs(2*w.DOut, y)
	dcount, count := outputs(w.DOut, b.real(w.B, w.DOut))
	dlogit, logit := outputs(1, dev.New(device.Int, w.B))
	diagonal := func(sd float64) device.DiagArgs {
		return device.DiagArgs{Mean: b.normal(device.Real, 0, sd, 2*w.R, w.DOut),
			LogVar: b.normal(device.Real, 0, sd, 2*w.R, w.DOut)}
	}
	dweights, weights := diagonal(0), diagonal(1)
	return []Operation{
		{"GaussianLogLik", func() { dev.GaussianLogLik(value, g, a, 1e-3) }},
		{"StudentLogLik", func() { dev.StudentLogLik(value, g, a, 1e-3) }},
		{"HeteroscedasticLogLik", func() { dev.HeteroscedasticLogLik(value, dpair, pair, 1e-3) }},
		{"BernoulliLogLik", func() { dev.BernoulliLogLik(value, dlogit, logit, 1e-3) }},
		{"PoissonLogLik", func() { dev.PoissonLogLik(value, dcount, count, 1e-3) }},
		{"NegativeBinomialLogLik", func() { dev.NegativeBinomialLogLik(value, dcount, count, 1e-3) }},
		{"OrdinalLogLik", func() { dev.OrdinalLogLik(value, dlogit, logit, 1e-3) }},
		{"KLDiag", func() { dev.KLDiag(value, dweights, weights, one) }},
		{"KLInducing", func() { dev.KLInducing(value, b.dq.M, b.dq.S, b.q.M, b.q.S, one) }},
	}
}

func (b *operands) parameters() []Operation {
	w, dev, shape := &b.Workload, b.dev, b.q.S.Shape()
	narrow, m, s := b.real(shape...), b.double(w.J, w.M), b.double(shape...)
	n := w.J*w.M + b.q.S.Len() + w.M*w.D + 2*w.J*w.R + 4*w.R*w.DOut
	flat := [5]*device.Tensor{}
	for i := range flat {
		flat[i] = b.normal(device.Real, 0, 1, n)
	}
	dev.Zero(flat[3])
	step := device.AdamStep{LR: device.Scalar{Value: 1e-3}, Step: device.Count{N: 1}, Beta1: 0.9, Beta2: 0.99,
		Eps: 1e-8, Scale: 1}
	return []Operation{
		{"Widen s", func() { dev.Widen(s, narrow) }}, {"NarrowAdd s", func() { dev.NarrowAdd(narrow, b.dq.S) }},
		{"Zero ds", func() { dev.Zero(b.dq.S) }},
		{"Adam", func() { dev.Adam(flat[0], flat[1], flat[2], flat[3], flat[4], step) }},
		{"NaturalStep", func() {
			dev.Copy(m, b.q.M)
			dev.Copy(s, b.q.S)
			dev.NaturalStep(m, s, b.dq.M, b.dq.S, device.Scalar{Value: 1e-3})
		}},
	}
}

// Bench times every operation of a step, at the sizes of Workloads.
func Bench(b *testing.B, dev device.Device) {
	out := make([]float64, 1)
	for _, w := range Workloads() {
		b.Run(w.Name, func(b *testing.B) {
			wait := dev.New(device.Double, 1)
			for _, op := range Operations(dev, w) {
				op.Run()
				b.Run(op.Name, func(b *testing.B) {
					for b.Loop() {
						op.Run()
					}
					dev.Download(out, wait) // for devices that run ahead
				})
			}
		})
	}
}
