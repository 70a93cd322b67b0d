package train

import (
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// adams counts the steps of a device.
type adams struct {
	device.Device
	steps int
}

func (d *adams) Adam(p, g, m, v, rate *device.Tensor, step device.AdamStep) {
	d.steps++
	d.Device.Adam(p, g, m, v, rate, step)
}

// Where nothing is compiled, one step that is too slow is enough.
func TestPaceOfSlowSteps(t *testing.T) {
	dev := &adams{Device: openCPU(t)}
	job := &Job{Config: config(t, "model=gpdrf inducing=9 latents=3 features=20 steps=6 batch=50"), Device: dev,
		Train: table(t, 60, 1, wave), Started: time.Now(), Reporter: &quiet{}}
	if mean, err := job.MeanStepTime(t.Context(), time.Nanosecond); err != nil || mean <= 0 || dev.steps != 1 {
		t.Errorf("%d steps, %s, %v", dev.steps, mean, err)
	}
}
