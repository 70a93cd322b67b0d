// Package step is one step of training, the same for a run, for the dry device that a run is planned on, and for a
// measurement.
package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Options are the options of a step.
type Options struct {
	Seed       uint64
	Samples    int
	Batch      int  // B, the number of rows; a batch of all rows is in order
	ChunkRows  int  // number of rows of a chunk of the batch; 0 is all
	Natural    bool // q(F̄) takes natural-gradient steps
	Predictive bool // the objective is the predictive one

	Beta1, Beta2, Eps, L2 float64 // parameters of Adam, and λ of the penalty
}

// Step is a training step on a device: the batch, the gradient, the optional natural-gradient step of q(F̄), and Adam.
type Step struct {
	Model     *model.Model
	Rows      *model.Rows
	Workspace *model.Workspace
	// Abandon reports, between two chunks of a batch, whether to end the step, which then changes nothing; nil never
	// ends it. A step that ranks share, or that a device.Recorder replays, is never abandoned.
	Abandon func() bool
	// Votes are the votes on a step that ranks share.
	Votes Votes

	dev      device.Device
	options  Options
	adam     struct{ m, v, rate *device.Tensor } // moments, and rate of each parameter
	loop     func(device.StepScalars)            // compute, or its replay
	done     bool                                // the last compute ran to its end; false if Abandon stopped it
	sentStep uint32                              // number of the step whose batch was sent last, of rows on the host

	reducer       Reducer
	sum           func(shard int) (ok bool) // sum of the reducer
	hasFirstShard bool                      // this rank has the first shard of all
}

// New allocates the memory of a step, and fills a batch of all rows. Adam starts with moments and rates of 0.
func New(dev device.Device, m *model.Model, rows *model.Rows, r Reducer, o Options) *Step {
	if o.ChunkRows == 0 {
		o.ChunkRows = o.Batch
	}
	s := &Step{Model: m, Rows: rows, dev: dev, options: o, reducer: r}
	shards, all, first := r.shards(o.Batch)
	s.Workspace = m.NewChunkedWorkspace(o.Samples, o.Batch, chunksOf(o.Batch, all, o.ChunkRows), shards...)
	s.hasFirstShard = first
	s.sum = r.bind(s)
	p := m.Params().Len()
	s.adam.m, s.adam.v, s.adam.rate = dev.New(device.Real, p), dev.New(device.Real, p), dev.New(device.Real, p)
	s.fillWholeBatch()
	s.loop = func(now device.StepScalars) { s.compute(now.Live()) }
	if r.replayable() {
		s.loop = device.NewLoop(dev, s.compute)
	}
	return s
}

// fillWholeBatch uploads the row numbers of a batch of all rows, which is always the same.
func (s *Step) fillWholeBatch() {
	if s.options.Batch != s.Rows.N {
		return
	}
	all := make([]int32, s.Rows.N)
	for i := range all {
		all[i] = int32(i)
	}
	s.dev.UploadInts(s.Workspace.Rows(), all)
}

// SolveRows calls Model.SolveRows for the training rows, before the first step.
func (s *Step) SolveRows(progress func(done int) bool) {
	s.Model.SolveRows(s.Workspace, s.Rows, progress)
	s.fillWholeBatch()
}

// Do takes a step; it allocates nothing after the first one. If the step was abandoned, done is false, and nothing has
// changed. The error tells that a rank is lost.
func (s *Step) Do(now device.StepScalars) (done bool, err error) {
	s.awaitBatch(now.Step)
	err = s.reducer.run(s.loop, now)
	s.uploadBatch(now.Step + 1)
	return s.done, err
}

// Bound evaluates the objective on the batch of the last step, for Model.ReadELBO. Ranks that share it do so together.
func (s *Step) Bound(number uint32, klWeight float64) error {
	s.awaitBatch(number)
	scalars := device.LiveScalars{Step: device.StepNumber{N: number}, KLWeight: device.Scalar{Value: klWeight}}
	return s.reducer.run(func(device.StepScalars) {
		s.draw(scalars.Step) // an abandoned step has drawn another batch
		s.gradient(scalars, nil)
	}, device.StepScalars{})
}

// uploadBatch begins to upload the batch of a step if rows stay on the host. The device computes meanwhile.
func (s *Step) uploadBatch(number uint32) {
	if s.Rows.SendsBatches() {
		s.Rows.SendBatch(s.batchKey(device.StepNumber{N: number}))
		s.sentStep = number
	}
}

// awaitBatch waits for the batch of a step, and uploads it first if needed.
func (s *Step) awaitBatch(number uint32) {
	if s.Rows.SendsBatches() {
		if s.sentStep != number {
			s.uploadBatch(number)
		}
		s.Rows.AwaitBatch()
	}
}

// SetTrainable sets the roles of the parameters that later steps change: Adam's rate is 0 for others.
func (s *Step) SetTrainable(learns func(model.Role) bool) {
	s.dev.Upload(s.adam.rate, s.Model.Params().Mask(learns))
}

// Reset sets Adam's moments to 0.
func (s *Step) Reset() {
	s.dev.Zero(s.adam.m)
	s.dev.Zero(s.adam.v)
}

// InChunks reports whether a batch goes through the model in chunks.
func (s *Step) InChunks() bool { return s.options.ChunkRows < s.options.Batch }

// Moments returns Adam's first and second moments of each parameter.
func (s *Step) Moments() (first, second *device.Tensor) { return s.adam.m, s.adam.v }

// Label names the step's memory in the ledger of a dry device.
func (s *Step) Label(ledger *device.Ledger) {
	ledger.Label("pass", s.Workspace)
	ledger.Label("model", s.Model)
	ledger.Label("set", s.Rows)
	ledger.Label("adam", &s.adam)
}

// localReducer is the Reducer of one rank, whose gradient is the gradient of the batch.
type localReducer struct{}

func (localReducer) shards(batch int) ([]model.Shard, int, bool) {
	return []model.Shard{{Lo: 0, Hi: batch}}, 1, true
}

func (localReducer) bind(*Step) func(int) bool { return nil }
func (localReducer) replayable() bool          { return true }

func (localReducer) run(compute func(device.StepScalars), now device.StepScalars) error {
	compute(now)
	return nil
}
