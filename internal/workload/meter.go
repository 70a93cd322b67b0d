package workload

import (
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// meter is a device that times each operation of a training step by itself: it waits for the end of the operation
// before, and of this one. Its figure is the time of the call with its launch, less the time of an empty wait.
// Operations that are queued one after another cost less.
type meter struct {
	device.Device
	idle    time.Duration // time of an empty wait
	probe   *device.Tensor
	host    []float64
	order   []string
	timings map[string]*opTiming
}

// opTiming has the times of one operation at one place of the step: calls with the same name are one.
type opTiming struct {
	calls   int
	spent   time.Duration   // time spent in this step
	seconds []time.Duration // time spent in each step
}

// newMeter measures on a device.
func newMeter(dev device.Device) *meter {
	m := &meter{Device: dev, probe: dev.New(device.Double, 1), host: make([]float64, 1)}
	m.begin()
	var waits []time.Duration
	for range 20 {
		m.wait()
		start := time.Now()
		m.wait()
		waits = append(waits, time.Since(start))
	}
	m.idle = median(waits)
	return m
}

func (m *meter) wait() { m.Device.Download(m.host, m.probe) }

// begin forgets all steps before.
func (m *meter) begin() { m.order, m.timings = nil, map[string]*opTiming{} }

// end closes a step.
func (m *meter) end() {
	for _, p := range m.timings {
		p.seconds = append(p.seconds, p.spent)
		p.spent = 0
	}
}

// time runs an operation.
func (m *meter) time(name string, run func()) {
	p := m.timings[name]
	if p == nil {
		p = &opTiming{}
		m.timings[name] = p
		m.order = append(m.order, name)
	}
	if len(p.seconds) == 0 { // calls of the first step alone
		p.calls++
	}
	m.wait()
	start := time.Now()
	run()
	m.wait()
	p.spent += max(0, time.Since(start)-m.idle)
}

// block names a kernel block: Kuu or Kuf.
func block(name string, a device.ARDArgs) string {
	if a.X == a.Z {
		return name + " Kuu"
	}
	return name + " Kuf"
}

// layer names a random-feature layer with its widths.
func layer(name string, a device.FeatureArgs) string {
	return fmt.Sprintf("%s %d→%d", name, a.Params.LogLength.Len(), a.Params.MeanW.Dim(1))
}
