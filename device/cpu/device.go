// Package cpu is the pure-Go backend: "cpu:f32" and "cpu:f64". There is a file for each family of operations, with
// forward and backward side by side.
//
// Every operation is a task of fixed blocks (see parallel.go) whose arithmetic is done by internal/simd. The task
// structs live in the Device and are filled again by each call, so that an operation allocates nothing once its scratch
// has grown. If an operation has several kernels over the same fields, each kernel is a separate type, such as
// momentsFull of momentsTask: d.do((*momentsFull)(t), …) runs it. A closure would be allocated in each call.
package cpu

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

func init() { device.Register("cpu", device.Backend{Open: openDevice, List: list}) }

func list() ([]device.Info, error) {
	return []device.Info{{Name: "cpu", About: about()}}, nil
}

func about() string { return fmt.Sprintf("%d threads, %s", runtime.GOMAXPROCS(0), simd.Tier()) }

// openDevice opens the CPU by precision: "f32" (also "") or "f64". It starts as many workers as GOMAXPROCS says; the
// results do not depend on their number.
func openDevice(options string, _ device.Logger) (device.Device, error) {
	switch workers := runtime.GOMAXPROCS(0); options {
	case "", "f32":
		return New[float32](workers), nil
	case "f64":
		return New[float64](workers), nil
	}
	return nil, fmt.Errorf("device %q is not known: use cpu:f32 or cpu:f64", "cpu:"+options)
}

// Device is a CPU whose Real tensors hold T.
type Device[T Float] struct {
	gp
	math *kernels[T]

	gather          gather[T]
	sparseDistances sparseDistances[T]
	convert         convert[T]
	wipeReal        wipe[T]
	wipeDouble      wipe[float64]
	sampleF         sampleF[T]
	outputNoise     outputNoise[T]
	frequencies     frequencies[T]
	momentsReal     likelihoodMoments[T, T]
	momentsDouble   likelihoodMoments[T, float64]
	likelihoods     likelihoods[T]
	divergences     divergences[T]
	adam            adamTask[T]
}

// gp holds the operations that are in double for any T of the Device.
type gp struct {
	*pool
	ard     ardTask
	mix     mixTask
	sparse  sparseTask
	potrf   potrfTask
	trsm    trsmTask
	whiten  whitenTask
	moments momentsTask
	natural naturalTask
}

// New opens a CPU with a number of workers, of which the caller's goroutine is one.
func New[T Float](workers int) *Device[T] {
	return &Device[T]{gp: gp{pool: newPool(max(1, workers), spins)}, math: kernelsOf[T]()}
}

// About returns the number of threads and the instructions.
func (d *Device[T]) About() string { return about() }

// Name returns "cpu:f32" or "cpu:f64".
func (d *Device[T]) Name() string {
	if d.size(device.Real) == 4 {
		return "cpu:f32"
	}
	return "cpu:f64"
}

// memory holds the elements of a tensor: []T for Real, []float64 for Double, []int32 for Int.
type memory[E any] []E

func (m memory[E]) Slice(lo, hi int) device.Memory { return m[lo:hi:hi] }

// New makes a tensor of zeros.
func (d *Device[T]) New(dtype device.DType, shape ...int) *device.Tensor {
	if d.dry() {
		t := device.NewTensor(dtype, hollow{}, shape...)
		d.ledger.Tensor(t, d.size(dtype))
		return t
	}
	n := device.Volume(shape)
	var mem device.Memory
	switch dtype {
	case device.Real:
		mem = make(memory[T], n)
	case device.Double:
		mem = make(memory[float64], n)
	default:
		mem = make(memory[int32], n)
	}
	d.taken += int64(n) * int64(d.size(dtype))
	return device.NewTensor(dtype, mem, shape...)
}

// size returns the number of bytes of an element.
func (d *Device[T]) size(dtype device.DType) int {
	var real T
	switch dtype {
	case device.Real:
		return int(unsafe.Sizeof(real))
	case device.Double:
		return 8
	}
	return 4
}

func (d *Device[T]) real(t *device.Tensor) []T { return elements[T](t) }

func double(t *device.Tensor) []float64 { return elements[float64](t) }

func ints(t *device.Tensor) []int32 { return elements[int32](t) }

// elements returns the memory of a tensor; nil for a nil tensor and for tensors of a dry device.
func elements[E any](t *device.Tensor) []E {
	if t == nil {
		return nil
	}
	m, ok := t.Memory().(memory[E])
	if _, dry := t.Memory().(hollow); !ok && !dry {
		panic("device: a tensor of another device")
	}
	return m
}

// Upload fills a Real or Double tensor from float64 values.
func (d *Device[T]) Upload(dst *device.Tensor, src []float64) {
	device.CheckTransfer("Upload", dst, len(src), false)
	if d.dry() {
		return
	}
	if dst.DType() == device.Double {
		copy(double(dst), src)
		return
	}
	cast(d.real(dst), src)
}

// cast copies src to dst, in another precision.
func cast[To, From Float](dst []To, src []From) {
	for i, v := range src[:len(dst)] {
		dst[i] = To(v)
	}
}

// UploadInts fills an Int tensor.
func (d *Device[T]) UploadInts(dst *device.Tensor, src []int32) {
	device.CheckTransfer("UploadInts", dst, len(src), true)
	copy(ints(dst), src)
}

// Download reads a Real or Double tensor.
func (d *Device[T]) Download(dst []float64, src *device.Tensor) {
	device.CheckTransfer("Download", src, len(dst), false)
	if d.dry() {
		clear(dst)
		return
	}
	if src.DType() == device.Double {
		copy(dst, double(src))
		return
	}
	cast(dst, d.real(src))
}

// Copy copies between tensors of one type and size.
func (d *Device[T]) Copy(dst, src *device.Tensor) {
	device.CheckCopy(dst, src)
	switch dst.DType() {
	case device.Real:
		copy(d.real(dst), d.real(src))
	case device.Double:
		copy(double(dst), double(src))
	default:
		copy(ints(dst), ints(src))
	}
}

// Close stops the workers.
func (d *Device[T]) Close() error {
	d.pool.close()
	return nil
}
