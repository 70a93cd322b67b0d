package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// sparseTerm is the kernel between sequences, c_k = Σ_i ω_ki f_i(d_i) of their squared distances d_i under I feature
// maps, with f = exp(−d/2σ_ki²) or 1 − d/2. The paper gives each map an α_i and a σ_i: for latent function j they are
// α_j ω_ji and σ_ji.
type sparseTerm struct {
	linear              []bool // kernels that are MapLinear [I]
	mix, sigma          *block
	logits, dlogits     *device.Tensor // [K,I]: ω is their softmax
	logSigma, dlogSigma *device.Tensor // [K,I]
}

// newSparseTerm reserves ω and σ.
func newSparseTerm(p *Params, c *Config) *sparseTerm {
	t := &sparseTerm{}
	for _, m := range c.Maps {
		t.linear = append(t.linear, m == MapLinear)
	}
	t.mix = p.add(Kernel, GPMapLogit, shape(c.kernels(), len(c.Maps)), nil)
	t.sigma = p.add(Kernel, GPLogSigma, shape(c.kernels(), len(c.Maps)),
		func(s blockStart) {
			for i := range s.dst {
				s.dst[i] = math.Log(s.init.Sigma[i%len(s.init.Sigma)])
			}
			spreadOver(s.dst, c.kernels(), s.normal)
		})
	return t
}

func (t *sparseTerm) bind(p *Params) {
	t.logits, t.dlogits = p.double(t.mix)
	t.logSigma, t.dlogSigma = p.double(t.sigma)
}

func (t *sparseTerm) needsSlope() bool { return false }

// fixed reports whether the kernel is of one linear map: it has no σ, ω is 1, and sequences do not move.
func (t *sparseTerm) fixed() bool { return len(t.linear) == 1 && t.linear[0] }

func (t *sparseTerm) correlate(g *gpLayer, p *termCorrelations, rows *inputs) {
	g.dev.SparseBlock(t.args(p, rows))
}

func (t *sparseTerm) backward(g *gpLayer, p *termCorrelations, rows *inputs) {
	g.dev.SparseBlockBackward(device.SparseBlockArgs{C: p.dc, Logits: t.dlogits, LogSigma: t.dlogSigma},
		t.args(p, rows))
}

func (t *sparseTerm) args(p *termCorrelations, rows *inputs) device.SparseBlockArgs {
	return device.SparseBlockArgs{C: p.c, D: rows.d, Logits: t.logits, LogSigma: t.logSigma, Linear: t.linear}
}
