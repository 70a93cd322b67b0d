package devicetest

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

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
