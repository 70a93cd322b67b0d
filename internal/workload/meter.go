package workload

import (
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// meter is a device that times each operation of a training step by itself: it waits for the one
// before to end, and for this one. Its figure is the time of the call, its launch included, less
// the time of an empty wait; queued one after another, operations cost less. It also counts the
// work of each; comments of its methods give the formulas.
type meter struct {
	device.Device
	real   int           // bytes of a number of Real
	dry    bool          // nothing runs
	idle   time.Duration // an empty wait
	probe  *device.Tensor
	host   []float64
	order  []string
	places map[string]*place
}

// place is one operation at one place of the step: calls with the same name and lengths are one.
type place struct {
	cost    Cost
	calls   int
	spent   time.Duration   // in this step
	seconds []time.Duration // in each step
}

// newMeter measures on a device.
func newMeter(dev device.Device) *meter {
	m := &meter{Device: dev, real: realSize(dev.Name()), probe: dev.New(device.Double, 1),
		host: make([]float64, 1), places: map[string]*place{}}
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

func realSize(deviceName string) int {
	if strings.HasSuffix(deviceName, ":f64") {
		return 8
	}
	return 4
}

func (m *meter) wait() { m.Device.Download(m.host, m.probe) }

// begin forgets all steps before.
func (m *meter) begin() { m.order, m.places = nil, map[string]*place{} }

// end closes a step.
func (m *meter) end() {
	for _, p := range m.places {
		p.seconds = append(p.seconds, p.spent)
		p.spent = 0
	}
}

// time runs an operation.
func (m *meter) time(name string, cost Cost, run func()) {
	p := m.places[name]
	if p == nil {
		p = &place{}
		m.places[name], m.order = p, append(m.order, name)
	}
	if len(p.seconds) == 0 { // the first step counts the work
		p.calls++
		p.cost.add(cost)
	}
	if m.dry {
		return
	}
	m.wait()
	start := time.Now()
	run()
	m.wait()
	p.spent += max(0, time.Since(start)-m.idle)
}

// bytes is the size of tensors; a nil one has none.
func (m *meter) bytes(tensors ...*device.Tensor) (n float64) {
	for _, t := range tensors {
		if t == nil {
			continue
		}
		size := m.real
		switch t.DType() {
		case device.Double:
			size = 8
		case device.Int:
			size = 4
		}
		n += float64(size * t.Len())
	}
	return n
}

// moved is the cost of an operation number by number, which waits for the memory: its arithmetic is
// not counted.
func (m *meter) moved(tensors ...*device.Tensor) Cost { return Cost{Bytes: m.bytes(tensors...)} }

func (m *meter) Zero(t *device.Tensor) {
	m.time("Zero", m.moved(t), func() { m.Device.Zero(t) })
}

func (m *meter) Copy(dst, src *device.Tensor) {
	m.time("Copy", m.moved(dst, src), func() { m.Device.Copy(dst, src) })
}

// Gather reads as much as it writes.
func (m *meter) Gather(dst, src, rows *device.Tensor) {
	m.time("Gather", m.moved(dst, dst, rows), func() { m.Device.Gather(dst, src, rows) })
}

func (m *meter) Widen(dst, src *device.Tensor) {
	m.time("Widen", m.moved(dst, src), func() { m.Device.Widen(dst, src) })
}

func (m *meter) NarrowAdd(dst, src *device.Tensor) {
	m.time("NarrowAdd", m.moved(dst, src), func() { m.Device.NarrowAdd(dst, src) })
}

func (m *meter) Concat(dst *device.Tensor, parts []*device.Tensor) {
	m.time("Concat", Cost{Bytes: m.bytes(parts...) + m.bytes(dst)}, func() { m.Device.Concat(dst, parts) })
}

func (m *meter) ConcatBackward(dparts []*device.Tensor, widths []int, ddst *device.Tensor) {
	m.time("ConcatBackward", Cost{Bytes: m.bytes(dparts...) + m.bytes(ddst)},
		func() { m.Device.ConcatBackward(dparts, widths, ddst) })
}

func (m *meter) Adam(p, g, mean, v, rate *device.Tensor, step device.AdamStep) {
	m.time("Adam", m.moved(p, g, mean, v, rate), func() { m.Device.Adam(p, g, mean, v, rate, step) })
}
