//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// Put lets another library put work on the stream (device.Queue).
func (d *Device) Put(name string, put func(queue uintptr, at []device.Span) error, tensors ...*device.Tensor) {
	if d.ledger != nil {
		return
	}
	var at []device.Span
	var args []cuda.Arg
	for _, t := range tensors {
		m := d.memory(t)
		d.state.triangle.written(m)
		at = append(at, device.Span{Address: uintptr(m.ptr), Elements: m.n, Bytes: m.size})
		args = append(args, d.ptr(t), cuda.Int(m.n))
	}
	d.check(name, d.context.Put(name, args, func(stream uintptr) error { return put(stream, at) }))
}

// UUID returns the GPU's UUID (device.Queue).
func (d *Device) UUID() (string, error) { return d.context.UUID() }
