package model

import "github.com/gpdrf/gpdrf-gpu/device"

// A batch may be shared by several processes. Each goes through its shards, whose gradients add up to the gradient of
// the batch: the likelihood's terms have the scale N/B of the whole batch already, and the KL terms belong to one of
// the shards. Noise belongs to rows of the data set, so that it is the same on any process.

// Shard is the rows Lo … Hi−1 of a batch.
type Shard struct{ Lo, Hi int }

// Summands returns the tensors that GradientArgs.Sum replaces by their sums over all shards. They are the gradient, in
// double for the GP layer and in Real for the rest, and ell of each chunk of a shard. Report adds up the ell of all
// chunks.
func (m *Model) Summands(ws *Workspace, shard int) (gradient []*device.Tensor, ells *device.Tensor) {
	gp := m.params.gp
	if gp > 0 {
		gradient = append(gradient, m.params.dwide)
	}
	if gp < m.params.total {
		gradient = append(gradient, m.params.Grad.View(gp, m.params.total-gp))
	}
	if ws.ells == nil {
		return gradient, m.slots[slotEll]
	}
	chunks := len(ws.shards[shard])
	return gradient, ws.ells.View(shard*chunks, chunks)
}
