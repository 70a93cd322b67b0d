//go:build cuda && cgo

package gpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A layer over several tiles of rows, frequencies and columns agrees with the CPU, whether many blocks share the tiles
// or one block walks over all.
func TestFeatureTiles(t *testing.T) {
	double, single, host := open(t, false), open(t, true), cpu.New[float64](1)
	tolerances := map[*Device]float64{single: 1e-4}
	// The largest error is dlogα's, a sum of terms of both signs. TF32 has 2⁻¹² of each factor and of phases up to 10.
	if d := open(t, true); device.SetPrecision(d, device.Medium) == device.Medium {
		tolerances[d] = 3e-2
	}
	for _, n := range []device.FeatureShape{
		{S: 1, B: 70, D: 3, R: 65, Out: 1},
		{S: 3, B: 65, D: 50, R: 130, Out: 50},
		{S: 2, B: 66, D: 70, R: 70, Out: 67},
		{S: 2, B: 5, D: 131, R: 9, Out: 20, Prior: true},
		{S: 24, B: 3, D: 20, R: 520, Out: 10}, // rows of several samples in a tile
		{S: 2, B: 2, D: 800, R: 5, Out: 130},
		// whose slope has no steps, that rounding could cross
		{S: 2, B: 66, D: 70, R: 130, Out: 67, Activation: device.ArcCos2},
		{S: 2, B: 65, D: 3, R: 65, Out: 1, Prior: true, Activation: device.ArcCos2},
	} {
		noises := []device.FeatureNoise{
			{}, {FrequencyDraws: 2, WeightDraws: 1}, {Local: true}, {FrequencyDraws: 1, WeightDraws: 1},
			{FrequencyDraws: 1, Local: true},
		}
		if n.S*n.B*n.R > 30000 { // the double takes long
			noises = noises[:1]
		}
		for _, noise := range noises {
			t.Run(fmt.Sprintf("%v %v", n, noise), func(t *testing.T) {
				want := runLayer(host, n, &noise, host.FeatureScratch(n.S, n.B, n.D, n.R, n.Out))
				compareLayer(t, double, n, &noise, want, true, 1e-11)
				if noise.FrequencyDraws+noise.WeightDraws > 0 { // how draws are shared does not touch the products
					compareLayer(t, single, n, &noise, want, true, tolerances[single])
					return
				}
				compareLayer(t, double, n, &noise, want, false, 1e-11)
				for d, tolerance := range tolerances {
					compareLayer(t, d, n, &noise, want, true, tolerance)
				}
			})
		}
	}
}

// Neither pass allocates after its first call, and a plan for fewer rows is refused.
func TestFeatureScratch(t *testing.T) {
	d := open(t, true)
	n := device.FeatureShape{S: 2, B: 3, D: 4, R: 5, Out: 6}
	for _, noise := range []device.FeatureNoise{{}, {Local: true}} {
		scratch := d.FeatureScratch(n.S, n.B, n.D, n.R, n.Out)
		h, dout := d.New(device.Real, n.S, n.B, n.D), d.New(device.Real, n.S, n.B, n.Out)
		p := zeroParams(d, n)
		a := device.FeatureArgs{Out: dout, H: h, Params: p, Rows: d.New(device.Int, n.B), Noise: noise,
			Scratch: scratch}
		step := func() {
			d.RandomFeatures(a)
			d.RandomFeaturesBackward(a, a)
		}
		step()
		if a := must.AllocsPerRun(2, step); a != 0 {
			t.Errorf("%v: %g allocations", noise, a)
		}
	}
	fewer := d.FeatureScratch(n.S, n.B-1, n.D, n.R, n.Out)
	if must.PanicOf(func() { runLayer(d, n, &device.FeatureNoise{}, fewer) }) == nil {
		t.Error("a scratch for fewer rows is taken")
	}
}

// zeroParams makes the parameters of a layer, all zero.
func zeroParams(d *Device, n device.FeatureShape) device.FeatureParams {
	return device.FeatureParams{
		LogAlpha: d.New(device.Real, 1), LogLength: d.New(device.Real, n.D),
		MeanOmega: d.New(device.Real, n.D, n.R), LogVarOmega: d.New(device.Real, n.D, n.R),
		MeanW: d.New(device.Real, 2*n.R, n.Out), LogVarW: d.New(device.Real, 2*n.R, n.Out),
	}
}

// compareLayer compares a layer of a device with its results elsewhere, whether many blocks share a sum or one computes
// it alone.
func compareLayer(t *testing.T, d *Device, n device.FeatureShape, noise *device.FeatureNoise, want [][]float64,
	alone bool, tolerance float64) {
	t.Helper()
	scratch := d.FeatureScratch(n.S, n.B+1, n.D, n.R, n.Out)
	if layer := scratch.(*features); alone {
		layer.minBlocks = 1
	}
	got := runLayer(d, n, noise, scratch)
	for i, name := range []string{"out", "variance", "dh", "dlogalpha", "dlogl", "deta", "dlogbeta2", "dm", "dlogs2"} {
		if e := relative(got[i], want[i]); !(e < tolerance) {
			t.Errorf("%s%s: %s, alone %v: relative error %.3g", d.Name(), d.products.suffix, name, alone, e)
		}
	}
}

// runLayer returns the results of a layer and of its backward pass, with the same numbers on every device. Without a
// noise they are its moments.
func runLayer(d device.Device, n device.FeatureShape, noise *device.FeatureNoise, scratch device.Scratch) [][]float64 {
	fill := func(scale, mean float64, shape ...int) *device.Tensor { return filled(d, scale, mean, shape...) }
	spread := 1.0
	if noise == nil {
		spread = 2
	}
	params := func(scale, mean float64) device.FeatureParams {
		p := device.FeatureParams{LogAlpha: fill(scale, 0.1, 1), LogLength: fill(scale, 0, n.D),
			MeanW: fill(scale, 0, n.Columns(), n.Out), LogVarW: fill(scale, mean, n.Columns(), n.Out),
			Activation: n.Activation}
		if !n.Prior {
			p.MeanOmega, p.LogVarOmega = fill(scale, 0, n.D, n.R), fill(scale, spread*mean, n.D, n.R)
		}
		return p
	}
	rows := d.New(device.Int, n.B)
	numbers := make([]int32, n.B)
	for i := range numbers {
		numbers[i] = int32(7 * i)
	}
	d.UploadInts(rows, numbers)
	out := func() *device.Tensor { return d.New(device.Real, n.S, n.B, n.Out) }
	a := device.FeatureArgs{Out: out(), Variance: out(), H: fill(1, 0, n.S, n.B, n.D), Params: params(0.5, -1),
		Rows: rows, Scratch: scratch}
	g := device.FeatureArgs{Out: fill(1, 0, n.S, n.B, n.Out), Variance: fill(1, 0.3, n.S, n.B, n.Out),
		H: d.New(device.Real, n.S, n.B, n.D), Params: params(0, 0.5)}
	if noise == nil {
		d.FeatureMoments(a)
		d.FeatureMomentsBackward(g, a)
	} else {
		a.Noise = *noise
		a.Noise.Weights = device.Key{Seed: 3, Step: device.StepNumber{N: 4}, Sample: 5, Site: device.SiteWeights}
		a.Noise.Frequencies = device.Key{Seed: 3, Step: device.StepNumber{N: 4}, Sample: 5,
			Site: device.SiteFrequencies}
		d.RandomFeatures(a)
		d.RandomFeaturesBackward(g, a)
	}
	var results [][]float64
	for _, x := range []*device.Tensor{a.Out, a.Variance, g.H, g.Params.LogAlpha, g.Params.LogLength,
		g.Params.MeanOmega, g.Params.LogVarOmega, g.Params.MeanW, g.Params.LogVarW} {
		results = append(results, download(d, x))
	}
	return results
}

// relative returns the largest difference in units of the largest element.
func relative(got, want []float64) float64 {
	miss, size := 0.0, 1e-300
	for i, v := range want {
		miss, size = math.Max(miss, math.Abs(got[i]-v)), math.Max(size, math.Abs(v))
	}
	return miss / size
}
