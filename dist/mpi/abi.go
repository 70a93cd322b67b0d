//go:build mpi && linux && (amd64 || arm64)

package mpi

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// abi are the values in which MPI libraries differ, for the calls of this package. Handles are addresses in Open MPI
// and in the standard ABI, and ints in MPICH. Both are passed in a register of 64 bits; a function that takes an int
// reads its lower half.
type abi struct {
	name                                    string
	world, double, octet, sum, errorsReturn uintptr
	inPlace                                 uintptr
	funneled                                int32 // the level of threads at which one thread makes all calls
}

// mpich is the ABI of MPICH 3.1 and later, Intel MPI, MVAPICH and Cray MPI, from MPICH's mpi.h.
var mpich = abi{
	name: "MPICH", world: 0x44000000, double: 0x4c00080b, octet: 0x4c00010d, sum: 0x58000003,
	errorsReturn: 0x54000001, inPlace: ^uintptr(0), funneled: 1,
}

// standard is ABI 1.0 of MPI 5.0, from the mpi.h of the MPI Forum.
var standard = abi{
	name: "MPI ABI", world: 0x101, double: 0x214, octet: 0x247, sum: 0x21, errorsReturn: 0x142,
	inPlace: 1, funneled: 1024,
}

const openMPIName = "Open MPI"

// openMPI finds the handles of Open MPI, which are addresses of objects in the library, if lib is Open MPI.
func openMPI(lib uintptr) (a abi, ok bool, err error) {
	world, absent := purego.Dlsym(lib, "ompi_mpi_comm_world")
	if absent != nil {
		return abi{}, false, nil
	}
	a = abi{name: openMPIName, world: world, inPlace: 1, funneled: 1}
	for _, h := range []struct {
		symbol string
		to     *uintptr
	}{
		{"ompi_mpi_double", &a.double}, {"ompi_mpi_byte", &a.octet}, {"ompi_mpi_op_sum", &a.sum},
		{"ompi_mpi_errors_return", &a.errorsReturn},
	} {
		if *h.to, err = purego.Dlsym(lib, h.symbol); err != nil {
			return abi{}, true, fmt.Errorf("it lacks %s", h.symbol)
		}
	}
	return a, true, nil
}

// abiOf returns the ABI of a library, by the names of its file and of its version.
func (l *library) abiOf(path string) (abi, error) {
	// Only the file name is sure: the symbols may come from a library that it is linked with.
	if strings.Contains(path, "mpi_abi") {
		var major, minor int32
		if f, err := purego.Dlsym(l.handle, "MPI_Abi_get_version"); err == nil {
			purego.SyscallN(f, uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)))
		}
		if major != 1 {
			return abi{}, fmt.Errorf("it has version %d.%d of the MPI ABI, and 1 is known", major, minor)
		}
		return standard, nil
	}
	if a, ok, err := openMPI(l.handle); ok {
		return a, err
	}
	for _, name := range []string{"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY"} {
		if strings.Contains(l.version, name) {
			return mpich, nil
		}
	}
	return abi{}, fmt.Errorf("it calls itself %q: Open MPI, the MPICH family and the MPI ABI are known",
		l.version)
}
