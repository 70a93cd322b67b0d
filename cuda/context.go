//go:build cuda && cgo

package cuda

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"
)

// Devices are the GPUs that the driver shows, or why there is none.
func Devices() ([]Info, error) {
	n, err := cu.NumDevices()
	if err != nil {
		return nil, &NoDeviceError{fail("counting GPUs", err).Error()}
	}
	if n == 0 {
		why := reason()
		if why == "" {
			why = "the NVIDIA driver sees no GPU"
		}
		return nil, &NoDeviceError{why}
	}
	all := make([]Info, n)
	for i := range all {
		if all[i], err = describe(i); err != nil {
			return nil, &NoDeviceError{err.Error()}
		}
	}
	return all, nil
}

func describe(ordinal int) (Info, error) {
	i := Info{Ordinal: ordinal, Driver: cu.Version()}
	dev, err := cu.GetDevice(ordinal)
	if err != nil {
		return i, fail("opening the GPU", err)
	}
	if i.Name, err = dev.Name(); err != nil {
		return i, fail("reading the GPU's name", err)
	}
	if i.Memory, err = dev.TotalMem(); err != nil {
		return i, fail("reading the GPU's memory size", err)
	}
	if i.Capability.Major, err = dev.Attribute(cu.ComputeCapabilityMajor); err != nil {
		return i, fail("reading the compute capability", err)
	}
	if i.Capability.Minor, err = dev.Attribute(cu.ComputeCapabilityMinor); err != nil {
		return i, fail("reading the compute capability", err)
	}
	if all, doubles, err := imagesFor(i.Capability); err == nil {
		i.PTX = string(all)
		if doubles != "" {
			i.PTX += " and " + string(doubles)
		}
		i.PTX += " (" + i.Capability.why() + "), "
		if sm := all.architecture(i.Capability); sm != "" {
			i.PTX += "as machine code of " + sm
		} else {
			i.PTX += "which the driver compiles"
		}
	}
	return i, nil
}

// why is what the choice of the images follows from.
func (c Capability) why() string {
	switch {
	case c.less(tensorCores):
		return "no tensor cores for doubles"
	case c.fewDoubles():
		return "few units for doubles"
	}
	return "tensor cores for doubles"
}

// Context is a GPU with a stream and the kernels of kernels.cu. Uploads ahead of their step have a
// stream of their own, and so has work beside that of a recorded step.
type Context struct {
	info       Info
	dev        cu.Device
	primary    cu.CUContext
	module     cu.Module
	doubles    cu.Module            // the better products of doubles, if there are some
	better     map[string]Signature // what they are
	stream     cu.Stream
	signatures map[string]Signature
	staging
	ahead  *Ahead  // nil until it is asked for
	beside *beside // nil until it is needed
	trace  *trace  // of the work that is recorded now, or nil
	calls  int
}

// Open opens GPU number ordinal and loads the kernels there.
func Open(ordinal int) (*Context, error) {
	all, err := Devices()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(all) {
		return nil, &NoDeviceError{fmt.Sprintf("there is no GPU number %d: the driver shows %d, numbered from 0", ordinal, len(all))}
	}
	c := &Context{info: all[ordinal], dev: cu.Device(ordinal)}
	whole, doubles, err := imagesFor(c.info.Capability)
	if err != nil {
		return nil, &NoDeviceError{c.info.Name + ": " + err.Error()}
	}
	if c.primary, err = c.dev.RetainPrimaryCtx(); err != nil {
		return nil, fail("opening the GPU", err)
	}
	if err := c.start(whole, doubles); err != nil {
		c.dev.ReleasePrimaryCtx()
		return nil, err
	}
	return c, nil
}

// start loads the PTX of an image with all kernels, and of one with better products of doubles.
func (c *Context) start(whole, doubles image) (err error) {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if c.module, c.signatures, err = load(whole, c.info.Capability); err != nil {
		return err
	}
	if doubles != "" {
		if c.doubles, c.better, err = load(doubles, c.info.Capability); err != nil {
			return err
		}
	}
	if c.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
		return fail("making a stream", err)
	}
	return c.staging.open()
}

// load loads an image: its machine code, if the program carries it for this GPU, or its PTX. A
// driver that is older than the machine code refuses it, and compiles the PTX.
func load(i image, c Capability) (cu.Module, map[string]Signature, error) {
	text := i.text()
	signatures, err := Signatures(text)
	if err != nil {
		panic("cuda: " + err.Error())
	}
	if code := i.machineCode(c); code != nil {
		if module, err := loadImage(string(i)+", assembled", code); err == nil {
			return module, signatures, nil
		}
	}
	module, err := loadImage(string(i), append([]byte(text), 0))
	return module, signatures, err
}

// Calls is how often the driver was called so far.
func (c *Context) Calls() int { return c.calls }

// TensorCores says whether the kernels that end in _tf32 and _3xtf32 are there.
func (c *Context) TensorCores() bool { return !c.info.Capability.less(tensorCores) }

// FewDoubles says that doubles take 32 times as long as floats, or longer.
func (c *Context) FewDoubles() bool { return c.info.Capability.fewDoubles() }

// Info describes the GPU.
func (c *Context) Info() Info { return c.info }

// enter makes the context current on the goroutine's thread; leave follows.
func (c *Context) enter() error {
	c.calls++
	runtime.LockOSThread()
	if err := cu.SetCurrentContext(c.primary); err != nil {
		runtime.UnlockOSThread()
		return fail("using the GPU", err)
	}
	return nil
}

func (c *Context) leave() { runtime.UnlockOSThread() }

// Wait waits until the stream is idle.
func (c *Context) Wait() error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return fail("waiting for the GPU", c.stream.Synchronize())
}

// Close frees the GPU. Memory must have been freed before.
func (c *Context) Close() error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return errors.Join(
		fail("waiting for the GPU", c.stream.Synchronize()),
		c.ahead.close(),
		c.beside.close(),
		c.staging.close(),
		fail("closing the stream", c.stream.Destroy()),
		fail("unloading the kernels", c.unload()),
		fail("closing the GPU", c.dev.ReleasePrimaryCtx()),
	)
}

func (c *Context) unload() error {
	if c.better != nil {
		if err := c.doubles.Unload(); err != nil {
			return err
		}
	}
	return c.module.Unload()
}

// Ptr is an address in device memory.
type Ptr uintptr

// Alloc allocates device memory, with any contents.
func (c *Context) Alloc(bytes int) (Ptr, error) {
	if err := c.enter(); err != nil {
		return 0, err
	}
	defer c.leave()
	p, err := cu.MemAlloc(int64(bytes))
	if err == cu.OutOfMemory {
		free, total, _ := cu.MemInfo()
		return 0, &OutOfMemoryError{int64(bytes), free, total}
	}
	return Ptr(p), fail("allocating memory", err)
}

// Memory is how many bytes of device memory are free, and how many there are.
func (c *Context) Memory() (free, total int64, err error) {
	if err := c.enter(); err != nil {
		return 0, 0, err
	}
	defer c.leave()
	free, total, err = cu.MemInfo()
	return free, total, fail("asking for the free memory", err)
}

// Free frees what Alloc gave; it waits for all work before it.
func (c *Context) Free(p Ptr) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return fail("freeing memory", cu.MemFree(cu.DevicePtr(p)))
}

// Clear writes zero bytes.
func (c *Context) Clear(p Ptr, bytes int) error {
	if c.traced("clear", Grid{}, 0, Pointer(p), Pointer(Ptr(bytes))) {
		return nil
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if err := c.meet(); err != nil {
		return err
	}
	return fail("clearing memory", cu.MemsetD8Async(cu.DevicePtr(p), 0, int64(bytes), c.stream))
}

// Copy copies within device memory.
func (c *Context) Copy(dst, src Ptr, bytes int) error {
	if c.traced("copy", Grid{}, 0, Pointer(dst), Pointer(src), Pointer(Ptr(bytes))) {
		return nil
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if err := c.meet(); err != nil {
		return err
	}
	return fail("copying memory", cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), int64(bytes), c.stream))
}

// Write copies what Stage gave to device memory, after the work before it.
func (c *Context) Write(dst Ptr, staged []byte) error { return c.write(dst, staged, c.stream) }

func (c *Context) write(dst Ptr, staged []byte, on cu.Stream) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return fail("copying to the GPU", cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(&staged[0]), int64(len(staged)), on))
}

// Read copies device memory to what Stage gave, and waits for it.
func (c *Context) Read(staged []byte, src Ptr) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if err := cu.MemcpyDtoHAsync(unsafe.Pointer(&staged[0]), cu.DevicePtr(src), int64(len(staged)), c.stream); err != nil {
		return fail("copying from the GPU", err)
	}
	return fail("waiting for the GPU", c.stream.Synchronize())
}

// Put has another library put work on the stream, whose handle it gets. The arguments tell one such
// work from another.
func (c *Context) Put(name string, args []Arg, put func(stream uintptr) error) error {
	if c.traced(name, Grid{}, 0, args...) {
		return nil
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if err := c.meet(); err != nil {
		return err
	}
	return put(uintptr(c.handle()))
}

// fail gives a driver's error its place; nil stays nil.
func fail(op string, err error) error {
	if err == nil {
		return nil
	}
	v := reflect.ValueOf(err) // cu's type of error, an int, is not exported
	if v.Kind() != reflect.Int {
		return fmt.Errorf("%s: %w", op, err)
	}
	return &Error{op, int(v.Int()), text(int(v.Int()))}
}
