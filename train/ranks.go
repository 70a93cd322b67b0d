package train

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// A Job with a Comm of several ranks is one run that they share. Each has all rows and all parameters, and takes its
// part of each batch (package step). Rank 0 decides what depends on a clock or on free memory. Everything else is the
// same on all ranks. Only rank 0 has a Reporter and saves.

// ranks returns the processes of the Job: this one alone if it has no Comm.
func (j *Job) ranks() dist.Comm {
	if j.Comm == nil {
		return dist.Alone()
	}
	return j.Comm
}

// shared reports whether other ranks take part in each step.
func (j *Job) shared() bool { return j.ranks().Size() > 1 }

// CheckRanks refuses a number of ranks that cannot share a batch.
func CheckRanks(c dist.Comm, cfg options.Config, rows int) error {
	shards, batch := c.Size(), min(cfg.Batch, rows)
	if cfg.Deterministic {
		if shards = dist.Shards; shards%c.Size() != 0 {
			return cfg.Errorf("deterministic", "is for 1, 2, 4 or 8 ranks, and there are %d: "+
				"start one of these, or leave it out", c.Size())
		}
	}
	if batch < shards {
		return usererror.OfFlag("batch", "%d rows cannot be shared by %d: give at least %[2]d rows, or start fewer "+
			"ranks", batch, shards)
	}
	return nil
}

// broadcastInt returns the number of rank 0.
func broadcastInt(c dist.Comm, number int) (int, error) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(number))
	err := c.Broadcast(b, 0)
	return int(binary.LittleEndian.Uint64(b)), err
}

// broadcastBool returns own as it is on rank 0.
func (r *run) broadcastBool(own bool) (bool, error) {
	if !r.job.shared() {
		return own, nil
	}
	answer := 0
	if own {
		answer = 1
	}
	answer, err := broadcastInt(r.job.ranks(), answer)
	return answer == 1, err
}

// compareEvery is the number of steps between two comparisons of the parameters of all ranks.
const compareEvery = 100

// compareRanks refuses parameters that differ from rank 0: a machine that computes otherwise would train another model.
// It also compares the first step.
func (r *run) compareRanks() error {
	if !r.job.shared() || r.out.Steps > r.earlierSteps+1 && r.out.Steps%compareEvery > 0 && r.out.Steps != r.finalStep {
		return nil
	}
	own := int(r.fingerprint())
	zero, err := broadcastInt(r.job.ranks(), own)
	if err != nil {
		return err
	}
	if zero != own {
		return fmt.Errorf("training failed at step %d of %d: the parameters of this rank are no longer those of "+
			"rank 0: all ranks need the same program on the same kind of processor or GPU", r.out.Steps, r.finalStep)
	}
	return nil
}

// fingerprint hashes the parameters.
func (r *run) fingerprint() uint64 {
	p := r.step.Model.Params()
	values := make([]float64, p.Len())
	r.job.Device.Download(values, p.Value)
	h := fnv.New64a()
	binary.Write(h, binary.LittleEndian, values)
	return h.Sum64()
}
