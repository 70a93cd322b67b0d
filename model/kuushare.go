package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Kuu depends on parameters alone, so each of the processes that share a batch would compute it
// whole. Where rows have many columns, that is much of a step. So each process may compute the
// kernels of some latents alone:
//
//	Kuu/α = Σ over processes of what each has, which is 0 for the kernels of others
//	∂/∂Kuu = Σ over processes of the gradients of their rows; each takes that of its kernels to X̄
//	and ℓ, and the sum over gradients that follows gives it to all

// kuuShare is the part of Kuu that this process computes.
type kuuShare struct {
	layer *GPLayer      // of kernels lo … hi−1 alone: views; nil where there are none
	kuu   *correlations // of these kernels: views of the whole
	sum   func(*device.Tensor)
}

// ShareKuu has GradientOf compute kernels lo … hi−1 of Kuu alone, where sum makes a Double tensor
// the sum of those of all processes. SharesKuu says whether a model can.
func (m *Model) ShareKuu(p *Pass, lo, hi int, sum func(*device.Tensor)) {
	p.kuu = &kuuShare{sum: sum}
	if lo < hi {
		p.kuu.layer, p.kuu.kuu = m.gp.part(lo, hi)
	}
}

// SharesKuu are the kernels of Kuu that processes can share, and the columns of X̄ that each goes
// through. Only kernels between vectors can be shared: with others, kernels is 0.
func (m *Model) SharesKuu() (kernels, columns int) {
	if m.gp == nil || m.cfg.Maps != nil {
		return 0, 0
	}
	return m.cfg.kernels(), m.cfg.Inputs
}

// part is the layer with kernels lo … hi−1 alone, as far as correlate and correlateBackward see it.
func (g *GPLayer) part(lo, hi int) (*GPLayer, *correlations) {
	views := map[*device.Tensor]*device.Tensor{nil: nil} // what is one tensor stays one
	rows := func(t *device.Tensor) *device.Tensor {
		if view, seen := views[t]; seen {
			return view
		}
		shape := t.Shape()
		shape[0] = hi - lo
		row := t.Len() / t.Dim(0)
		views[t] = t.View(lo*row, shape...)
		return views[t]
	}
	layer := *g
	layer.logit, layer.dlogit = rows(g.logit), rows(g.dlogit)
	layer.terms = nil
	kuu := &correlations{c: rows(g.kuu.c), dc: rows(g.kuu.dc)}
	for i, t := range g.terms {
		ard := *t.(*ardTerm) // SharesKuu has no others
		ard.logL, ard.dlogL = rows(ard.logL), rows(ard.dlogL)
		layer.terms = append(layer.terms, &ard)
		of := g.kuu.terms[i]
		kuu.terms = append(kuu.terms, termCorrelations{c: rows(of.c), slope: rows(of.slope), dc: rows(of.dc)})
	}
	return &layer, kuu
}

// correlateKuu is Kuu/α, of which share, if not nil, is this process's part.
func (g *GPLayer) correlateKuu(share *kuuShare) {
	if share == nil {
		g.correlate(g.kuu, &g.xbar)
		return
	}
	g.dev.Zero(g.kuu.c)
	if share.layer != nil {
		share.layer.correlate(share.kuu, &g.xbar)
	}
	share.sum(g.kuu.c)
}

// correlateKuuBackward is correlateKuu upside down.
func (g *GPLayer) correlateKuuBackward(share *kuuShare) {
	if share == nil {
		g.correlateBackward(g.kuu, &g.xbar)
		return
	}
	share.sum(g.kuu.dc)
	if share.layer != nil {
		share.layer.correlateBackward(share.kuu, &g.xbar)
	}
}
