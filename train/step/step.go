// Package step is one step of training, the same for a run, for the dry device that a run is
// planned on, and for a measurement.
package step

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Options are the further needs of a step, besides a model, its rows and a Reducer.
type Options struct {
	Seed       uint64
	Samples    int
	Batch      int // B rows; as many as there are: all of them, in order
	AtOnce     int // rows of the batch that go through the model at once; 0 is all
	Natural    bool
	Predictive bool // the objective

	Beta1, Beta2, Eps, L2 float64 // of Adam
}

// Step is a training step on a device: the batch, the gradient, the natural-gradient step of q(F̄)
// where it is asked for, and Adam.
type Step struct {
	Model *model.Model
	Rows  *model.Data
	Pass  *model.Pass
	// Leave reports, between two parts of a batch, whether to end the step there, which then changes
	// nothing; nil never does. A step that ranks share is never left.
	Leave func() bool
	// Votes are the votes on a step that ranks share.
	Votes Votes

	dev     device.Device
	options Options
	adam    struct{ m, v, rate *device.Tensor } // moments, and the rate of each parameter
	loop    func(device.StepScalars)            // does compute
	done    bool                                // the last step was not left
	sent    uint32                              // the step whose batch was sent last, where rows stay on the host

	reducer Reducer
	sum     func(shard int) (ok bool) // of the reducer
	first   bool                      // this rank has the first shard of all
}

// New makes the memory of a step, and its batch where that is always the same. Adam starts with
// moments and rates of 0.
func New(dev device.Device, m *model.Model, rows *model.Data, r Reducer, o Options) *Step {
	if o.AtOnce == 0 {
		o.AtOnce = o.Batch
	}
	s := &Step{Model: m, Rows: rows, dev: dev, options: o, reducer: r}
	shards, all, first := r.shards(o.Batch)
	s.Pass, s.first = m.NewPassInParts(o.Samples, o.Batch, partsOf(o.Batch, all, o.AtOnce), shards...), first
	s.sum = r.bind(s)
	p := m.Params().Len()
	s.adam.m, s.adam.v, s.adam.rate = dev.New(device.Real, p), dev.New(device.Real, p), dev.New(device.Real, p)
	s.takeAll()
	if s.loop = func(now device.StepScalars) { s.compute(now.Live()) }; r.replayable() {
		s.loop = device.NewLoop(dev, s.compute).Run
	}
	return s
}

// takeAll makes the batch that is always the same.
func (s *Step) takeAll() {
	if s.options.Batch != s.Rows.N {
		return
	}
	all := make([]int32, s.Rows.N)
	for i := range all {
		all[i] = int32(i)
	}
	s.dev.UploadInts(s.Pass.Rows(), all)
}

// Project is Model.Project of the training rows, before the first step.
func (s *Step) Project(going func(done int) bool) {
	s.Model.Project(s.Pass, s.Rows, going)
	s.takeAll()
}

// Do does a step; it allocates nothing after the first. If the step was left, done is false, and
// nothing has changed. An error is that of another rank.
func (s *Step) Do(now device.StepScalars) (done bool, err error) {
	s.arrive(now.Step)
	err = s.reducer.run(s.loop, now)
	s.send(now.Step + 1)
	return s.done, err
}

// Bound evaluates the objective on the batch of the last step, for Model.Report. Ranks that share
// it do so together.
func (s *Step) Bound(number uint32, klWeight float64) error {
	s.arrive(number)
	at := device.LiveScalars{Step: device.Count{N: number}, KLWeight: device.Scalar{Value: klWeight}}
	return s.reducer.run(func(device.StepScalars) {
		s.draw(at.Step) // a step that was left has drawn another batch
		s.gradient(at, nil)
	}, device.StepScalars{})
}

// send begins to bring the batch of a step, where rows stay on the host. The device computes
// meanwhile.
func (s *Step) send(number uint32) {
	if s.Rows.Streams() {
		s.Rows.Send(s.batchKey(device.Count{N: number}))
		s.sent = number
	}
}

// arrive brings the batch of a step, if it was not sent before.
func (s *Step) arrive(number uint32) {
	if s.Rows.Streams() {
		if s.sent != number {
			s.send(number)
		}
		s.Rows.Arrive()
	}
}

// SetRates gives Adam's rate of each parameter, by its role.
func (s *Step) SetRates(rate func(model.Role) float64) {
	s.dev.Upload(s.adam.rate, s.Model.Params().Rates(rate))
}

// Reset forgets Adam's moments.
func (s *Step) Reset() {
	s.dev.Zero(s.adam.m)
	s.dev.Zero(s.adam.v)
}

// InParts reports whether a batch goes through the model in parts.
func (s *Step) InParts() bool { return s.options.AtOnce < s.options.Batch }

// Moments are Adam's first and second moments of each parameter.
func (s *Step) Moments() (first, second *device.Tensor) { return s.adam.m, s.adam.v }

// Label names the step's memory in the ledger of a dry device.
func (s *Step) Label(ledger *device.Ledger) {
	ledger.Label("pass", s.Pass)
	ledger.Label("model", s.Model)
	ledger.Label("set", s.Rows)
	ledger.Label("adam", &s.adam)
}

// local is the Reducer of one rank, whose gradient is that of the batch.
type local struct{}

func (local) shards(batch int) ([]model.Shard, int, bool) {
	return []model.Shard{{Lo: 0, Hi: batch}}, 1, true
}

func (local) bind(*Step) func(int) bool { return nil }
func (local) replayable() bool          { return true }

func (local) run(compute func(device.StepScalars), now device.StepScalars) error {
	compute(now)
	return nil
}
