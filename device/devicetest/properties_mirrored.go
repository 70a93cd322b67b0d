package devicetest

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Where keys are mirrored, sample 2i of a random-feature layer is what sample i is without, and
// sample 2i+1 has the opposite noise: in weights, in the noise of local reparameterisation and in
// frequencies.
func mirrored(t *testing.T, dev device.Device, tol Tolerances) {
	const s, b, d, n, out = 4, 5, 3, 6, 3
	r := newRandom(9)
	h := r.normal("h", device.Real, none, 0, 1, s, b, d)
	for i := range h.data {
		h.data[i] = h.data[i%(b*d)] // the same in every sample
	}
	p := device.FeatureParams{
		LogAlpha: put(dev, device.Real, []float64{0.5}, 1), LogL: dev.New(device.Real, d),
		MeanOmega: upload(dev, r.normal("eta", device.Real, none, 0, 1, d, n)), LogVarOmega: put(dev, device.Real, fill(d*n, -1), d, n),
		MeanW: upload(dev, r.normal("m", device.Real, none, 0, 1, 2*n, out)), LogVarW: put(dev, device.Real, fill(2*n*out, -1), 2*n, out),
	}
	run := func(local, mirrorW, mirrorOmega bool, p device.FeatureParams, draws int) []float64 {
		noise := device.FeatureNoise{
			Weights: device.Key{Seed: 3, Step: 7, Sample: 2, Site: device.SiteWeights, Mirrored: mirrorW},
			Spectra: device.Key{Seed: 3, Step: 7, Sample: 2, Site: device.SiteSpectra, Mirrored: mirrorOmega}, Draws: draws, Local: local,
		}
		y := dev.New(device.Real, s, b, out)
		dev.RandomFeatures(y, upload(dev, h), p, put32(dev, b), noise, dev.FeatureScratch(s, b, d, n, out))
		return download(dev, y)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 10*tol.real()*(1+math.Abs(want)) {
			t.Errorf("%s: %g, expected %g", what, got, want)
		}
	}
	still := p
	still.LogVarW = put(dev, device.Real, fill(2*n*out, -80), 2*n, out)
	mean := run(false, false, false, still, 1)
	for _, local := range []bool{false, true} {
		got := run(local, true, false, p, 1)
		for i := range b * out {
			for pair := range s / 2 {
				near("mean of a pair", (got[2*pair*b*out+i]+got[(2*pair+1)*b*out+i])/2, mean[i])
			}
		}
	}
	// With frequencies that are noise alone and weights alone on sines, the layer is odd in them.
	odd := still
	odd.MeanOmega = dev.New(device.Real, d, n)
	sines := fill(2*n*out, 1)
	clear(sines[:n*out])
	odd.MeanW = put(dev, device.Real, sines, 2*n, out)
	got := run(false, false, true, odd, 0)
	for pair := range s / 2 {
		for i := range b * out {
			near("sum of a pair", got[2*pair*b*out+i]+got[(2*pair+1)*b*out+i], 0)
		}
	}
	if math.Abs(got[0]-got[2*b*out]) < 1e-3 {
		t.Error("two pairs are equal")
	}
}

func fill(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// put32 is the rows 0 … n−1.
func put32(dev device.Device, n int) *device.Tensor {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	t := dev.New(device.Int, n)
	dev.UploadInts(t, rows)
	return t
}
