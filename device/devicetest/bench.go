package devicetest

import (
	"math"
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

// Operations are those of a training step, in order, each ready to be run many times.
func Operations(dev device.Device, w Workload) []Operation {
	r := newRandom(1)
	double := func(shape ...int) *device.Tensor { return dev.New(device.Double, shape...) }
	real := func(shape ...int) *device.Tensor { return dev.New(device.Real, shape...) }
	normal := func(dtype device.DType, mean, sd float64, shape ...int) *device.Tensor {
		return upload(dev, r.normal("", dtype, none, mean, sd, shape...))
	}
	// The Gaussian process.
	z, x := normal(device.Double, 0, 1, w.M, w.D), normal(device.Double, 0, 1, w.B, w.D)
	logl, logalpha := normal(device.Double, math.Log(float64(w.D))/2, 0.1, w.K, w.D), double(w.J)
	kuu, kuf, l, a := double(w.K, w.M, w.M), double(w.K, w.M, w.B), double(w.K, w.M, w.M), double(w.K, w.M, w.B)
	jitter, p := double(w.K), double(w.J, w.M, w.B)
	m, factor := normal(device.Double, 0, 1, w.J, w.M), r.factor("", w.Diagonal, w.J, w.M)
	s := upload(dev, factor)
	narrow := real(factor.shape...)
	dev.Upload(narrow, factor.data)
	mean, variance := double(w.B, w.J), double(w.B, w.J)
	dz, dlogl, dlogalpha := double(w.M, w.D), double(w.K, w.D), double(w.J)
	dkuu, dkuf, dl, da := double(w.K, w.M, w.M), double(w.K, w.M, w.B), double(w.K, w.M, w.M), double(w.K, w.M, w.B)
	dm, ds := double(w.J, w.M), double(factor.shape...)
	nm, ns := double(w.J, w.M), double(factor.shape...)
	// With α = 1 a cotangent of ½ leaves p as it is, however often MomentsBackward runs.
	dmean, dvariance := normal(device.Double, 0, 1, w.B, w.J), normal(device.Double, 0.5, 0, w.B, w.J)
	cotangent, slope := double(w.K, w.M, w.B), double(w.K, w.M, w.B)
	mix, dmix := double(w.K), double(w.K)
	// The same on sequences with two feature maps, a tenth of the columns not zero.
	distances := upload(dev, r.normal("", device.Double, none, 1, 0.3, w.B, 2*w.M))
	logits, logsigma := normal(device.Double, 0, 1, w.K, 2), normal(device.Double, 0, 0.1, w.K, 2)
	dlogits, dlogsigma, maps := double(w.K, 2), double(w.K, 2), []bool{false, false}
	sx, sz := sparseOf(dev, r, w.B, 1000, false), sparseOf(dev, r, w.M, 1000, true)
	// The layer of random features.
	rows := upload(dev, r.below("", 10000, w.B))
	drawn, own := dev.New(device.Int, w.B), upload(dev, r.below("", w.B, w.B))
	f, df := real(w.S, w.B, w.J), real(w.S, w.B, w.J)
	params := func(sd float64, columns int, a device.Activation) device.FeatureParams {
		return device.FeatureParams{Activation: a,
			LogAlpha: normal(device.Real, 0, sd, 1), LogL: normal(device.Real, 0, sd, w.J),
			MeanOmega: normal(device.Real, 0, sd, w.J, w.R), LogVarOmega: normal(device.Real, 0, sd, w.J, w.R),
			MeanW:   normal(device.Real, 0, sd, columns*w.R, w.DOut),
			LogVarW: normal(device.Real, 0, sd, columns*w.R, w.DOut),
		}
	}
	theta, grad := params(1, 2, device.Waves), params(0, 2, device.Waves)
	eta := params(0, 2, device.Waves)
	arccos, darccos := params(1, 1, device.ArcCos1), params(0, 1, device.ArcCos1)
	h, dh, y, logvar, dlogvar := real(w.S, w.B, w.DOut), real(w.S, w.B, w.DOut),
		normal(device.Real, 0, 1, w.B, w.DOut), real(w.DOut), real(w.DOut)
	local := device.FeatureNoise{Weights: device.Key{Site: device.SiteWeights},
		Spectra: device.Key{Site: device.SiteSpectra}, Local: true}
	sampled := local
	sampled.Local = false
	plan := func() device.Scratch { return dev.FeatureScratch(w.S, w.B, w.J, w.R, w.DOut) }
	scratch, scratchSampled, scratchArcCos, scratchMoments := plan(), plan(), plan(), plan()
	of, spread := real(w.S, w.B, w.DOut), real(w.S, w.B, w.DOut)
	dof, dspread := normal(device.Real, 0, 1, w.S, w.B, w.DOut), normal(device.Real, 0, 1, w.S, w.B, w.DOut)
	tail, dtail, pair, dpair := real(1), real(1), normal(device.Real, 0, 1, w.S, w.B, 2*w.DOut),
		real(w.S, w.B, 2*w.DOut)
	logit, dlogit, labels := normal(device.Real, 0, 1, w.S, w.B, 1), real(w.S, w.B, 1), dev.New(device.Int, w.B)
	value := double(1)
	// All the parameters.
	n := w.J*w.M*(1+w.M) + w.M*w.D + 2*w.J*w.R + 4*w.R*w.DOut
	if w.Diagonal {
		n = w.J*w.M*2 + w.M*w.D + 2*w.J*w.R + 4*w.R*w.DOut
	}
	flat := [5]*device.Tensor{}
	for i := range flat {
		flat[i] = normal(device.Real, 0, 1, n)
	}
	dev.Zero(flat[3])
	key := device.Key{Site: device.SiteLatents}
	ops := []Operation{
		{"DrawRows", func() { dev.DrawRows(drawn, 10000, key) }},
		{"Widen s", func() { dev.Widen(s, narrow) }},
		{"ARD Kuu", func() { dev.ARD(kuu, kuu, z, z, logl, device.RBF) }},
		{"ARD Kuf", func() { dev.ARD(kuf, kuf, z, x, logl, device.RBF) }},
		{"ARD Kuf matern12", func() { dev.ARD(cotangent, slope, z, x, logl, device.Matern12) }},
		{"ARD Kuf matern52", func() { dev.ARD(cotangent, slope, z, x, logl, device.Matern52) }},
		{"Mix Kuf", func() { dev.Mix(cotangent, kuf, slope, mix) }},
		{"SparseDistances", func() { dev.SparseDistances(distances, 1, sx, own, sz, false) }},
		{"SparseBlock", func() { dev.SparseBlock(cotangent, distances, logits, logsigma, maps) }},
		{"Potrf", func() { dev.Potrf(l, jitter, kuu) }},
		{"Trsm", func() { dev.Trsm(a, l, kuf) }},
		{"Moments", func() { dev.Moments(mean, variance, p, a, m, s, logalpha) }},
		{"SampleF", func() { dev.SampleF(f, mean, variance, rows, key) }},
		{"RandomFeatures local", func() { dev.RandomFeatures(h, f, theta, rows, local, scratch) }},
		{"RandomFeatures sampled", func() { dev.RandomFeatures(h, f, theta, rows, sampled, scratchSampled) }},
		{"RandomFeatures arccos1", func() { dev.RandomFeatures(h, f, arccos, rows, local, scratchArcCos) }},
		{"Frequencies", func() {
			dev.Frequencies(eta.MeanOmega, eta.LogVarOmega, theta.MeanOmega, theta.MeanOmega,
				theta.LogVarOmega, theta.LogAlpha, theta.LogL)
		}},
		{"FeatureMoments", func() { dev.FeatureMoments(of, spread, f, theta, scratchMoments) }},
		{"AddNoise", func() { dev.AddNoise(of, spread, rows, key) }},
		{"GaussianLogLik", func() { dev.GaussianLogLik(value, dh, dlogvar, h, y, logvar, 1e-3) }},
		{"StudentLogLik", func() {
			dev.StudentLogLik(value, dh, dlogvar, dtail, h, y, logvar, tail, 1e-3)
		}},
		{"HeteroscedasticLogLik", func() {
			dev.HeteroscedasticLogLik(value, dpair, dlogvar, pair, y, logvar, 1e-3)
		}},
		{"BernoulliLogLik", func() { dev.BernoulliLogLik(value, dlogit, logit, labels, 1e-3) }},
		{"KLDiag", func() {
			dev.KLDiag(value, grad.MeanW, grad.LogVarW, nil, theta.MeanW, theta.LogVarW, nil, device.Scalar{Value: 1})
		}},
		{"KLInducing", func() { dev.KLInducing(value, dm, ds, m, s, device.Scalar{Value: 1}) }},
		{"RandomFeaturesBackward local",
			func() { dev.RandomFeaturesBackward(df, grad, dh, f, theta, rows, local, scratch) }},
		{"RandomFeaturesBackward sampled",
			func() { dev.RandomFeaturesBackward(df, grad, dh, f, theta, rows, sampled, scratchSampled) }},
		{"RandomFeaturesBackward arccos1", func() {
			dev.RandomFeaturesBackward(df, darccos, dh, f, arccos, rows, local, scratchArcCos)
		}},
		{"AddNoiseBackward", func() { dev.AddNoiseBackward(dspread, dof, spread, rows, key) }},
		{"FeatureMomentsBackward", func() {
			dev.FeatureMomentsBackward(df, grad, dof, dspread, spread, f, theta, scratchMoments)
		}},
		{"FrequenciesBackward", func() {
			dev.FrequenciesBackward(grad.MeanOmega, grad.LogVarOmega, grad.LogAlpha, grad.LogL,
				eta.MeanOmega, eta.LogVarOmega, theta.MeanOmega, theta.MeanOmega, theta.LogAlpha, theta.LogL)
		}},
		{"SampleFBackward", func() { dev.SampleFBackward(dmean, dvariance, df, variance, rows, key) }},
		{"MomentsBackward", func() {
			dev.MomentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, m, s, logalpha)
		}},
		{"TrsmBackward", func() { dev.TrsmBackward(dkuf, dl, da, l, a) }},
		{"PotrfBackward", func() { dev.PotrfBackward(dkuu, dl, l); dev.Zero(dl) }},
		{"ARDBackward Kuf", func() {
			dev.Copy(cotangent, dkuf) // it is overwritten
			dev.ARDBackward(dz, dlogl, cotangent, kuf, z, x, logl)
		}},
		{"MixBackward Kuf", func() { dev.MixBackward(cotangent, slope, dmix, dkuf, kuf, kuf, mix) }},
		{"SparseBlockBackward", func() {
			dev.SparseBlockBackward(dlogits, dlogsigma, dkuf, distances, logits, logsigma, maps)
		}},
		{"ARDBackward Kuu", func() { dev.ARDBackward(dz, dlogl, dkuu, kuu, z, z, logl) }},
		{"NarrowAdd s", func() { dev.NarrowAdd(narrow, ds) }},
		{"Zero ds", func() { dev.Zero(ds) }},
		{"Adam", func() {
			dev.Adam(flat[0], flat[1], flat[2], flat[3], flat[4],
				device.AdamStep{LR: device.Scalar{Value: 1e-3}, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Scale: 1,
					Step: device.Count{N: 1}})
		}},
		{"NaturalStep", func() {
			dev.Copy(nm, m)
			dev.Copy(ns, s)
			dev.NaturalStep(nm, ns, dm, ds, device.Scalar{Value: 1e-3})
		}},
	}
	if !w.Diagonal { // the paper's q(F̄) costs these two besides
		mu, sqrt, wm, ws := m, s, double(w.J, w.M), double(w.J, w.M, w.M)
		dwm, dws := double(w.J, w.M), double(w.J, w.M, w.M)
		ops = append(ops,
			Operation{"Whiten", func() { dev.Whiten(wm, ws, l, logalpha, mu, sqrt) }},
			Operation{"WhitenBackward", func() {
				dev.WhitenBackward(dm, ds, dl, dlogalpha, dwm, dws, wm, ws, l, logalpha)
			}})
	}
	return ops
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
