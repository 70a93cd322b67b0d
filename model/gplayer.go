package model

import "github.com/gpdrf/gpdrf-gpu/device"

// gpLayer is the first layer: J latent functions f_j ~ GP(0, k_j) (our_P(F), kernel_ard) with the variational density
// q(F̄_j) = N(μ_j, S_j S_jᵀ) on M inducing points X̄ (inf_qF). All of it runs in double.
type gpLayer struct {
	dev    device.Device
	whiten bool

	// Parameters and their gradients, views of the flat vector's double copy.
	logAlpha, dlogAlpha *device.Tensor // [J]
	terms               []term         // one or two terms of the kernel
	logit, dlogit       *device.Tensor // logits of the weights ω of two terms; nil for one term
	xbar                inputs         // X̄
	dxbar               *device.Tensor // [M,D]; nil where X̄ is fixed
	// X̄ under each map, by columns; nil where distances to it are a table
	vectors       []device.Sparse
	qMu, dqMu     *device.Tensor // [J,M]
	qSqrt, dqSqrt *device.Tensor // [J,M,M] lower, or [J,M]
	// qMu and qSqrt, one after the other, in double and in the vector itself
	q, qReal *device.Tensor

	// The rest depends on the parameters alone. If fixed is set, Kuu/α depends on none that learns: L is computed once,
	// and neither has a gradient.
	fixed      bool
	factorised bool           // L belongs to the present X̄, if that is fixed
	kuu        *correlations  // Kuu/α [K,M,M]
	l, dl      *device.Tensor // Cholesky factor of Kuu/α
	jitter     *device.Tensor // [K], a view of the report
	// mean and factor of the whitened q(F̄): the parameters themselves, or results of Whiten
	m, dm *device.Tensor
	s, ds *device.Tensor
}

// gpActivations is the GP layer's state between forward and backward in a pass of B rows.
type gpActivations struct {
	in               inputs         // inputs of B rows
	kuf              *correlations  // Kuf/α [K,M,B]
	a, da            *device.Tensor // L⁻¹ Kuf/α [K,M,B]
	p                *device.Tensor // Sᵀ A [J,M,B], for a full covariance only
	mean, variance   *device.Tensor // a_n, B_n [B,J]
	dmean, dvariance *device.Tensor
}

// gpBlocks are the layer's parameters, and the gradients of L, m and s.
type gpBlocks struct {
	alpha, mix, xbar, mu, sqrt *block
	terms                      []term
	dl, dm, ds                 *block
}

// addGP reserves the layer's parameters.
func (c *Config) addGP(p *Params) *gpBlocks {
	b := &gpBlocks{}
	j, m := c.Latents, c.Inducing
	sqrtShape := []int{j, m, m}
	if c.QCov == Diagonal {
		sqrtShape = []int{j, m}
	}
	b.alpha = p.add(Kernel, GPLogAlpha, shape(j), nil)
	b.terms = c.addTerms(p)
	if len(b.terms) == 2 {
		b.mix = p.add(Kernel, GPMixLogit, shape(c.kernels()), nil)
	}
	if c.Inputs > 0 {
		b.xbar = p.add(InducingPoints, "gp.pseudo_inputs", shape(m, c.Inputs),
			func(s blockStart) { copy(s.dst, s.init.InducingPoints) })
	}
	b.mu = p.add(InducingOutputs, gpMeans, shape(j, m), c.initMeans)
	b.sqrt = p.addSpread(InducingOutputs, gpFactors, sqrtShape, c.initFactors)
	p.gp = p.total // the blocks so far are the GP layer's
	b.dl = p.addSum(c.kernels(), m, m)
	if !c.Whiten {
		b.dm, b.ds = p.addSum(j, m), p.addSum(j, m, m)
	}
	return b
}

// bind makes the layer.
func (b *gpBlocks) bind(dev device.Device, p *Params, c *Config) *gpLayer {
	g := &gpLayer{dev: dev, whiten: c.Whiten, terms: b.terms}
	g.logAlpha, g.dlogAlpha = p.double(b.alpha)
	for _, t := range g.terms {
		t.bind(p)
	}
	g.fixed = len(g.terms) == 1 && g.terms[0].fixed()
	g.logit, g.dlogit = p.double(b.mix)
	memory := &arena{dev: dev}
	g.xbar.x, g.dxbar = p.double(b.xbar)
	if !c.LearnInducing {
		g.dxbar = nil
	}
	k, m := c.kernels(), c.Inducing
	if c.Maps != nil {
		g.xbar.d = memory.tensor(device.Double, m, c.distances())
	}
	g.qMu, g.dqMu = p.double(b.mu)
	g.qSqrt, g.dqSqrt = p.double(b.sqrt)
	q := b.mu.size() + b.sqrt.size()
	g.q, g.qReal = p.wide.View(b.mu.offset, q), p.Value.View(b.mu.offset, q)
	g.kuu = g.newCorrelations(memory, k, m, m)
	g.l, g.dl = dev.New(device.Double, k, m, m), p.gradient(b.dl)
	g.m, g.dm, g.s, g.ds = g.qMu, g.dqMu, g.qSqrt, g.dqSqrt
	if !c.Whiten {
		g.m, g.dm = dev.New(device.Double, c.Latents, m), p.gradient(b.dm)
		g.s, g.ds = dev.New(device.Double, c.Latents, m, m), p.gradient(b.ds)
	}
	return g
}

// initMeans writes the initial means of q(F̄). Latents that are added to the output start at zero, so that the output
// starts as the GP's prior mean.
func (c *Config) initMeans(s blockStart) {
	if c.Model == GPDRF {
		s.normal(s.dst)
		multiply(s.dst, []float64{initQMu})
	}
	if c.Skip {
		clear(s.dst[:c.Outputs*c.Inducing])
	}
}

// initFactors writes the initial standard deviations of q(F̄).
func (c *Config) initFactors(s blockStart) {
	if c.QCov == Diagonal {
		fill(s.dst, initQSqrt)
		return
	}
	for j, n := 0, c.Inducing; j < c.Latents; j++ {
		for i := range n {
			s.dst[(j*n+i)*n+i] = initQSqrt
		}
	}
}

func (g *gpLayer) newActivations(s *arena, batch int) *gpActivations {
	k, m, j := g.l.Dim(0), g.l.Dim(1), g.qMu.Dim(0)
	double := func(shape ...int) *device.Tensor { return s.tensor(device.Double, shape...) }
	p := &gpActivations{
		in:  g.xbar.newRows(s, batch),
		kuf: g.newCorrelations(s, k, m, batch),
		a:   double(k, m, batch), da: double(k, m, batch),
		mean: double(batch, j), variance: double(batch, j),
		dmean: double(batch, j), dvariance: double(batch, j),
	}
	if g.vectors != nil {
		p.in.real = s.tensor(device.Real, batch, p.in.d.Dim(1))
	}
	if g.s.Rank() == 3 {
		p.p = double(j, m, batch)
	}
	return p
}

// factorise computes the layer's tensors that depend on the parameters only: Kuu/α, its factor L, and the whitened
// q(F̄) = N(m, s sᵀ).
func (g *gpLayer) factorise() {
	if !g.factorised {
		g.correlate(g.kuu, &g.xbar)
		g.dev.Potrf(g.l, g.jitter, g.kuu.c)
		g.factorised = g.fixed
	}
	if !g.whiten {
		g.dev.Whiten(g.whitenArgs())
	}
}

// forward computes q(F_n) = N(a_n, B_n) for the rows in p.in (qF_anj, qF_Bnj). With k = α c, Kuu = α L Lᵀ and A = L⁻¹
// Kuf/α the paper's k̄ᵀ K̄⁻¹ μ is √α Aᵀ m and its k − k̄ᵀ K̄⁻¹ k̄ + k̄ᵀ K̄⁻¹ Σ K̄⁻¹ k̄ is α(1 − ‖A‖² + ‖sᵀ A‖²).
func (g *gpLayer) forward(p *gpActivations) {
	g.solve(p)
	g.dev.Moments(g.momentsArgs(p))
}

// solve computes A = L⁻¹ Kuf/α of the rows in p.in.
func (g *gpLayer) solve(p *gpActivations) {
	if p.in.solved {
		g.readSolved(p.a, &p.in)
		return
	}
	g.correlate(p.kuf, &p.in)
	g.dev.Trsm(p.a, g.l, p.kuf.c)
}

// readSolved reads A of rows that SolveRows has solved: the linear kernel makes 1 − d/2 of their d = 2(1 − A).
func (g *gpLayer) readSolved(a *device.Tensor, rows *inputs) {
	g.terms[0].correlate(g, &termCorrelations{c: a}, rows)
}

// backward takes the gradients of the moments to the gradients of parameters, of L and of the whitened q(F̄), and adds
// them.
func (g *gpLayer) backward(p *gpActivations) {
	g.dev.MomentsBackward(device.MomentsArgs{
		Mean: p.dmean, Variance: p.dvariance, A: p.da, QMean: g.dm, QSqrt: g.ds, LogAlpha: g.dlogAlpha,
	}, g.momentsArgs(p))
	if !g.fixed {
		g.dev.TrsmBackward(p.kuf.dc, g.dl, p.da, g.l, p.a)
		g.correlateBackward(p.kuf, &p.in)
	}
}

// factoriseBackward runs the backward pass of factorise, after all rows and klInducing have added to dl, dm and ds.
func (g *gpLayer) factoriseBackward() {
	if !g.whiten {
		g.dev.WhitenBackward(device.WhitenArgs{
			QMean: g.dm, QSqrt: g.ds, L: g.dl, LogAlpha: g.dlogAlpha, Mu: g.dqMu, Sqrt: g.dqSqrt,
		}, g.whitenArgs())
	}
	if !g.fixed {
		g.dev.PotrfBackward(g.kuu.dc, g.dl, g.l)
		g.correlateBackward(g.kuu, &g.xbar)
	}
}

func (g *gpLayer) whitenArgs() device.WhitenArgs {
	return device.WhitenArgs{QMean: g.m, QSqrt: g.s, L: g.l, LogAlpha: g.logAlpha, Mu: g.qMu, Sqrt: g.qSqrt}
}

func (g *gpLayer) momentsArgs(p *gpActivations) device.MomentsArgs {
	return device.MomentsArgs{Mean: p.mean, Variance: p.variance, P: p.p, A: p.a, QMean: g.m, QSqrt: g.s,
		LogAlpha: g.logAlpha}
}

// naturalStep moves q(F̄), in the coordinates of its parameters, with the gradients that factoriseBackward left.
func (g *gpLayer) naturalStep(size device.Scalar) {
	g.dev.NaturalStep(g.qMu, g.qSqrt, g.dqMu, g.dqSqrt, size)
	g.dev.Zero(g.qReal)
	g.dev.NarrowAdd(g.qReal, g.q)
}
