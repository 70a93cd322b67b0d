//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// whitenState is scratch of WhitenBackward.
type whitenState struct {
	partial scratch // [blocks of M, J]: parts of dlogα
	u       scratch // [J,M]: L⁻ᵀdm
	v       scratch // [J,M,M]: the lower triangle of L⁻ᵀds
}

// kernelStride returns the stride from latent to latent, 0 if all latents share one kernel.
func kernelStride(n device.QShape, stride int) int {
	if n.K == 1 {
		return 0
	}
	return stride
}

// overLatents makes a product sum over the latents of each kernel. They are terms if they share a kernel, and else
// matrices of the batch. step is the distance of latents in a and b.
func (p product) overLatents(n device.QShape) product {
	p.batch = n.K
	if n.K == 1 {
		p.terms, p.a.term, p.b.term = n.J, p.a.step, p.b.step
	}
	return p
}

// Whiten takes q(F̄_j) as inf_qF writes it to m_j = L⁻¹ μ_j/√α_j and s_j = L⁻¹ S_j/√α_j.
func (d *Device) Whiten(a device.WhitenArgs) {
	n := device.CheckWhiten("Whiten", a)
	square := n.M * n.M
	x := d.invert(a.L, n.K, n.M)
	x.step = kernelStride(n, square)
	d.double.launch("whiten_mean", cuda.Grid{X: blocksOf(n.M, 8), Y: n.J, Z: 1}, 0,
		cuda.Int(n.M), cuda.Int(x.step), d.ptr(a.QMean), x.at, d.ptr(a.LogAlpha), d.ptr(a.Mu))
	if n.Diagonal {
		d.double.launch("whiten_diagonal", d.double.over("whiten_diagonal", n.J*square), 0, cuda.Int(n.J*square),
			cuda.Int(n.M), cuda.Int(x.step), d.ptr(a.QSqrt), x.at, d.ptr(a.LogAlpha), d.ptr(a.Sqrt))
		return
	}
	d.gemm(product{
		m: n.M, n: n.M, k: n.M, batch: n.J, alpha: 1, logs: d.ptr(a.LogAlpha), power: -0.5,
		a: x,
		b: matrix{at: d.ptr(a.Sqrt), ld: n.M, step: square, lower: true},
		c: matrix{at: d.ptr(a.QSqrt), ld: n.M, step: square},
	})
}

// WhitenBackward accumulates g.Mu, g.Sqrt, g.L and g.LogAlpha. It does not change g.QMean and g.QSqrt.
func (d *Device) WhitenBackward(g, a device.WhitenArgs) {
	n := device.CheckWhitenBackward(g, a)
	t := &d.state.whiten
	square, rows := n.M*n.M, blocksOf(n.M, 8)
	partial, u, v := d.growDoubles(&t.partial, rows*n.J), d.growDoubles(&t.u, n.J*n.M), d.growDoubles(&t.v, n.J*square)
	d.double.launch("whiten_alpha", cuda.Grid{X: rows, Y: n.J, Z: 1}, 0,
		cuda.Int(n.M), partial, d.ptr(g.QMean), d.ptr(a.QMean), d.ptr(g.QSqrt), d.ptr(a.QSqrt))
	d.double.foldRows(d.ptr(g.LogAlpha), partial, n.J, rows, true, -0.5)

	x := d.invert(a.L, n.K, n.M)
	x.step = kernelStride(n, square)
	d.double.launch("whiten_mean_backward", cuda.Grid{X: blocksOf(n.M, 32), Y: n.J, Z: 1}, 0,
		cuda.Int(n.M), cuda.Int(x.step), d.ptr(g.Mu), u, x.at, d.ptr(a.LogAlpha), d.ptr(g.QMean))
	solved := matrix{at: v, ld: n.M, step: square, lower: true}
	d.gemm(product{
		m: n.M, n: n.M, k: n.M, batch: n.J, alpha: 1,
		a: x.transpose(),
		b: matrix{at: d.ptr(g.QSqrt), ld: n.M, step: square, lower: true},
		c: solved, part: lower,
	})
	elements, diagonal := n.J*square, 0
	if n.Diagonal {
		elements, diagonal = n.J*n.M, 1
	}
	d.double.launch("whiten_factor_backward", d.double.over("whiten_factor_backward", elements), 0,
		cuda.Int(elements), cuda.Int(n.M), cuda.Int(diagonal), d.ptr(g.Sqrt), v, d.ptr(a.LogAlpha))

	gradient := matrix{at: d.ptr(g.L), ld: n.M, step: square}
	d.gemm(product{
		m: n.M, n: n.M, k: n.M, alpha: -1, beta: 1,
		a: solved,
		b: matrix{at: d.ptr(a.QSqrt), ld: n.M, step: square, lower: true, transposed: true},
		c: gradient, part: lower,
	}.overLatents(n))
	d.gemm(product{
		m: n.M, n: n.M, k: n.J / n.K, batch: n.K, alpha: -1, beta: 1,
		a: matrix{at: u, ld: n.M, step: n.M, transposed: true},
		b: matrix{at: d.ptr(a.QMean), ld: n.M, step: n.M},
		c: gradient, part: lower,
	})
}
