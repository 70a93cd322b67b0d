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

// names are the MPI functions that this package calls.
var names = []string{
	"MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Comm_rank", "MPI_Comm_size",
	"MPI_Comm_set_errhandler", "MPI_Error_string", "MPI_Get_library_version", "MPI_Allreduce",
	"MPI_Bcast", "MPI_Barrier",
}

// candidates returns the libraries that may join the processes of a launcher, libraries with the standard ABI first.
func candidates(launcher string) []string {
	if path := os.Getenv(LibraryVariable); path != "" {
		return []string{path}
	}
	standard := []string{"libmpi_abi.so.1", "libmpi_abi.so.0"} // MPICH 5.0 has .0
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

// load opens the first of the candidates that is there.
func load(launcher string) (*library, error) {
	// UCX, which MPICH loads, would take SIGSEGV from Go, so that a fault of this program would be no panic.
	if os.Getenv("UCX_ERROR_SIGNALS") == "" {
		if err := os.Setenv("UCX_ERROR_SIGNALS", "SIGILL,SIGABRT"); err != nil {
			return nil, err
		}
	}
	tried := candidates(launcher)
	for _, path := range tried {
		// The symbols are global, since plug-ins of Open MPI look for them there.
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
	// This is the only function that may be called before MPI_Init_thread.
	purego.SyscallN(l.functions["MPI_Get_library_version"],
		uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&n)))
	l.version, _, _ = strings.Cut(cText(text, n), "\n")
	l.version, _, _ = strings.Cut(l.version, ", package:") // Open MPI adds details of its build
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

// cText returns a text of n bytes that C wrote, without the blanks at its end.
func cText(text []byte, n int32) string {
	return strings.TrimRight(string(text[:min(max(0, int(n)), len(text))]), "\x00 \n")
}

// call makes a call on the thread of the library, and waits for it. Callers convert addresses in the list of arguments
// itself: the directive then keeps the memory behind them in its place.
//
//go:uintptrescapes
func (l *library) call(name string, args ...uintptr) (err error) {
	done := make(chan struct{})
	l.calls <- func() {
		err = l.callNow(name, args...)
		close(done)
	}
	<-done
	return err
}

// callNow makes a call. Only the thread of the library may use it. The error has the text of the library.
func (l *library) callNow(name string, args ...uintptr) error {
	code, _, _ := purego.SyscallN(l.functions[name], args...)
	if int32(code) == 0 {
		return nil
	}
	text, n := make([]byte, 8192), int32(0)
	purego.SyscallN(l.functions["MPI_Error_string"], code,
		uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&n)))
	return fmt.Errorf("%s: %s", name, cText(text, n))
}

// Find returns the name and version of the library that Open would load. It joins no job.
func Find(p dist.ProcessRank) (string, error) {
	l, err := load(p.Launcher)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s (%s)", l.version, l.path), nil
}
