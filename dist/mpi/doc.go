// Package mpi is a dist.Comm over an MPI library that is loaded when the program runs: Open MPI, one of the MPICH
// family, or any with the standard ABI of MPI 5. The program is linked with none of them, and needs no cgo. It is built
// with the tag mpi, on Linux; otherwise Open is an error.
package mpi

import "errors"

// LibraryVariable is the environment variable with the path of an MPI library, in place of the libraries that Open
// looks for.
const LibraryVariable = "GPDRF_MPI"

// ErrAbsent is the error if there is no MPI library, or if the program was built without this package.
var ErrAbsent = errors.New("no MPI")
