//go:build cuda && cgo

package gpu

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// family is the kernels whose names end in one type. Each is looked up once.
type family struct {
	device *Device
	suffix string
	known  map[string]*cuda.Kernel
}

// kernel finds a kernel by its name without the type.
func (f *family) kernel(name string) *cuda.Kernel {
	k, ok := f.known[name]
	if !ok {
		var err error
		k, err = f.device.context.Kernel(name + f.suffix)
		f.device.check(name, err)
		f.known[name] = k
	}
	return k
}

// launch starts a kernel on a grid of blocks, with shared bytes of dynamic shared memory. An empty grid is no work. A
// dry device launches nothing, but records a launch that no GPU can do.
func (f *family) launch(name string, grid cuda.Grid, shared int, args ...cuda.Arg) {
	if grid.X == 0 || grid.Y == 0 || grid.Z == 0 {
		return
	}
	if ledger := f.device.ledger; ledger != nil {
		if grid.X > math.MaxInt32 || grid.Y > maxGrid || grid.Z > maxGrid ||
			slices.ContainsFunc(args, cuda.Arg.TooLarge) {
			ledger.Exceed()
		}
		return
	}
	if err := f.kernel(name).Launch(grid, shared, args...); err != nil {
		f.device.check(name, err)
	}
}

// fork puts the launches up to join on the second stream of a recorded step. Unless opens is set, it does so only if
// that stream has work already (cuda.Context.OnSecondStream). The launches may read fixed, which no launch of a step
// writes before the gradient is done.
func (d *Device) fork(opens bool, fixed ...*device.Tensor) {
	if d.recording == nil {
		return
	}
	var owners []any
	for _, t := range fixed {
		if t != nil {
			owners = append(owners, d.memory(t).block)
		}
	}
	d.check("working on a second stream", d.context.OnSecondStream(opens, owners))
}

// join ends a fork.
func (d *Device) join() {
	if d.recording != nil {
		d.context.OnFirstStream()
	}
}

// maxGrid is the most blocks of a grid in y and z.
const maxGrid = 65535

// over returns a grid of one thread for each of n elements. A dry device loads no kernel for it.
func (f *family) over(name string, n int) cuda.Grid {
	if f.device.ledger != nil {
		return blocks(n, f.device.context.Threads(name+f.suffix))
	}
	return blocks(n, f.kernel(name).Threads)
}

// blocksOf returns the number of blocks of a size that cover n.
func blocksOf(n, size int) int { return (n + size - 1) / size }

// blocks returns a grid of enough blocks of a size to cover n.
func blocks(n, size int) cuda.Grid { return cuda.Grid{X: blocksOf(n, size), Y: 1, Z: 1} }

// ptr returns the argument for a tensor: the address of its first element, nil for a nil tensor. The argument keeps the
// memory alive, since an allocation before the launch may free all other unreachable blocks.
func (d *Device) ptr(t *device.Tensor) cuda.Arg {
	if t == nil {
		return cuda.Pointer(0)
	}
	m := d.memory(t)
	return cuda.Owned(m.ptr, m.block)
}

// at acts as ptr does, from an element on.
func (d *Device) at(t *device.Tensor, element int) cuda.Arg {
	m := d.memory(t)
	return cuda.Owned(m.ptr+cuda.Ptr(element*m.size), m.block)
}

// scalar returns an argument of type Real.
func (d *Device) scalar(v float64) cuda.Arg {
	if d.single {
		return cuda.Float32(float32(v))
	}
	return cuda.Float64(v)
}

// key returns a stream of normals as the five arguments k0, k1, step, site and strata of a kernel (philox.cuh).
func (d *Device) key(k device.Key) (k0, k1, step, site, strata cuda.Arg) {
	words, _, _, c3 := k.Words(0, 0)
	return cuda.Uint(words[0]), cuda.Uint(words[1]), d.step(k.Step), cuda.Uint(c3), cuda.Uint(uint32(k.Strata))
}

// fold sets dst[0] = scale·Σ partial, or += if add is set, for n doubles and a dst of the type of the family.
func (f *family) fold(dst, partial cuda.Arg, n int, add bool, scale float64) {
	f.launch("fold", cuda.Grid{X: 1, Y: 1, Z: 1}, 0, cuda.Int(n), flag(add), cuda.Float64(scale), dst, partial)
}

// foldRows sets dst[i] = scale·Σ_b partial[b,i], or +=, for partial [blocks,n].
func (f *family) foldRows(dst, partial cuda.Arg, n, blocks int, add bool, scale float64) {
	f.launch("fold_rows", f.over("fold_rows", n), 0, cuda.Int(n), cuda.Int(blocks), flag(add), cuda.Float64(scale), dst,
		partial)
}

func flag(v bool) cuda.Arg {
	if v {
		return cuda.Int(1)
	}
	return cuda.Int(0)
}
