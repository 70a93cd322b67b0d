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
	columns scratch // [K,B]: h, the sums of the columns of G
	moved   scratch // [K,M,D], isotropic [M,D]: P
	partial scratch // [chunks,K,D], isotropic [tiles,K]: parts of dlogl
	mixed   scratch // [M,B], isotropic: Σ_k G_k/ℓ_k²
}

// ardNorms computes half the squared norms of the rows of z and x, for each kernel, and the weights of the kernel. If
// isotropic, it is computed once without weights.
func (d *Device) ardNorms(n device.ARDShape, a device.ARDArgs) (norms, weight cuda.Arg, rows int) {
	groups := n.K
	if n.Isotropic {
		groups = 1
		weight = cuda.Pointer(0)
		a.LogLength = nil
	} else {
		weight = d.growDoubles(&d.state.ard.weight, n.K*n.D)
	}
	rows = n.M
	if !n.Same {
		rows += n.B
	}
	norms = d.growDoubles(&d.state.ard.norms, groups*rows)
	d.double.launch("ard_norms", cuda.Grid{X: blocksOf(rows, 32), Y: groups, Z: 1}, 0,
		cuda.Int(n.M), cuda.Int(rows), cuda.Int(n.D), weight, norms, d.ptr(a.Z), d.ptr(a.X), d.ptr(a.LogLength))
	return norms, weight, rows
}

// ARD computes kernel_ard without its α, or a Matérn kernel, and its slope.
func (d *Device) ARD(a device.ARDArgs) {
	n := device.CheckARD(a)
	norms, weight, rows := d.ardNorms(n, a)
	if n.Isotropic {
		d.double.launch("ard_isotropic", tiles(n.M, n.B, 1), 0,
			cuda.Int(n.K), cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.D), flag(n.Same), cuda.Int(int(a.Form)),
			d.ptr(a.C), d.ptr(a.Slope), d.ptr(a.Z), d.ptr(a.X), d.ptr(a.LogLength), norms)
		return
	}
	m, b, depth, stride, same := cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.D), cuda.Int(rows), flag(n.Same)
	if a.Form == device.RBF {
		d.double.launch("ard", tiles(n.M, n.B, n.K), 0, m, b, depth, stride, same,
			d.ptr(a.C), d.ptr(a.Z), d.ptr(a.X), weight, norms)
		return
	}
	d.double.launch("ard_matern", tiles(n.M, n.B, n.K), 0, m, b, depth, stride, same,
		cuda.Int(int(a.Form)), d.ptr(a.C), d.ptr(a.Slope), d.ptr(a.Z), d.ptr(a.X), weight, norms)
}

// ARDBackward overwrites g.C with G = g.C∘Slope and accumulates g.LogLength and g.Z. Where X is Z, G is symmetric, and
// one product G X stands for both sides.
func (d *Device) ARDBackward(g, a device.ARDArgs) {
	n := device.CheckARDBackward(g, a)
	t := &d.state.ard
	if n.Isotropic {
		grid := tiles(n.M, n.B, 1)
		norms, _, _ := d.ardNorms(n, a)
		mixed, partial := d.growDoubles(&t.mixed, n.M*n.B), d.growDoubles(&t.partial, grid.X*grid.Y*n.K)
		d.double.launch("ard_isotropic_backward", grid, 0, cuda.Int(n.K), cuda.Int(n.M), cuda.Int(n.B), cuda.Int(n.D),
			flag(n.Same), mixed, partial, d.ptr(g.C), d.ptr(a.Slope), d.ptr(a.Z), d.ptr(a.X), d.ptr(a.LogLength), norms)
		parts := ardParts{partial: partial, chunks: grid.X * grid.Y, kernels: 1,
			rows: cuda.Pointer(0), moved: cuda.Pointer(0), weight: cuda.Pointer(0)}
		if g.Z != nil {
			parts.rows, parts.moved = d.ardProduct(n, 1, mixed, cuda.Pointer(0), a.X)
		}
		d.ardFold(n, g, a, parts)
		return
	}
	rows, moved := d.ardProduct(n, n.K, d.ptr(g.C), d.ptr(a.Slope), a.X)
	columns := rows
	if !n.Same {
		columns = d.growDoubles(&t.columns, n.K*n.B)
		d.double.launch("ard_columns", cuda.Grid{X: blocksOf(n.B, 32), Y: n.K, Z: 1}, 0, cuda.Int(n.M), cuda.Int(n.B),
			columns, d.ptr(g.C))
	}
	chunks := blocksOf(n.M, tile) + blocksOf(n.B, tile)
	partial, weight := d.growDoubles(&t.partial, chunks*n.K*n.D), d.growDoubles(&t.weight, n.K*n.D)
	d.double.launch("ard_lengths", cuda.Grid{X: blocksOf(n.D, 32), Y: n.K, Z: chunks}, 0, cuda.Int(n.M), cuda.Int(n.B),
		cuda.Int(n.D), partial, weight, moved, d.ptr(a.Z), d.ptr(a.X), rows, columns, d.ptr(a.LogLength))
	d.ardFold(n, g, a, ardParts{partial: partial, chunks: chunks, kernels: n.K, rows: rows, moved: moved,
		weight: weight})
}

// ardProduct computes G = dc∘slope in place, or dc if slope is null, for k matrices. It returns the sums of the rows of
// G, and G X.
func (d *Device) ardProduct(n device.ARDShape, k int, dc, slope cuda.Arg, x *device.Tensor) (rows, moved cuda.Arg) {
	t := &d.state.ard
	rows, moved = d.growDoubles(&t.rows, k*n.M), d.growDoubles(&t.moved, k*n.M*n.D)
	d.double.launch("ard_rows", cuda.Grid{X: blocksOf(k*n.M, 8), Y: 1, Z: 1}, 0, cuda.Int(k*n.M), cuda.Int(n.B), rows,
		dc, slope)
	d.gemm(product{
		m: n.M, n: n.D, k: n.B, batch: k, alpha: 1,
		a: matrix{at: dc, ld: n.B, step: n.M * n.B},
		b: matrix{at: d.ptr(x), ld: n.D},
		c: matrix{at: moved, ld: n.D, step: n.M * n.D},
	})
	return rows, moved
}

// ardParts are the arrays of ardState that the kernels of ARDBackward hand to ard_fold.
type ardParts struct {
	partial             cuda.Arg // parts of dlogl
	chunks              int
	kernels             int      // number of matrices G
	rows, moved, weight cuda.Arg // results for each matrix G; rows and moved are null for fixed inducing points
}

// ardFold adds Σ partial over chunks to dlogl. If X̄ learns, it also computes dz += Σ_k (P − g z)/ℓ², twice if X is Z.
func (d *Device) ardFold(n device.ARDShape, g, a device.ARDArgs, p ardParts) {
	size := n.M * n.D
	lengths := g.LogLength.Len()
	times := 1.0
	if g.Z == nil {
		size = 0
	}
	if n.Same {
		times = 2
	}
	d.double.launch("ard_fold", d.double.over("ard_fold", size+lengths), 0, cuda.Int(p.kernels), cuda.Int(size),
		cuda.Int(n.D), cuda.Int(lengths), cuda.Int(p.chunks), cuda.Float64(times), d.ptr(g.Z), d.ptr(g.LogLength),
		p.moved, p.rows, d.ptr(a.Z), p.weight, p.partial)
}
