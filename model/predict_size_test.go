package model

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// small is a device with little memory.
type small struct {
	device.Device
	free int64
}

func (d *small) Free() (int64, bool) { return d.free, true }

// With little memory a prediction goes through in fewer samples and rows, with the same result.
func TestPredictInLittleMemory(t *testing.T) {
	dev := &small{openDevice(t, "cpu:f64"), math.MaxInt64}
	f := newFixture(t, dev, gpdrfConfig())
	const n, samples = 300, 70
	x := make([]float64, n*3)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	data := f.m.Upload(n, x, nil, nil)
	whole := must.Get(f.m.Predict(data, samples, 9))(t)
	if chunk, batch := f.m.predictSize(samples, data); chunk != 32 || batch != 256 {
		t.Errorf("%d samples of %d rows at once", chunk, batch)
	}
	for _, free := range []int64{1 << 20, 200 << 10, 1000} {
		dev.free = free
		chunk, batch := f.m.predictSize(samples, data)
		if bytes := f.m.predictBytes(data, chunk, batch); chunk*batch >= predictPassSize ||
			bytes > free && chunk*batch > 1 {
			t.Errorf("%d bytes: %d samples of %d rows at once take %d", free, chunk, batch, bytes)
		}
		if free == 1000 && n*samples > 1000 { // one at a time takes long: fewer are enough
			data = data.Head(7)
		}
		p := must.Get(f.m.Predict(data, samples, 9))(t)
		for s := range samples {
			for i := range data.N {
				if got, want := p.H[s*data.N+i], whole.H[s*n+i]; math.Abs(got-want) > 1e-12 {
					t.Fatalf("%d bytes: sample %d of row %d is %g, with more memory %g", free, s, i, got, want)
				}
			}
		}
	}
}
