package model

import "github.com/gpdrf/gpdrf-gpu/device"

// A batch may be shared by several processes. Each goes through its shards, whose gradients add up
// to that of the batch: the likelihood's terms have the scale N/B of the whole batch already, and
// the KL terms belong to one of the shards. Noise belongs to rows of the data set, so that it is
// the same on any process.

// Shard is the rows Lo … Hi−1 of a batch.
type Shard struct{ Lo, Hi int }

// NewPassOfShards makes a pass through some shards of a batch, of lengths that differ by a row at
// most, at most so many rows at once. Other passes have the rest.
func (m *Model) NewPassOfShards(samples, batch, most int, shards []Shard) *Pass {
	p := m.newPass(samples, batch, most, shards)
	p.shared = true
	return p
}

// GradientOf is Gradient of one shard of a pass; step.KLWeight is 0 for all shards of a batch but
// one. Params.ReadGradient has it, and Params.Grad does not yet.
func (m *Model) GradientOf(p *Pass, shard int, data *Data, step Step) {
	m.accumulate(p, p.shards[shard], data, step)
}

// ReadGradient reads what GradientOf has left: the gradient [P], before it is rounded to real, and
// the shard's part of ell.
func (m *Model) ReadGradient(p *Pass, shard int, into []float64) (ell float64) {
	gp := m.params.gp
	if gp > 0 {
		m.dev.Download(into[:gp], m.params.dwide)
	}
	if gp < m.params.total {
		m.dev.Download(into[gp:], m.params.Grad.View(gp, m.params.total-gp))
	}
	one := m.host[:1]
	for _, part := range p.shards[shard] {
		m.dev.Download(one, part.ell)
		ell += one[0]
	}
	return ell
}

// WriteGradient puts the sums over all shards in the place of what GradientOf has left: the
// gradient [P], and ell, which the next Report takes. Narrow must follow.
func (m *Model) WriteGradient(p *Pass, sum []float64, ell float64) {
	gp := m.params.gp
	if gp > 0 {
		m.dev.Upload(m.params.dwide, sum[:gp])
	}
	if gp < m.params.total {
		m.dev.Upload(m.params.Grad.View(gp, m.params.total-gp), sum[gp:])
	}
	p.SetEll(ell)
}

// SetEll says what the shards of all processes come to, for the next Report.
func (p *Pass) SetEll(ell float64) { p.ell = ell }

// Unrounded are the tensors of what GradientOf leaves: the gradient before it is rounded to real,
// and each part of a shard's ell, Double [1].
func (m *Model) Unrounded(p *Pass, shard int) (gradient, ells []*device.Tensor) {
	gp := m.params.gp
	if gp > 0 {
		gradient = append(gradient, m.params.dwide)
	}
	if gp < m.params.total {
		gradient = append(gradient, m.params.Grad.View(gp, m.params.total-gp))
	}
	for _, part := range p.shards[shard] {
		ells = append(ells, part.ell)
	}
	return gradient, ells
}
