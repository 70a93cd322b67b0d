//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// whitenState is scratch of WhitenBackward.
type whitenState struct {
	partial scratch // [blocks of M, J]: the parts of dlogα
	u       scratch // [J,M]: L⁻ᵀdm
	v       scratch // [J,M,M]: the lower triangle of L⁻ᵀds
}

// shared is a step from latent to latent that is 0 where all latents share one kernel.
func shared(n device.QShape, step int) int {
	if n.K == 1 {
		return 0
	}
	return step
}

// overLatents makes a product sum over the latents of each kernel: terms if they share one, or
// else each is one of the batch. step is from latent to latent, of a and b.
func (p product) overLatents(n device.QShape) product {
	p.batch = n.K
	if n.K == 1 {
		p.terms, p.a.term, p.b.term = n.J, p.a.step, p.b.step
	}
	return p
}

// Whiten takes q(F̄_j) as inf_qF writes it to m_j = L⁻¹ μ_j/√α_j and s_j = L⁻¹ S_j/√α_j.
func (d *Device) Whiten(m, s, l, logalpha, mu, sqrt *device.Tensor) {
	n := device.CheckWhiten(m, s, l, logalpha, mu, sqrt)
	square := n.M * n.M
	x := d.invert(l, n.K, n.M)
	x.step = shared(n, square)
	d.double.launch("whiten_mean", cuda.Grid{X: (n.M + 7) / 8, Y: n.J, Z: 1}, 0,
		cuda.Int(n.M), cuda.Int(x.step), d.ptr(m), x.at, d.ptr(logalpha), d.ptr(mu))
	if n.Diagonal {
		d.double.launch("whiten_diagonal", d.double.over("whiten_diagonal", n.J*square), 0,
			cuda.Int(n.J*square), cuda.Int(n.M), cuda.Int(x.step), d.ptr(s), x.at, d.ptr(logalpha), d.ptr(sqrt))
		return
	}
	d.gemm(product{
		m: n.M, n: n.M, k: n.M, batch: n.J, alpha: 1, logs: d.ptr(logalpha), power: -0.5,
		a: x,
		b: matrix{at: d.ptr(sqrt), ld: n.M, step: square, lower: true},
		c: matrix{at: d.ptr(s), ld: n.M, step: square},
	})
}

// WhitenBackward accumulates dmu, dsqrt, dl and dlogalpha; dm and ds are left as they are.
func (d *Device) WhitenBackward(dmu, dsqrt, dl, dlogalpha, dm, ds, m, s, l, logalpha *device.Tensor) {
	n := device.CheckWhitenBackward(dmu, dsqrt, dl, dlogalpha, dm, ds, m, s, l, logalpha)
	t := &d.state.whiten
	square, rows := n.M*n.M, (n.M+7)/8
	partial, u, v := d.growDoubles(&t.partial, rows*n.J), d.growDoubles(&t.u, n.J*n.M), d.growDoubles(&t.v, n.J*square)
	d.double.launch("whiten_alpha", cuda.Grid{X: rows, Y: n.J, Z: 1}, 0,
		cuda.Int(n.M), partial, d.ptr(dm), d.ptr(m), d.ptr(ds), d.ptr(s))
	d.double.foldRows(d.ptr(dlogalpha), partial, n.J, rows, true, -0.5)

	x := d.invert(l, n.K, n.M)
	x.step = shared(n, square)
	d.double.launch("whiten_mean_backward", cuda.Grid{X: (n.M + 31) / 32, Y: n.J, Z: 1}, 0,
		cuda.Int(n.M), cuda.Int(x.step), d.ptr(dmu), u, x.at, d.ptr(logalpha), d.ptr(dm))
	solved := matrix{at: v, ld: n.M, step: square, lower: true}
	d.gemm(product{
		m: n.M, n: n.M, k: n.M, batch: n.J, alpha: 1,
		a: x.transpose(),
		b: matrix{at: d.ptr(ds), ld: n.M, step: square, lower: true},
		c: solved, part: lower,
	})
	elements, diagonal := n.J*square, 0
	if n.Diagonal {
		elements, diagonal = n.J*n.M, 1
	}
	d.double.launch("whiten_factor_backward", d.double.over("whiten_factor_backward", elements), 0,
		cuda.Int(elements), cuda.Int(n.M), cuda.Int(diagonal), d.ptr(dsqrt), v, d.ptr(logalpha))

	gradient := matrix{at: d.ptr(dl), ld: n.M, step: square}
	d.gemm(product{
		m: n.M, n: n.M, k: n.M, alpha: -1, beta: 1,
		a: solved,
		b: matrix{at: d.ptr(s), ld: n.M, step: square, lower: true, transposed: true},
		c: gradient, part: lower,
	}.overLatents(n))
	d.gemm(product{
		m: n.M, n: n.M, k: n.J / n.K, batch: n.K, alpha: -1, beta: 1,
		a: matrix{at: u, ld: n.M, step: n.M, transposed: true},
		b: matrix{at: d.ptr(m), ld: n.M, step: n.M},
		c: gradient, part: lower,
	})
}
