//go:build cuda && cgo

package gpu

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// Device is a GPU.
type Device struct {
	settings

	// These are the kernels by the type that ends their name.
	real     family // _f32 or _f64, as Real is
	products family // kernels of Real products: the same as real, or _tf32
	double   family // _f64
	plain    family // kernels whose names have no type

	heap   heap
	state  state
	ledger *device.Ledger // ledger of a dry device

	graphs    bool                 // loops are recorded
	records   map[*cuda.Graph]bool // graphs that are not freed
	looping   bool                 // the work of a loop is running
	recording *recording           // recording of that work, if it is recorded
}

// settings are the fields that a Device shares with its dry twin.
type settings struct {
	context *cuda.Context
	name    string
	single  bool // real is float32
	log     device.Logger
}

// openDevice opens a GPU by its number and precision: "", "0", "f64", "0:f32".
func openDevice(options string, log device.Logger) (device.Device, error) {
	ordinal, single, err := parse(options)
	if err != nil {
		return nil, err
	}
	d, err := New(ordinal, single, log)
	if _, ok := errors.AsType[*cuda.SettingError](err); ok {
		return nil, &device.SettingError{Err: err}
	}
	if err != nil {
		return nil, &device.AbsentError{Name: nameOf(options), Err: err}
	}
	return d, nil
}

// graphVariable is the environment variable that decides whether loops are recorded.
const graphVariable = "GPDRF_CUDA_GRAPH"

// New opens a GPU by its number; Real is float32 if single is true.
func New(ordinal int, single bool, log device.Logger) (*Device, error) {
	graphs := os.Getenv(graphVariable)
	if graphs != "" && graphs != "0" && graphs != "1" {
		return nil, &cuda.SettingError{Name: graphVariable, Value: graphs,
			Reason: "use 0 to launch each step, or 1 to record it"}
	}
	context, err := cuda.Open(ordinal, log)
	if err != nil {
		return nil, err
	}
	d := &Device{settings: settings{context: context, single: single, log: log},
		graphs: graphs != "0", records: map[*cuda.Graph]bool{}}
	d.begin()
	d.name = fmt.Sprintf("cuda:%d:%s", ordinal, d.real.suffix[1:])
	return d, nil
}

// begin makes the fields that a Device does not share with a dry one.
func (d *Device) begin() {
	suffix := "f64"
	if d.single {
		suffix = "f32"
	}
	d.real = family{d, "_" + suffix, map[string]*cuda.Kernel{}}
	d.products = d.real
	d.double = family{d, "_f64", map[string]*cuda.Kernel{}}
	d.plain = family{d, "", map[string]*cuda.Kernel{}}
	d.heap = heap{device: d, live: map[cuda.Ptr]allocation{}}
}

// SetPrecision lets products of Real tensors be less exact: on tensor cores, which multiply float32 from compute
// capability 8.0 on. If their kernels cannot be loaded, it logs the reason.
func (d *Device) SetPrecision(p device.Precision) device.Precision {
	d.products = d.real
	if p != device.Medium || !d.single {
		return device.Highest
	}
	has, err := d.context.LoadTF32()
	if err != nil {
		d.log(err.Error())
	}
	if !has {
		return device.Highest
	}
	d.products = family{d, "_tf32", map[string]*cuda.Kernel{}}
	return p
}

// About describes the GPU, and the kernels that it has loaded.
func (d *Device) About() string { return d.context.Info().String() }

// Name returns "cuda:0:f32".
func (d *Device) Name() string { return d.name }

// New makes a tensor of zeros.
func (d *Device) New(dtype device.DType, shape ...int) *device.Tensor {
	n := device.Volume(shape)
	if d.ledger != nil {
		t := device.NewTensor(dtype, d.hollow(n, d.size(dtype)), shape...)
		d.ledger.Tensor(t, d.size(dtype))
		return t
	}
	m, err := d.heap.tensor(n, d.size(dtype))
	if err != nil {
		d.check(fmt.Sprintf("a %v tensor of shape %v", dtype, shape), err)
	}
	t := device.NewTensor(dtype, m, shape...)
	d.Zero(t)
	return t
}

// size returns the number of bytes of an element.
func (d *Device) size(dtype device.DType) int {
	if dtype == device.Double || dtype == device.Real && !d.single {
		return 8
	}
	return 4
}

// Upload fills a Real or Double tensor from float64 values.
func (d *Device) Upload(dst *device.Tensor, src []float64) {
	device.CheckTransfer("Upload", dst, len(src), false)
	if d.ledger == nil {
		d.upload(dst, src, d.context)
	}
}

// UploadInts fills an Int tensor.
func (d *Device) UploadInts(dst *device.Tensor, src []int32) {
	device.CheckTransfer("UploadInts", dst, len(src), true)
	if d.ledger == nil {
		write(d, dst, src, d.context, func(v int32) int32 { return v })
	}
}

// lane is a stream with its pinned memory: the stream of the operations, or cuda.UploadStream.
type lane interface {
	Stage(n int) ([]byte, error)
	Write(dst cuda.Ptr, staged []byte) error
}

func (d *Device) upload(dst *device.Tensor, src []float64, on lane) {
	if d.size(dst.DType()) == 4 {
		write(d, dst, src, on, func(v float64) float32 { return float32(v) })
	} else {
		write(d, dst, src, on, func(v float64) float64 { return v })
	}
}

// write copies src to the device through pinned memory, where it is converted.
func write[To, From float32 | float64 | int32](d *Device, dst *device.Tensor, src []From, on lane,
	convert func(From) To) {
	d.outside("Upload")
	m := d.memory(dst)
	d.state.triangle.written(m)
	for len(src) > 0 {
		n := min(len(src), cuda.StageSize/m.size)
		staged, err := on.Stage(n * m.size)
		d.check("Upload", err)
		to := unsafe.Slice((*To)(unsafe.Pointer(&staged[0])), n)
		for i, v := range src[:n] {
			to[i] = convert(v)
		}
		d.check("Upload", on.Write(m.ptr, staged))
		src, m.ptr = src[n:], m.ptr+cuda.Ptr(n*m.size)
	}
}

// Download reads a Real or Double tensor; it waits for all work before it.
func (d *Device) Download(dst []float64, src *device.Tensor) {
	device.CheckTransfer("Download", src, len(dst), false)
	if d.ledger != nil {
		clear(dst)
		return
	}
	if d.size(src.DType()) == 4 {
		read[float32](d, dst, src)
	} else {
		read[float64](d, dst, src)
	}
}

func read[From float32 | float64](d *Device, dst []float64, src *device.Tensor) {
	d.outside("Download")
	m := d.memory(src)
	for len(dst) > 0 {
		n := min(len(dst), cuda.StageSize/m.size)
		staged, err := d.context.Stage(n * m.size)
		d.check("Download", err)
		d.check("Download", d.context.Read(staged, m.ptr))
		for i, v := range unsafe.Slice((*From)(unsafe.Pointer(&staged[0])), n) {
			dst[i] = float64(v)
		}
		dst, m.ptr = dst[n:], m.ptr+cuda.Ptr(n*m.size)
	}
}

// Usage counts the work of a device so far.
type Usage struct {
	Calls   int // number of calls of the driver
	Changes int // number of allocations and releases of memory
}

// Usage returns the counts, for tests and reports. A replayed step makes a few calls of the driver and changes no
// memory.
func (d *Device) Usage() Usage { return Usage{d.context.Calls(), d.heap.changes} }

// Zero writes zeros.
func (d *Device) Zero(t *device.Tensor) {
	m := d.memory(t)
	d.state.triangle.written(m)
	if m.n > 0 && d.ledger == nil {
		d.check("Zero", d.context.Clear(m.ptr, m.n*m.size))
	}
}

// Copy copies between tensors of one type and size.
func (d *Device) Copy(dst, src *device.Tensor) {
	device.CheckCopy(dst, src)
	to, from := d.memory(dst), d.memory(src)
	d.state.triangle.written(to)
	if to.n > 0 && d.ledger == nil {
		d.check("Copy", d.context.Copy(to.ptr, from.ptr, to.n*to.size))
	}
}

// Close frees the GPU. It continues if something cannot be freed.
func (d *Device) Close() error {
	if d.ledger != nil {
		return nil
	}
	var failed []error
	for graph := range d.records {
		failed = append(failed, graph.Close())
	}
	return errors.Join(append(failed, d.heap.close(), d.context.Close())...)
}

// check panics with a fault of the machine.
func (d *Device) check(op string, err error) {
	if err == nil {
		return
	}
	fault := &device.FaultError{Device: d.name, Op: op, Err: err}
	if full, ok := errors.AsType[*cuda.OutOfMemoryError](err); ok {
		fault.Bytes = full.Bytes
	}
	panic(fault)
}
