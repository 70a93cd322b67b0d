package model

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// functionStep is the step of draws of q(F̄), q(W) and q(Ω), which belong to no row.
const functionStep = predictStep - 1

// FunctionArgs are the arguments of SampleFunctions.
type FunctionArgs struct {
	Samples      int    // number of samples S
	Seed         uint64 // seed of the draws of q
	TrainingSeed uint64 // seed of frozen draws, as in Predict
	// NoiseRows [N] are numbers of rows: the rest of F given F̄, of variance α(1 − ‖A‖²), is independent between rows
	// with different numbers, and the same for equal numbers.
	NoiseRows []int32
	// Abandon is called now and then, with the number of finished functions; nil is never called. If it returns true,
	// SampleFunctions ends with ErrAbandoned.
	Abandon func(drawn int) bool
}

// SampleFunctions draws S functions from q and evaluates each at all rows: H [S,N,C] are joint samples of the outputs
// without noise, and Noise [N,C] is the variance of the noise, the mean over samples. F̄, W and ζ of Ω are drawn once
// for each function. Afterwards, the model holds the parameters of a draw. Counts by moments are an error: their
// predictions have no variance.
func (m *Model) SampleFunctions(data *Rows, a FunctionArgs) (*Prediction, error) {
	if m.predictsOneGaussian() && IsCountLikelihood(m.cfg.Likelihood) {
		return nil, fmt.Errorf("model: a model %s with a %s likelihood predicts counts, and has no functions",
			m.cfg.Model, m.cfg.Likelihood)
	}
	r := m.NewPredictor(data, 1)
	r.noiseRows = a.NoiseRows
	q := m.Export()
	out := &Prediction{S: a.Samples, N: data.N}
	for s := range a.Samples {
		r.Abandon = func() bool { return a.Abandon != nil && a.Abandon(s) }
		if r.Abandon() {
			return nil, ErrAbandoned
		}
		r.first = uint32(s)
		d := draw{seed: a.Seed, step: device.StepNumber{N: functionStep}, sample: uint32(s)}
		if err := m.Import(m.drawn(q, d)); err != nil {
			return nil, err
		}
		p, err := r.Predict(a.TrainingSeed)
		if err != nil {
			return nil, err
		}
		if m.predictsOneGaussian() {
			d.step = device.StepNumber{N: predictStep}
			m.addResidual(p, a.NoiseRows, d)
		}
		out.C = p.C
		out.H = append(out.H, p.H...)
		out.addNoise(p)
	}
	if t := m.cfg.Temperature; t > 0 && m.predictsOneGaussian() {
		out.spread(t)
	}
	return out, nil
}

// addNoise adds a share of the noise of one function.
func (p *Prediction) addNoise(of *Prediction) {
	if of.Var == nil {
		return
	}
	if p.Noise == nil {
		p.Noise = make([]float64, p.N*p.C)
	}
	noise := of.Noise
	if noise == nil {
		noise = of.Var
	}
	for i := range p.Noise {
		p.Noise[i] += noise[i] / float64(p.S)
	}
}

// addResidual adds a draw of the rest of F given F̄ to the mean of a GP, whose prediction has it in its variance.
func (m *Model) addResidual(p *Prediction, noiseRows []int32, d draw) {
	e := m.normals(d.key(device.SiteLatents, 0, false), 1, p.N, p.C)
	t := cmp.Or(m.cfg.Temperature, 1) // the variances have this factor already, and the mean has not
	for i := range p.H {
		row := int(noiseRows[i/p.C])
		p.H[i] += math.Sqrt(max(0, p.Var[i]-p.Noise[i])) / t * e[row*p.C+i%p.C]
	}
}

// spread makes the deviations of the samples from their mean t times as large.
func (p *Prediction) spread(t float64) {
	for i := range p.N * p.C {
		mean := 0.0
		for s := range p.S {
			mean += p.H[s*p.N*p.C+i] / float64(p.S)
		}
		for s := range p.S {
			h := &p.H[s*p.N*p.C+i]
			*h = mean + t*(*h-mean)
		}
	}
}

// noLogVar is the logarithm of a variance that is 0 in single precision, too.
const noLogVar = -200

// drawn returns q as the parameters of one draw: means are draws of q, and its variances are 0. Noise that a pass draws
// once for all rows, such as the noise of frozen spectra, stays as it is.
func (m *Model) drawn(q []Parameter, d draw) []Parameter {
	all := make(map[string]*Parameter, len(q))
	out := make([]Parameter, len(q))
	for i, n := range q {
		out[i] = Parameter{n.Name, n.Shape, append([]float64(nil), n.Data...)}
		all[n.Name] = &out[i]
	}
	if m.gp != nil {
		mu, root := all[gpMeans], all[gpFactors]
		e := m.normals(d.key(device.SiteLatents, 0, false), 1, 1, len(mu.Data))
		addRoot(mu.Data, root.Data, e, m.cfg.Inducing)
		clear(root.Data)
	}
	for l, layer := range m.drf {
		parameter := func(name string) *Parameter { return all[drfName(l, name)] }
		if layer.integrated != nil || m.cfg.treatment().Name == VarResampled {
			m.drawDiagonal(parameter(drfMeanOmega), parameter(drfLogVarOmega), d.key(device.SiteFrequencies, l, false))
		}
		if m.cfg.freezesAll() && !m.cfg.LocalReparam {
			continue // the pass draws e as in training
		}
		key := d.key(device.SiteWeights, l, false)
		m.drawWeights(parameter(drfMeanW), parameter(drfLogVarW), parameter(drfLowerW), key)
	}
	return out
}

// drawDiagonal makes means draws of N(mean, e^logVar), and the variances 0.
func (m *Model) drawDiagonal(mean, logVar *Parameter, key device.Key) {
	e := m.normals(key, 1, 1, len(mean.Data))
	for i := range mean.Data {
		mean.Data[i] += math.Exp(logVar.Data[i]/2) * e[i]
		logVar.Data[i] = noLogVar
	}
}

// drawWeights makes means [R,C] draws of q(W): Π N(m, s²), or N(m_c, L_c L_cᵀ) for each output c, where lower [C,R,R]
// is the part of L_c below its diagonal s.
func (m *Model) drawWeights(mean, logVar, lower *Parameter, key device.Key) {
	if lower == nil {
		m.drawDiagonal(mean, logVar, key)
		return
	}
	e := m.normals(key, 1, 1, len(mean.Data))
	outputs, rows := lower.Shape[0], lower.Shape[1]
	for c := range outputs {
		for r := range rows {
			at := r*outputs + c
			mean.Data[at] += math.Exp(logVar.Data[at]/2) * e[at]
			for k := range r {
				mean.Data[at] += lower.Data[(c*rows+r)*rows+k] * e[k*outputs+c]
			}
		}
	}
	fill(logVar.Data, noLogVar)
	clear(lower.Data)
}

// addRoot adds S e to means [J,M], where S is [J,M,M] lower, or the diagonals [J,M].
func addRoot(mean, root, e []float64, m int) {
	if len(root) == len(mean) {
		for i := range mean {
			mean[i] += root[i] * e[i]
		}
		return
	}
	for i := range mean {
		first := i / m * m
		for k := range i - first + 1 {
			mean[i] += root[i*m+k] * e[first+k]
		}
	}
}
