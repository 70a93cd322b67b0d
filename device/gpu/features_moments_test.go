//go:build cuda && cgo

package gpu

import (
	"fmt"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A layer over several tiles of rows, inputs, frequencies and columns has the moments and gradients of the CPU. This
// holds whether many blocks share a sum or one block computes it.
func TestFeatureMomentTiles(t *testing.T) {
	double, single, host := open(t, false), open(t, true), cpu.New[float64](1)
	for _, n := range []device.FeatureShape{
		{S: 1, B: 70, D: 3, R: 65, Out: 1},
		{S: 3, B: 65, D: 67, R: 130, Out: 20},
		{S: 2, B: 66, D: 7, R: 70, Out: 67},
		{S: 40, B: 3, D: 20, R: 270, Out: 9},
	} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			want := runLayer(host, n, nil, host.FeatureScratch(n.S, n.B, n.D, n.R, n.Out))
			compareLayer(t, double, n, nil, want, false, 1e-12)
			compareLayer(t, double, n, nil, want, true, 1e-12)
			compareLayer(t, single, n, nil, want, false, 1e-4)
			compareLayer(t, single, n, nil, want, true, 1e-4)
		})
	}
}

// Where the variance is floored, no gradient comes of it, however large its cotangent.
func TestFeatureMomentFloor(t *testing.T) {
	for _, d := range []device.Device{cpu.New[float64](1), open(t, false), open(t, true)} {
		fill := func(value float64, shape ...int) *device.Tensor { return filled(d, 0, value, shape...) }
		params := func(logVarOmega, logVarW float64) device.FeatureParams {
			return device.FeatureParams{LogAlpha: fill(0, 1), LogLength: fill(0, 2), MeanOmega: fill(0, 2, 5),
				LogVarOmega: fill(logVarOmega, 2, 5), MeanW: fill(0, 10, 3), LogVarW: fill(logVarW, 10, 3)}
		}
		p, g, scratch := params(-80, -40), params(0, 0), d.FeatureScratch(2, 4, 2, 5, 3)
		a := device.FeatureArgs{Out: fill(0, 2, 4, 3), Variance: fill(0, 2, 4, 3), H: fill(1, 2, 4, 2), Params: p,
			Scratch: scratch}
		dh := fill(1, 2, 4, 2)
		d.FeatureMoments(a)
		d.FeatureMomentsBackward(device.FeatureArgs{Out: fill(0, 2, 4, 3), Variance: fill(1e12, 2, 4, 3), H: dh,
			Params: g}, a)
		for i, x := range []*device.Tensor{dh, g.LogAlpha, g.MeanOmega, g.LogVarOmega, g.MeanW, g.LogVarW} {
			for _, v := range download(d, x) {
				if v != 0 {
					t.Fatalf("%s: a number of gradient %d is %g", d.Name(), i, v)
				}
			}
		}
	}
}

// Neither pass allocates after its first call, also without dh.
func TestFeatureMomentScratch(t *testing.T) {
	d := open(t, true)
	n := device.FeatureShape{S: 2, B: 3, D: 4, R: 5, Out: 6}
	h, mean, variance := d.New(device.Real, n.S, n.B, n.D), d.New(device.Real, n.S, n.B, n.Out),
		d.New(device.Real, n.S, n.B, n.Out)
	p := zeroParams(d, n)
	a := device.FeatureArgs{Out: mean, Variance: variance, H: h, Params: p}
	for _, dh := range []*device.Tensor{h, nil} {
		a.Scratch = d.FeatureScratch(n.S, n.B, n.D, n.R, n.Out)
		g := a
		g.H = dh
		step := func() {
			d.FeatureMoments(a)
			d.FeatureMomentsBackward(g, a)
		}
		step()
		before := d.Usage().Changes
		if a := must.AllocsPerRun(2, step); a != 0 || d.Usage().Changes != before {
			t.Errorf("dh %v: %g allocations, and %d of the device", dh != nil, a, d.Usage().Changes-before)
		}
	}
	a.Scratch = d.FeatureScratch(n.S, n.B-1, n.D, n.R, n.Out)
	if must.PanicOf(func() { d.FeatureMoments(a) }) == nil {
		t.Error("a scratch for fewer rows is taken")
	}
}
