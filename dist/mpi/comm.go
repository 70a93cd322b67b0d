//go:build mpi && linux && (amd64 || arm64)

package mpi

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// maxCount is the largest number of numbers or bytes in one call: MPI counts in ints. Tests lower it.
var maxCount = math.MaxInt32

type comm struct {
	*library
	rank, size int
}

// Open joins the job of a place. If the library disagrees with the launcher, the error is a *usererror.Error: each
// process would be a separate job.
func Open(p dist.ProcessRank) (dist.Comm, error) {
	l, err := load(p.Launcher)
	if err != nil {
		return nil, err
	}
	if l.name == openMPIName && p.Launcher == dist.Srun && !hasPMI(os.Environ()) {
		return nil, usererror.Errorf("srun has started %d processes without PMI, by which Open MPI joins them: give "+
			"srun --mpi=pmix, or another that srun --mpi=list names; or start them with mpirun", p.Size)
	}
	var provided, rank, size int32
	err = l.call("MPI_Init_thread", 0, 0, uintptr(l.funneled), uintptr(unsafe.Pointer(&provided)))
	if err == nil && provided < l.funneled {
		err = fmt.Errorf("%s allows one thread only", l.version)
	}
	if err == nil { // errors are returned, and do not end the process
		err = l.call("MPI_Comm_set_errhandler", l.world, l.errorsReturn)
	}
	if err == nil {
		err = errors.Join(l.call("MPI_Comm_rank", l.world, uintptr(unsafe.Pointer(&rank))),
			l.call("MPI_Comm_size", l.world, uintptr(unsafe.Pointer(&size))))
	}
	if err != nil {
		return nil, err
	}
	if int(rank) != p.Rank || int(size) != p.Size {
		return nil, usererror.Errorf("%s says rank %d of %d, and %s says %d of %d: they do not belong together: "+
			"start with the mpirun of this library, or set %s to the launcher's", l.version, rank, size,
			p.Launcher, p.Rank, p.Size, LibraryVariable)
	}
	return &comm{l, p.Rank, p.Size}, nil
}

// hasPMI reports whether a launcher helps its processes to find each other. If it does not, Open MPI would end the
// process.
func hasPMI(environment []string) bool {
	return slices.ContainsFunc(environment, func(v string) bool { return strings.HasPrefix(v, "PMI") })
}

func (c *comm) Rank() int { return c.rank }
func (c *comm) Size() int { return c.size }

// AllReduce adds up x in pieces that MPI can count.
func (c *comm) AllReduce(x []float64) error {
	for piece := range slices.Chunk(x, maxCount) {
		err := c.call("MPI_Allreduce", c.inPlace, uintptr(unsafe.Pointer(&piece[0])), uintptr(len(piece)),
			c.double, c.sum, c.world)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *comm) Broadcast(b []byte, root int) error {
	for piece := range slices.Chunk(b, maxCount) {
		err := c.call("MPI_Bcast", uintptr(unsafe.Pointer(&piece[0])), uintptr(len(piece)), c.octet,
			uintptr(root), c.world)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *comm) Barrier() error { return c.call("MPI_Barrier", c.world) }

// Abort ends all processes, including this one. If a call hangs on the library's thread, this process exits without
// MPI_Finalize; the launcher then ends the others.
func (c *comm) Abort(code int) {
	select {
	case c.calls <- func() { c.callNow("MPI_Abort", c.world, uintptr(code)) }:
		time.Sleep(abortPatience)
	case <-time.After(abortPatience):
	}
	os.Exit(code)
}

// abortPatience is the time that Abort waits for the library.
const abortPatience = 2 * time.Second

func (c *comm) Close() error   { return c.call("MPI_Finalize") }
func (c *comm) String() string { return c.version }
