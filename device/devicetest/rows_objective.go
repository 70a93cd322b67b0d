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

// likelihoodArgs are those of h, y, log σ² and the tail, as far as there are these.
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
	return withValue(&problem{
		in: []*array{
			r.normal("mean", dtype, writes, 0, 1, shape...), variance,
			r.normal("y", device.Real, none, 0, 1, b, c), r.normal("logvar", device.Real, adds, -1, 0.5, c),
		},
		naive: func(in, out [][]float64) {
			sum := 0.0
			for i, mean := range in[0] {
				noise := math.Exp(in[3][i%c])
				miss := in[2][i%(b*c)] - mean
				sum -= (math.Log(2*math.Pi*noise) + miss*miss/noise + in[1][i]/noise) / 2
			}
			out[0][0] = scale * sum
		},
	}, 1, func(in []*device.Tensor) device.LikelihoodArgs {
		return device.LikelihoodArgs{H: in[0], Variance: in[1], Y: in[2], LogVar: in[3]}
	}, scaled(device.Device.GaussianExpected))
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
	}
	if lengths {
		p.in[2].grad = adds
	}
	return withValue(p, -klWeight, func(in []*device.Tensor) device.DiagArgs {
		a := device.DiagArgs{Mean: in[0], LogVar: in[1]}
		if lengths {
			a.LogL = in[2]
		}
		return a
	}, func(dev device.Device, kl *device.Tensor, g, a device.DiagArgs) {
		dev.KLDiag(kl, g, a, device.Scalar{Value: klWeight})
	})
}

// Size: J, M.
func klInducing(r *random, size []int, diagonal bool) *problem {
	j, m := size[0], size[1]
	return withValue(&problem{
		in: []*array{r.normal("m", device.Double, adds, 0, 1, j, m), r.factor("s", diagonal, j, m)},
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
	}, -klWeight, func(in []*device.Tensor) []*device.Tensor { return in },
		func(dev device.Device, kl *device.Tensor, g, a []*device.Tensor) {
			dev.KLInducing(kl, g[0], g[1], a[0], a[1], device.Scalar{Value: klWeight})
		})
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
