//go:build cuda && cgo

package gpu

import (
	"errors"
	"math"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// These marks replace recorded arguments that depend on the step, as in live.cuh.
const (
	liveStep   = math.MaxUint32 - 1
	liveNumber = 0x7ff86c6976650000
)

// recording is the work that is being recorded. Marks replace its live numbers.
type recording struct {
	betas [2]float64 // betas of Adam
}

// loop is work that is launched until it needs no more memory, then captured as a graph and replayed.
type loop struct {
	device *Device
	work   func(device.LiveScalars)
	steady bool // the last launch of the work needed no memory
	memory int  // changes of the heap at the last launch
	graph  *cuda.Graph
	betas  [2]float64
}

// Record makes a loop of work (device.Recorder).
func (d *Device) Record(work func(device.LiveScalars)) func(device.StepScalars) {
	l := &loop{device: d, work: work}
	return l.run
}

// run does the work once. A graph is useless after memory has moved: it may read memory that belongs to another tensor.
func (l *loop) run(now device.StepScalars) {
	d := l.device
	if l.memory != d.heap.changes {
		l.forget()
	}
	if l.graph == nil && l.steady && d.graphs {
		l.record(now)
	}
	if l.graph == nil {
		l.unrecorded(now)
		return
	}
	d.setLive(now, l.betas)
	d.check("replaying a step", l.graph.Launch())
}

// setLive writes the numbers that kernels read in place of marks.
func (d *Device) setLive(now device.StepScalars, betas [2]float64) {
	size, root := adamSize(now.LR, betas, now.Step)
	d.plain.launch("set_live", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Uint(now.Step), cuda.Float64(now.KLWeight),
		cuda.Float64(size), cuda.Float64(root), cuda.Float64(now.Natural))
}

// unrecorded does the work without recording it.
func (l *loop) unrecorded(now device.StepScalars) {
	before := l.device.heap.changes
	l.steady = false
	l.perform(now)
	l.memory = l.device.heap.changes
	l.steady = l.memory == before
}

func (l *loop) perform(now device.StepScalars) {
	d := l.device
	d.looping = true
	defer func() { d.looping = false }()
	l.work(now.Live())
}

// record captures the work. It also traces the work of a step with other numbers. That step must make the same calls
// with the same arguments, to the last bit, so the record is right for every step.
func (l *loop) record(now device.StepScalars) {
	d := l.device
	var betas [2]float64
	other := device.StepScalars{Step: now.Step + 1, LR: 2*now.LR + 1, KLWeight: 2*now.KLWeight + 1,
		Natural: (1 + now.Natural) / 3}
	expected := d.context.Trace(func() { l.mark(other) })
	graph, calls, err := d.context.Capture(func() { betas = l.mark(now) })
	if full := cuda.OutOfMemory(err); full || errors.Is(err, cuda.ErrNoGraphs) {
		if full {
			d.log(d.name + " has no memory for a recorded step: each step is launched, with the same result")
		}
		d.graphs = false
		return
	}
	d.check("recording a step", err)
	d.records[graph] = true
	if different := cuda.Difference(calls, expected); different != "" {
		panic("gpu: the work of a loop is not the same at each step: " + different)
	}
	l.graph, l.betas = graph, betas
}

// mark does the work with marks in place of the numbers of the step, and returns the betas of its optimiser.
func (l *loop) mark(now device.StepScalars) [2]float64 {
	d := l.device
	d.recording = &recording{}
	defer func() { d.recording = nil }()
	l.perform(now)
	return d.recording.betas
}

// forget frees the graph.
func (l *loop) forget() {
	l.steady = false
	if l.graph != nil {
		delete(l.device.records, l.graph)
		l.device.check("freeing a record", l.graph.Close())
		l.graph = nil
	}
}

// step returns the argument for the step of a key.
func (d *Device) step(step device.StepNumber) cuda.Arg {
	switch {
	case step.N == liveStep && d.looping:
		panic("gpu: a key has a step number that means another")
	case step.N == liveStep: // the kernel takes it for a mark
		d.setLive(device.StepScalars{Step: liveStep}, [2]float64{})
	case d.recording != nil && step.IsLive():
		return cuda.Uint(liveStep)
	}
	return cuda.Uint(step.N)
}

// live returns the argument for a number that may be live.
func (d *Device) live(s device.Scalar) cuda.Arg {
	if d.recording != nil && s.IsLive() {
		return mark()
	}
	return cuda.Float64(s.Value)
}

// adamSize returns the arguments size and root of adam.
func (d *Device) adamSize(s device.AdamStep) (size, root cuda.Arg) {
	betas := [2]float64{s.Beta1, s.Beta2}
	if r := d.recording; r != nil && s.LR.IsLive() && s.Step.IsLive() {
		if r.betas == [2]float64{} || r.betas == betas {
			r.betas = betas
			return mark(), mark()
		}
		panic("gpu: the optimisers of a loop have different betas")
	}
	a, b := adamSize(s.LR.Value, betas, s.Step.N)
	return cuda.Float64(a), cuda.Float64(b)
}

// adamSize returns lr/(1−β1ᵗ) and 1/√(1−β2ᵗ).
func adamSize(lr float64, betas [2]float64, step uint32) (size, root float64) {
	t := float64(step)
	return lr / (1 - math.Pow(betas[0], t)), 1 / math.Sqrt(1-math.Pow(betas[1], t))
}

func mark() cuda.Arg { return cuda.Float64(math.Float64frombits(liveNumber)) }

// outside panics if op is called in a loop, which cannot contain it.
func (d *Device) outside(op string) {
	if d.looping {
		panic("gpu: " + op + " in the work of a loop, which is recorded")
	}
}
