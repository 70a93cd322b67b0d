package model

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// offsets are a constant b_c for each output of a classifier, which learns with the rest and has no
// prior: p(y | h + b). The latent functions have mean zero, so that without it a row that is like
// none in training has all classes alike.
type offsets struct {
	dev   device.Device
	b, db *device.Tensor // [C]; nil: there are none
}

// offsetBlocks reserves the constants where there are any.
func offsetBlocks(p *Params, c *Config) (bind func(device.Device) offsets) {
	if !c.ClassOffsets {
		return func(dev device.Device) offsets { return offsets{dev: dev} }
	}
	at := p.add(Kernel, "likelihood.offset", shape(c.Outputs),
		func(dst []float64, v *Init, _ func([]float64)) { initOffsets(dst, v.ClassRows) })
	return func(dev device.Device) offsets {
		o := offsets{dev: dev}
		o.b, o.db = p.real(at)
		return o
	}
}

// add adds b to h.
func (o *offsets) add(h *device.Tensor) {
	if o.b != nil {
		o.dev.AddOffset(h, o.b)
	}
}

// backward adds Σ dh to db.
func (o *offsets) backward(dh *device.Tensor) {
	if o.b != nil {
		o.dev.AddOffsetBackward(o.db, dh)
	}
}

// predict adds b to the outputs of a prediction.
func (o *offsets) predict(p *Prediction) { p.add(numbers(o.dev, o.b)) }

// initOffsets writes b [C] from the number of rows of each class: the logarithms of the classes'
// shares less their mean, or of a single output the log-odds of the second class. Half a row is
// added to each, so that a class without rows has a share.
func initOffsets(b []float64, rows []int) {
	of := func(class int) float64 { return math.Log(float64(rows[class]) + 0.5) }
	if len(b) == 1 {
		b[0] = of(1) - of(0)
		return
	}
	mean := 0.0
	for c := range b {
		b[c] = of(c)
		mean += b[c] / float64(len(b))
	}
	for c := range b {
		b[c] -= mean
	}
}
