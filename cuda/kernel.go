//go:build cuda && cgo

package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"gorgonia.org/cu"
)

// Arg is an argument of a kernel: its kind, and its bits in the 8 bytes that cu's Launch reads.
type Arg struct {
	bits  uint64
	kind  Kind
	owner any // owner of the memory at a pointer: the collector frees both together
}

// Pointer makes an argument of a pointer type; 0 is nil.
func Pointer(p Ptr) Arg { return Owned(p, nil) }

// Owned makes a pointer into memory that the collector frees with its owner, which the argument keeps.
func Owned(p Ptr, owner any) Arg { return Arg{uint64(p), U64, owner} }

// Int makes an argument of type int, or TooLarge.
func Int(v int) Arg {
	if int(int32(v)) != v {
		return Arg{bits: uint64(v)}
	}
	return Arg{bits: uint64(uint32(v)), kind: U32}
}

// Uint makes an argument of type unsigned.
func Uint(v uint32) Arg { return Arg{bits: uint64(v), kind: U32} }

// Float32 makes an argument of type float.
func Float32(v float32) Arg { return Arg{bits: uint64(math.Float32bits(v)), kind: F32} }

// Float64 makes an argument of type double.
func Float64(v float64) Arg { return Arg{bits: math.Float64bits(v), kind: F64} }

// TooLarge reports whether a number has more than 32 bits. A dry device finds such sizes first, so a launch with it is
// a bug.
func (a Arg) TooLarge() bool { return a.kind == 0 && a.bits != 0 }

// Grid is a number of blocks.
type Grid struct{ X, Y, Z int }

// Kernel is a kernel of kernels.cu.
type Kernel struct {
	Signature
	Name    string
	context *Context
	fn      cu.Function
	shared  int // requested dynamic shared memory, in bytes; -1 before the first launch
	cells   [maxParams]uint64
	args    []unsafe.Pointer // pointers to the cells
}

// Kernel finds the kernel with a name. Its first use may load it, for which the GPU's memory may be too small. Or it
// compiles the kernel, which takes up to a second. A missing kernel is a bug.
func (c *Context) Kernel(name string) (*Kernel, error) {
	image, signature := c.imageOf(name)
	if image == nil {
		panic(fmt.Sprintf("cuda: there is no kernel %s", name))
	}
	if len(signature.Params) > maxParams {
		panic(fmt.Sprintf("cuda: kernel %s has %d parameters", name, len(signature.Params)))
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	module, err := image.moduleOf(name)
	if err != nil {
		return nil, err
	}
	fn, err := module.Function(name)
	if err != nil {
		return nil, fail("loading kernel "+name, err)
	}
	k := &Kernel{Signature: signature, Name: name, context: c, fn: fn, shared: -1}
	for i := range signature.Params {
		k.args = append(k.args, unsafe.Pointer(&k.cells[i]))
	}
	return k, nil
}

// Threads returns the number of threads in a block of a kernel. It does not load the kernel.
func (c *Context) Threads(name string) int {
	_, signature := c.imageOf(name)
	return signature.Threads
}

// imageOf returns the image of a kernel, with its signature; nil if no image has the kernel.
func (c *Context) imageOf(name string) (image *loaded, signature Signature) {
	for _, i := range c.images {
		if s, ok := i.kernels[name]; ok {
			image, signature = i, s
		}
	}
	return image, signature
}

// Launch starts the kernel on the first or second stream, with the number of threads of its source and shared bytes of
// dynamic shared memory. Arguments that do not fit the parameters of the kernel are a bug.
func (k *Kernel) Launch(grid Grid, shared int, args ...Arg) error {
	if len(args) != len(k.Params) {
		panic(fmt.Sprintf("cuda: kernel %s has %d parameters, not %d", k.Name, len(k.Params), len(args)))
	}
	for i, a := range args {
		if a.TooLarge() {
			panic(fmt.Sprintf("cuda: kernel %s: parameter %d is %d, which is too large", k.Name, i, int64(a.bits)))
		}
		if a.kind != k.Params[i] {
			panic(fmt.Sprintf("cuda: kernel %s: parameter %d is %v, not %v", k.Name, i, k.Params[i], a.kind))
		}
		k.cells[i] = a.bits
	}
	if k.context.traced(k.Name, grid, shared, args...) {
		return nil
	}
	if err := k.context.enter(); err != nil {
		return err
	}
	defer k.context.leave()
	if shared > k.shared {
		if err := k.ask(shared); err != nil {
			return fail("giving "+k.Name+" shared memory", err)
		}
	}
	stream, err := k.context.streamFor(args)
	if err != nil {
		return err
	}
	if err := k.fn.Launch(grid.X, grid.Y, grid.Z, k.Threads, 1, 1, shared, stream, k.args); err != nil {
		return fail("launching "+k.Name, err) // the name is built only for an error
	}
	return nil
}

// ask requests dynamic shared memory: a block has 48 KiB by default, which static arrays share. It also requests the
// part of a multiprocessor's cache that all blocks of the source need. Otherwise the driver would have to guess it.
func (k *Kernel) ask(shared int) error {
	if shared > 0 {
		if err := setAttribute(k.fn, maxDynamicShared, shared); err != nil {
			return err
		}
	}
	if k.Blocks > 0 {
		static, err := k.fn.Attribute(cu.SharedSizeBytes)
		if err != nil {
			return err
		}
		part := percent(k.Blocks*(static+shared+reservedShared), k.context.shared)
		if err := setAttribute(k.fn, carveout, part); err != nil {
			return err
		}
	}
	k.shared = shared
	return nil
}

// reservedShared is the part of each block that the driver reserves from compute capability 8.0 on, in bytes.
const reservedShared = 1 << 10

// percent returns a part of a whole, rounded up, and at most all of it.
func percent(part, whole int) int { return min(100, (100*part+whole-1)/whole) }
