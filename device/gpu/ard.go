//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// ardState is scratch of ARD and ARDBackward.
type ardState struct {
	weight  scratch // [K,D], not if isotropic: 1/ℓ²
	norms   scratch // [K,M+B], isotropic [M+B]: ½Σ z²/ℓ² and ½Σ x²/ℓ²; Kuu has the first M only
	rows    scratch // [K,M], isotropic [M]: g, the sums of the rows of G
	columns scratch // [K,B]: h, those of the columns
	moved   scratch // [K,M,D], isotropic [M,D]: P
	partial scratch // [chunks,K,D], isotropic [tiles,K]: the parts of dlogl
	mixed   scratch // [M,B], isotropic: Σ_k G_k/ℓ_k²
}

// ardNorms is half the squared norms of the rows of z and x, for each kernel, and its weights; or,
// if isotropic, once without any.
func (d *Device) ardNorms(n device.ARDShape, z, x, logl *device.Tensor) (norms, weight cuda.Arg, rows int) {
	groups := n.K
	if n.Isotropic {
		groups, weight, logl = 1, cuda.Pointer(0), nil
	} else {
		weight = d.growDoubles(&d.state.ard.weight, n.K*n.D)
	}
	if rows = n.M; !n.Same {
		rows += n.B
	}
	norms = d.growDoubles(&d.state.ard.norms, groups*rows)
	d.double.launch("ard_norms", cuda.Grid{X: (rows + 7) / 8, Y: groups, Z: 1}, 0, cuda.Int(n.M), cuda.Int(rows), cuda.Int(n.D),
		weight, norms, d.ptr(z), d.ptr(x), d.ptr(logl))
	return norms, weight, rows
}

// ARD is kernel_ard without its α, or a Matérn kernel, and its slope.
func (d *Device) ARD(c, slope, z, x, logl *device.Tensor, form device.Correlation) {
	n := device.CheckARD(c, slope, z, x, logl, form)
	norms, weight, rows := d.ardNorms(n, z, x, logl)
	if n.Isotropic {
		d.double.launch("ard_isotropic", d.double.tiles("ard_isotropic", n.M, n.B, 1), 0, cuda.Int(n.K), cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.D), flag(n.Same),
			cuda.Int(int(form)), d.ptr(c), d.ptr(slope), d.ptr(z), d.ptr(x), d.ptr(logl), norms)
		return
	}
	m, b, depth, stride, same := cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.D), cuda.Int(rows), flag(n.Same)
	if form == device.RBF {
		d.double.launch("ard", d.double.tiles("ard", n.M, n.B, n.K), 0, m, b, depth, stride, same,
			d.ptr(c), d.ptr(z), d.ptr(x), weight, norms)
		return
	}
	d.double.launch("ard_matern", d.double.tiles("ard_matern", n.M, n.B, n.K), 0, m, b, depth, stride, same,
		cuda.Int(int(form)), d.ptr(c), d.ptr(slope), d.ptr(z), d.ptr(x), weight, norms)
}

// ARDBackward overwrites dc with G = dc∘slope and accumulates dlogl and dz. Where x and z are one
// tensor, G is symmetric, and one product G X stands for both sides.
func (d *Device) ARDBackward(dz, dlogl, dc, slope, z, x, logl *device.Tensor) {
	n := device.CheckARDBackward(dz, dlogl, dc, slope, z, x, logl)
	t := &d.state.ard
	times := 1.0
	if n.Same {
		times = 2
	}
	if n.Isotropic {
		grid := d.double.tiles("ard_isotropic_backward", n.M, n.B, 1)
		norms, _, _ := d.ardNorms(n, z, x, logl)
		mixed, partial := d.growDoubles(&t.mixed, n.M*n.B), d.growDoubles(&t.partial, grid.X*grid.Y*n.K)
		d.double.launch("ard_isotropic_backward", grid, 0, cuda.Int(n.K), cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.D), flag(n.Same),
			mixed, partial, d.ptr(dc), d.ptr(slope), d.ptr(z), d.ptr(x), d.ptr(logl), norms)
		rows, moved := cuda.Pointer(0), cuda.Pointer(0)
		if dz != nil {
			rows, moved = d.ardProduct(n, 1, mixed, cuda.Pointer(0), x)
		}
		d.ardFold(n, 1, times, dz, dlogl, moved, rows, z, cuda.Pointer(0), partial, grid.X*grid.Y)
		return
	}
	rows, moved := d.ardProduct(n, n.K, d.ptr(dc), d.ptr(slope), x)
	columns := rows
	if !n.Same {
		columns = d.growDoubles(&t.columns, n.K*n.B)
		d.double.launch("ard_columns", cuda.Grid{X: (n.B + 31) / 32, Y: n.K, Z: 1}, 0, cuda.Int(n.M), cuda.Int(n.B), columns, d.ptr(dc))
	}
	chunks := (n.M+tile-1)/tile + (n.B+tile-1)/tile
	partial, weight := d.growDoubles(&t.partial, chunks*n.K*n.D), d.growDoubles(&t.weight, n.K*n.D)
	d.double.launch("ard_lengths", cuda.Grid{X: (n.D + 31) / 32, Y: n.K, Z: chunks}, 0, cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.D),
		partial, weight, moved, d.ptr(z), d.ptr(x), rows, columns, d.ptr(logl))
	d.ardFold(n, n.K, times, dz, dlogl, moved, rows, z, weight, partial, chunks)
}

// ardProduct is G = dc∘slope in place, or dc where slope is null, for k matrices; the sums of its
// rows; and G X.
func (d *Device) ardProduct(n device.ARDShape, k int, dc, slope cuda.Arg, x *device.Tensor) (rows, moved cuda.Arg) {
	t := &d.state.ard
	rows, moved = d.growDoubles(&t.rows, k*n.M), d.growDoubles(&t.moved, k*n.M*n.D)
	d.double.launch("ard_rows", cuda.Grid{X: (k*n.M + 7) / 8, Y: 1, Z: 1}, 0, cuda.Int(k*n.M), cuda.Int(n.B), rows, dc, slope)
	d.gemm(product{
		m: n.M, n: n.D, k: n.B, batch: k, alpha: 1,
		a: matrix{at: dc, ld: n.B, step: n.M * n.B},
		b: matrix{at: d.ptr(x), ld: n.D},
		c: matrix{at: moved, ld: n.D, step: n.M * n.D},
	})
	return rows, moved
}

// ardFold is dlogl += Σ partial over chunks, and, where X̄ learns, dz += times·Σ_k (P − g z)/ℓ²
// over k matrices.
func (d *Device) ardFold(n device.ARDShape, k int, times float64, dz, dlogl *device.Tensor, moved, rows cuda.Arg, z *device.Tensor, weight, partial cuda.Arg, chunks int) {
	size, lengths := n.M*n.D, dlogl.Len()
	if dz == nil {
		size = 0
	}
	d.double.launch("ard_fold", d.double.over("ard_fold", size+lengths), 0, cuda.Int(k), cuda.Int(size), cuda.Int(n.D),
		cuda.Int(lengths), cuda.Int(chunks), cuda.Float64(times), d.ptr(dz), d.ptr(dlogl), moved, rows, d.ptr(z), weight, partial)
}
