package conformance

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

func ardRows() []row {
	ops := []string{"ARD", "ARDBackward"}
	all, one := ardKernel{form: device.RBF}, ardKernel{device.RBF, true}
	fixed := func(r *random, size []int, kernel ardKernel) *problem {
		p := ardCross(r, size, kernel)
		p.in[0].grad = none
		return p
	}
	rows := []row{
		{ops: ops, variant: "Kuf", sizes: [][]int{{1, 1, 1, 1}, {3, 31, 33, 2}, {2, 33, 257, 5},
			{1, 70, 31, 40}, {2, 5, 7, 300}}, build: given(ardCross, all)},
		{ops: ops, variant: "Kuf isotropic",
			sizes: [][]int{{3, 31, 33, 2}, {2, 33, 257, 5}, {2, 5, 7, 300}}, build: given(ardCross, one)},
		{ops: ops, variant: "Kuu", sizes: [][]int{{1, 1, 1}, {3, 31, 2}, {2, 70, 5}, {2, 6, 300}},
			build: given(ardOwn, all)},
		{ops: ops, variant: "Kuu isotropic", sizes: [][]int{{3, 31, 2}, {2, 70, 5}, {2, 6, 300}},
			build: given(ardOwn, one)},
		{ops: ops[1:], variant: "fixed inducing points", sizes: [][]int{{2, 33, 31, 3}}, build: given(fixed, all)},
		{ops: ops[1:], variant: "fixed inducing points, isotropic", sizes: [][]int{{2, 33, 31, 3}},
			build: given(fixed, one)},
	}
	for _, form := range maternShapes {
		all, one := ardKernel{form: form}, ardKernel{form, true}
		name := fmt.Sprintf(" matern%d2", form.TwiceNu())
		rows = append(rows,
			row{ops: ops, variant: "Kuf" + name, sizes: [][]int{{1, 1, 1, 1}, {2, 33, 131, 5}, {1, 70, 31, 40}},
				build: given(ardCross, all)},
			row{ops: ops, variant: "Kuf isotropic" + name, sizes: [][]int{{2, 33, 31, 5}}, build: given(ardCross, one)},
			row{ops: ops, variant: "Kuu" + name, sizes: [][]int{{1, 1, 1}, {2, 70, 5}}, build: given(ardOwn, all)},
			row{ops: ops, variant: "Kuu isotropic" + name, sizes: [][]int{{2, 31, 3}}, build: given(ardOwn, one)})
	}
	return append(rows, row{ops: []string{"Mix", "MixBackward"},
		sizes: [][]int{{1, 1, 1}, {3, 31, 33}, {2, 101, 103}}, build: mixProblem})
}

// ardKernel is a shape, with a length-scale for each dimension or one for all.
type ardKernel struct {
	form      device.Correlation
	isotropic bool
}

var maternShapes = [...]device.Correlation{device.Matern12, device.Matern32, device.Matern52}

// correlation returns the kernel of a shape with α = 1, of the distance of two rows.
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

// mixProblem returns the problem of the sum of two matrices for each k. Size: K, M, B.
func mixProblem(r *random, size []int) *problem {
	k, n := size[0], size[1]*size[2]
	return with(&problem{
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
	}, func(in, out []*device.Tensor) device.MixArgs {
		return device.MixArgs{C: out[0], A: in[0], B: in[1], Logit: in[2]}
	}, device.Device.Mix, func(dev device.Device, g, a device.MixArgs) {
		dev.Copy(g.A, g.C) // the gradient of A may take the place of the gradient of C
		g.C = g.A
		dev.MixBackward(g, a)
	})
}

// ard computes kernel_ard with α = 1, or another shape, by direct differences, for z and x [·,d].
func ard(form device.Correlation, c, z, x, logl []float64, k, d int) {
	lengths, of, m, b := len(logl)/k, exponentials(logl), len(z)/d, len(x)/d
	for i := range k {
		for j := range m {
			for n := range b {
				e := 0.0
				for q := range d {
					u := (z[j*d+q] - x[n*d+q]) / of[i*lengths+q%lengths]
					e += u * u
				}
				c[(i*m+j)*b+n] = correlation(form, math.Sqrt(e))
			}
		}
	}
}

// ardProblem returns the problem of ARD of z, x and logl at places of p.in. Its slope lies beside the results.
func ardProblem(p *problem, form device.Correlation, z, x, logl int) *problem {
	var slope *device.Tensor
	args := func(in, out []*device.Tensor) device.ARDArgs {
		return device.ARDArgs{C: out[0], Slope: slope, Z: in[z], X: in[x], LogLength: in[logl], Form: form}
	}
	return with(p, args, func(dev device.Device, a device.ARDArgs) {
		if form == device.RBF {
			slope = a.C
		} else if slope == nil {
			slope = dev.New(device.Double, a.C.Shape()...)
		}
		a.Slope = slope
		dev.ARD(a)
	}, device.Device.ARDBackward)
}

// lengthScales returns log ℓ of k kernels of d dimensions.
func (r *random) lengthScales(k, d int, isotropic bool) *array {
	lengths := d
	if isotropic {
		lengths = 1
	}
	return r.normal("logl", device.Double, adds, math.Log(float64(d))/2, 0.3, k, lengths)
}

// Size: K, M, B, D.
func ardCross(r *random, size []int, kernel ardKernel) *problem {
	k, m, b, d := size[0], size[1], size[2], size[3]
	return ardProblem(&problem{
		in: []*array{
			r.normal("z", device.Double, adds, 0, 1, m, d),
			r.normal("x", device.Double, none, 0, 1, b, d), r.lengthScales(k, d, kernel.isotropic),
		},
		out:   []*array{zeros("c", device.Double, k, m, b)},
		naive: func(in, out [][]float64) { ard(kernel.form, out[0], in[0], in[1], in[2], k, d) },
	}, kernel.form, 0, 1, 2)
}

// Size: K, M, D. z stands on both sides.
func ardOwn(r *random, size []int, kernel ardKernel) *problem {
	k, m, d := size[0], size[1], size[2]
	along := r.normal("dc", device.Double, none, 0, 1, k, m, m).data
	for i := range along {
		if row, column := i/m%m, i%m; column > row {
			along[i] = along[i-row*m-column+column*m+row]
		}
	}
	return ardProblem(&problem{
		cotangent: along, // symmetric
		in:        []*array{r.normal("z", device.Double, adds, 0, 1, m, d), r.lengthScales(k, d, kernel.isotropic)},
		out:       []*array{zeros("c", device.Double, k, m, m)},
		naive:     func(in, out [][]float64) { ard(kernel.form, out[0], in[0], in[0], in[1], k, d) },
	}, kernel.form, 0, 0, 1)
}
