package conformance

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/device"
)

func factorRows() []row {
	return []row{
		{ops: []string{"Potrf", "PotrfBackward"}, sizes: [][]int{{1, 1}, {2, 31}, {3, 33}, {1, 100},
			{2, 100}, {1, 257}}, build: potrf},
		{ops: []string{"Trsm", "TrsmBackward"}, sizes: [][]int{{1, 1, 1}, {2, 31, 33}, {3, 33, 257},
			{1, 100, 70}}, build: trsm},
	}
}

// cholesky computes L with L Lᵀ = c, with zeros above.
func cholesky(l, c []float64, m int) {
	var factor mat.Cholesky
	factor.Factorize(mat.NewSymDense(m, c[:m*m]))
	clear(l[:m*m])
	factor.LTo(mat.NewTriDense(m, mat.Lower, l[:m*m]))
}

// solve computes x = L⁻¹b of some columns.
func solve(x, l, b []float64, m, columns int) {
	matrix := func(data []float64) *mat.Dense { return mat.NewDense(m, columns, data[:m*columns]) }
	orPanic(matrix(x).Solve(mat.NewTriDense(m, mat.Lower, l[:m*m]), matrix(b)))
}

// correlations returns an array [k,m,m] of well-conditioned kernel matrices.
func (r *random) correlations(name string, g gradient, k, m int) *array {
	const d = 3
	z, logl := r.normal("z", device.Double, none, 0, 1, m, d), r.normal("logl", device.Double, none, -0.5, 0.2, k, d)
	c := zeros(name, device.Double, k, m, m)
	c.grad = g
	ard(device.RBF, c.data, z.data, z.data, logl.data, k, d)
	for i := range k * m {
		c.data[i*m+i%m] += 0.1
	}
	return c
}

// factors returns an array [k,m,m] of their Cholesky factors.
func (r *random) factors(name string, g gradient, k, m int) *array {
	a := r.correlations(name, g, k, m)
	for i := range k {
		c := a.data[i*m*m:][:m*m]
		cholesky(c, slices.Clone(c), m)
	}
	return a
}

// Size: K, M. Only the lower triangle of c is read, so the gradient of its symmetric part is compared.
func potrf(r *random, size []int) *problem {
	k, m := size[0], size[1]
	jitter := device.JitterLadder[0]
	return &problem{
		in:  []*array{r.correlations("c", writes, k, m)},
		out: []*array{zeros("l", device.Double, k, m, m), zeros("jitter", device.Double, k)},
		naive: func(in, out [][]float64) {
			c := make([]float64, m*m)
			for i := range k {
				from := in[0][i*m*m:]
				for p := range m {
					for q := range m {
						c[p*m+q] = (from[p*m+q] + from[q*m+p]) / 2
					}
					c[p*m+p] += jitter
				}
				cholesky(out[0][i*m*m:], c, m)
				out[1][i] = jitter
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) { dev.Potrf(out[0], out[1], in[0]) },
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.PotrfBackward(din[0], dout[0], out[0])
		},
	}
}

// Size: K, M, B.
func trsm(r *random, size []int) *problem {
	k, m, b := size[0], size[1], size[2]
	return &problem{
		in:  []*array{r.factors("l", adds, k, m), r.normal("b", device.Double, writes, 0, 1, k, m, b)},
		out: []*array{zeros("a", device.Double, k, m, b)},
		naive: func(in, out [][]float64) {
			for i := range k {
				solve(out[0][i*m*b:], in[0][i*m*m:], in[1][i*m*b:], m, b)
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) { dev.Trsm(out[0], in[0], in[1]) },
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.TrsmBackward(din[1], din[0], dout[0], in[0], out[0])
		},
	}
}
