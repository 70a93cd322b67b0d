package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/dist/mpi"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Several processes of one launcher share one training. Rank 0 prints and writes; the others are silent, unless
// something goes wrong with them alone.

// ranks is this process's connection to the processes that share its work.
type ranks struct {
	dist.Comm               // the engine: MPI, or NCCL once all ranks agree
	exchange  dist.Exchange // the way to compare tasks before there is an engine
	mpi       bool          // the processes are joined by MPI
	limit     time.Duration // longest wait for the other ranks; 0 is no limit
	local     int           // number of the process among those of this machine
	stderr    io.Writer     // standard error, also of a silent rank
	agreed    bool          // all ranks have compared their tasks
	released  bool          // the shared work is done, and the process is alone again
}

// commTimeout is the default of the longest wait for the other ranks.
const commTimeout = "10m"

// minTimeout is the least value of --comm-timeout: a launcher starts ranks one after the other, and each may have its
// driver compile kernels. Tests lower it.
var minTimeout = time.Minute

// joined reports whether other processes share the work yet.
func (p *program) joined() bool { return p.ranks != nil && !p.ranks.released }

// isWorker reports whether this process is not rank 0, which alone writes and prints.
func (p *program) isWorker() bool { return p.ranks != nil && p.ranks.Rank() > 0 }

// join joins the processes that a launcher has started for one training, if there are several.
func (p *program) join(c *call) error {
	text, given := c.text("comm-timeout")
	if !given {
		text = commTimeout
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit != 0 && limit < minTimeout {
		return c.errorf("comm-timeout", "%q must be a time of a minute or more, such as 10m, or 0s for none", text)
	}
	place, err := dist.Detect(os.Getenv)
	if err != nil || place.Size == 1 {
		return err
	}
	stderr := p.err
	if place.Rank > 0 {
		p.out = io.Discard
		p.terminal = false
		if place.LocalRank > 0 {
			p.err = io.Discard
		}
	}
	r := &ranks{limit: limit, local: place.LocalRank, stderr: stderr}
	if err := r.meet(place); err != nil {
		return err
	}
	p.ranks = r
	if place.Rank > 0 {
		p.err = io.Discard
	}
	return nil
}

// meet finds the other ranks: by the variables of torchrun, or by MPI.
func (r *ranks) meet(place dist.ProcessRank) error {
	if place.Launcher == dist.Torchrun {
		address, err := dist.Address(os.Getenv)
		if err != nil {
			return err
		}
		rendezvous, err := dist.NewRendezvous(place, address, r.limit)
		if err != nil {
			return err
		}
		r.Comm, r.exchange = dist.Dry(place.Rank, place.Size), rendezvous.Exchange
		return nil
	}
	if r.limit > 0 { // the library itself would wait for ever
		defer time.AfterFunc(r.limit, func() { r.exitMissing(place) }).Stop()
	}
	comm, err := mpi.Open(place)
	if errors.Is(err, mpi.ErrAbsent) {
		return usagef("%s has started %d processes, which cannot share a training: %w", place.Launcher, place.Size, err)
	} else if err != nil {
		return err
	}
	r.Comm = dist.WithTimeout(comm, r.limit, func(call string) { r.exitLost(call, nil) })
	r.exchange = dist.ExchangeOf(r.Comm)
	r.mpi = true
	return nil
}

// exitMissing ends the process, because other ranks do not start. There is no job to abort yet: the launcher sees the
// exit code and ends the others.
func (r *ranks) exitMissing(place dist.ProcessRank) {
	r.printLine("%s has waited %s for the other processes of %s to join: one of them has ended, hangs, or runs "+
		"a command that shares nothing, such as serve: start the same train, eval or predict in all of them",
		nameOf(place.Rank, place.Size), r.limit, place.Launcher)
	os.Exit(exitFailure)
}

// exitLost ends the process, because other ranks have failed or do not make the same call.
func (r *ranks) exitLost(call string, why error) {
	text := fmt.Sprintf("has waited %s for the other ranks (%s): one of them hangs, or is dead", r.limit, call)
	if why != nil {
		text = fmt.Sprintf("has lost another rank (%s): %v", call, why)
	}
	r.printLine("%s %s. The job ends; to resume it from its last checkpoint, start it again with --resume", r.name(),
		text)
	r.Abort(exitFailure)
	os.Exit(exitFailure)
}

// printLine prints a line, also on a silent rank.
func (r *ranks) printLine(format string, args ...any) {
	fmt.Fprintf(r.stderr, "gpdrf-gpu: "+format+"\n", args...)
}

// name returns the number of the rank and the name of its machine.
func (r *ranks) name() string { return nameOf(r.Rank(), r.Size()) }

func nameOf(rank, size int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown machine"
	}
	return fmt.Sprintf("rank %d of %d on %s", rank, size, host)
}

// agree compares the tasks of all ranks, or passes on the error of one of them. rankErr is the error of this rank. All
// ranks get the same answer.
func (p *program) agree(properties []dist.Property, rankErr error) error {
	if !p.joined() || p.ranks.agreed {
		return rankErr
	}
	p.ranks.agreed = true
	text, code := "", 0
	if rankErr != nil {
		text, code = rankErr.Error(), exitCode(rankErr)
	}
	return dist.Agree(p.ranks.exchange, properties, text, code)
}

// deviceOfRank returns the name of the device that a rank opens. The ranks of one machine take its GPUs in turn, unless
// the name has a number.
func (p *program) deviceOfRank(name string) string {
	if p.ranks == nil {
		return name
	}
	suffix, isCUDA := strings.CutPrefix(name, "cuda")
	switch {
	case name == "auto" || name == "":
		suffix = ""
	case isCUDA && (suffix == "" || slices.Contains(device.Suffixes[:], suffix)):
	default:
		return name
	}
	devices, _ := device.List()
	gpus := 0
	for _, m := range devices {
		if strings.HasPrefix(m.Name, "cuda") {
			gpus++
		}
	}
	if gpus == 0 {
		return name
	}
	return fmt.Sprintf("cuda:%d%s", p.ranks.local%gpus, suffix)
}

// anyGPU returns the name of a device without the number of the GPU, if there are ranks: each has its own GPU.
func (p *program) anyGPU(name string) string {
	if parts := strings.Split(name, ":"); p.ranks != nil && parts[0] == "cuda" {
		return "cuda:" + parts[len(parts)-1]
	}
	return name
}

// trainAsWorker trains as a rank other than 0, and leaves the job. It succeeds also after an interrupt: if it failed,
// the launcher would end rank 0 while it saves.
func (p *program) trainAsWorker(job *train.Job, guard *exitGuard) error {
	job.Reporter = workerReporter{guard: guard}
	job.Planned = func() { guard.liftLimit(p.ctx) }
	out, err := job.Run(p.ctx)
	if err != nil {
		return err
	}
	if p.sharesTest(job, out) {
		_, _, err := out.Trained.PredictSet(p.ctx, job.Device, job.Test, out.Config.EvalSamples,
			fitted.PredictOptions{Ranks: p.ranks.Comm})
		if err != nil {
			return err
		}
	}
	return p.leaveRanks()
}

// workerReporter is the Reporter of a rank other than 0, which prints nothing.
type workerReporter struct {
	train.Silent
	guard *exitGuard
}

func (w workerReporter) Begin(int) { w.guard.disarm() }

// leaveRanks ends the shared work: rank 0 does the rest alone.
func (p *program) leaveRanks() error {
	if !p.joined() {
		return nil
	}
	p.ranks.released = true
	return p.ranks.Close()
}

// finishShared leaves the other ranks at the end of a command. An error that all ranks know ends all of them in the
// same way; an error of this rank alone aborts the job.
func (p *program) finishShared(err error) error {
	if !p.joined() {
		return err
	}
	if err != nil {
		err = p.agree(nil, err)
	}
	if err == nil {
		return p.leaveRanks()
	}
	if errors.As(err, new(*dist.RankError)) { // rank 0 prints it before others leave and the launcher ends the job
		return errors.Join(&endedError{p.end(err)}, p.leaveRanks())
	}
	if p.isWorker() { // rank 0 reports problems of all ranks
		time.Sleep(time.Second)
	}
	p.ranks.printLine("%s: %v", p.ranks.name(), err)
	p.ranks.Abort(exitCode(err))
	return err
}
