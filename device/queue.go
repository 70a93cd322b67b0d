package device

// Queue is a device on whose queue another library can put work, such as a sum over the GPUs of several processes.
type Queue interface {
	// Put calls put with the driver's handle of the queue and the memory of each tensor. The work that put adds to the
	// queue is done in order, and recorded in the work of a loop. Put may be called at any time with other tensors, and
	// is not called in each replay. The name is for errors.
	Put(name string, put func(queue uintptr, at []Span) error, tensors ...*Tensor)
	// UUID returns the UUID of the GPU.
	UUID() (string, error)
}

// Span is the memory of a tensor on its device.
type Span struct {
	Address  uintptr
	Elements int
	Bytes    int // number of bytes of an element: 4 or 8
}
