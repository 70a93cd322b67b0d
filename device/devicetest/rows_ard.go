package devicetest

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

func ardRows() []row {
	ops := []string{"ARD", "ARDBackward"}
	cross := func(length func(d int) int) func(*random, []int) *problem {
		return func(r *random, size []int) *problem { return ardCross(r, size, length(size[3])) }
	}
	own := func(length func(d int) int) func(*random, []int) *problem {
		return func(r *random, size []int) *problem { return ardOwn(r, size, length(size[2])) }
	}
	all := func(d int) int { return d }
	one := func(int) int { return 1 }
	return []row{
		{ops: ops, variant: "Kuf", sizes: [][]int{{1, 1, 1, 1}, {3, 31, 33, 2}, {2, 33, 257, 5}, {1, 70, 31, 40}, {2, 5, 7, 300}}, build: cross(all)},
		{ops: ops, variant: "Kuf isotropic", sizes: [][]int{{3, 31, 33, 2}, {2, 33, 257, 5}, {2, 5, 7, 300}}, build: cross(one)},
		{ops: ops, variant: "Kuu", sizes: [][]int{{1, 1, 1}, {3, 31, 2}, {2, 70, 5}, {2, 6, 300}}, build: own(all)},
		{ops: ops, variant: "Kuu isotropic", sizes: [][]int{{3, 31, 2}, {2, 70, 5}, {2, 6, 300}}, build: own(one)},
		{ops: []string{"ARDBackward"}, variant: "fixed pseudo-inputs", sizes: [][]int{{2, 33, 31, 3}}, build: func(r *random, size []int) *problem {
			p := ardCross(r, size, 3)
			p.in[0].grad = none
			return p
		}},
		{ops: []string{"ARDBackward"}, variant: "fixed pseudo-inputs, isotropic", sizes: [][]int{{2, 33, 31, 3}}, build: func(r *random, size []int) *problem {
			p := ardCross(r, size, 1)
			p.in[0].grad = none
			return p
		}},
	}
}

// ard is kernel_ard with α = 1, by direct differences.
func ard(c, z, x, logl []float64, k, m, b, d int) {
	lengths := len(logl) / k
	for i := range k {
		for j := range m {
			for n := range b {
				e := 0.0
				for q := range d {
					u := (z[j*d+q] - x[n*d+q]) / math.Exp(logl[i*lengths+q%lengths])
					e += u * u
				}
				c[(i*m+j)*b+n] = math.Exp(-e / 2)
			}
		}
	}
}

// Size: K, M, B, D.
func ardCross(r *random, size []int, lengths int) *problem {
	k, m, b, d := size[0], size[1], size[2], size[3]
	return &problem{
		in: []*array{
			r.normal("z", device.Double, adds, 0, 1, m, d),
			r.normal("x", device.Double, none, 0, 1, b, d),
			r.normal("logl", device.Double, adds, math.Log(float64(d))/2, 0.3, k, lengths),
		},
		out:     []*array{zeros("c", device.Double, k, m, b)},
		naive:   func(in, out [][]float64) { ard(out[0], in[0], in[1], in[2], k, m, b, d) },
		forward: func(dev device.Device, in, out []*device.Tensor) { dev.ARD(out[0], in[0], in[1], in[2]) },
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.ARDBackward(din[0], din[2], dout[0], out[0], in[0], in[1], in[2])
		},
	}
}

// Size: K, M, D. z stands on both sides.
func ardOwn(r *random, size []int, lengths int) *problem {
	k, m, d := size[0], size[1], size[2]
	return &problem{
		in: []*array{
			r.normal("z", device.Double, adds, 0, 1, m, d),
			r.normal("logl", device.Double, adds, math.Log(float64(d))/2, 0.3, k, lengths),
		},
		out:     []*array{zeros("c", device.Double, k, m, m)},
		naive:   func(in, out [][]float64) { ard(out[0], in[0], in[0], in[1], k, m, m, d) },
		forward: func(dev device.Device, in, out []*device.Tensor) { dev.ARD(out[0], in[0], in[0], in[1]) },
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.ARDBackward(din[0], din[1], dout[0], out[0], in[0], in[0], in[1])
		},
	}
}
