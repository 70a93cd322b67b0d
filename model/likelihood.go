package model

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// likelihood is our_lik, p(y | h, θ_l), with its parameters.
type likelihood struct {
	dev device.Device
	likelihoodOps
	params, grads device.LikelihoodArgs // θ_l and its gradients: some of LogVar, LogRate, Tail and Cuts
	// A constant b_c for each output of a classifier, which learns with the rest and has no prior: p(y | h + b). The
	// latent functions have mean zero, so that without b a row unlike all of training has the same probability of each
	// class. nil for other likelihoods
	bias, dbias *device.Tensor // [C]
}

// likelihoodOps are the operations of a likelihood. Their arguments and gradients lack the parameters, which the
// Likelihood adds.
type likelihoodOps struct {
	logLik   likelihoodOp // (1/S) Σ_s log p(y | h⁽ˢ⁾) (ell_n_estim), summed over a batch
	expected likelihoodOp // E_q log p(y | F) (ell_n), in closed form over a Gaussian F; or nil
	density  likelihoodOp // log E_q p(y | F), mixed with expected; or nil
	// predict turns the outputs in p.H into the components of the predictive mixture.
	predict func(l *likelihood, p *Prediction)
}

// likelihoodOp is an operation of device.Likelihoods.
type likelihoodOp func(dev device.Device, ell *device.Tensor, g, a device.LikelihoodArgs, scale float64)

// opsOf returns the operations of a likelihood by its name:
//
//	gaussian           p(y | h) = N(y; h, σ²)
//	student-t          t_ν((y − h)/σ)/σ with ν = 2 + exp tail: above 2, so that there is a variance
//	heteroscedastic    N(y; h, σ² exp h') with a second output h' for each target
//	softmax            exp(h_c + b_c)/Σ exp(h + b)
//	bernoulli          p(y = 1 | h) = 1/(1 + exp −(h + b))
//	poisson            exp(y f − exp f)/y! of a count y with the log rate f = h + b + offset
//	negative-binomial  the same rate λ with variance λ + δλ², δ = DispersionFloor + exp tail
//	ordinal            p(y = k | h) = Φ(κ_k+1 − h) − Φ(κ_k − h)
func opsOf(name string) likelihoodOps {
	type d = device.Device
	return map[string]likelihoodOps{
		GaussianLikelihood: {d.GaussianLogLik, d.GaussianExpected, d.GaussianPredictive,
			(*likelihood).predictGaussian},
		StudentLikelihood:          {d.StudentLogLik, nil, nil, (*likelihood).predictStudent},
		HeteroscedasticLikelihood:  {d.HeteroscedasticLogLik, nil, nil, (*likelihood).predictHeteroscedastic},
		SoftmaxLikelihood:          {d.SoftmaxLogLik, nil, nil, (*likelihood).predictSoftmax},
		BernoulliLikelihood:        {d.BernoulliLogLik, nil, nil, (*likelihood).predictBernoulli},
		PoissonLikelihood:          {d.PoissonLogLik, d.PoissonExpected, nil, (*likelihood).predictCounts},
		NegativeBinomialLikelihood: {d.NegativeBinomialLogLik, nil, nil, (*likelihood).predictCounts},
		OrdinalLikelihood:          {d.OrdinalLogLik, nil, nil, (*likelihood).predictOrdinal},
	}[name]
}

// evaluate computes an operation with its gradients. It overwrites H.
func (l *likelihood) evaluate(op likelihoodOp, ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	if l.bias != nil {
		l.dev.AddBias(a.H, l.bias)
	}
	a.LogVar, a.LogRate, a.Tail, a.Cuts = l.params.LogVar, l.params.LogRate, l.params.Tail, l.params.Cuts
	g.LogVar, g.LogRate, g.Tail, g.Cuts = l.grads.LogVar, l.grads.LogRate, l.grads.Tail, l.grads.Cuts
	op(l.dev, ell, g, a, scale)
	if l.bias != nil {
		l.dev.AddBiasBackward(l.dbias, g.H)
	}
}

// HasPredictive reports whether there is a predictive objective: the likelihood takes moments of the outputs, and no
// draws.
func (c *Config) HasPredictive() bool {
	return c.Likelihood == GaussianLikelihood && c.takesMoments()
}

// Targets are a batch's y: numbers [B,C] or class labels [B]. With them are the weights of its rows and the offsets of
// their log rates, [B,1] each, or nil.
type Targets struct {
	Numbers, Labels *device.Tensor
	Weight, Offset  *device.Tensor
}

// tensor returns the tensor of the targets: numbers or labels.
func (t *Targets) tensor() *device.Tensor {
	if t.Labels != nil {
		return t.Labels
	}
	return t.Numbers
}

// likelihoodBlocks are the parameters of a likelihood; nil for parameters that it does not have.
type likelihoodBlocks struct{ logVar, logRate, tail, cuts, bias *block }

// addLikelihood reserves the parameters of the chosen likelihood.
func (c *Config) addLikelihood(p *Params) *likelihoodBlocks {
	b := &likelihoodBlocks{}
	add := func(role Role, name string, n int, at initializer) *block {
		return p.add(role, "likelihood."+name, shape(n), at)
	}
	switch {
	case c.Likelihood == OrdinalLikelihood:
		b.cuts = add(Kernel, "cuts", c.Levels-1, func(s blockStart) { initCuts(s.dst, s.init.ClassRows) })
	case c.ClassOffsets:
		b.bias = add(Kernel, "offset", c.Outputs, func(s blockStart) { initOffsets(s.dst, s.init.ClassRows) })
	case IsCountLikelihood(c.Likelihood):
		b.logRate = add(Kernel, "log_rate", c.Outputs, func(s blockStart) { copy(s.dst, s.init.LogRate) })
	case !c.classifies():
		b.logVar = add(Kernel, "log_variance", c.targets(),
			func(s blockStart) { fill(s.dst, math.Log(s.init.NoiseVariance)) })
	}
	switch c.Likelihood {
	case StudentLikelihood:
		b.tail = add(Tail, "log_tail", 1, func(s blockStart) { fill(s.dst, math.Log(s.init.DoF-2)) })
	case NegativeBinomialLikelihood:
		b.tail = add(Kernel, "log_dispersion", 1, constant(math.Log(initDispersion)))
	}
	return b
}

// bind makes the likelihood.
func (b *likelihoodBlocks) bind(dev device.Device, p *Params, c *Config) *likelihood {
	l := &likelihood{dev: dev, likelihoodOps: opsOf(c.Likelihood)}
	l.params.LogVar, l.grads.LogVar = p.real(b.logVar)
	l.params.LogRate, l.grads.LogRate = p.real(b.logRate)
	l.params.Tail, l.grads.Tail = p.real(b.tail)
	l.params.Cuts, l.grads.Cuts = p.real(b.cuts)
	l.bias, l.dbias = p.real(b.bias)
	return l
}

// variances returns σ² [C], read from the device.
func (l *likelihood) variances() []float64 { return exponentials(l.dev, l.params.LogVar) }

// degrees returns ν of Student's t, read from the device; 0 for other likelihoods.
func (l *likelihood) degrees() float64 {
	if l.params.LogVar == nil || l.params.Tail == nil {
		return 0
	}
	return 2 + exponentials(l.dev, l.params.Tail)[0]
}

// dispersion returns δ of a negative binomial, read from the device; 0 for other likelihoods.
func (l *likelihood) dispersion() float64 {
	if l.params.LogRate == nil || l.params.Tail == nil {
		return 0
	}
	return device.DispersionFloor + exponentials(l.dev, l.params.Tail)[0]
}

// cutPoints returns κ_1 … κ_K−1 of an ordinal likelihood, read from the device; nil for other likelihoods.
func (l *likelihood) cutPoints() []float64 {
	if l.params.Cuts == nil {
		return nil
	}
	return device.CutPoints(numbers(l.dev, l.params.Cuts))
}

// predictGaussian adds σ² to the variance of each component.
func (l *likelihood) predictGaussian(p *Prediction) {
	p.Noise = slices.Repeat(l.variances(), p.N)
	if p.Var == nil {
		p.Var = make([]float64, p.N*p.C)
	}
	for i := range p.Var {
		p.Var[i] += p.Noise[i%len(p.Noise)]
	}
}

// predictStudent makes components of Student's t, whose variance is σ² ν/(ν − 2).
func (l *likelihood) predictStudent(p *Prediction) {
	dof := l.degrees()
	p.DoF = slices.Repeat([]float64{dof}, p.S)
	p.Var = slices.Repeat(l.variances(), p.N)
	p.Noise = slices.Clone(p.Var)
	scale(p.Noise, dof/(dof-2))
}

// predictHeteroscedastic makes components with different variances.
func (l *likelihood) predictHeteroscedastic(p *Prediction) {
	c := p.C / 2
	base := numbers(l.dev, l.params.LogVar)
	means := make([]float64, p.S*p.N*c)
	p.Var = make([]float64, len(means))
	for row := range p.S * p.N {
		for i := range c {
			means[row*c+i] = p.H[row*2*c+i]
			p.Var[row*c+i] = max(device.VarFloor, math.Exp(base[i]+p.H[row*2*c+c+i]))
		}
	}
	p.H, p.C = means, c
}

// predictSoftmax turns the outputs into logits.
func (l *likelihood) predictSoftmax(p *Prediction) { p.add(numbers(l.dev, l.bias)) }

// predictBernoulli makes the logits of a softmax over two classes: 0 and h + b.
func (l *likelihood) predictBernoulli(p *Prediction) {
	l.predictSoftmax(p)
	both := make([]float64, 2*len(p.H))
	for i, h := range p.H {
		both[2*i+1] = h
	}
	p.H, p.C = both, 2
}

// predictCounts makes components of log rates, with their dispersion. A normal density of log rates becomes several
// components, at the nodes of Gauss–Hermite.
func (l *likelihood) predictCounts(p *Prediction) {
	if p.Var != nil {
		p.expandHermite()
	}
	p.add(numbers(l.dev, l.params.LogRate))
	p.Dispersion = slices.Repeat([]float64{l.dispersion()}, p.S)
}

// predictOrdinal turns the outputs into log probabilities of the K levels, which are logits of a softmax.
func (l *likelihood) predictOrdinal(p *Prediction) {
	cuts := l.cutPoints()
	levels := make([]float64, 0, len(p.H)*(len(cuts)+1))
	for _, h := range p.H {
		lower := math.Inf(-1)
		for _, upper := range append(cuts, math.Inf(1)) {
			levels = append(levels, device.LogProbit(lower-h, upper-h))
			lower = upper
		}
	}
	p.H, p.C = levels, len(cuts)+1
}
