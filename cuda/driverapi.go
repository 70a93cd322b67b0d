//go:build cuda && cgo

package cuda

// Functions that gorgonia.org/cu lacks: the reason why there is no driver, the log of its compiler, pinned host memory,
// and more than 48 KiB of dynamic shared memory. Every driver exports these symbols, so that the prototypes do not
// depend on the version of a header.

/*
#cgo LDFLAGS: -ldl -lpthread
#include <stdlib.h>
const char *shim_reason(void);
int cuMemHostAlloc(void **p, size_t bytes, unsigned flags);
int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values);
int cuFuncSetAttribute(void *fn, int attribute, int value);
int cuGetErrorString(int code, const char **text);
int cuDeviceGetUuid_v2(void *uuid, int device);
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"gorgonia.org/cu"
)

// reason returns the reason why there is no driver, or "".
func reason() string { return C.GoString(C.shim_reason()) }

// Error is a failure that the driver reports.
type Error struct {
	Op   string // the operation that failed
	Code int    // CUresult
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: CUDA error %d, %s", e.Op, e.Code, e.Text) }

// OutOfMemory reports whether an error of the driver means that it has too little memory.
func OutOfMemory(err error) bool {
	var failed *Error
	return errors.As(err, &failed) && failed.Code == int(cu.OutOfMemory)
}

// result turns a CUresult into an error.
func result(op string, code C.int) error {
	if code == 0 {
		return nil
	}
	return &Error{op, int(code), text(int(code))}
}

// text returns the driver's message for a CUresult.
func text(code int) string {
	var s *C.char
	if C.cuGetErrorString(C.int(code), &s) != 0 || s == nil {
		return "unknown"
	}
	return C.GoString(s)
}

// loadImage loads machine code, or PTX that ends in a zero byte, which the driver compiles. The error contains the log
// of the compiler.
func loadImage(name string, code []byte) (module cu.Module, err error) {
	const errorLog, errorLogBytes, room = 5, 6, 2000
	image, log := C.CBytes(code), C.calloc(1, room)
	defer C.free(image)
	defer C.free(log)
	// The driver writes to the values, and its compiler to the log: both are C's memory.
	values := (*[2]unsafe.Pointer)(C.calloc(2, C.size_t(unsafe.Sizeof(log))))
	defer C.free(unsafe.Pointer(values))
	values[0], *(*uintptr)(unsafe.Pointer(&values[1])) = log, room-1
	options := [2]C.int{errorLog, errorLogBytes}
	handle := (*unsafe.Pointer)(unsafe.Pointer(&module)) // a Module is the driver's handle
	status := C.cuModuleLoadDataEx(handle, image, 2, &options[0], &values[0])
	if err = result("loading "+name, status); err != nil {
		if said := strings.TrimSpace(C.GoString((*C.char)(log))); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
	}
	return module, err
}

// allocPinned allocates host memory for asynchronous copies.
func allocPinned(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	if err := result("allocating pinned memory", C.cuMemHostAlloc(&p, C.size_t(bytes), 0)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

// UUID returns the unique identifier of the GPU, in hexadecimal.
func (c *Context) UUID() (string, error) {
	var uuid [16]byte
	code := C.cuDeviceGetUuid_v2(unsafe.Pointer(&uuid[0]), C.int(c.dev))
	return fmt.Sprintf("%x", uuid), result("reading the UUID of the GPU", code)
}

// These are attributes of a kernel that may be set.
const (
	maxDynamicShared = 8 // the most dynamic shared memory of a block, in bytes
	carveout         = 9 // preferred share of a multiprocessor's cache as shared memory, in percent
)

func setAttribute(fn cu.Function, attribute, value int) error {
	handle := *(*unsafe.Pointer)(unsafe.Pointer(&fn)) // a Function is the driver's handle
	return result("cuFuncSetAttribute", C.cuFuncSetAttribute(handle, C.int(attribute), C.int(value)))
}
