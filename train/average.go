package train

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// average is the running average of the parameters over the steps (Polyak; with weights that fall
// off), which is what is evaluated and kept where there is one. Training goes on from the
// parameters themselves.
type average struct {
	dev   device.Device
	value *device.Tensor // the parameters, [P]
	mean  *device.Tensor // their average
	other *device.Tensor // room for an exchange
}

func newAverage(m *model.Model, dev device.Device) *average {
	n := m.Params().Len()
	return &average{dev, m.Params().Value, dev.New(device.Real, n), dev.New(device.Real, n)}
}

// reset starts a new average.
func (a *average) reset() {
	if a != nil {
		a.dev.Zero(a.mean)
	}
}

// swap exchanges parameters and average; a second time puts them back.
func (a *average) swap() {
	if a == nil {
		return
	}
	a.dev.Copy(a.other, a.value)
	a.dev.Copy(a.value, a.mean)
	a.dev.Copy(a.mean, a.other)
}
