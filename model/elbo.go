package model

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// GradientArgs are the arguments of a gradient, except the parameters.
type GradientArgs struct {
	Seed uint64
	Step device.StepNumber // number of the training step, from 1
	// Predictive replaces elbo by the log density of targets under the prediction, which is not a bound
	Predictive bool
	KLWeight   device.Scalar // 1 for the bound; another value is a tempered objective

	Abandon func() bool // reports, between two chunks of a batch, whether to stop; nil never does

	// Sum is called after the gradient of each shard of a pass, and reports whether to continue. It is nil where one
	// shard is the batch.
	Sum func(shard int) (ok bool)
}

// ELBO is the bound's estimate in nats, with its parts.
type ELBO struct {
	Value  float64 // ELL − KLWeight·KL
	ELL    float64 // N/B Σ_b w_b 1/S Σ_s log p: the expected log-likelihood of the whole data set
	KL     float64
	Jitter float64 // the largest jitter that Potrf had to use
}

// Gradient evaluates elbo on the rows of a batch, Workspace.Rows, and writes its gradient into Params.Grad. It first
// computes the terms of the parameters, such as Kuu and the KLs. Then it goes forward, through the likelihood, and
// backward, for the batch or for each chunk of it. The backward pass of the parameters' terms is last. Nothing is read
// back: callers use Report. If Abandon or Sum ends it, done is false, and the gradient and the next Report are invalid.
// Parameters do not change.
func (m *Model) Gradient(ws *Workspace, data *Rows, args GradientArgs) (done bool) {
	for i, chunks := range ws.shards {
		if !m.accumulate(ws, chunks, data, args) {
			return false
		}
		if args.Sum != nil && !args.Sum(i) {
			return false
		}
		args.KLWeight = device.Scalar{} // the first shard has the KL terms
	}
	if m.gp != nil {
		m.dev.NarrowAdd(m.params.gpGrad, m.params.dwide)
	}
	return true
}

// accumulate adds up the gradient over a shard's chunks. The gradient of the GP layer stays in double.
func (m *Model) accumulate(ws *Workspace, chunks []chunk, data *Rows, args GradientArgs) (done bool) {
	m.dev.Zero(m.params.Grad)
	if m.gp != nil {
		m.dev.Widen(m.params.wide, m.params.gpValue)
		m.dev.Zero(m.params.sums)
	}
	d := draw{seed: args.Seed, step: args.Step}
	if m.gp != nil {
		m.gp.factorise()
	}
	m.spectra()
	m.kl(args.KLWeight)
	for i := range chunks {
		if i > 0 && args.Abandon != nil && args.Abandon() {
			return false
		}
		chunk := &chunks[i]
		m.gather(chunk, data)
		m.propagate(chunk, d)
		m.expectedLogLik(chunk, float64(data.N)/float64(ws.B), ws.S, args.Predictive)
		m.backward(chunk, d)
	}
	for _, layer := range m.drf { // all rows have added to the gradients of its spectra
		layer.spectraBackward()
	}
	if m.gp != nil {
		m.gp.factoriseBackward()
	}
	m.last = ws
	return true
}

// spectra computes the quantities of integrated layers that depend on their parameters alone.
func (m *Model) spectra() {
	for _, layer := range m.drf {
		layer.spectra()
	}
}

// NaturalStep moves q(F̄) by size along the natural gradient of the last Gradient's bound, in place of Adam (Salimbeni,
// Eleftheriadis and Hensman 2018). A model without a GP layer has no natural steps.
func (m *Model) NaturalStep(size device.Scalar) {
	if m.gp != nil {
		m.gp.naturalStep(size)
	}
}

// gather collects the rows of a chunk, by number or by their place in a batch.
func (m *Model) gather(chunk *chunk, data *Rows) {
	rows := chunk.rows
	if data.batches != nil {
		rows = data.batches.places.View(chunk.first, chunk.b)
	}
	if chunk.x != nil {
		m.dev.Gather(chunk.x, data.x, rows)
	}
	if chunk.gp != nil {
		chunk.gp.in.gather(m.dev, data, rows)
		if data.vectors != nil {
			m.distances(&chunk.gp.in, data, rows)
		}
	}
	for _, t := range [...]struct{ dst, src *device.Tensor }{{chunk.y.Numbers, data.y.Numbers},
		{chunk.y.Labels, data.y.Labels}, {chunk.y.Weight, data.y.Weight}, {chunk.y.Offset, data.y.Offset}} {
		if t.src != nil {
			m.dev.Gather(t.dst, t.src, rows)
		}
	}
}

// propagate computes G(F) = g^{L−1}(… g⁰(F)) (rfdnn_fwd) on S samples of F, W and Ω. Where the likelihood has a closed
// form over the last layer's outputs, no sample of these is drawn.
func (m *Model) propagate(chunk *chunk, d draw) {
	if m.gp != nil {
		m.gp.forward(chunk.gp)
		if m.samplesF() {
			m.dev.SampleF(chunk.f, chunk.gp.mean, chunk.gp.variance, chunk.rows, m.cfg.latents(d))
		}
	}
	for l, layer := range m.drf {
		chunk.drf[l].noise = m.cfg.features(d, l)
		layer.forward(chunk.drf[l], chunk.rows)
	}
	if m.cfg.Skip {
		m.dev.AddColumns(chunk.out, chunk.f)
	}
}

// samplesF reports whether F is drawn, or only its moments are used.
func (m *Model) samplesF() bool { return !m.cfg.takesMoments() || len(m.drf) > 0 }

// expectedLogLik computes Σ_b E_q log p(y_b | G(F_b)) (ell_n), by ell_n_estim or in closed form; or Σ_b log E_q p(y_b |
// G(F_b)), given the samples of F. Row b counts as w_b rows. The scale N/B is applied here, once, to every gradient.
func (m *Model) expectedLogLik(chunk *chunk, scale float64, samples int, predictive bool) {
	g := device.LikelihoodArgs{H: chunk.dh}
	a := device.LikelihoodArgs{H: chunk.out, Y: chunk.y.tensor(), Weight: chunk.y.Weight, Offset: chunk.y.Offset}
	if !m.cfg.takesMoments() {
		m.lik.evaluate(m.lik.logLik, chunk.ell, g, a, scale/float64(samples))
		return
	}
	if last := len(chunk.drf) - 1; last < 0 {
		g.H, g.Variance = chunk.gp.dmean, chunk.gp.dvariance
		a.H, a.Variance = chunk.gp.mean, chunk.gp.variance
	} else {
		g.Variance = chunk.drf[last].dvariance
		a.Variance = chunk.drf[last].variance
		scale /= float64(samples)
	}
	op := m.lik.expected
	if predictive {
		op = m.lik.density
	}
	m.lik.evaluate(op, chunk.ell, g, a, scale)
}

// kl computes KL(q(W,Ω,F̄) ‖ P(W,Ω,F̄)) of elbo, term by term.
func (m *Model) kl(weight device.Scalar) {
	if m.gp != nil {
		m.gp.klInducing(m.slots[slotInducing], weight)
	}
	for l, layer := range m.drf {
		layer.klWeights(m.slots[slotLayers+2*l], weight)
		layer.klSpectra(m.slots[slotLayers+2*l+1], weight)
		layer.klLower(m.slots[slotLayers+2*len(m.drf)], weight)
	}
}

// backward runs the backward pass of propagate.
func (m *Model) backward(chunk *chunk, d draw) {
	if m.gp != nil && len(m.drf) > 0 && chunk.drf[0].parts != nil {
		m.dev.Zero(chunk.df) // without DRF layers below, the first layer writes df
	}
	for l := len(m.drf) - 1; l >= 0; l-- {
		if l > 0 && chunk.drf[l].parts != nil {
			m.dev.Zero(chunk.drf[l-1].dout)
		}
		m.drf[l].backward(chunk.drf[l], chunk.rows)
	}
	if m.cfg.Skip {
		m.dev.AddColumns(chunk.df, chunk.dh)
	}
	if m.gp == nil {
		return
	}
	if m.samplesF() {
		m.dev.SampleFBackward(chunk.gp.dmean, chunk.gp.dvariance, chunk.df, chunk.gp.variance, chunk.rows,
			m.cfg.latents(d))
	}
	m.gp.backward(chunk.gp)
}

// ReadELBO reads the last evaluation's numbers from the device. It returns the errors of the evaluation: a kernel
// matrix that could not be factorised, or a bound that is not finite.
func (m *Model) ReadELBO(klWeight float64) (ELBO, error) {
	m.dev.Download(m.host, m.report)
	scalars := len(m.slots)
	if err := device.CheckJitter(m.host[scalars:]); err != nil {
		return ELBO{}, err
	}
	e := ELBO{ELL: m.host[slotEll]}
	if m.last != nil && m.last.ells != nil {
		m.dev.Download(m.last.host, m.last.ells)
		e.ELL = 0
		for _, ell := range m.last.host {
			e.ELL += ell
		}
	}
	for _, kl := range m.host[slotInducing:scalars] {
		e.KL += kl
	}
	for _, j := range m.host[scalars:] {
		e.Jitter = max(e.Jitter, j)
	}
	e.Value = e.ELL - klWeight*e.KL
	if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
		return e, &NotFiniteError{ELL: e.ELL, KL: e.KL}
	}
	return e, nil
}

// NotFiniteError reports that the bound became NaN or infinite.
type NotFiniteError struct{ ELL, KL float64 }

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("the bound is not finite (expected log-likelihood %g, KL %g): lower the learning "+
		"rate, or try the device cpu:f64", e.ELL, e.KL)
}
