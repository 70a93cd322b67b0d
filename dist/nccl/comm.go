//go:build cuda && cgo

package nccl

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
)

// Comm is one rank. For the calls of a dist.Comm, numbers go to the GPU and back. Its method Sum adds up tensors on the
// GPU.
type Comm struct {
	communicator
	job     Job
	version string
	device  device.Device
	queue   device.Queue
	buffer  *device.Tensor // the numbers of a call of a dist.Comm, as doubles

	waiting atomic.Pointer[wait] // the current wait of the rank; nil without one
	done    chan struct{}
}

// wait is a call that waits for other ranks.
type wait struct {
	call  string
	since time.Time
}

const (
	bufferSize = 1 << 15               // size of the buffer in numbers
	checkPause = 50 * time.Millisecond // pause between two checks of a call that waits
)

// Open joins the job. If two ranks have the same GPU, the error is the same *dist.RankError with code 2 on all ranks.
func Open(dev device.Device, job Job) (comm dist.Comm, err error) {
	defer device.RecoverFault(&err)
	queue, ok := dev.(device.Queue)
	if !ok {
		panic("nccl: the device has no queue")
	}
	version, err := load()
	if err != nil {
		return nil, err
	}
	uuid, err := queue.UUID()
	if err != nil {
		return nil, err
	}
	gpus, err := job.Exchange([]byte(uuid))
	if err == nil {
		err = sameGPU(gpus)
	}
	if err != nil {
		return nil, err
	}
	var id []byte
	if job.Rank == 0 {
		if id, err = newID(); err != nil {
			return nil, err
		}
	}
	ids, err := job.Exchange(id)
	if err != nil {
		return nil, err
	}
	if len(ids[0]) != idSize {
		return nil, fmt.Errorf("rank 0 sends an id of %d bytes", len(ids[0]))
	}
	c := &Comm{job: job, version: version, device: dev, queue: queue, done: make(chan struct{}),
		buffer: dev.New(device.Double, bufferSize)}
	go c.guard()
	c.recordWait("start", func() {
		c.queue.Put("joining the other GPUs", func(uintptr, []device.Span) error {
			return c.init(job.Rank, job.Size, ids[0])
		})
	})
	return c, nil
}

// sameGPU returns an error if two ranks have the same GPU, which NCCL cannot join. It is the same error on all ranks.
func sameGPU(gpus [][]byte) error {
	owner := map[string]int{}
	for r, uuid := range gpus {
		first, taken := owner[string(uuid)]
		if taken {
			return &dist.RankError{Rank: r, Code: 2, Text: fmt.Sprintf("ranks %d and %d have the same GPU, and NCCL "+
				"joins GPUs: start as many processes on each machine as it has GPUs, or set %s=none for sums "+
				"by MPI through the memory of the host", first, r, LibraryVariable)}
		}
		owner[string(uuid)] = r
	}
	return nil
}

// guard asks NCCL from time to time whether a call that waits has failed, and checks the time limit.
func (c *Comm) guard() {
	tick := time.NewTicker(checkPause)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		w := c.waiting.Load()
		if w == nil {
			continue
		}
		if time.Since(w.since) > c.job.Limit && c.job.Limit > 0 {
			c.job.Lost(w.call, nil)
			return
		}
		if w.call == "start" { // there is no communicator to ask yet
			continue
		}
		if err := c.asyncError(); err != nil && c.waiting.Load() == w {
			c.job.Lost(w.call, err)
			return
		}
	}
}

// recordWait runs do, which waits for other ranks, and records the wait.
func (c *Comm) recordWait(call string, do func()) {
	c.waiting.Store(&wait{call, time.Now()})
	defer c.waiting.Store(nil)
	do()
}

// Sum puts work in the queue of the GPU that makes each tensor the sum of the tensors of all ranks. In a loop of
// device.NewLoop it is recorded.
func (c *Comm) Sum(tensors ...*device.Tensor) {
	c.queue.Put("adding up over GPUs", c.sum, tensors...)
}

// Wait calls do, which waits for a Sum. If another rank is lost or too late, the Lost of the Job is called while do
// waits.
func (c *Comm) Wait(do func()) { c.recordWait("sum", do) }

// Rank returns the number of this rank, from 0 to Size−1.
func (c *Comm) Rank() int { return c.job.Rank }

// Size returns the number of ranks.
func (c *Comm) Size() int { return c.job.Size }

// viaGPU uploads x piece by piece, puts work on it in the queue, and downloads the result.
func (c *Comm) viaGPU(call string, x []float64, put func(stream uintptr, at []device.Span) error) (err error) {
	defer device.RecoverFault(&err)
	c.recordWait(call, func() {
		for piece := range slices.Chunk(x, bufferSize) {
			part := c.buffer.View(0, len(piece))
			c.device.Upload(part, piece)
			c.queue.Put("a "+call+" over GPUs", put, part)
			c.device.Download(piece, part)
		}
	})
	return nil
}

// AllReduce makes x the sum of the x of all ranks.
func (c *Comm) AllReduce(x []float64) error { return c.viaGPU("sum", x, c.sum) }

// Broadcast makes b the b of rank root. It sends the bytes as the bits of numbers.
func (c *Comm) Broadcast(b []byte, root int) error {
	padded := make([]byte, (len(b)+7)/8*8)
	copy(padded, b)
	x := make([]float64, len(padded)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(padded[8*i:]))
	}
	err := c.viaGPU("broadcast", x, func(stream uintptr, at []device.Span) error {
		return c.send(stream, at[0], root)
	})
	for i, v := range x {
		binary.LittleEndian.PutUint64(padded[8*i:], math.Float64bits(v))
	}
	copy(b, padded)
	return err
}

// Barrier waits for all ranks.
func (c *Comm) Barrier() error { return c.viaGPU("barrier", []float64{0}, c.sum) }

// Abort ends this process, and the others by MPI. Without MPI the launcher or the time limit ends the others.
func (c *Comm) Abort(code int) {
	if c.job.Over != nil {
		c.job.Over.Abort(code)
	}
	os.Exit(code)
}

// Close leaves the job.
func (c *Comm) Close() error {
	err := c.Barrier()
	close(c.done)
	if err == nil {
		err = c.destroy()
	}
	if err == nil && c.job.Over != nil {
		err = c.job.Over.Close()
	}
	return err
}

// String returns NCCL's version and path.
func (c *Comm) String() string { return c.version }
