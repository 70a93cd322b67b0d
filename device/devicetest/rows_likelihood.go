package devicetest

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// scale is no power of two, and not 1, so that one that is left out or applied twice fails.
const scale = 0.3

func likelihoodRows() []row {
	return []row{
		{ops: []string{"GaussianLogLik"}, sizes: [][]int{{1, 1, 1}, {3, 31, 2}, {2, 257, 1}, {2, 700, 3},
			{3, 1501, 1}}, build: gaussian,
			nmse: 1e-12, reason: "residuals of float32 numbers"},
		{ops: []string{"GaussianExpected"}, sizes: [][]int{{1, 1, 1}, {1, 31, 2}, {1, 257, 1},
			{1, 1300, 3}}, build: expected(device.Double),
			nmse: 1e-12, reason: "the gradient of a float32 parameter"},
		{ops: []string{"GaussianExpected"}, variant: "samples",
			sizes: [][]int{{1, 1, 1}, {3, 31, 2}, {2, 257, 1}, {2, 700, 3}}, build: expected(device.Real),
			nmse: 1e-12, reason: "moments of float32"},
		{ops: []string{"GaussianPredictive"}, sizes: [][]int{{1, 1, 1}, {1, 31, 2}, {1, 1300, 3}},
			build: predictive(device.Double), nmse: 1e-12, reason: "the gradient of a float32 parameter"},
		{ops: []string{"GaussianPredictive"}, variant: "samples", sizes: [][]int{{1, 1, 1}, {3, 31, 2}, {2, 700, 3}},
			build: predictive(device.Real), nmse: 1e-12, reason: "moments of float32"},
		{ops: []string{"SoftmaxLogLik"}, sizes: [][]int{{1, 1, 2}, {3, 31, 10}, {2, 257, 3},
			{2, 5, 40}}, build: softmax,
			nmse: 1e-12, reason: "float32 exponentials"},
		{ops: []string{"BernoulliLogLik"}, sizes: [][]int{{1, 1}, {3, 31}, {2, 2049}}, build: bernoulli,
			nmse: 1e-12, reason: "the gradient of a float32 activation"},
		{ops: []string{"AddOffset", "AddOffsetBackward"},
			sizes: [][]int{{1, 1, 1}, {3, 31, 10}, {2, 700, 3}}, build: addOffset,
			nmse: 1e-12, reason: "the gradient of a float32 parameter"},
		{ops: []string{"StudentLogLik"}, sizes: [][]int{{1, 1, 1}, {3, 31, 2}, {2, 1025, 1},
			{1, 1300, 3}}, build: student,
			nmse: 1e-12, reason: "gradients of float32 parameters"},
		{ops: []string{"HeteroscedasticLogLik"}, sizes: [][]int{{1, 1, 1}, {3, 31, 2}, {2, 1025, 1},
			{1, 1300, 3}}, build: heteroscedastic,
			nmse: 1e-12, reason: "gradients of float32 parameters"},
	}
}

// likelihoodArgs are h, y, log σ² and the tail, the last two where in has them.
func likelihoodArgs(in []*device.Tensor) device.LikelihoodArgs {
	in = append(in, nil, nil)
	return device.LikelihoodArgs{H: in[0], Y: in[1], LogVar: in[2], Tail: in[3]}
}

// scaled is a likelihood times scale.
func scaled(op func(dev device.Device, ell *device.Tensor, g, a device.LikelihoodArgs, scale float64),
) func(device.Device, *device.Tensor, device.LikelihoodArgs, device.LikelihoodArgs) {
	return func(dev device.Device, ell *device.Tensor, g, a device.LikelihoodArgs) { op(dev, ell, g, a, scale) }
}

// Size: S, B, C.
func gaussian(r *random, size []int) *problem {
	s, b, c := size[0], size[1], size[2]
	return withValue(&problem{
		in: []*array{
			r.normal("h", device.Real, writes, 0, 1, s, b, c), r.normal("y", device.Real, none, 0, 1, b, c),
			r.normal("logvar", device.Real, adds, -1, 0.5, c),
		},
		naive: func(in, out [][]float64) {
			sum := 0.0
			for i, h := range in[0] {
				miss := in[1][i%(b*c)] - h
				sum -= (math.Log(2*math.Pi) + in[2][i%c] + miss*miss/math.Exp(in[2][i%c])) / 2
			}
			out[0][0] = scale * sum
		},
	}, 1, likelihoodArgs, scaled(device.Device.GaussianLogLik))
}

func expected(dtype device.DType) func(r *random, size []int) *problem {
	return func(r *random, size []int) *problem {
		return gaussianMoments(r, size, dtype, func(miss, noise, variance float64) float64 {
			return -(math.Log(2*math.Pi*noise) + miss*miss/noise + variance/noise) / 2
		}, device.Device.GaussianExpected)
	}
}

func predictive(dtype device.DType) func(r *random, size []int) *problem {
	return func(r *random, size []int) *problem {
		return gaussianMoments(r, size, dtype, func(miss, noise, variance float64) float64 {
			const bound = device.BoundShare
			density := math.Log(2*math.Pi*(noise+variance)) + miss*miss/(noise+variance)
			return -((1-bound)*density + bound*(math.Log(2*math.Pi*noise)+(miss*miss+variance)/noise)) / 2
		}, device.Device.GaussianPredictive)
	}
}

// Size: S, B, C; moments in double have no S. logLik is that of an element.
func gaussianMoments(r *random, size []int, dtype device.DType, logLik func(miss, noise, variance float64) float64,
	op func(device.Device, *device.Tensor, device.LikelihoodArgs, device.LikelihoodArgs, float64)) *problem {
	b, c, shape := size[1], size[2], size
	if dtype == device.Double {
		shape = size[1:]
	}
	variance := r.normal("variance", dtype, writes, 0, 0.5, shape...)
	for i, v := range variance.data {
		variance.data[i] = float64(float32(math.Exp(v)))
	}
	return withValue(&problem{
		in: []*array{
			r.normal("mean", dtype, writes, 0, 1, shape...), variance,
			r.normal("y", device.Real, none, 0, 1, b, c), r.normal("logvar", device.Real, adds, -1, 0.5, c),
		},
		naive: func(in, out [][]float64) {
			sum := 0.0
			for i, mean := range in[0] {
				sum += logLik(in[2][i%(b*c)]-mean, math.Exp(in[3][i%c]), in[1][i])
			}
			out[0][0] = scale * sum
		},
	}, 1, func(in []*device.Tensor) device.LikelihoodArgs {
		return device.LikelihoodArgs{H: in[0], Variance: in[1], Y: in[2], LogVar: in[3]}
	}, scaled(op))
}

// Size: S, B, C.
func softmax(r *random, size []int) *problem {
	s, b, c := size[0], size[1], size[2]
	return withValue(&problem{
		in: []*array{r.normal("h", device.Real, writes, 5, 3, s, b, c), r.below("y", c, b)},
		naive: func(in, out [][]float64) {
			sum := 0.0
			for row := range s * b {
				total := 0.0
				for _, h := range in[0][row*c:][:c] {
					total += math.Exp(h)
				}
				sum += in[0][row*c+int(in[1][row%b])] - math.Log(total)
			}
			out[0][0] = scale * sum
		},
	}, 1, likelihoodArgs, scaled(device.Device.SoftmaxLogLik))
}

// Size: S, B. Logits far from 0 too, where the logistic function is flat.
func bernoulli(r *random, size []int) *problem {
	s, b := size[0], size[1]
	return withValue(&problem{
		in: []*array{r.normal("h", device.Real, writes, 0, 6, s, b, 1), r.below("y", 2, b)},
		naive: func(in, out [][]float64) {
			sum := 0.0
			for i, h := range in[0] {
				if in[1][i%b] == 1 {
					h = -h
				}
				sum -= math.Log1p(math.Exp(h))
			}
			out[0][0] = scale * sum
		},
	}, 1, likelihoodArgs, scaled(device.Device.BernoulliLogLik))
}

// Size: S, B, C. About 3.6 degrees of freedom, and residuals of some standard deviations.
func student(r *random, size []int) *problem {
	s, b, c := size[0], size[1], size[2]
	return withValue(&problem{
		in: []*array{
			r.normal("h", device.Real, writes, 0, 1, s, b, c), r.normal("y", device.Real, none, 0, 3, b, c),
			r.normal("logvar", device.Real, adds, -1, 0.5, c), r.normal("tail", device.Real, adds, 0.5, 0.1, 1),
		},
		naive: func(in, out [][]float64) {
			sum, nu := 0.0, 2+math.Exp(in[3][0])
			upper, _ := math.Lgamma((nu + 1) / 2)
			lower, _ := math.Lgamma(nu / 2)
			for i, h := range in[0] {
				miss, v := in[1][i%(b*c)]-h, math.Exp(in[2][i%c])
				sum += upper - lower - math.Log(math.Pi*nu*v)/2 - (nu+1)/2*math.Log(1+miss*miss/(nu*v))
			}
			out[0][0] = scale * sum
		},
	}, 1, likelihoodArgs, scaled(device.Device.StudentLogLik))
}

// Size: S, B, C. Every seventh variance is below the floor.
func heteroscedastic(r *random, size []int) *problem {
	s, b, c := size[0], size[1], size[2]
	h := r.normal("h", device.Real, writes, 0, 1, s, b, 2*c)
	y := r.normal("y", device.Real, none, 0, 1, b, c)
	// and the mean is right there, so that the density is no huge number
	for row := 6; row < s*b; row += 7 {
		h.data[(2*row+1)*c] = -40
		h.data[2*row*c] = y.data[row%b*c]
	}
	return withValue(&problem{
		in: []*array{h, y, r.normal("logvar", device.Real, adds, -1, 0.5, c)},
		naive: func(in, out [][]float64) {
			sum := 0.0
			for row := range s * b {
				for i := range c {
					miss := in[1][row%b*c+i] - in[0][2*row*c+i]
					v := math.Max(device.VarFloor, math.Exp(in[2][i]+in[0][(2*row+1)*c+i]))
					sum -= (math.Log(2*math.Pi*v) + miss*miss/v) / 2
				}
			}
			out[0][0] = scale * sum
		},
	}, 1, likelihoodArgs, scaled(device.Device.HeteroscedasticLogLik))
}

// Size: S, B, C. h gives its gradient on as it is.
func addOffset(r *random, size []int) *problem {
	s, b, c := size[0], size[1], size[2]
	return &problem{
		in: []*array{r.normal("h", device.Real, writes, 0, 1, s, b, c),
			r.normal("offset", device.Real, adds, 0, 1, c)},
		out: []*array{zeros("sum", device.Real, s, b, c)},
		naive: func(in, out [][]float64) {
			for i, h := range in[0] {
				out[0][i] = h + in[1][i%c]
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.Copy(out[0], in[0])
			dev.AddOffset(out[0], in[1])
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.Copy(din[0], dout[0])
			dev.AddOffsetBackward(din[1], dout[0])
		},
	}
}
