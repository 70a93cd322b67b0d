package devicetest

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

func ardRows() []row {
	ops := []string{"ARD", "ARDBackward"}
	all := func(d int) int { return d }
	one := func(int) int { return 1 }
	cross := func(length func(d int) int, form device.Correlation) func(*random, []int) *problem {
		return func(r *random, size []int) *problem { return ardCross(r, size, length(size[3]), form) }
	}
	own := func(length func(d int) int, form device.Correlation) func(*random, []int) *problem {
		return func(r *random, size []int) *problem { return ardOwn(r, size, length(size[2]), form) }
	}
	fixed := func(lengths int) func(r *random, size []int) *problem {
		return func(r *random, size []int) *problem {
			p := ardCross(r, size, lengths, device.RBF)
			p.in[0].grad = none
			return p
		}
	}
	rows := []row{
		{ops: ops, variant: "Kuf", sizes: [][]int{{1, 1, 1, 1}, {3, 31, 33, 2}, {2, 33, 257, 5},
			{1, 70, 31, 40}, {2, 5, 7, 300}}, build: cross(all, device.RBF)},
		{ops: ops, variant: "Kuf isotropic",
			sizes: [][]int{{3, 31, 33, 2}, {2, 33, 257, 5}, {2, 5, 7, 300}}, build: cross(one, device.RBF)},
		{ops: ops, variant: "Kuu", sizes: [][]int{{1, 1, 1}, {3, 31, 2}, {2, 70, 5}, {2, 6, 300}},
			build: own(all, device.RBF)},
		{ops: ops, variant: "Kuu isotropic", sizes: [][]int{{3, 31, 2}, {2, 70, 5}, {2, 6, 300}},
			build: own(one, device.RBF)},
		{ops: ops[1:], variant: "fixed inducing points", sizes: [][]int{{2, 33, 31, 3}}, build: fixed(3)},
		{ops: ops[1:], variant: "fixed inducing points, isotropic", sizes: [][]int{{2, 33, 31, 3}}, build: fixed(1)},
	}
	for _, form := range maternShapes {
		name := fmt.Sprintf(" matern%d2", form.TwiceNu())
		rows = append(rows,
			row{ops: ops, variant: "Kuf" + name, sizes: [][]int{{1, 1, 1, 1}, {2, 33, 131, 5}, {1, 70, 31, 40}},
				build: cross(all, form)},
			row{ops: ops, variant: "Kuf isotropic" + name, sizes: [][]int{{2, 33, 31, 5}}, build: cross(one, form)},
			row{ops: ops, variant: "Kuu" + name, sizes: [][]int{{1, 1, 1}, {2, 70, 5}}, build: own(all, form)},
			row{ops: ops, variant: "Kuu isotropic" + name, sizes: [][]int{{2, 31, 3}}, build: own(one, form)})
	}
	return append(rows, row{ops: []string{"Mix", "MixBackward"},
		sizes: [][]int{{1, 1, 1}, {3, 31, 33}, {2, 101, 103}}, build: mixProblem})
}

var maternShapes = [...]device.Correlation{device.Matern12, device.Matern32, device.Matern52}

// correlation is the kernel of a shape with α = 1, of the distance of two rows.
func correlation(form device.Correlation, r float64) float64 {
	switch form {
	case device.RBF:
		return math.Exp(-r * r / 2)
	case device.Matern12:
		return math.Exp(-r)
	case device.Matern32:
		return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
	default:
		return (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
	}
}

// mixProblem is the sum of two matrices for each k. Size: K, M, B.
func mixProblem(r *random, size []int) *problem {
	k, n := size[0], size[1]*size[2]
	return &problem{
		in: []*array{
			r.normal("a", device.Double, writes, 0, 1, size...),
			r.normal("b", device.Double, writes, 0, 1, size...),
			r.normal("logit", device.Double, adds, 0, 1, k),
		},
		out: []*array{zeros("c", device.Double, size...)},
		naive: func(in, out [][]float64) {
			for i := range out[0] {
				w := 1 / (1 + math.Exp(-in[2][i/n]))
				out[0][i] = w*in[0][i] + (1-w)*in[1][i]
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) { dev.Mix(out[0], in[0], in[1], in[2]) },
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.Copy(din[0], dout[0]) // the gradient of a may take the place of that of c
			dev.MixBackward(din[0], din[1], din[2], din[0], in[0], in[1], in[2])
		},
	}
}

// ard is kernel_ard with α = 1, or another shape, by direct differences.
func ard(form device.Correlation, c, z, x, logl []float64, k, m, b, d int) {
	lengths := len(logl) / k
	for i := range k {
		for j := range m {
			for n := range b {
				e := 0.0
				for q := range d {
					u := (z[j*d+q] - x[n*d+q]) / math.Exp(logl[i*lengths+q%lengths])
					e += u * u
				}
				c[(i*m+j)*b+n] = correlation(form, math.Sqrt(e))
			}
		}
	}
}

// slopeFor is where ARD puts the slope of c.
func slopeFor(dev device.Device, c *device.Tensor, form device.Correlation) *device.Tensor {
	if form == device.RBF {
		return c
	}
	return dev.New(device.Double, c.Shape()...)
}

// Size: K, M, B, D.
func ardCross(r *random, size []int, lengths int, form device.Correlation) *problem {
	k, m, b, d := size[0], size[1], size[2], size[3]
	var slope *device.Tensor
	return &problem{
		in: []*array{
			r.normal("z", device.Double, adds, 0, 1, m, d),
			r.normal("x", device.Double, none, 0, 1, b, d),
			r.normal("logl", device.Double, adds, math.Log(float64(d))/2, 0.3, k, lengths),
		},
		out:   []*array{zeros("c", device.Double, k, m, b)},
		naive: func(in, out [][]float64) { ard(form, out[0], in[0], in[1], in[2], k, m, b, d) },
		forward: func(dev device.Device, in, out []*device.Tensor) {
			slope = slopeFor(dev, out[0], form)
			dev.ARD(out[0], slope, in[0], in[1], in[2], form)
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.ARDBackward(din[0], din[2], dout[0], slope, in[0], in[1], in[2])
		},
	}
}

// Size: K, M, D. z stands on both sides.
func ardOwn(r *random, size []int, lengths int, form device.Correlation) *problem {
	k, m, d := size[0], size[1], size[2]
	var slope *device.Tensor
	along := r.normal("dc", device.Double, none, 0, 1, k, m, m).data
	for i := range along {
		if row, column := i/m%m, i%m; column > row {
			along[i] = along[i-row*m-column+column*m+row]
		}
	}
	return &problem{
		cotangent: along, // symmetric
		in: []*array{
			r.normal("z", device.Double, adds, 0, 1, m, d),
			r.normal("logl", device.Double, adds, math.Log(float64(d))/2, 0.3, k, lengths),
		},
		out:   []*array{zeros("c", device.Double, k, m, m)},
		naive: func(in, out [][]float64) { ard(form, out[0], in[0], in[0], in[1], k, m, m, d) },
		forward: func(dev device.Device, in, out []*device.Tensor) {
			slope = slopeFor(dev, out[0], form)
			dev.ARD(out[0], slope, in[0], in[0], in[1], form)
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.ARDBackward(din[0], din[1], dout[0], slope, in[0], in[0], in[1])
		},
	}
}
