package device

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// plain is a device, recorder one that records.
type plain struct{ Device }

type recorder struct {
	plain
	replays int
}

func (r *recorder) Record(work func(LiveScalars)) func(StepScalars) {
	return func(now StepScalars) {
		r.replays++
		work(now.Live())
	}
}

// A loop does the work, through the recorder where the device is one.
func TestLoop(t *testing.T) {
	done, r := LiveScalars{}, &recorder{}
	work := func(now LiveScalars) { done = now }
	for i, dev := range []Device{plain{}, r} {
		now := StepScalars{Step: uint32(i + 1), LR: 0.1, KLWeight: 0.5}
		NewLoop(dev, work)(now)
		if done != now.Live() || r.replays != i {
			t.Errorf("device %d: %+v done for %+v, %d times by the recorder", i, done, now, r.replays)
		}
	}
	if must.PanicOf(func() { NewLoop(plain{}, work)(StepScalars{}) }) != "device: the steps of a loop count from 1" {
		t.Error("step 0, which is that of frozen noise, passes")
	}
}
