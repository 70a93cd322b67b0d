//go:build cuda && cgo

package gpu

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// What kernels cannot count is found by a dry device, before anything is launched.
func TestMoreThanInt32(t *testing.T) {
	for samples, want := range map[int]bool{1 << 10: false, 1 << 12: true} {
		dry, ledger := open(t, true).Dry()
		const batch, latents = 1 << 10, 1 << 9
		f := dry.New(device.Real, samples, batch, latents)
		layer := dry.FeatureScratch(samples, batch, latents, 4, latents)
		p := device.FeatureParams{LogAlpha: dry.New(device.Real, 1), LogLength: dry.New(device.Real, latents),
			MeanOmega: dry.New(device.Real, latents, 4), LogVarOmega: dry.New(device.Real, latents, 4),
			MeanW: dry.New(device.Real, 8, latents), LogVarW: dry.New(device.Real, 8, latents)}
		out := dry.New(device.Real, samples, batch, latents)
		dry.FeatureMoments(device.FeatureArgs{Out: out, Variance: dry.New(device.Real, samples, batch, latents), H: f,
			Params: p, Scratch: layer})
		if ledger.Exceeded() != want {
			t.Errorf("%d numbers of a layer: too many is %v", f.Len(), ledger.Exceeded())
		}
	}
}

// A layer may have more inputs than a grid has blocks in y.
func TestManyInputs(t *testing.T) {
	const inputs = 65536 + 1
	d := open(t, true)
	kl, mean, logvar, logl := d.New(device.Double, 1), d.New(device.Real, inputs, 1), d.New(device.Real, inputs, 1),
		d.New(device.Real, inputs)
	values := make([]float64, inputs)
	for i := range values {
		values[i] = 2 // each row has ½ m²
	}
	d.Upload(mean, values)
	g := device.DiagArgs{Mean: d.New(device.Real, inputs, 1), LogVar: d.New(device.Real, inputs, 1),
		LogLength: d.New(device.Real, inputs)}
	d.KLDiag(kl, g, device.DiagArgs{Mean: mean, LogVar: logvar, LogLength: logl}, device.Scalar{Value: 1})
	if d.Download(values[:1], kl); values[0] != 2*inputs {
		t.Errorf("the KL term of %d inputs is %g, not %d", inputs, values[0], 2*inputs)
	}
}

// A dry device asks the driver for nothing, so that a plan does not wait for its compiler.
func TestDryLoadsNothing(t *testing.T) {
	d := open(t, true)
	before := d.Usage().Calls
	dry, _ := d.Dry()
	dry.AddBias(dry.New(device.Real, 2, 3, 4), dry.New(device.Real, 4))
	if after := d.Usage().Calls; after != before {
		t.Errorf("%d calls of the driver", after-before)
	}
}
