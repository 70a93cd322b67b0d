//go:build cuda && cgo

package gpu

import (
	"errors"
	"runtime"
	"slices"
	"weak"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// heap is the device memory of tensors and scratch. No call frees a tensor: the heap holds the blocks weakly. The next
// allocation, or Close, frees the blocks that Go's collector has found unreachable.
type heap struct {
	device *Device
	live   map[cuda.Ptr]allocation

	changes int // number of allocations and releases of memory
}

// allocation is a block of the heap.
type allocation struct {
	block weak.Pointer[block] // nil once the block is unreachable
	bytes int
}

// block is one allocation; memories over it keep it reachable.
type block struct {
	owner *Device
	ptr   cuda.Ptr
}

// memory holds the elements of a tensor: n elements of size bytes.
type memory struct {
	*block
	ptr  cuda.Ptr
	size int
	n    int
}

// Slice returns the view of elements lo to hi.
func (m *memory) Slice(lo, hi int) device.Memory {
	return &memory{m.block, m.ptr + cuda.Ptr(lo*m.size), m.size, hi - lo}
}

// memory returns the memory of a tensor.
func (d *Device) memory(t *device.Tensor) memory {
	m, ok := t.Memory().(*memory)
	if !ok || m.owner != d {
		panic("device: a tensor of another device")
	}
	return *m
}

// tensor makes the memory of a tensor, with any contents.
func (h *heap) tensor(n, size int) (*memory, error) {
	m := &memory{block: &block{owner: h.device}, size: size, n: n}
	if n > 0 {
		p, err := h.alloc(n*size, m.block)
		if err != nil {
			return nil, err
		}
		m.ptr, m.block.ptr = p, p
	}
	return m, nil
}

// sweep frees the blocks that the collector has found unreachable.
func (h *heap) sweep() error {
	return h.free(func(b allocation) bool { return b.block.Value() == nil })
}

// free frees the allocations that which selects. Its error contains each reason for a failure once.
func (h *heap) free(which func(allocation) bool) error {
	var failed []error
	for p, b := range h.live {
		if !which(b) {
			continue
		}
		delete(h.live, p)
		h.changes++
		if err := h.device.context.Free(p); err != nil &&
			!slices.ContainsFunc(failed, func(other error) bool { return other.Error() == err.Error() }) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// alloc allocates a block; if there is no memory, it first frees all unreachable blocks.
func (h *heap) alloc(bytes int, b *block) (cuda.Ptr, error) {
	if h.device.recording != nil {
		panic("gpu: the work of a loop needs more memory than the step before")
	}
	if err := h.sweep(); err != nil {
		return 0, err
	}
	p, err := h.device.context.Alloc(bytes)
	if _, full := errors.AsType[*cuda.OutOfMemoryError](err); full {
		if err := h.collect(); err != nil {
			return 0, err
		}
		p, err = h.device.context.Alloc(bytes)
	}
	if err != nil {
		return 0, err
	}
	h.live[p] = allocation{weak.Make(b), bytes}
	h.changes++
	return p, nil
}

// collect frees all memory that is unreachable. When GC returns, the weak pointers to it are nil.
func (h *heap) collect() error {
	runtime.GC()
	return h.sweep()
}

func (h *heap) close() error { return h.free(func(allocation) bool { return true }) }

// scratch is device memory that an operation keeps between its kernels, and from one call to the next. It grows, and
// then has any contents; the collector frees it like tensors.
type scratch struct{ *memory }

// grow makes room for n elements of size bytes in s.
func (d *Device) grow(s *scratch, n, size int) cuda.Arg {
	if d.ledger != nil {
		d.ledger.Scratch(s, n, size)
		s.memory = d.hollow(n*size, 1)
		return cuda.Pointer(0)
	}
	if bytes := n * size; s.memory == nil || s.n < bytes {
		s.memory = nil // the collector may free it
		m, err := d.heap.tensor(bytes, 1)
		d.check("allocating scratch", err)
		s.memory = m
	}
	return cuda.Owned(s.ptr, s.block)
}

// growDoubles makes room for n doubles in s.
func (d *Device) growDoubles(s *scratch, n int) cuda.Arg { return d.grow(s, n, 8) }

// growReals makes room for n elements of Real in s.
func (d *Device) growReals(s *scratch, n int) cuda.Arg { return d.grow(s, n, d.size(device.Real)) }

// arg returns the argument for scratch that an earlier kernel wrote; null for scratch without memory.
func (s scratch) arg() cuda.Arg {
	if s.memory == nil {
		return cuda.Pointer(0)
	}
	return cuda.Owned(s.ptr, s.block)
}

// double returns the argument for the doubles of s from an element on.
func (s scratch) double(element int) cuda.Arg {
	return cuda.Owned(s.ptr+cuda.Ptr(8*element), s.block)
}
