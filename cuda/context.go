//go:build cuda && cgo

package cuda

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"gorgonia.org/cu"
)

// Devices returns the GPUs that the driver shows, or the reason why it shows no GPU.
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
	if err == nil {
		i.Name, err = dev.Name()
	}
	if err == nil {
		i.Memory, err = dev.TotalMem()
	}
	if err == nil {
		i.Capability.Major, err = dev.Attribute(cu.ComputeCapabilityMajor)
	}
	if err == nil {
		i.Capability.Minor, err = dev.Attribute(cu.ComputeCapabilityMinor)
	}
	if err != nil {
		return i, fail(fmt.Sprintf("describing GPU %d", ordinal), err)
	}
	return i, nil
}

// Context is a GPU with a stream and the kernels of kernels.cu. Uploads ahead of their step have a second stream, and
// so have parts of a recorded step.
type Context struct {
	info    Info
	dev     cu.Device
	primary cu.CUContext
	shared  int // memory of a multiprocessor, in bytes
	loader  *loader
	images  []*loaded // the image of a kernel is the last one that has it
	stream  cu.Stream
	staging staging
	ahead   *UploadStream // nil until it is requested
	second  *secondStream // nil until it is needed
	trace   *trace        // trace of the work that is being recorded, or nil
	calls   int
}

// Open opens GPU number ordinal and loads the kernels there. It reports this before it waits for the driver's compiler.
// A SettingError is about GPDRF_CUDA_IMAGE, and a NoDeviceError about the machine.
func Open(ordinal int, say func(line string)) (*Context, error) {
	all, err := Devices()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(all) {
		return nil, &NoDeviceError{fmt.Sprintf("there is no GPU number %d: the driver shows %d, numbered from 0",
			ordinal, len(all))}
	}
	c := &Context{info: all[ordinal], dev: cu.Device(ordinal)}
	images, err := choose(c.info.Capability, os.Getenv(imageVariable))
	if err != nil {
		return nil, err
	}
	if c.shared, err = c.dev.Attribute(cu.MaxSharedMemoryPerMultiprocessor); err != nil {
		return nil, fail("describing the GPU", err)
	}
	if c.primary, err = c.dev.RetainPrimaryCtx(); err != nil {
		return nil, fail("opening the GPU", err)
	}
	c.loader = &loader{info: &c.info, choice: images, say: say}
	if err := c.start(); err != nil {
		c.abandon()
		return nil, err
	}
	return c, nil
}

// start loads the image with all kernels, and an image with better products of doubles if there is one.
func (c *Context) start() (err error) {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	for _, i := range []image{plainImage, c.loader.choice.doubles} {
		if i == "" {
			continue
		}
		one, err := c.loader.load(i)
		if err != nil {
			return err
		}
		c.images = append(c.images, one)
	}
	if c.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
		return fail("making a stream", err)
	}
	return c.staging.open()
}

// abandon frees the results of a start that failed. Another Context may keep the GPU itself open, with everything that
// is loaded there.
func (c *Context) abandon() {
	if c.enter() == nil {
		defer c.leave()
		c.unload()
		if c.stream != cu.NoStream {
			c.stream.Destroy()
		}
	}
	c.dev.ReleasePrimaryCtx()
}

// Calls returns the number of calls of the driver so far.
func (c *Context) Calls() int { return c.calls }

// LoadTF32 loads the kernels that end in _tf32. GPUs before compute capability 8.0 have no such kernels.
func (c *Context) LoadTF32() (has bool, err error) {
	switch {
	case c.info.Capability.less(tensorCores):
		return false, nil
	case slices.ContainsFunc(c.images, func(l *loaded) bool { return l.image == tensorImage }):
		return true, nil
	}
	if err := c.enter(); err != nil {
		return false, err
	}
	defer c.leave()
	one, err := c.loader.load(tensorImage)
	if err != nil {
		return false, err
	}
	c.images = slices.Insert(c.images, 0, one) // products of doubles stay with the chosen image
	return true, nil
}

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

// do calls the driver with the context current on this thread. op names the operation in an error.
func (c *Context) do(op string, call func() error) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return fail(op, call())
}

// Wait waits until the stream is idle.
func (c *Context) Wait() error { return c.do("waiting for the GPU", c.stream.Synchronize) }

// Close frees the GPU. The caller must have freed its memory.
func (c *Context) Close() error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return errors.Join(
		fail("waiting for the GPU", c.stream.Synchronize()),
		c.ahead.close(),
		c.second.close(),
		c.staging.close(),
		fail("closing the stream", c.stream.Destroy()),
		fail("unloading the kernels", c.unload()),
		fail("closing the GPU", c.dev.ReleasePrimaryCtx()),
	)
}

func (c *Context) unload() (err error) {
	for _, i := range c.images {
		err = errors.Join(err, i.unload())
	}
	return err
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

// Memory returns the number of free bytes of device memory, and of all bytes.
func (c *Context) Memory() (free, total int64, err error) {
	err = c.do("asking for the free memory", func() (err error) {
		free, total, err = cu.MemInfo()
		return err
	})
	return free, total, err
}

// Free frees memory of Alloc. It waits for all work before it.
func (c *Context) Free(p Ptr) error {
	return c.do("freeing memory", func() error { return cu.MemFree(cu.DevicePtr(p)) })
}

// Clear writes zero bytes.
func (c *Context) Clear(p Ptr, bytes int) error {
	if c.traced("clear", Grid{}, 0, Pointer(p), Pointer(Ptr(bytes))) {
		return nil
	}
	return c.onFirst("clearing memory",
		func() error { return cu.MemsetD8Async(cu.DevicePtr(p), 0, int64(bytes), c.stream) })
}

// Copy copies within device memory.
func (c *Context) Copy(dst, src Ptr, bytes int) error {
	if c.traced("copy", Grid{}, 0, Pointer(dst), Pointer(src), Pointer(Ptr(bytes))) {
		return nil
	}
	return c.onFirst("copying memory", func() error {
		return cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), int64(bytes), c.stream)
	})
}

// onFirst acts as do does, for work on the first stream, which first waits for a second one.
func (c *Context) onFirst(op string, call func() error) error {
	if err := c.join(); err != nil {
		return err
	}
	return c.do(op, call)
}

// Stage returns n bytes of pinned memory, at most StageSize, for Write or Read.
func (c *Context) Stage(n int) ([]byte, error) { return c.staging.take(n, c.Wait) }

// Write copies staged memory to device memory, after the work before it.
func (c *Context) Write(dst Ptr, staged []byte) error { return c.write(dst, staged, c.stream) }

func (c *Context) write(dst Ptr, staged []byte, on cu.Stream) error {
	return c.do("copying to the GPU", func() error {
		return cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(&staged[0]), int64(len(staged)), on)
	})
}

// Read copies device memory to staged memory, and waits for it.
func (c *Context) Read(staged []byte, src Ptr) error {
	return c.do("copying from the GPU", func() error {
		err := cu.MemcpyDtoHAsync(unsafe.Pointer(&staged[0]), cu.DevicePtr(src), int64(len(staged)), c.stream)
		if err != nil {
			return err
		}
		return c.stream.Synchronize()
	})
}

// Put calls another library with the handle of the stream, so that it can put work there. The arguments distinguish
// such calls.
func (c *Context) Put(name string, args []Arg, put func(stream uintptr) error) error {
	if c.traced(name, Grid{}, 0, args...) {
		return nil
	}
	if err := c.join(); err != nil {
		return err
	}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	return put(uintptr(c.handle()))
}

// fail adds the operation to an error of the driver; nil stays nil.
func fail(op string, err error) error {
	if err == nil {
		return nil
	}
	v := reflect.ValueOf(err) // the type of cu's errors, an int, is not exported
	if v.Kind() != reflect.Int {
		return fmt.Errorf("%s: %w", op, err)
	}
	return &Error{op, int(v.Int()), text(int(v.Int()))}
}
