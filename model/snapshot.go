package model

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Snapshot is a trained model for a program that predicts without a device: the numbers that follow from the
// parameters, and the draws of S samples. They are on the host.
type Snapshot struct {
	Config
	S int // number of samples; 1 if the prediction is one Gaussian
	// the likelihood takes mean and variance of the last layer's outputs, and no draws of them
	TakesMoments bool

	GP  *SnapshotGP // GP layer; nil for model DRF
	DRF []*SnapshotDRF

	LogVar []float64 // log σ² of each target; nil for classes and counts
	DoF    float64   // ν of Student's t; 0 for other likelihoods
	Offset []float64 // constant of each output of a classifier; nil: no constants
	// for counts: a constant of each target's log rate, and δ of a negative binomial; in closed form also nodes and
	// weights that stand for a normal log rate
	LogRate        []float64
	Dispersion     float64
	Nodes, Weights []float64
	Cuts           []float64 // κ_1 … κ_K−1 of an ordinal likelihood
}

// SnapshotGP is the GP layer. Its fields have the letters of gpLayer.forward.
type SnapshotGP struct {
	K        int // number of kernels
	Kernels  []SnapshotKernel
	Mix      []float64 // weights ω of two kernels [K]; nil for one
	Inducing []float64 // X̄ [M,D]
	Alpha    []float64 // [J]
	L        []float64 // [K,M,M] lower
	M        []float64 // [J,M]
	S        []float64 // [J,M,M] lower, or [J,M] for a diagonal
	Noise    []float64 // ε [S,J]; nil where F is not drawn
}

// SnapshotKernel is a term of the kernel, with its length-scales ℓ [K,D].
type SnapshotKernel struct {
	Form         device.Correlation
	LengthScales []float64
}

// SnapshotDRF is a random-feature layer. In closed form it has q(Ω) = N(Omega, VarOmega) and q(W) = N(W, VarW); its
// outputs are drawn by Noise, or not at all. Otherwise it has draws of Ω, and either draws of W or, under local
// reparameterisation, q(W) and Noise.
type SnapshotDRF struct {
	In, R, Out int
	Activation device.Activation
	Scale      float64   // √(α/R)
	Omega      []float64 // frequencies [draws,In,R]; sample s takes draw s mod draws
	VarOmega   []float64 // β² [In,R]; nil where Ω is drawn
	W          []float64 // weights [draws,rows of W,Out]; sample s takes draw s mod draws
	VarW       []float64 // s² [rows of W,Out]; nil where W is drawn
	// factor L of a full covariance, lower [Out,rows of W,rows of W]; nil for a diagonal one
	L     []float64
	Noise []float64 // noise of the outputs [S,Out]; nil: outputs are not drawn
}

// Precompute computes the tensors that depend on the parameters alone, for PredictRows. The parameters must not change
// after it. A kernel matrix that cannot be factorised is a *device.NotPositiveDefiniteError.
func (m *Model) Precompute() error {
	if m.gp != nil {
		m.dev.Widen(m.params.wide, m.params.gpValue)
		m.gp.factorise()
	}
	m.spectra()
	_, err := m.ReadELBO(1)
	if _, ok := err.(*device.NotPositiveDefiniteError); ok {
		return err
	}
	return nil
}

// Snapshot returns the snapshot of a model of vectors, with the same draws as Predict. It settles the model.
func (m *Model) Snapshot(samples int, seed uint64) (*Snapshot, error) {
	if err := m.Precompute(); err != nil {
		return nil, err
	}
	if m.predictsOneGaussian() {
		samples = 1
	}
	out := &Snapshot{Config: m.cfg, S: samples, TakesMoments: m.cfg.takesMoments()}
	d := draw{seed: seed, step: device.StepNumber{N: predictStep}}
	if m.gp != nil {
		out.GP = m.snapshotGP(samples, d)
	}
	for l := range m.drf {
		out.DRF = append(out.DRF, m.snapshotDRF(l, samples, d))
	}
	params := m.lik.params
	out.LogVar, out.LogRate, out.Offset = m.numbers(params.LogVar), m.numbers(params.LogRate), m.numbers(m.lik.bias)
	out.DoF, out.Dispersion, out.Cuts = m.lik.degrees(), m.lik.dispersion(), m.lik.cutPoints()
	if m.cfg.Likelihood == PoissonLikelihood {
		out.Nodes, out.Weights = gaussHermite(gaussHermiteNodes(samples))
	}
	return out, nil
}

func (m *Model) numbers(t *device.Tensor) []float64      { return numbers(m.dev, t) }
func (m *Model) exponentials(t *device.Tensor) []float64 { return exponentials(m.dev, t) }

// normals draws the first rows of a key's standard normals [samples,rows,columns].
func (m *Model) normals(key device.Key, samples, rows, columns int) []float64 {
	numbers := make([]int32, rows)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	at, mean, variance := m.dev.New(device.Int, rows), m.dev.New(device.Double, rows, columns),
		m.dev.New(device.Double, rows, columns)
	m.dev.UploadInts(at, numbers)
	m.dev.Upload(variance, slices.Repeat([]float64{1}, rows*columns))
	m.dev.Zero(mean)
	drawn := m.dev.New(device.Real, samples, rows, columns)
	m.dev.SampleF(drawn, mean, variance, at, key)
	return m.numbers(drawn)
}

func (m *Model) snapshotGP(samples int, d draw) *SnapshotGP {
	g, c := m.gp, &m.cfg
	out := &SnapshotGP{
		K: c.kernels(), Inducing: m.numbers(g.xbar.x), Alpha: m.exponentials(g.logAlpha),
		L: m.numbers(g.l), M: m.numbers(g.m), S: m.numbers(g.s), Mix: m.numbers(g.logit),
	}
	for k, v := range out.Mix {
		out.Mix[k] = 1 / (1 + math.Exp(-v))
	}
	for _, t := range g.terms {
		ard := t.(*ardTerm)
		lengths := m.exponentials(ard.logL)
		if width := ard.logL.Dim(1); width == 1 {
			lengths = repeatEach(lengths, c.Inputs)
		}
		out.Kernels = append(out.Kernels, SnapshotKernel{ard.form, lengths})
	}
	if m.samplesF() {
		out.Noise = m.normals(c.latents(d), samples, 1, c.Latents)
	}
	return out
}

// repeatEach repeats each number of x times times.
func repeatEach(x []float64, times int) []float64 {
	out := make([]float64, 0, len(x)*times)
	for _, v := range x {
		for range times {
			out = append(out, v)
		}
	}
	return out
}

func (m *Model) snapshotDRF(l, samples int, d draw) *SnapshotDRF {
	layer := m.drf[l]
	noise := m.cfg.features(d, l)
	p := layer.params
	if layer.integrated != nil {
		p = layer.integrated.params
	}
	out := &SnapshotDRF{
		In: layer.in, R: layer.r, Out: layer.out, Activation: p.Activation,
		Scale: math.Sqrt(m.exponentials(p.LogAlpha)[0] / float64(layer.r)),
		W:     m.numbers(p.MeanW),
	}
	mixing := m.numbers(p.Mixing)
	omegas, weights, _ := noise.Distinct(samples)
	if layer.integrated != nil {
		out.Omega, out.VarOmega, out.VarW = m.numbers(p.MeanOmega), m.exponentials(p.LogVarOmega),
			m.exponentials(p.LogVarW)
		out.L = m.factors(p)
		multiply(out.Omega, mixing)
		multiply(out.VarOmega, mixing)
		multiply(out.VarOmega, mixing)
		if !m.cfg.takesMoments() || l < len(m.drf)-1 {
			out.Noise = m.normals(noise.Weights, samples, 1, layer.out)
		}
		return out
	}
	out.Omega = m.normals(noise.Frequencies, omegas, layer.in, layer.r)
	if p.MeanOmega == nil {
		lengths := repeatEach(m.exponentials(p.LogLength), layer.r)
		for i, length := range lengths {
			lengths[i] = 1 / length
		}
		multiply(out.Omega, lengths)
	} else {
		moveAndScale(out.Omega, m.numbers(p.MeanOmega), m.exponentials(p.LogVarOmega))
	}
	multiply(out.Omega, mixing)
	if noise.Local {
		out.VarW, out.Noise = m.exponentials(p.LogVarW), m.normals(noise.Weights, samples, 1, layer.out)
		return out
	}
	mean := out.W
	out.W = m.normals(noise.Weights, weights, len(mean)/layer.out, layer.out)
	moveAndScale(out.W, mean, m.exponentials(p.LogVarW))
	return out
}

// factors returns the factors L of a full covariance of W: LowerW, and on the diagonals the roots of s².
func (m *Model) factors(p device.FeatureParams) []float64 {
	l := m.numbers(p.LowerW)
	if l == nil {
		return nil
	}
	outputs, columns := p.LowerW.Dim(0), p.LowerW.Dim(1)
	for i, v := range m.numbers(p.LogVarW) { // [2R,d']
		l[(i%outputs*columns+i/outputs)*columns+i/outputs] = math.Exp(v / 2)
	}
	return l
}

// multiply scales x by by, repeated; nil leaves x unchanged.
func multiply(x, by []float64) {
	for i := 0; i < len(x) && by != nil; i++ {
		x[i] *= by[i%len(by)]
	}
}

// moveAndScale turns standard normals x into mean + √variance·x, repeating the moments cyclically.
func moveAndScale(x, mean, variance []float64) {
	for i, e := range x {
		k := i % len(mean)
		x[i] = mean[k] + math.Sqrt(variance[k])*e
	}
}
