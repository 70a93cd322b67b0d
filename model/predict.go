package model

import (
	"errors"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// The size of a prediction's pass, where the device has the memory.
const (
	predictRows     = 256
	predictPassSize = 8192 // largest number of samples times rows
	predictReserve  = 16   // 1/16 of the free memory is left alone
)

// Predict draws S samples of (W, Ω, F_*) for the rows of data, the same noise for every row: a row's prediction does
// not depend on other rows. A GP with a Gaussian likelihood, and a single layer with W and Ω integrated, need no draws:
// their prediction is one Gaussian, with S = 1.
func (m *Model) Predict(data *Rows, samples int, seed uint64) (*Prediction, error) {
	return m.NewPredictor(data, samples).Predict(seed)
}

// Predictor predicts any number of times. Its memory on the device is made once.
type Predictor struct {
	m       *Model
	samples int
	largest forwardPass
	smaller []forwardPass // by descending size

	first     uint32  // number of the first sample
	noiseRows []int32 // number of the row whose noise each row has [N]; nil: row 0 for all

	// Abandon, where it is not nil, is asked between parts of a prediction: a true answer ends it with ErrAbandoned.
	Abandon func() bool
}

// forwardPass is a pass of a prediction with the memory of its rows.
type forwardPass struct {
	data      *Rows // rows of the pass, or all rows if they are on the device
	workspace *Workspace
	host      []float64 // outputs of the pass [S,B,C]
	rows      []int32   // numbers of its rows in data [B]
}

// ErrAbandoned is the error of a prediction that Abandon has ended.
var ErrAbandoned = errors.New("model: the prediction was abandoned")

// NewPredictor makes the memory that predictions of data with S samples need.
func (m *Model) NewPredictor(data *Rows, samples int) *Predictor {
	if m.predictsOneGaussian() {
		samples = 1
	}
	return &Predictor{m: m, samples: samples, largest: m.newForwardPass(data, samples)}
}

// newForwardPass makes a pass for as many samples and rows of data at once as fit.
func (m *Model) newForwardPass(data *Rows, samples int) forwardPass {
	passSamples, batch := m.predictSize(samples, data)
	return forwardPass{m.withBatch(data, batch), m.NewWorkspace(passSamples, batch),
		make([]float64, passSamples*batch*m.cfg.Outputs), make([]int32, batch)}
}

// passGrowth is the ratio of neighbouring sizes of passes.
const passGrowth = 4

// AddSmallerPasses makes the memory of smaller passes, so that PredictRows takes little time for a few rows.
func (p *Predictor) AddSmallerPasses() {
	for n := p.largest.workspace.B; n > 1; {
		n = (n + passGrowth - 1) / passGrowth
		p.smaller = append(p.smaller, p.m.newForwardPass(p.m.StreamForPrediction(n, nil), p.samples))
	}
}

// passFor returns the smallest pass for n rows, or the next smaller one if at least half of it would be empty.
func (p *Predictor) passFor(n int) forwardPass {
	pass := p.largest
	for _, smaller := range p.smaller {
		if smaller.workspace.B < n && 2*n > pass.workspace.B {
			break
		}
		pass = smaller
	}
	return pass
}

// SolveRows calls Model.SolveRows with the predictor's data.
func (p *Predictor) SolveRows(going func(done int) bool) {
	p.m.SolveRows(p.largest.workspace, p.largest.data, going)
}

// Samples returns S of the predictions. A Poisson likelihood in closed form has several nodes of Gauss–Hermite for each
// sample.
func (p *Predictor) Samples() int {
	if p.m.cfg.takesMoments() && p.m.cfg.Likelihood == PoissonLikelihood {
		return p.samples * gaussHermiteNodes(p.samples)
	}
	return p.samples
}

// predictsOneGaussian reports whether a prediction is one Gaussian.
func (m *Model) predictsOneGaussian() bool { return m.cfg.takesMoments() && m.cfg.hasFixedMoments() }

// moments returns the tensors of the last layer's means and variances, for likelihoods that take them.
func (a *activations) moments() (mean, variance *device.Tensor) {
	if n := len(a.drf); n > 0 {
		return a.out, a.drf[n-1].variance
	}
	return a.gp.mean, a.gp.variance
}

// Predict predicts with the present parameters of the model.
func (p *Predictor) Predict(seed uint64) (*Prediction, error) {
	if err := p.m.Precompute(); err != nil {
		return nil, err
	}
	return p.PredictRows(p.largest.data.N, p.largest.data.from, seed)
}

// PredictRows predicts n rows of the host, as Predict does: x gives the rows lo … hi−1 [hi−lo,Width]. The predictor has
// to be that of StreamForPrediction, and Precompute must have been called.
func (p *Predictor) PredictRows(n int, x func(lo, hi int) []float64, seed uint64) (*Prediction, error) {
	m := p.m
	out := &Prediction{S: p.samples, N: n, C: m.cfg.Outputs, H: make([]float64, p.samples*n*m.cfg.Outputs)}
	if m.cfg.takesMoments() {
		out.Var = make([]float64, len(out.H))
	}
	for next := p.send(0, n, x); next.n > 0; {
		now := next
		p.gather(now)
		ws := now.pass.workspace
		mean, variance := ws.out, (*device.Tensor)(nil)
		if m.cfg.takesMoments() {
			mean, variance = ws.moments()
		}
		for s := 0; s < p.samples; s += ws.S {
			if p.Abandon != nil && p.Abandon() {
				return nil, ErrAbandoned
			}
			m.propagate(&ws.chunks[0],
				draw{seed: seed, step: device.StepNumber{N: predictStep}, sample: p.first + uint32(s)})
			if s == 0 {
				next = p.send(now.first+now.n, n, x) // the upload runs while the device computes
			}
			now.read(m.dev, out, out.H, mean, s)
			if variance != nil {
				now.read(m.dev, out, out.Var, variance, s)
			}
		}
	}
	m.lik.predict(m.lik, out)
	if t := m.cfg.Temperature; t > 0 {
		out.temper(t)
	}
	return out, nil
}

// predictBatch is the rows first … first+n−1 of a prediction, which go through a pass at once.
type predictBatch struct {
	pass     forwardPass
	first, n int
}

// send begins to bring the next batch of n rows from row first on, unless they are on the device.
func (p *Predictor) send(first, n int, x func(lo, hi int) []float64) predictBatch {
	pass := p.passFor(n - first)
	next := predictBatch{pass, first, min(pass.workspace.B, n-first)}
	if next.n > 0 && pass.data.feed != nil {
		uploadInputs(pass.data.feed, pass.data, x(first, first+next.n), 0, next.n)
	}
	return next
}

// gather takes the rows of a batch to its pass. All rows have the noise of row 0, so that only their inputs make them
// differ, unless noiseRows says otherwise.
func (p *Predictor) gather(next predictBatch) {
	pass, ws, at := next.pass, next.pass.workspace, next.first
	if pass.data.feed != nil {
		pass.data.feed.Next()
		at = 0
	}
	for i := range pass.rows {
		pass.rows[i] = int32(at + min(i, next.n-1)) // the last batch is filled up with its last row
	}
	p.m.dev.UploadInts(ws.rows, pass.rows)
	p.m.gather(&ws.chunks[0], pass.data)
	if p.noiseRows == nil {
		p.m.dev.Zero(ws.rows)
		return
	}
	for i := range pass.rows {
		pass.rows[i] = p.noiseRows[next.first+min(i, next.n-1)]
	}
	p.m.dev.UploadInts(ws.rows, pass.rows)
}

// read copies a tensor [S,B,C] of the pass to its place in the numbers [S,N,C] of a prediction, from sample s on.
func (b predictBatch) read(dev device.Device, of *Prediction, numbers []float64, t *device.Tensor, s int) {
	host, ws := b.pass.host, b.pass.workspace
	dev.Download(host, t)
	for i := range min(ws.S, of.S-s) {
		copy(numbers[((s+i)*of.N+b.first)*of.C:][:b.n*of.C], host[i*ws.B*of.C:])
	}
}

// predictSize returns the samples and rows of a pass, at least one each: fewer than usual if the device has no memory
// for more.
func (m *Model) predictSize(samples int, data *Rows) (passSamples, batch int) {
	batch = min(data.N, predictRows)
	passSamples = min(samples, max(1, predictPassSize/max(1, batch)))
	free, known := m.dev.Free()
	for known && m.predictBytes(data, passSamples, batch) > free-free/predictReserve {
		switch {
		case passSamples > 1:
			passSamples = (passSamples + 1) / 2
		case batch > 1:
			batch = (batch + 1) / 2
		default:
			return 1, 1
		}
	}
	return passSamples, batch
}

// predictBytes measures the device memory of a pass of a prediction, in bytes.
func (m *Model) predictBytes(data *Rows, samples, batch int) int64 {
	dev, ledger := m.dev.Dry()
	dry, err := New(dev, m.cfg)
	if err != nil {
		panic("model: a model's own configuration is not valid: " + err.Error())
	}
	if m.gp != nil {
		dry.gp.vectors = m.gp.vectors // only whether there are vectors counts
	}
	before := ledger.Total()
	dry.withBatch(data, batch)
	ws := dry.NewWorkspace(samples, batch)
	if dry.gp != nil {
		dry.gp.factorise()
	}
	dry.spectra()
	dry.propagate(&ws.chunks[0], draw{step: device.StepNumber{N: predictStep}})
	return ledger.Total() - before
}
