//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// feed uploads on a separate stream, to other tensors than the operations use. Next copies them to the tensors of the
// operations, which is quick on the device: a recorded loop knows one address.
type feed struct {
	device   *Device
	ahead    *cuda.UploadStream // stream of the uploads; nil on a dry device
	dst      []*device.Tensor
	waiting  []*device.Tensor // tensors like dst that wait for Next
	uploaded []int            // number of elements of each tensor
}

// Feed makes a feed into tensors (device.Feeder).
func (d *Device) Feed(dst ...*device.Tensor) device.Feed {
	f := &feed{device: d, dst: dst, uploaded: make([]int, len(dst))}
	for _, t := range dst {
		f.waiting = append(f.waiting, d.New(t.DType(), t.Shape()...))
	}
	if d.ledger == nil {
		var err error
		f.ahead, err = d.context.UploadStream()
		d.check("a feed", err)
		d.check("a feed", f.ahead.Fork()) // new has cleared the tensors before the fork
	}
	return f
}

// Upload fills a Real or Double tensor from float64 values, for Next.
func (f *feed) Upload(dst *device.Tensor, src []float64) {
	device.CheckTransfer("Upload", dst, len(src), false)
	if to := f.staging(dst); to != nil {
		f.device.upload(to, src, f.ahead)
	}
}

// UploadInts fills an Int tensor, for Next.
func (f *feed) UploadInts(dst *device.Tensor, src []int32) {
	device.CheckTransfer("UploadInts", dst, len(src), true)
	if to := f.staging(dst); to != nil {
		write(f.device, to, src, f.ahead, func(v int32) int32 { return v })
	}
}

// staging returns the tensor that holds the elements of dst until Next; nil on a dry device.
func (f *feed) staging(dst *device.Tensor) *device.Tensor {
	if f.ahead == nil {
		return nil
	}
	for i, t := range f.dst {
		if f.device.memory(t).ptr == f.device.memory(dst).ptr {
			f.uploaded[i] = dst.Len()
			return f.waiting[i].View(0, dst.Len())
		}
	}
	panic("gpu: an upload by a feed to a tensor that is not of it")
}

// Next ends a batch. The next batch may follow as soon as this one is copied.
func (f *feed) Next() {
	d := f.device
	d.outside("Next")
	if f.ahead == nil {
		return
	}
	d.check("Next", f.ahead.Join())
	for i, n := range f.uploaded {
		d.Copy(f.dst[i].View(0, n), f.waiting[i].View(0, n))
		f.uploaded[i] = 0
	}
	d.check("Next", f.ahead.Fork())
}
