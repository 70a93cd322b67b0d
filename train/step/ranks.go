package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Votes are what each rank wants to tell the others with a step: its own before, and the sums over
// all ranks after it. So what a rank decides on its own clock, all ranks decide.
type Votes struct {
	Late        float64 // the time limit is over
	Interrupted float64
}

// ranks is a step whose batch is shared by several ranks, or cut into the shards of a fixed sum.
// Each rank draws the row numbers of the whole batch, and goes through the rows of its own shards;
// then one sum over all ranks gives each the gradient of the batch. Parameters never travel: all
// ranks do the same update.
type ranks struct {
	comm   dist.Comm
	tree   *dist.Tree // nil: sums in the order of the engine
	first  int        // of all shards, the number of this rank's first one
	shards []*device.Loop
	update *device.Loop
	flat   []float64 // the gradient, and then ell and the votes

	resident *resident // nil: sums go through the memory of the host
}

// Beyond the gradient, flat has so many numbers.
const tail = 3

// newRanks makes the shared step. The pass has this rank's shards.
func (s *Step) newRanks() *ranks {
	o := &s.options
	r := &ranks{comm: o.Comm, first: o.Comm.Rank()}
	if a, ok := o.Comm.(adder); ok && !o.Deterministic {
		r.resident = s.newResident(a)
		return r
	}
	r.flat = make([]float64, s.Model.Params().Len()+tail)
	if o.Deterministic {
		r.tree = dist.NewTree(o.Comm, len(r.flat))
		r.first, _ = dist.Share(dist.Shards, o.Comm.Rank(), o.Comm.Size())
	}
	for i := range s.own() {
		r.shards = append(r.shards, device.NewLoop(s.dev, func(now device.Live) {
			if i == 0 {
				s.draw(now.Step)
			}
			s.gradientOf(i, now)
		}))
	}
	r.update = device.NewLoop(s.dev, s.update)
	return r
}

// own are this rank's shards of a batch.
func (s *Step) own() (shards []model.Shard) {
	o := &s.options
	n, lo, hi := o.Comm.Size(), o.Comm.Rank(), o.Comm.Rank()+1
	if o.Deterministic {
		n = dist.Shards
		lo, hi = dist.Share(n, o.Comm.Rank(), o.Comm.Size())
	}
	for i := lo; i < hi; i++ {
		from, to := dist.Share(o.Batch, i, n)
		shards = append(shards, model.Shard{Lo: from, Hi: to})
	}
	return shards
}

// gradientOf is the gradient of a shard. The first of all has the KL terms.
func (s *Step) gradientOf(shard int, now device.Live) {
	step := model.Step{Seed: s.options.Seed, Number: now.Step, KLWeight: now.KLWeight}
	if s.ranks.first+shard > 0 {
		step.KLWeight = device.Scalar{}
	}
	s.Model.GradientOf(s.Pass, shard, s.Rows, step)
}

// sum runs the shards by do, and gives the model the sums over all of all ranks.
func (s *Step) sum(do func(shard int)) error {
	if s.ranks.resident != nil {
		s.exchange(func() {
			do(0)
			s.add()
		})
		return nil
	}
	r, n := s.ranks, len(s.ranks.flat)-tail
	for i := range r.shards {
		do(i)
		r.flat[n] = s.Model.ReadGradient(s.Pass, i, r.flat[:n])
		r.flat[n+1], r.flat[n+2] = 0, 0
		if i == 0 {
			r.flat[n+1], r.flat[n+2] = s.Votes.Late, s.Votes.Interrupted
		}
		if r.tree != nil {
			r.tree.Add(r.flat)
		}
	}
	var err error
	if r.tree != nil {
		err = r.tree.Sum(r.flat)
	} else {
		err = r.comm.AllReduce(r.flat)
	}
	if err != nil {
		return err
	}
	s.Model.WriteGradient(s.Pass, r.flat[:n], r.flat[n])
	s.Votes = Votes{Late: r.flat[n+1], Interrupted: r.flat[n+2]}
	return nil
}

// shared does a step.
func (s *Step) shared(now device.Now) error {
	if r := s.ranks.resident; r != nil {
		s.exchange(func() { r.loop.Run(now) })
		return nil
	}
	if err := s.sum(func(i int) { s.ranks.shards[i].Run(now) }); err != nil {
		return err
	}
	s.ranks.update.Run(now)
	return nil
}
