package devicetest

import (
	"math"

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

// cholesky computes L with L Lᵀ = c, column by column from the definition, with zeros above.
func cholesky(l, c []float64, m int) {
	clear(l)
	for j := range m {
		for i := j; i < m; i++ {
			v := c[i*m+j]
			for k := range j {
				v -= l[i*m+k] * l[j*m+k]
			}
			if i == j {
				l[j*m+j] = math.Sqrt(v)
			} else {
				l[i*m+j] = v / l[j*m+j]
			}
		}
	}
}

// solve computes x = L⁻¹b for one column: elements at, at+step, ….
func solve(x, l, b []float64, m, at, step int) {
	for i := range m {
		v := b[at+i*step]
		for k := range i {
			v -= l[i*m+k] * x[at+k*step]
		}
		x[at+i*step] = v / l[i*m+i]
	}
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
		c := append([]float64(nil), a.data[i*m*m:(i+1)*m*m]...)
		cholesky(a.data[i*m*m:(i+1)*m*m], c, m)
	}
	return a
}

// Size: K, M. Only the lower triangle of c is read, so the gradient of its symmetric part
// is compared.
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
				cholesky(out[0][i*m*m:(i+1)*m*m], c, m)
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
				for n := range b {
					solve(out[0][i*m*b:], in[0][i*m*m:], in[1][i*m*b:], m, n, b)
				}
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) { dev.Trsm(out[0], in[0], in[1]) },
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.TrsmBackward(din[1], din[0], dout[0], in[0], out[0])
		},
	}
}
