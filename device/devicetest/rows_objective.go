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

// Size: S, B, C.
func gaussian(r *random, size []int) *problem {
	s, b, c := size[0], size[1], size[2]
	return &problem{
		in: []*array{
			r.normal("h", device.Real, writes, 0, 1, s, b, c), r.normal("y", device.Real, none, 0, 1, b, c),
			r.normal("logvar", device.Real, adds, -1, 0.5, c),
		},
		out: []*array{zeros("ell", device.Double, 1)},
		naive: func(in, out [][]float64) {
			sum := 0.0
			for i, h := range in[0] {
				miss := in[1][i%(b*c)] - h
				sum -= (math.Log(2*math.Pi) + in[2][i%c] + miss*miss/math.Exp(in[2][i%c])) / 2
			}
			out[0][0] = scale * sum
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.GaussianLogLik(out[0], dev.New(device.Real, s, b, c), dev.New(device.Real, c),
				in[0], in[1], in[2], scale)
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.GaussianLogLik(out[0], din[0], din[2], in[0], in[1], in[2], scale)
		},
		cotangent: []float64{1},
	}
}

func expected(dtype device.DType) func(r *random, size []int) *problem {
	return func(r *random, size []int) *problem { return gaussianExpected(r, size, dtype) }
}

// Size: S, B, C; moments in double have no S.
func gaussianExpected(r *random, size []int, dtype device.DType) *problem {
	b, c, shape := size[1], size[2], size
	if dtype == device.Double {
		shape = size[1:]
	}
	variance := r.normal("variance", dtype, writes, 0, 0.5, shape...)
	for i, v := range variance.data {
		variance.data[i] = float64(float32(math.Exp(v)))
	}
	return &problem{
		in: []*array{
			r.normal("mean", dtype, writes, 0, 1, shape...), variance,
			r.normal("y", device.Real, none, 0, 1, b, c), r.normal("logvar", device.Real, adds, -1, 0.5, c),
		},
		out: []*array{zeros("ell", device.Double, 1)},
		naive: func(in, out [][]float64) {
			sum := 0.0
			for i, mean := range in[0] {
				noise := math.Exp(in[3][i%c])
				miss := in[2][i%(b*c)] - mean
				sum -= (math.Log(2*math.Pi*noise) + miss*miss/noise + in[1][i]/noise) / 2
			}
			out[0][0] = scale * sum
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dmean, dvariance := dev.New(dtype, shape...), dev.New(dtype, shape...)
			dev.GaussianExpected(out[0], dmean, dvariance, dev.New(device.Real, c), in[0], in[1], in[2], in[3], scale)
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.GaussianExpected(out[0], din[0], din[1], din[3], in[0], in[1], in[2], in[3], scale)
		},
		cotangent: []float64{1},
	}
}

// Size: S, B, C.
func softmax(r *random, size []int) *problem {
	s, b, c := size[0], size[1], size[2]
	return &problem{
		in:  []*array{r.normal("h", device.Real, writes, 5, 3, s, b, c), r.below("y", c, b)},
		out: []*array{zeros("ell", device.Double, 1)},
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
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.SoftmaxLogLik(out[0], dev.New(device.Real, s, b, c), in[0], in[1], scale)
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.SoftmaxLogLik(out[0], din[0], in[0], in[1], scale)
		},
		cotangent: []float64{1},
	}
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

// klWeight is the weight of the KL terms in the tests.
const klWeight = 0.7

func divergenceRows() []row {
	factored := func(lengths bool) func(*random, []int) *problem {
		return func(r *random, size []int) *problem { return klDiag(r, size, lengths) }
	}
	inducing := func(diagonal bool) func(*random, []int) *problem {
		return func(r *random, size []int) *problem { return klInducing(r, size, diagonal) }
	}
	const reason = "float32 exponentials"
	return []row{
		{ops: []string{"KLDiag"}, variant: "unit prior", sizes: [][]int{{1, 1}, {31, 3}, {257, 33}},
			build: factored(false), nmse: 1e-12, reason: reason},
		{ops: []string{"KLDiag"}, variant: "length-scales", sizes: [][]int{{1, 1}, {3, 31}, {2, 4097}},
			build: factored(true), nmse: 1e-12, reason: reason},
		{ops: []string{"KLInducing"}, variant: "full", sizes: [][]int{{1, 1}, {3, 31}, {2, 70}},
			build: inducing(false)},
		{ops: []string{"KLInducing"}, variant: "diagonal", sizes: [][]int{{1, 1}, {3, 31}, {2, 70}},
			build: inducing(true)},
	}
}

// Size: d, R.
func klDiag(r *random, size []int, lengths bool) *problem {
	d, n := size[0], size[1]
	p := &problem{
		in: []*array{
			r.normal("mean", device.Real, adds, 0.5, 1, d, n), r.normal("logvar", device.Real, adds, -1, 0.5, d, n),
			r.normal("logl", device.Real, none, 0.3, 0.4, d),
		},
		out: []*array{zeros("kl", device.Double, 1)},
		naive: func(in, out [][]float64) {
			out[0][0] = 0
			for i, m := range in[0] {
				prior := 1.0
				if lengths {
					prior = math.Exp(-2 * in[2][i/n])
				}
				s2 := math.Exp(in[1][i])
				out[0][0] += (math.Log(prior) - in[1][i] + (s2+m*m)/prior - 1) / 2
			}
		},
		cotangent: []float64{-klWeight},
	}
	if lengths {
		p.in[2].grad = adds
	}
	p.forward = func(dev device.Device, in, out []*device.Tensor) {
		p.backward(dev, in, out, []*device.Tensor{dev.New(device.Real, d, n), dev.New(device.Real, d, n),
			dev.New(device.Real, d)}, nil)
	}
	p.backward = func(dev device.Device, in, out, din, dout []*device.Tensor) {
		if lengths {
			dev.KLDiag(out[0], din[0], din[1], din[2], in[0], in[1], in[2], device.Scalar{Value: klWeight})
		} else {
			dev.KLDiag(out[0], din[0], din[1], nil, in[0], in[1], nil, device.Scalar{Value: klWeight})
		}
	}
	return p
}

// Size: J, M.
func klInducing(r *random, size []int, diagonal bool) *problem {
	j, m := size[0], size[1]
	p := &problem{
		in:  []*array{r.normal("m", device.Double, adds, 0, 1, j, m), r.factor("s", diagonal, j, m)},
		out: []*array{zeros("kl", device.Double, 1)},
		naive: func(in, out [][]float64) {
			kl := 0.0
			for i := range j {
				for p := range m {
					kl += (in[0][i*m+p]*in[0][i*m+p] - 1) / 2
					kl -= math.Log(math.Abs(element(in[1], j, m, i, p, p)))
					for q := range p + 1 {
						v := element(in[1], j, m, i, p, q)
						kl += v * v / 2
					}
				}
			}
			out[0][0] = kl
		},
		cotangent: []float64{-klWeight},
	}
	p.forward = func(dev device.Device, in, out []*device.Tensor) {
		p.backward(dev, in, out, []*device.Tensor{dev.New(device.Double, p.in[0].shape...),
			dev.New(device.Double, p.in[1].shape...)}, nil)
	}
	p.backward = func(dev device.Device, in, out, din, dout []*device.Tensor) {
		dev.KLInducing(out[0], din[0], din[1], in[0], in[1], device.Scalar{Value: klWeight})
	}
	return p
}

func optimiserRows() []row {
	return []row{
		{ops: []string{"Adam"}, sizes: [][]int{{1}, {257}, {10007}}, build: adam, nmse: 1e-12,
			reason: "float32 roots and quotients"},
		{ops: []string{"NaturalStep"}, variant: "full", sizes: naturalSizes(),
			build: func(r *random, size []int) *problem { return naturalStep(r, size, 0.4) }},
		{ops: []string{"NaturalStep"}, variant: "shorter", sizes: naturalSizes(),
			build: func(r *random, size []int) *problem { return naturalStep(r, size, 60) }},
		{ops: []string{"NaturalStep"}, variant: "diagonal", sizes: [][]int{{1, 1}, {3, 257}}, build: naturalDiagonal},
	}
}

// Size: P. Three steps; a rate of 0 holds every fifth parameter.
func adam(r *random, size []int) *problem {
	n := size[0]
	rate := r.normal("rate", device.Real, none, 1, 0, n)
	for i := 4; i < n; i += 5 {
		rate.data[i] = 0
	}
	step := device.AdamStep{LR: device.Scalar{Value: 0.01}, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, L2: 0.05, Scale: -0.5}
	return &problem{
		in:  []*array{r.normal("p", device.Real, none, 0, 1, n), r.normal("g", device.Real, none, 0, 1, n), rate},
		out: []*array{zeros("p", device.Real, n), zeros("m", device.Real, n), zeros("v", device.Real, n)},
		naive: func(in, out [][]float64) {
			p, m, v := out[0], out[1], out[2]
			copy(p, in[0])
			clear(m)
			clear(v)
			for t := 1.0; t <= 3; t++ {
				for i := range p {
					g := step.Scale*in[1][i] + step.L2*p[i]
					m[i] = step.Beta1*m[i] + (1-step.Beta1)*g
					v[i] = step.Beta2*v[i] + (1-step.Beta2)*g*g
					mhat, vhat := m[i]/(1-math.Pow(step.Beta1, t)), v[i]/(1-math.Pow(step.Beta2, t))
					p[i] -= step.LR.Value * in[2][i] * mhat / (math.Sqrt(vhat) + step.Eps)
				}
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.Copy(out[0], in[0])
			dev.Zero(out[1])
			dev.Zero(out[2])
			for step.Step.N = 1; step.Step.N <= 3; step.Step.N++ {
				dev.Adam(out[0], in[1], out[1], out[2], in[2], step)
			}
		},
	}
}
