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
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// Several processes of one launcher share one training. Rank 0 prints and writes; the others are
// silent, unless something goes wrong with them alone.

// ranks are the processes of the training, of which this is one.
type ranks struct {
	dist.Comm               // of MPI, or of NCCL once all ranks agree
	exchange  dist.Exchange // before that
	mpi       bool          // there is MPI
	limit     time.Duration // how long this rank waits for the others; 0 is any time
	local     int           // the number among those of this machine
	loud      io.Writer     // standard error, also of a silent rank
	agreed    bool          // all ranks have compared their tasks
	left      bool          // this process is alone again
}

// commTimeout is how long a rank waits for the others.
const commTimeout = 10 * time.Minute

// leastTimeout is the shortest time to wait for other ranks: a launcher starts them one after the other, and each may
// have its driver compile kernels. Tests have less.
var leastTimeout = time.Minute

// joined reports whether other processes share the work yet.
func (p *program) joined() bool { return p.ranks != nil && !p.ranks.left }

// isWorker reports whether this process is not rank 0, which alone writes and prints.
func (p *program) isWorker() bool { return p.ranks != nil && p.ranks.Rank() > 0 }

// join finds out whether a launcher has started several processes for one training, and joins them.
// Parts of a cross-validation are by themselves, also under a launcher.
func (p *program) join(c *call) error {
	limit := commTimeout
	if text, given := c.text("comm-timeout"); given {
		var err error
		if limit, err = time.ParseDuration(text); err != nil || limit != 0 && limit < leastTimeout {
			return c.errorf("comm-timeout", "%q must be a time of a minute or more, such as 10m, or 0s for none",
				text)
		}
	}
	if _, part := c.text("part"); part {
		return nil
	}
	place, err := dist.Detect(os.Getenv)
	if err != nil || place.Size == 1 {
		return err
	}
	loud := p.err
	if place.Rank > 0 {
		p.out, p.terminal = io.Discard, false
		if place.LocalRank > 0 {
			p.err = io.Discard
		}
	}
	r := &ranks{limit: limit, local: place.LocalRank, loud: loud}
	if err := r.meet(place); err != nil {
		return err
	}
	p.ranks = r
	if place.Rank > 0 {
		p.err = io.Discard
	}
	_, cv := c.text("cv")
	_, several := c.text("jobs")
	if cfg, err := c.config(); err == nil && (cfg.Preset == options.Best || cfg.Ensemble > 1) {
		several = true
	}
	if path, resume := c.text("resume"); resume {
		cv, several = rundir.IsCV(path), rundir.IsSearch(path)
	}
	switch {
	case cv:
		return usagef("--cv: several processes share one training only: give each fold to one of them " +
			"with --set part, or start one process")
	case several:
		return usagef("preset best and ensemble train several models, which processes cannot " +
			"share: start one process")
	}
	return nil
}

// meet finds the other ranks: by MPI, or where torchrun has started them.
func (r *ranks) meet(place dist.Place) error {
	if place.Launcher == dist.Torchrun {
		address, err := dist.Address(os.Getenv)
		if err != nil {
			return err
		}
		meeting, err := dist.Meet(place, address, r.limit)
		if err != nil {
			return err
		}
		r.Comm, r.exchange = dist.Dry(place.Rank, place.Size), meeting.Exchange
		return nil
	}
	if r.limit > 0 { // the library itself would wait for ever
		defer time.AfterFunc(r.limit, func() { r.alone(place) }).Stop()
	}
	comm, err := mpi.Open(place)
	if errors.Is(err, mpi.ErrAbsent) {
		return usagef("%s has started %d processes, which cannot share a training: %w", place.Launcher, place.Size, err)
	} else if err != nil {
		return err
	}
	r.Comm = dist.Watch(comm, r.limit, func(call string) { r.lost(call, nil) })
	r.exchange, r.mpi = dist.By(r.Comm), true
	return nil
}

// alone ends the process, because other ranks do not start. There is no job yet that could be
// aborted: the launcher sees the exit code, and ends the others.
func (r *ranks) alone(place dist.Place) {
	r.printLine("%s has waited %s for the other processes of %s to join: one of them has ended, hangs, or runs "+
		"a command that shares nothing, such as serve: start the same train, eval or predict in all of them",
		nameOf(place.Rank, place.Size), r.limit, place.Launcher)
	os.Exit(exitFailure)
}

// lost ends the process, because other ranks do not come to a call.
func (r *ranks) lost(call string, why error) {
	text := fmt.Sprintf("has waited %s for the other ranks (%s): one of them hangs, or is dead", r.limit, call)
	if why != nil {
		text = fmt.Sprintf("has lost another rank (%s): %v", call, why)
	}
	r.printLine("%s %s. The job ends; to resume it from its last checkpoint, start it again with --resume", r.name(), text)
	r.Abort(exitFailure)
	os.Exit(exitFailure)
}

// printLine is a line of any rank.
func (r *ranks) printLine(format string, args ...any) {
	fmt.Fprintf(r.loud, "gpdrf-gpu: "+format+"\n", args...)
}

// name is which rank this is, and where.
func (r *ranks) name() string { return nameOf(r.Rank(), r.Size()) }

func nameOf(rank, size int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown machine"
	}
	return fmt.Sprintf("rank %d of %d on %s", rank, size, host)
}

// agree compares the tasks of all ranks, or passes the error on that a rank has met. All
// ranks have the same answer.
func (p *program) agree(facts []dist.Fact, met error) error {
	if !p.joined() || p.ranks.agreed {
		return met
	}
	p.ranks.agreed = true
	text, code := "", 0
	if met != nil {
		text, code = met.Error(), exitCode(met)
	}
	return dist.Agree(p.ranks.exchange, facts, text, code)
}

// deviceOfRank is the name of the device that a rank opens: ranks of one machine take its GPUs in
// turn, unless a number was given.
func (p *program) deviceOfRank(name string) string {
	suffix, cuda := strings.CutPrefix(name, "cuda")
	if p.ranks == nil || !(cuda || name == "auto" || name == "") ||
		!slices.Contains(append(device.Suffixes[:], ""), suffix) && cuda {
		return name
	}
	if !cuda {
		suffix = ""
	}
	machines, _ := device.Machines()
	cards := 0
	for _, m := range machines {
		if strings.HasPrefix(m.Name, "cuda") {
			cards++
		}
	}
	if cards == 0 {
		return name
	}
	return fmt.Sprintf("cuda:%d%s", p.ranks.local%cards, suffix)
}

// anyCard is the name of a device for ranks, each of which has a GPU of its own: without its
// number.
func (p *program) anyCard(name string) string {
	if parts := strings.Split(name, ":"); p.ranks != nil && parts[0] == "cuda" {
		return "cuda:" + parts[len(parts)-1]
	}
	return name
}

// work trains beside rank 0, and leaves the job. How the job has ended, rank 0 alone says by its
// exit code, also after an interrupt: a launcher would end it while it saves.
func (p *program) work(job *train.Job, guard *exitGuard) error {
	job.Reporter, job.Planned = worker{guard: guard}, func() { guard.liftLimit(p.ctx) }
	out, err := job.Run(p.ctx)
	if err == nil && p.sharesTest(job, out) {
		_, err = out.Trained.Predict(p.together(p.ctx), job.Device, job.Test, out.Config.EvalSamples)
	}
	if err == nil {
		err = p.leaveRanks()
	}
	return err
}

// worker is a Reporter that tells nobody.
type worker struct {
	train.Silent
	guard *exitGuard
}

func (w worker) Begin(int) { w.guard.end() }

// leaveRanks ends the work in common: rank 0 does the rest alone.
func (p *program) leaveRanks() error {
	if !p.joined() {
		return nil
	}
	p.ranks.left = true
	return p.ranks.Close()
}

// part is how a process ends that may have company: all with one error that all know of, or because
// of one that this rank alone has met.
func (p *program) part(err error) error {
	if !p.joined() {
		return err
	}
	if err != nil {
		err = p.agree(nil, err)
	}
	if err == nil {
		return p.leaveRanks()
	}
	if errors.As(err, new(*dist.RankError)) { // rank 0 says it before others leave: a launcher then ends the job
		return errors.Join(&endedError{p.end(err)}, p.leaveRanks())
	}
	if p.isWorker() { // rank 0 reports problems of all ranks
		time.Sleep(time.Second)
	}
	p.ranks.printLine("%s: %v", p.ranks.name(), err)
	p.ranks.Abort(exitCode(err))
	return err
}
