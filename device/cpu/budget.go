package cpu

import (
	"unsafe"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/hostmem"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// budget accounts for the memory of a device.
type budget struct {
	taken  int64          // number of bytes
	ledger *device.Ledger // ledger of a dry device, whose tensors and scratch are nil
}

func (b *budget) dry() bool { return b.ledger != nil }

// grow returns n elements of buf, with any contents, and allocates them at the first call.
func grow[E any](p *pool, buf *[]E, n int) []E {
	var element E
	size := int(unsafe.Sizeof(element))
	if p.dry() {
		p.ledger.Scratch(buf, n, size)
		return nil
	}
	if cap(*buf) < n {
		p.taken += int64(size) * int64(n-cap(*buf))
		*buf = make([]E, n)
	}
	return (*buf)[:n]
}

// growWorker acts as grow does, for a worker's buffer, which has smallScratch elements from the start.
func growWorker[E any](p *pool, buf *[]E, n int) {
	if n <= smallScratch {
		return
	}
	if p.dry() {
		n -= smallScratch
	}
	grow(p, buf, n)
}

// reserve makes room in q for a matrix [k,n].
func reserve(p *pool, q *simd.Panels64, k, n int) {
	switch elements := simd.Panels64Len(k, n); {
	case p.dry():
		p.ledger.Scratch(q, elements, 8)
	default:
		p.taken += 8 * int64(q.Reserve(elements))
	}
}

// Free returns the memory that the operating system reports as available.
func (d *Device[T]) Free() (bytes int64, known bool) { return hostmem.Available() }

// Taken returns the bytes that tensors and scratch have taken since the device was opened. It includes tensors that are
// no longer reachable, but not the memory that each worker has from its start.
func (d *Device[T]) Taken() int64 { return d.taken }

// Dry returns a Device with the same number of workers that runs no blocks, and its ledger.
func (d *Device[T]) Dry() (device.Device, *device.Ledger) {
	ledger := &device.Ledger{}
	p := &pool{workers: make([]*worker, len(d.workers)), budget: budget{ledger: ledger}}
	for i := range p.workers {
		p.workers[i] = &worker{}
	}
	return &Device[T]{gp: gp{pool: p}, math: d.math}, ledger
}

// hollow is the memory of a dry device's tensors.
type hollow struct{}

func (hollow) Slice(_, _ int) device.Memory { return hollow{} }
