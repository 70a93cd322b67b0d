package onnx

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// forward adds model.Model.propagate for scaled rows x [B,D]: outputs h [S,B,C], or their means and variances. A first
// length of 1 stands for all samples.
func (g graph) forward(s *model.Snapshot, x value) (h, variance value) {
	var f value
	if s.GP != nil {
		mean, spread := g.moments(s, x)
		f, variance = g.samples(mean), g.samples(spread)
		if s.GP.Noise != nil {
			f, variance = g.drawn(f, variance, s.GP.Noise, s.S, s.Latents), ""
		}
	}
	h = f
	for l, layer := range s.DRF {
		var parts []value
		if l > 0 {
			parts = append(parts, h)
		}
		if s.GP != nil && (l == 0 || s.FeedForward) {
			parts = append(parts, f)
		}
		if s.FeedForward || s.GP == nil && l == 0 {
			parts = append(parts, g.samples(x))
		}
		h, variance = g.layer(layer, s.S, g.join(parts, s.S))
	}
	if s.Skip {
		h = g.add(h, g.Op("Slice", f, g.Ints(0), g.Ints(s.Outputs), g.Ints(2)))
	}
	return h, variance
}

// samples reshapes x [B,·] to [1,B,·].
func (g graph) samples(x value) value { return g.Op("Unsqueeze", x, g.Ints(0)) }

// drawn returns mean + √variance ε, with ε [S,C] the same for all rows.
func (g graph) drawn(mean, variance value, noise []float64, s, c int) value {
	return g.add(mean, g.mul(g.Op("Sqrt", variance), g.Doubles(noise, s, 1, c)))
}

// join puts columns side by side, also columns that all samples share.
func (g graph) join(parts []value, s int) value {
	if len(parts) > 1 {
		for i, p := range parts {
			parts[i] = g.mul(p, g.Doubles(slices.Repeat([]float64{1}, s), s, 1, 1))
		}
	}
	return g.concat(2, parts)
}

// layer adds one random-feature layer; the variance is nil if its outputs are drawn.
func (g graph) layer(p *model.SnapshotDRF, s int, h value) (out, variance value) {
	if p.VarOmega != nil {
		out, variance = g.featureMoments(p, h)
	} else {
		out, variance = g.features(p, s, h)
	}
	if p.Noise != nil {
		return g.drawn(out, variance, p.Noise, s, p.Out), ""
	}
	return out, variance
}

// features returns Φ W for draws of Ω. If W has a distribution, it returns the mean and the variance over W.
func (g graph) features(p *model.SnapshotDRF, s int, h value) (out, variance value) {
	phase := g.matMul(h, g.draws(p.Omega, s, p.In, p.R))
	var phi value
	switch p.Activation {
	case device.Fourier:
		phi = g.concat(2, []value{g.Op("Cos", phase), g.Op("Sin", phase)})
	case device.ArcCos0:
		phi = g.times(math.Sqrt2, g.double(g.Op("Greater", phase, g.Scalar(0))))
	case device.ArcCos1:
		phi = g.times(math.Sqrt2, g.max(phase, 0))
	default:
		phi = g.times(math.Sqrt2, g.square(g.max(phase, 0)))
	}
	columns := p.R * p.Activation.Columns()
	out = g.times(p.Scale, g.matMul(phi, g.draws(p.W, s, columns, p.Out)))
	if p.VarW != nil {
		variance = g.floored(p.Scale, g.matMul(g.square(phi), g.Doubles(p.VarW, columns, p.Out)))
	}
	return out, variance
}

// draws returns the draws of s samples [s,rows,columns], or [1,rows,columns].
func (g graph) draws(x []float64, s, rows, columns int) value {
	n := len(x) / (rows * columns)
	all := g.Doubles(x, n, rows, columns)
	if n == 1 || n == s {
		return all
	}
	of := make([]int, s)
	for i := range of {
		of[i] = i % n
	}
	return g.Op("Gather", all, g.Ints(of...))
}

// featureMoments returns mean and variance over W and Ω, with the numbers of simd.Integrals: phases are normal, and
// cosines and sines of them have closed moments.
//
//	mean      = √(α/R) Σ_r m_cos E cos + m_sin E sin
//	variance  = α/R Σ_r s²_cos E cos² + s²_sin E sin² + m²_cos Var cos + m²_sin Var sin + 2 m_cos m_sin Cov
//
// A full covariance L Lᵀ of W gives ‖Lᵀμ‖² of the means μ of cosines and sines, and adds its elements for the cosine
// and sine of a frequency to the products of m.
func (g graph) featureMoments(p *model.SnapshotDRF, h value) (mean, variance value) {
	r, n := p.R, p.R*p.Out
	phase := g.matMul(h, g.Doubles(p.Omega, p.In, r))
	q := g.Op("Exp", g.times(-0.5, g.matMul(g.square(h), g.Doubles(p.VarOmega, p.In, r))))
	cos, sin, u := g.Op("Cos", phase), g.Op("Sin", phase), g.square(q)
	mu := g.concat(2, []value{g.mul(q, cos), g.mul(q, sin)})
	mean = g.times(p.Scale, g.matMul(mu, g.Doubles(p.W, 2*r, p.Out)))

	cos2 := g.sub(g.square(cos), g.square(sin))
	sin2 := g.times(2, g.mul(sin, cos))
	lost := g.sub(g.Scalar(1), u)
	cross := g.times(-0.5, g.mul(u, lost))
	parts := []value{
		g.times(0.5, g.mul(g.square(u), cos2)), g.times(0.5, lost),
		g.mul(cross, cos2), g.times(2, g.mul(cross, sin2)),
	}
	weights, base := make([]float64, 4*n), make([]float64, p.Out)
	for i := range n {
		c, s, c2, s2 := p.W[i], p.W[n+i], p.VarW[i], p.VarW[n+i]
		weights[n+i], weights[2*n+i], weights[3*n+i] = c*c+s*s, c*c-s*s, c*s
		if p.L != nil {
			cosines, sines, both := shared(p, i/p.Out, i%p.Out)
			weights[n+i] += cosines + sines
			weights[2*n+i] += cosines - sines
			weights[3*n+i] += both
			continue
		}
		weights[i] = c2 - s2
		base[i%p.Out] += (c2 + s2) / 2
	}
	total := g.matMul(g.concat(2, parts), g.Doubles(weights, 4*r, p.Out))
	if p.L != nil {
		total = g.add(total, g.spread(p, mu))
	} else {
		total = g.add(g.Doubles(base, p.Out), total)
	}
	return mean, g.floored(p.Scale, total)
}

// shared returns the elements of L Lᵀ of an output for a frequency's cosine and sine.
func shared(p *model.SnapshotDRF, r, output int) (cosines, sines, both float64) {
	row := func(i int) []float64 { return p.L[(output*2*p.R+i)*2*p.R:][:2*p.R] }
	cos, sin := row(r), row(p.R+r)
	for k, c := range cos {
		cosines += c * c
		sines += sin[k] * sin[k]
		both += c * sin[k]
	}
	return cosines, sines, both
}

// spread returns ‖Lᵀμ‖² of each output.
func (g graph) spread(p *model.SnapshotDRF, mu value) value {
	columns := 2 * p.R
	var parts []value
	for c := range p.Out {
		l := g.Doubles(p.L[c*columns*columns:][:columns*columns], columns, columns)
		parts = append(parts, g.sum(g.square(g.matMul(mu, l)), 2))
	}
	return g.concat(2, parts)
}

// floored returns a variance over √(α/R), never below device.VarFloor.
func (g graph) floored(scale float64, variance value) value {
	return g.max(g.times(scale*scale, variance), device.VarFloor)
}
