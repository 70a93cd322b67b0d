package conformance

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// klWeight is the weight of the KL terms in the tests.
const klWeight = 0.7

func divergenceRows() []row {
	const reason = "float32 exponentials"
	return []row{
		{ops: []string{"KLDiag"}, variant: "unit prior", sizes: [][]int{{1, 1}, {31, 3}, {257, 33}},
			build: given(klDiag, false), nmse: 1e-12, reason: reason},
		{ops: []string{"KLDiag"}, variant: "length-scales", sizes: [][]int{{1, 1}, {3, 31}, {2, 4097}},
			build: given(klDiag, true), nmse: 1e-12, reason: reason},
		{ops: []string{"KLDiag"}, variant: "below diagonals", sizes: [][]int{{1, 1}, {2, 4097}}, build: klLower},
		{ops: []string{"KLInducing"}, variant: "full", sizes: [][]int{{1, 1}, {3, 31}, {2, 70}},
			build: given(klInducing, false)},
		{ops: []string{"KLInducing"}, variant: "diagonal", sizes: [][]int{{1, 1}, {3, 31}, {2, 70}},
			build: given(klInducing, true)},
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
			a.LogLength = in[2]
		}
		return a
	}, func(dev device.Device, kl *device.Tensor, g, a device.DiagArgs) {
		dev.KLDiag(kl, g, a, device.Scalar{Value: klWeight})
	})
}

// Size: d, R.
func klLower(r *random, size []int) *problem {
	return withValue(&problem{
		in: []*array{r.normal("lower", device.Real, adds, 0, 1, size...)},
		naive: func(in, out [][]float64) {
			out[0][0] = 0
			for _, m := range in[0] {
				out[0][0] += m * m / 2
			}
		},
	}, -klWeight, func(in []*device.Tensor) device.DiagArgs {
		return device.DiagArgs{Mean: in[0]}
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
			build: given(naturalStep, 0.4)},
		{ops: []string{"NaturalStep"}, variant: "shorter", sizes: naturalSizes(),
			build: given(naturalStep, 60.0)},
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
