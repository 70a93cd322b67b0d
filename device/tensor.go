package device

import "fmt"

// DType is the type of a Tensor's elements.
type DType uint8

const (
	Real   DType = iota // the device's working precision: float32 or float64
	Double              // float64 on every device
	Int                 // int32: row numbers and class labels
)

func (d DType) String() string { return [...]string{"real", "double", "int"}[d] }

// Memory is a backend's memory behind a Tensor.
type Memory interface {
	// Slice returns the view of elements lo to hi.
	Slice(lo, hi int) Memory
}

// Tensor is a shaped view of memory that a device owns. It is opaque: only the device that made it reads or writes it.
type Tensor struct {
	dtype DType
	shape []int
	size  int
	mem   Memory
}

// NewTensor wraps a backend's memory; only backends call it.
func NewTensor(dtype DType, mem Memory, shape ...int) *Tensor {
	return &Tensor{dtype: dtype, shape: shape, size: Volume(shape), mem: mem}
}

// DType returns the type of the elements.
func (t *Tensor) DType() DType { return t.dtype }

// Dim returns the length of axis i.
func (t *Tensor) Dim(i int) int { return t.shape[i] }

// Rank returns the number of axes.
func (t *Tensor) Rank() int { return len(t.shape) }

// Len returns the number of elements.
func (t *Tensor) Len() int { return t.size }

// Shape returns a copy of the shape.
func (t *Tensor) Shape() []int { return append([]int(nil), t.shape...) }

// Memory returns the backend's memory, for the backend.
func (t *Tensor) Memory() Memory { return t.mem }

// View returns a tensor over the elements that start at offset, with another shape. It shares the memory of t.
func (t *Tensor) View(offset int, shape ...int) *Tensor {
	n := Volume(shape)
	if offset < 0 || offset+n > t.size {
		panic(fmt.Sprintf("device: view of %d elements at %d is outside a tensor of %d", n, offset, t.size))
	}
	return &Tensor{dtype: t.dtype, shape: shape, size: n, mem: t.mem.Slice(offset, offset+n)}
}

// Volume returns the number of elements of a shape.
func Volume(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 {
			panic(fmt.Sprintf("device: negative length in shape %v", shape))
		}
		n *= d
	}
	return n
}
