package model

import "github.com/gpdrf/gpdrf-gpu/device"

// inputs are the inputs of rows of the GP layer, in double.
type inputs struct {
	x *device.Tensor // [B,D]; nil where rows are sequences alone
	// [B,I·M], squared distances to X̄ under each map, or 2(1 − A) if solved; nil where there are no sequences
	d      *device.Tensor
	solved bool // SolveRows has replaced the distances of these rows

	// d in Real before it is widened, if it is computed from vectors; nil if it comes from a table
	real *device.Tensor
}

// newRows makes the memory for n rows of the same kind.
func (in *inputs) newRows(s *arena, n int) (rows inputs) {
	if in.x != nil {
		rows.x = s.tensor(device.Double, n, in.x.Dim(1))
	}
	if in.d != nil {
		rows.d = s.tensor(device.Double, n, in.d.Dim(1))
	}
	return rows
}

// gather collects rows of a data set by number.
func (in *inputs) gather(dev device.Device, data *Rows, rows *device.Tensor) {
	if in.x != nil {
		dev.Gather(in.x, data.x, rows)
	}
	if data.d != nil {
		dev.Gather(in.d, data.d, rows)
	}
	in.solved = data.solved
}

// term is the kernel of the GP layer, or one of the two kernels that it is the sum of. Each term has separate
// parameters.
type term interface {
	// bind takes the term's parameters from the flat vector.
	bind(p *Params)
	// needsSlope reports whether the gradient needs another tensor than c.
	needsSlope() bool
	// fixed reports whether c depends on no parameter.
	fixed() bool
	// correlate is k(X̄, x)/α for rows, which may be X̄.
	correlate(g *gpLayer, p *termCorrelations, rows *inputs)
	// backward takes p.dc to the gradients of the term's parameters, and of X̄ if X̄ learns.
	backward(g *gpLayer, p *termCorrelations, rows *inputs)
}

// addTerms reserves the parameters of the terms: the terms between vectors, then the term between sequences.
func (c *Config) addTerms(p *Params) (terms []term) {
	if c.Inputs > 0 {
		kernels, _ := c.vectorKernels() // Validate has seen them
		for i, kernel := range kernels {
			terms = append(terms, newARDTerm(p, c, kernel, i))
		}
	}
	if c.Maps != nil {
		terms = append(terms, newSparseTerm(p, c))
	}
	return terms
}

// correlations are Kuu/α or Kuf/α, with the tensors of the backward pass. For a sum k_j = α_j (ω c₁ + (1−ω) c₂), whose
// terms have the variances α_j ω and α_j (1−ω), they are the mixture of the correlations of both terms.
type correlations struct {
	c, dc *device.Tensor // [K,M,B]
	terms []termCorrelations
}

// termCorrelations are the correlations of a term. If the kernel has one term, c and dc are those of correlations.
type termCorrelations struct {
	c, slope, dc *device.Tensor // [K,M,B]
}

// newCorrelations makes the memory of the correlations between X̄ and n rows.
func (g *gpLayer) newCorrelations(s *arena, k, m, n int) *correlations {
	block := func() *device.Tensor { return s.tensor(device.Double, k, m, n) }
	p := &correlations{c: block(), dc: block()}
	for i, t := range g.terms {
		part := termCorrelations{c: p.c, dc: p.dc}
		if len(g.terms) > 1 {
			part.c = block()
		}
		if i > 0 {
			part.dc = block()
		}
		part.slope = part.c
		if t.needsSlope() {
			part.slope = block()
		}
		p.terms = append(p.terms, part)
	}
	return p
}

// correlate computes k(X̄, x)/α for rows x, which may be X̄ itself.
func (g *gpLayer) correlate(p *correlations, rows *inputs) {
	for i, t := range g.terms {
		t.correlate(g, &p.terms[i], rows)
	}
	if g.logit != nil {
		g.dev.Mix(g.mixArgs(p))
	}
}

func (g *gpLayer) mixArgs(p *correlations) device.MixArgs {
	return device.MixArgs{C: p.c, A: p.terms[0].c, B: p.terms[1].c, Logit: g.logit}
}

// correlateBackward takes p.dc to the gradients of X̄, the parameters of the terms and ω.
func (g *gpLayer) correlateBackward(p *correlations, rows *inputs) {
	if g.logit != nil {
		g.dev.MixBackward(device.MixArgs{C: p.dc, A: p.terms[0].dc, B: p.terms[1].dc, Logit: g.dlogit}, g.mixArgs(p))
	}
	for i, t := range g.terms {
		t.backward(g, &p.terms[i], rows)
	}
}
