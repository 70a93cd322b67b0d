//go:build cuda && cgo

package gpu

import "github.com/gpdrf/gpdrf-gpu/device"

// Free returns the memory that the driver reports as free, once all unreachable memory is returned.
func (d *Device) Free() (bytes int64, known bool) {
	d.check("freeing memory", d.heap.collect())
	bytes, _, err := d.context.Memory()
	d.check("asking for the free memory", err)
	return bytes, true
}

// Taken returns the number of bytes that tensors and scratch hold.
func (d *Device) Taken() (bytes int64) {
	d.check("freeing memory", d.heap.collect())
	for _, b := range d.heap.live {
		bytes += int64(b.bytes)
	}
	return bytes
}

// Dry returns a Device on the same GPU that launches no kernels.
func (d *Device) Dry() (device.Device, *device.Ledger) {
	dry := &Device{settings: d.settings, ledger: &device.Ledger{}}
	dry.begin()
	return dry, dry.ledger
}

// hollow makes memory of a dry device: no device memory backs it.
func (d *Device) hollow(n, size int) *memory {
	return &memory{block: &block{owner: d}, size: size, n: n}
}
