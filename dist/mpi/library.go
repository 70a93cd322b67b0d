//go:build mpi && linux && (amd64 || arm64)

package mpi

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpdrf/gpdrf-gpu/dist"
)

// library is an MPI library that is loaded, with the thread that makes all of its calls.
type library struct {
	abi
	path, version string
	handle        uintptr
	functions     map[string]uintptr
	calls         chan func()
}

// names are the functions that are called.
var names = []string{
	"MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Comm_rank", "MPI_Comm_size",
	"MPI_Comm_set_errhandler", "MPI_Error_string", "MPI_Get_library_version", "MPI_Allreduce",
	"MPI_Bcast", "MPI_Barrier",
}

// candidates are the libraries that a process of this launcher may belong to, the standard ABI
// first.
func candidates(launcher string) []string {
	if path := os.Getenv(LibraryVariable); path != "" {
		return []string{path}
	}
	standard := []string{"libmpi_abi.so.1", "libmpi_abi.so.0"} // .0 is of MPICH 5.0
	openMPI := []string{"libmpi.so.40"}
	mpich := []string{"libmpi.so.12", "libmpich.so.12"}
	switch {
	case strings.HasPrefix(launcher, "Open MPI"): // no other library can join its processes
		return openMPI
	case strings.Contains(launcher, "PMI"):
		return append(standard, mpich...)
	}
	return append(append(standard, openMPI...), mpich...)
}

// load opens the first library that is there.
func load(launcher string) (*library, error) {
	// UCX, which MPICH brings, would take SIGSEGV from Go, and an error of ours would be no panic
	if os.Getenv("UCX_ERROR_SIGNALS") == "" {
		if err := os.Setenv("UCX_ERROR_SIGNALS", "SIGILL,SIGABRT"); err != nil {
			return nil, err
		}
	}
	tried := candidates(launcher)
	for _, path := range tried {
		// global, since plug-ins of Open MPI look for its symbols there
		handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return newLibrary(path, handle)
		}
	}
	return nil, fmt.Errorf("%w library: tried %s: install openmpi-bin or mpich, as the launcher is, or set %s "+
		"to the path of its library", ErrAbsent, strings.Join(tried, ", "), LibraryVariable)
}

func newLibrary(path string, handle uintptr) (*library, error) {
	l := &library{path: path, handle: handle, functions: map[string]uintptr{}, calls: make(chan func())}
	for _, name := range names {
		f, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("the MPI library %s lacks %s: set %s to another", path, name, LibraryVariable)
		}
		l.functions[name] = f
	}
	text, n := make([]byte, 8192), int32(0)
	// the only function that may be called before all others
	purego.SyscallN(l.functions["MPI_Get_library_version"],
		uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&n)))
	l.version, _, _ = strings.Cut(cut(text, n), "\n")
	l.version, _, _ = strings.Cut(l.version, ", package:") // Open MPI goes on
	l.version = strings.Join(strings.Fields(l.version), " ")
	var err error
	if l.abi, err = l.abiOf(path); err != nil {
		return nil, fmt.Errorf("the MPI library %s: %w: set %s to another", path, err, LibraryVariable)
	}
	go func() {
		runtime.LockOSThread()
		for call := range l.calls {
			call()
		}
	}()
	return l, nil
}

// cut is a text that C wrote.
func cut(text []byte, n int32) string {
	return strings.TrimRight(string(text[:min(max(0, int(n)), len(text))]), "\x00 \n")
}

// call makes a call on the thread of the library, and waits for it. Addresses are converted in the
// list of arguments itself: then what they point to stays where it is, which the directive asks
// for.
//
//go:uintptrescapes
func (l *library) call(name string, args ...uintptr) (err error) {
	done := make(chan struct{})
	l.calls <- func() {
		err = l.now(name, args...)
		close(done)
	}
	<-done
	return err
}

// now makes a call; only the thread of the library may. The error has the library's own words.
func (l *library) now(name string, args ...uintptr) error {
	code, _, _ := purego.SyscallN(l.functions[name], args...)
	if int32(code) == 0 {
		return nil
	}
	text, n := make([]byte, 8192), int32(0)
	purego.SyscallN(l.functions["MPI_Error_string"], code,
		uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&n)))
	return fmt.Errorf("%s: %s", name, cut(text, n))
}

// Find names the library that Open would take, and its version. It joins no job.
func Find(p dist.Place) (string, error) {
	l, err := load(p.Launcher)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s (%s)", l.version, l.path), nil
}
