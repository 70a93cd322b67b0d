//go:build cuda && cgo

package nccl

// The prototypes are those of NCCL's C interface, which has not changed within the major version 2.

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { char bytes[128]; } unique_id;

static int (*get_version)(int *);
static int (*get_unique_id)(unique_id *);
static int (*comm_init_rank)(void **, int, unique_id, int);
static int (*all_reduce)(const void *, void *, size_t, int, int, void *, void *);
static int (*broadcast)(const void *, void *, size_t, int, int, void *, void *);
static int (*group_start)(void);
static int (*group_end)(void);
static int (*comm_get_async_error)(void *, int *);
static int (*comm_destroy)(void *);
static const char *(*get_error_string)(int);
static const char *(*get_last_error)(void *); // from 2.13 on, otherwise NULL

// library_open opens the library and finds its functions. The answer is why it cannot, or "".
static const char *library_open(const char *path) {
	static char why[500];
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		snprintf(why, sizeof why, "%s", dlerror());
		return why;
	}
	struct { const char *name; void **to; } all[] = {
		{"ncclGetVersion", (void **)&get_version},
		{"ncclGetUniqueId", (void **)&get_unique_id},
		{"ncclCommInitRank", (void **)&comm_init_rank},
		{"ncclAllReduce", (void **)&all_reduce},
		{"ncclBroadcast", (void **)&broadcast},
		{"ncclGroupStart", (void **)&group_start},
		{"ncclGroupEnd", (void **)&group_end},
		{"ncclCommGetAsyncError", (void **)&comm_get_async_error},
		{"ncclCommDestroy", (void **)&comm_destroy},
		{"ncclGetErrorString", (void **)&get_error_string},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!(*all[i].to = dlsym(lib, all[i].name))) {
			snprintf(why, sizeof why, "%s lacks %s", path, all[i].name);
			return why;
		}
	*(void **)&get_last_error = dlsym(lib, "ncclGetLastError");
	return "";
}

static int call_version(int *v) { return get_version(v); }
static int call_unique_id(void *id) { return get_unique_id(id); }
static int call_init(void **comm, int size, void *id, int rank) {
	return comm_init_rank(comm, size, *(unique_id *)id, rank);
}
static int call_all_reduce(void *at, size_t n, int type, void *comm, void *stream) {
	return all_reduce(at, at, n, type, 0, comm, stream); // 0 is a sum
}
static int call_broadcast(void *at, size_t n, int type, int root, void *comm, void *stream) {
	return broadcast(at, at, n, type, root, comm, stream);
}
static int call_start(void) { return group_start(); }
static int call_end(void) { return group_end(); }
static int call_async(void *comm, int *code) { return comm_get_async_error(comm, code); }
static int call_destroy(void *comm) { return comm_destroy(comm); }
static const char *words_of(int code) { return get_error_string(code); }
static const char *last_words(void) { return get_last_error ? get_last_error(NULL) : ""; }
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// idSize is the size of NCCL's unique id, in bytes.
const idSize = 128

// oldest is the first version whose calls a graph can record.
const oldest = 2900

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
	if v < oldest {
		return "", fmt.Errorf("%w: %s has version %s, and 2.9 is needed: set %s to a newer one", ErrAbsent, path,
			written(int(v)), LibraryVariable)
	}
	return fmt.Sprintf("NCCL %s (%s)", written(int(v)), path), nil
})

// written is a version as people write it: 2.8.4 is 2804, and 2.10.3 is 21003.
func written(v int) string {
	if v < 10_000 {
		return fmt.Sprintf("%d.%d.%d", v/1000, v/100%10, v%100)
	}
	return fmt.Sprintf("%d.%d.%d", v/10_000, v/100%100, v%100)
}

// Find names the library that Open would take, and its version.
func Find() (string, error) { return load() }

// result is an NCCL code as an error, in the library's own words.
func result(call string, code C.int) error {
	const success, inProgress = 0, 7
	if code == success || code == inProgress {
		return nil
	}
	text := C.GoString(C.words_of(code))
	if last := C.GoString(C.last_words()); last != "" {
		text += ": " + last
	}
	return fmt.Errorf("%s: %s", call, text)
}

// communicator is NCCL's own handle.
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

// kind is NCCL's number for the elements of a span: ncclInt8 and so on of nccl.h.
func kind(s device.Span) C.int {
	const float32s, float64s = 7, 8
	if s.Bytes == 4 {
		return float32s
	}
	return float64s
}

// address is one of the device, which Go never follows.
func address(a uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }

// sum puts the sums of spans on a stream, as one operation.
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

// send puts the span of rank root in the place of all others.
func (c *communicator) send(stream uintptr, s device.Span, root int) error {
	return result("ncclBroadcast", C.call_broadcast(address(s.Address), C.size_t(s.Elements), kind(s), C.int(root),
		c.handle, address(stream)))
}

// failed is an error of what is on its way, such as a rank that is lost. Any thread may ask.
func (c *communicator) failed() error {
	var code C.int
	if err := result("ncclCommGetAsyncError", C.call_async(c.handle, &code)); err != nil {
		return err
	}
	return result("NCCL", code)
}

func (c *communicator) destroy() error { return result("ncclCommDestroy", C.call_destroy(c.handle)) }
