package onnx

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// moments returns a_n and B_n of the GP layer [B,J], for scaled rows x [B,D]. This is model.gpLayer.forward: A = L⁻¹
// Kuf/α, a = √α Aᵀm and B = α(1 − ‖A‖² + ‖sᵀA‖²).
func (g graph) moments(s *model.Snapshot, x value) (mean, variance value) {
	p, j, m := s.GP, s.Latents, s.Inducing
	c := g.correlations(s, x)
	a := g.matMul(g.Doubles(inverse(p.L, p.K, m), p.K, m, m), c) // [K,M,B]
	roots := make([]float64, j)
	for i, v := range p.Alpha {
		roots[i] = math.Sqrt(v)
	}
	// both moments are [J,1,B]
	mean = g.mul(g.Doubles(roots, j, 1, 1), g.matMul(g.Doubles(p.M, j, 1, m), a))
	var gain value // ‖sᵀA‖² − ‖A‖² [J,1,B]
	if s.QCov == model.Diagonal {
		excess := make([]float64, len(p.S))
		for i, v := range p.S {
			excess[i] = v*v - 1
		}
		gain = g.matMul(g.Doubles(excess, j, 1, m), g.square(a))
	} else {
		root := g.transpose(g.Doubles(p.S, j, m, m), 0, 2, 1)
		gain = g.sub(g.sum(g.square(g.matMul(root, a)), 1), g.sum(g.square(a), 1))
	}
	variance = g.max(g.mul(g.Doubles(p.Alpha, j, 1, 1), g.add(g.Scalar(1), gain)), device.VarFloor)
	rows := func(v value) value { return g.transpose(g.Op("Squeeze", v, g.Ints(1)), 1, 0) }
	return rows(mean), rows(variance)
}

// correlations returns Kuf/α [K,M,B].
func (g graph) correlations(s *model.Snapshot, x value) value {
	p := s.GP
	var terms []value
	for _, k := range p.Kernels {
		terms = append(terms, g.correlation(k.Form, g.distances(p, k.LengthScales, s.Inducing, s.Inputs, x)))
	}
	if p.Mix == nil {
		return terms[0]
	}
	return g.add(terms[1], g.mul(g.Doubles(p.Mix, p.K, 1, 1), g.sub(terms[0], terms[1])))
}

// distances returns r² = ‖z‖² + ‖x‖² − 2⟨z, x⟩ over ℓ² [K,M,B].
func (g graph) distances(p *model.SnapshotGP, length []float64, m, d int, x value) value {
	inverse2 := make([]float64, len(length))
	points := make([]float64, p.K*m*d)
	norms := make([]float64, p.K*m)
	for i, v := range length {
		inverse2[i] = 1 / (v * v)
	}
	for k := range p.K {
		for i := range m {
			for c := range d {
				z, at := p.Inducing[i*d+c], (k*m+i)*d+c
				points[at] = z * inverse2[k*d+c]
				norms[k*m+i] += z * points[at]
			}
		}
	}
	columns := g.transpose(x, 1, 0) // [D,B]
	own := g.matMul(g.Doubles(inverse2, p.K, 1, d), g.square(columns))
	products := g.matMul(g.Doubles(points, p.K, m, d), columns)
	return g.max(g.sub(g.add(g.Doubles(norms, p.K, m, 1), own), g.times(2, products)), 0)
}

// correlation returns the kernel's c(r²), as device.Correlation has it.
func (g graph) correlation(form device.Correlation, r2 value) value {
	if form == device.RBF {
		return g.Op("Exp", g.times(-0.5, r2))
	}
	t := g.Op("Sqrt", g.times(float64(form.TwiceNu()), r2))
	e := g.Op("Exp", g.Op("Neg", t))
	switch form {
	case device.Matern12:
		return e
	case device.Matern32:
		return g.mul(g.add(g.Scalar(1), t), e)
	}
	return g.mul(g.add(g.add(g.Scalar(1), t), g.times(1./3, g.square(t))), e)
}

// inverse returns the inverses of n lower triangles [n,m,m].
func inverse(l []float64, n, m int) []float64 {
	out := make([]float64, len(l))
	for ; n > 0; n-- {
		a, b := l[(n-1)*m*m:], out[(n-1)*m*m:]
		for c := range m {
			for i := c; i < m; i++ {
				sum := 0.0
				if i == c {
					sum = 1
				}
				for k := c; k < i; k++ {
					sum -= a[i*m+k] * b[k*m+c]
				}
				b[i*m+c] = sum / a[i*m+i]
			}
		}
	}
	return out
}
