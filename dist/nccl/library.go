//go:build cuda && cgo

package nccl

// #cgo LDFLAGS: -ldl
// #include "calls.h"
import "C"

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// idSize is the size of NCCL's unique id, in bytes.
const idSize = C.sizeof_unique_id

// oldestVersion is the oldest version whose calls a CUDA graph can record.
const oldestVersion = 2900

// load opens the library once.
var load = sync.OnceValues(func() (version string, err error) {
	path := os.Getenv(LibraryVariable)
	switch path {
	case "none":
		return "", fmt.Errorf("%w: %s=none", ErrAbsent, LibraryVariable)
	case "":
		path = "libnccl.so.2"
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	if why := C.GoString(C.library_open(name)); why != "" {
		return "", fmt.Errorf("%w library: %s: install the package libnccl2, or set %s to the path of libnccl.so.2",
			ErrAbsent, why, LibraryVariable)
	}
	var v C.int
	if err := result("ncclGetVersion", C.call_version(&v)); err != nil {
		return "", err
	}
	if v < oldestVersion {
		return "", fmt.Errorf("%w: %s has version %s, and 2.9 is needed: set %s to a newer one", ErrAbsent, path,
			versionText(int(v)), LibraryVariable)
	}
	return fmt.Sprintf("NCCL %s (%s)", versionText(int(v)), path), nil
})

// versionText formats the number of a version: 2804 is 2.8.4, and 21003 is 2.10.3.
func versionText(v int) string {
	if v < 10_000 {
		return fmt.Sprintf("%d.%d.%d", v/1000, v/100%10, v%100)
	}
	return fmt.Sprintf("%d.%d.%d", v/10_000, v/100%100, v%100)
}

// Find returns the version and path of the library that Open would load.
func Find() (string, error) { return load() }

// result returns the error of an NCCL code, with the text of the library; nil for no error.
func result(call string, code C.int) error {
	if code == C.SUCCESS || code == C.IN_PROGRESS {
		return nil
	}
	text := C.GoString(C.words_of(code))
	if last := C.GoString(C.last_words()); last != "" {
		text += ": " + last
	}
	return fmt.Errorf("%s: %s", call, text)
}

type communicator struct{ handle unsafe.Pointer }

// newID makes the id that all ranks of a communicator need.
func newID() ([]byte, error) {
	id := make([]byte, idSize)
	return id, result("ncclGetUniqueId", C.call_unique_id(unsafe.Pointer(&id[0])))
}

func (c *communicator) init(rank, size int, id []byte) error {
	var handle unsafe.Pointer
	err := result("ncclCommInitRank", C.call_init(&handle, C.int(size), unsafe.Pointer(&id[0]), C.int(rank)))
	c.handle = handle
	return err
}

// kind returns NCCL's number for the type of the elements of a span.
func kind(s device.Span) C.int {
	if s.Bytes == 4 {
		return C.FLOAT32
	}
	return C.FLOAT64
}

// address converts an address on the device to a pointer, which Go never follows.
func address(a uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }

// sum puts the sums of spans over all ranks on a stream, as one operation.
func (c *communicator) sum(stream uintptr, at []device.Span) error {
	if err := result("ncclGroupStart", C.call_start()); err != nil {
		return err
	}
	for _, s := range at {
		err := result("ncclAllReduce", C.call_all_reduce(address(s.Address), C.size_t(s.Elements), kind(s), c.handle,
			address(stream)))
		if err != nil {
			return err
		}
	}
	return result("ncclGroupEnd", C.call_end())
}

// send puts a broadcast of a span on a stream: all ranks get the span of rank root.
func (c *communicator) send(stream uintptr, s device.Span, root int) error {
	return result("ncclBroadcast", C.call_broadcast(address(s.Address), C.size_t(s.Elements), kind(s), C.int(root),
		c.handle, address(stream)))
}

// asyncError returns the error of an operation that is running, such as a lost rank. Any thread may call it.
func (c *communicator) asyncError() error {
	var code C.int
	if err := result("ncclCommGetAsyncError", C.call_async(c.handle, &code)); err != nil {
		return err
	}
	return result("NCCL", code)
}

func (c *communicator) destroy() error { return result("ncclCommDestroy", C.call_destroy(c.handle)) }
