package conformance

import (
	"math"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Size: S, B, C.
func poisson(r *random, size []int) likelihood {
	s, b, c := size[0], size[1], size[2]
	return likelihood{
		in: []*array{r.normal("h", device.Real, writes, 0, 1, s, b, c), r.counts(1, b, c),
			r.normal("lograte", device.Real, adds, 1, 0.5, c), r.normal("offset", device.Real, none, 0.5, 0.3, b)},
		term: func(in [][]float64, row int) float64 {
			return columns(row, b, c, func(i, y, col int) float64 {
				f := in[0][i] + in[2][col] + in[3][row%b]
				return in[1][y]*f - math.Exp(f) - logGamma(in[1][y]+1)
			})
		}, op: device.Device.PoissonLogLik}
}

// Size: S, B, C.
func poissonExpected(dtype device.DType) func(r *random, size []int) likelihood {
	return func(r *random, size []int) likelihood {
		b, c := size[1], size[2]
		mean, variance := r.moments(dtype, size)
		return likelihood{
			in: []*array{mean, r.counts(1, b, c), r.normal("lograte", device.Real, adds, 1, 0.5, c),
				r.normal("offset", device.Real, none, 0.5, 0.3, b), variance},
			term: func(in [][]float64, row int) float64 {
				return columns(row, b, c, func(i, y, col int) float64 {
					f := in[0][i] + in[2][col] + in[3][row%b]
					return in[1][y]*f - math.Exp(f+in[4][i]/2) - logGamma(in[1][y]+1)
				})
			}, op: device.Device.PoissonExpected}
	}
}

// Size: S, B, C. A dispersion of about 0.6, and rates on both sides of 1/δ.
func negativeBinomial(r *random, size []int) likelihood {
	s, b, c := size[0], size[1], size[2]
	return likelihood{
		in: []*array{r.normal("h", device.Real, writes, 0, 1.5, s, b, c), r.counts(1, b, c),
			r.normal("lograte", device.Real, adds, 0, 0.5, c), r.normal("offset", device.Real, none, 0.5, 0.3, b),
			r.normal("tail", device.Real, adds, -0.5, 0.1, 1)},
		term: func(in [][]float64, row int) float64 {
			r := 1 / (device.DispersionFloor + math.Exp(in[4][0]))
			return columns(row, b, c, func(i, at, col int) float64 {
				y, rate := in[1][at], math.Exp(in[0][i]+in[2][col]+in[3][row%b])
				return logGamma(y+r) - logGamma(r) - logGamma(y+1) + r*math.Log(r/(r+rate)) + y*math.Log(rate/(r+rate))
			})
		}, op: device.Device.NegativeBinomialLogLik}
}

// Size: S, B, K levels. Outputs are far in both tails, too.
func ordinal(r *random, size []int) likelihood {
	s, b, k := size[0], size[1], size[2]
	return likelihood{
		in: []*array{r.normal("h", device.Real, writes, 0, 3, s, b, 1), r.below("y", k, b),
			r.normal("cuts", device.Real, adds, -1, 0.5, k-1)},
		term: func(in [][]float64, row int) float64 {
			y, lower, upper := int(in[1][row%b]), math.Inf(-1), in[2][0]
			for i := 1; i <= y && i < k; i++ {
				lower = upper
				if i == k-1 {
					upper = math.Inf(1)
				} else {
					upper += device.GapFloor + math.Exp(in[2][i])
				}
			}
			lower, upper = lower-in[0][row], upper-in[0][row]
			if lower > 0 {
				lower, upper = -upper, -lower
			}
			return math.Log(math.Erfc(-upper/math.Sqrt2)/2 - math.Erfc(-lower/math.Sqrt2)/2)
		}, op: device.Device.OrdinalLogLik}
}

// A likelihood whose rows weigh 1 has the value and the gradients of one without weights, bit for bit.
func unitWeights(t *testing.T, dev device.Device, _ tolerances) {
	for i, build := range []func(*random, []int) likelihood{gaussian, expected(device.Double), expected(device.Real),
		predictive(device.Double), predictive(device.Real), softmax, bernoulli, student, heteroscedastic, poisson,
		poissonExpected(device.Double), poissonExpected(device.Real), negativeBinomial, ordinal} {
		const batch = 31
		l := build(newRandom(8), []int{3, batch, 2})
		in, ones := tensors(dev, l.in), put(dev, device.Real, slices.Repeat([]float64{1}, batch), batch)
		evaluate := func(weight *device.Tensor) (all []float64) {
			g, ell, a := gradients(dev, l.in), dev.New(device.Double, 1), l.args(in)
			a.Weight = weight
			l.op(dev, ell, l.args(g), a, scale)
			for _, gradient := range append(g, ell) {
				if gradient != nil {
					all = append(all, download(dev, gradient)...)
				}
			}
			return all
		}
		if plain, weighted := evaluate(nil), evaluate(ones); !slices.Equal(plain, weighted) {
			t.Errorf("likelihood %d: %v with weights of 1, %v without", i, weighted, plain)
		}
	}
}

// Log rates of 800, whose exponentials no double holds.
func tangentRate(t *testing.T, dev device.Device, tol tolerances) {
	h, y := put(dev, device.Real, []float64{800}, 1, 1, 1), put(dev, device.Real, []float64{3}, 1, 1)
	zero, ell := put(dev, device.Real, []float64{0}, 1), dev.New(device.Double, 1)
	g := device.LikelihoodArgs{H: dev.New(device.Real, 1, 1, 1), LogRate: dev.New(device.Real, 1),
		Tail: dev.New(device.Real, 1)}
	a := device.LikelihoodArgs{H: h, Y: y, LogRate: zero, Tail: zero}
	both := func() []float64 { return append(download(dev, ell), download(dev, g.H)...) }
	dev.PoissonLogLik(ell, g, a, 1)
	slope := math.Exp(device.LogRateMax)
	want := []float64{3*800 - slope*(801-device.LogRateMax) - math.Log(6), 3 - slope}
	bound{relative: tol.real()}.compare(t, "PoissonLogLik and its gradient", both(), want)
	dev.NegativeBinomialLogLik(ell, g, a, 1)
	r := 1 / (1 + device.DispersionFloor)
	want = []float64{logGamma(3+r) - logGamma(r) - math.Log(6) + r*(math.Log(r)-800), -r}
	bound{relative: tol.real()}.compare(t, "NegativeBinomialLogLik and its gradient", both(), want)
}

// Outputs at ±100 standard deviations from their level: log Φ(x) is −x²/2 − log −x√2π + log(1 − x⁻²).
func farLevels(t *testing.T, dev device.Device, tol tolerances) {
	h, y := put(dev, device.Real, []float64{100, -100}, 1, 2, 1), dev.New(device.Int, 2)
	dev.UploadInts(y, []int32{0, 1})
	ell, dh, cuts := dev.New(device.Double, 1), dev.New(device.Real, 1, 2, 1), dev.New(device.Real, 1)
	dev.OrdinalLogLik(ell, device.LikelihoodArgs{H: dh, Cuts: dev.New(device.Real, 1)},
		device.LikelihoodArgs{H: h, Y: y, Cuts: cuts}, 1)
	tail := -5000 - math.Log(100*math.Sqrt(2*math.Pi)) + math.Log1p(-1e-4+3e-8-15e-12)
	hazard := math.Exp(-5000 - math.Log(2*math.Pi)/2 - tail)
	bound{relative: tol.real()}.compare(t, "OrdinalLogLik", download(dev, ell), []float64{2 * tail})
	bound{relative: 100 * tol.real()}.compare(t, "its gradient", download(dev, dh), []float64{-hazard, hazard})
}
