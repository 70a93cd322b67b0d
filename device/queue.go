package device

// Queue is a device on whose queue of work another library can put its own, such as a sum over the
// GPUs of several processes.
type Queue interface {
	// Put calls put with the driver's handle of the queue and the memory of each tensor. What put
	// leaves on the queue is done in its turn, and recorded in the work of a Loop. Put may be
	// called at any time with other tensors, and is not called in each replay. The name is for
	// errors.
	Put(name string, put func(queue uintptr, at []Span) error, tensors ...*Tensor)
	// Card is the UUID of the GPU.
	Card() (string, error)
}

// Span is the memory of a tensor on its device.
type Span struct {
	Address  uintptr
	Elements int
	Bytes    int // of an element: 4 or 8
}
