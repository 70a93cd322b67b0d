package conformance

import (
	"math"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// E ΦΦᵀ of arc-cosine features is α k_n(x/ℓ, x'/ℓ), the integral of Cho and Saul in closed form: averaged over many
// draws of Ω, with an error of the features' own variance.
func approachArcCosine(t *testing.T, dev device.Device, _ tolerances) {
	const b, d, n, samples = 9, 3, 64, 300
	r := newRandom(8)
	row := r.normal("h", device.Real, none, 0, 1, b, d)
	h := slices.Repeat(row.data, samples)
	logl, logalpha := []float64{0.5, -0.25, 0.1}, 0.75
	// E φ(p)⁴ for p with E φ(p)² = 1 is 2, 6 and 210/9: the variance of one feature's product is less.
	for a, fourth := range map[device.Activation]float64{device.ArcCos0: 2, device.ArcCos1: 6,
		device.ArcCos2: 210.0 / 9} {
		phi := columnsOf(dev, put(dev, device.Real, h, samples, b, d), n, device.FeatureParams{Activation: a,
			LogAlpha: put(dev, device.Real, []float64{logalpha}, 1), LogLength: put(dev, device.Real, logl, d)})
		e := productError(phi, samples, b, func(i, j int, inner float64) float64 {
			x, y := row.data[i*d:][:d], row.data[j*d:][:d]
			size := math.Sqrt(arcCosine(a, x, x, logl) * arcCosine(a, y, y, logl))
			return (inner/math.Exp(logalpha) - arcCosine(a, x, y, logl)) / size
		})
		if want := 2 * math.Sqrt(fourth/(n*samples)); e > want {
			t.Errorf("degree %d: ΦΦᵀ is off by %g, want at most %g", a.Degree(), e, want)
		}
	}
}

// arcCosine returns k_n(x/ℓ, y/ℓ) = ‖x‖ⁿ‖y‖ⁿ J_n(θ)/π.
func arcCosine(a device.Activation, x, y, logl []float64) float64 {
	xx, yy, xy := 0.0, 0.0, 0.0
	for i, l := range logl {
		u, v := x[i]/math.Exp(l), y[i]/math.Exp(l)
		xx, yy, xy = xx+u*u, yy+v*v, xy+u*v
	}
	cos := min(1, xy/math.Sqrt(xx*yy))
	theta := math.Acos(cos)
	j := math.Pi - theta
	switch a {
	case device.ArcCos1:
		j = math.Sin(theta) + (math.Pi-theta)*cos
	case device.ArcCos2:
		j = 3*math.Sin(theta)*cos + (math.Pi-theta)*(1+2*cos*cos)
	}
	return math.Pow(xx*yy, float64(a.Degree())/2) * j / math.Pi
}
