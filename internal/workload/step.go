package workload

import (
	"math/rand/v2"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/step"
)

// Step is a training step on synthetic rows, the same on every device.
type Step struct {
	Size   Size
	step   *step.Step
	number uint32
}

// NewStep makes a step on a device, which still belongs to the caller.
func NewStep(dev device.Device, n Size) (*Step, error) { return NewSharedStep(dev, n, dist.Alone()) }

// NewSharedStep works like NewStep, for one of the ranks that share a batch.
func NewSharedStep(dev device.Device, n Size, ranks dist.Comm) (*Step, error) {
	r := rand.New(rand.NewPCG(1, 2))
	uniform := func(k int) []float64 {
		x := make([]float64, k)
		for i := range x {
			x[i] = r.Float64()
		}
		return x
	}
	y, labels := uniform(n.rows()), []int32(nil)
	if n.Classes > 0 {
		y, labels = nil, make([]int32, n.rows())
		for i := range labels {
			labels[i] = int32(r.IntN(n.Classes))
		}
	}
	c, o, err := n.form()
	if err != nil {
		return nil, err
	}
	m, err := model.New(dev, c)
	if err != nil {
		return nil, err
	}
	m.Init(model.Init{Seed: 1, InducingPoints: uniform(n.M * n.D), Sigma: []float64{1},
		GPLengthscaleFactor: 0.5, DRFLengthscaleFactor: 1, NoiseVariance: 0.1, ClassRows: make([]int, n.Classes)})
	var rows *model.Rows
	if n.I > 0 {
		rows = n.uploadSequences(m, r, y, labels)
	} else {
		rows = m.Upload(n.rows(), uniform(n.rows()*n.D), y, labels)
	}
	s := &Step{Size: n, step: step.New(dev, m, rows, step.NewReducer(ranks, false), o)}
	s.step.SetTrainable(func(model.Role) bool { return true })
	return s, nil
}

// Memory lists the memory of a step on a device, in the ledger of a dry one, and counts the doubles that the host makes
// for it.
func (n Size) Memory(dev device.Device) (ledger *device.Ledger, host int, err error) {
	dry, ledger := dev.Dry()
	c, o, err := n.form()
	if err != nil {
		return nil, 0, err
	}
	m, err := model.New(dry, c)
	if err != nil {
		return nil, 0, err
	}
	table := n.rows()
	rows := model.HostRows{N: table, X: func(lo, hi int) []float64 { return make([]float64, (hi-lo)*c.Width()) }}
	if n.Steps {
		r := rand.New(rand.NewPCG(1, 2))
		own := NewSequences(r, n.M, sequenceColumns, sequenceEach)
		table = 0
		rows.Features = NewSequences(r, rows.N, sequenceColumns, sequenceEach).Vectors(own, n.I)
		rows.Features.Rows = nil // a dry device looks at sizes alone
	}
	y, labels := make([]float64, rows.N), []int32(nil)
	if n.Classes > 0 {
		y, labels = nil, make([]int32, rows.N)
	}
	s := &Step{Size: n, step: step.New(dry, m, m.UploadRows(rows, y, labels), step.NewReducer(dist.Alone(), false), o)}
	s.Run()
	ledger.Label("device", dry)
	s.step.Label(ledger)
	ledger.Rest("device.rest")
	return ledger, (n.M+table)*c.Width() + 2*m.Params().Len(), nil
}

// Run makes one step of a run. The device may still be at work when Run returns. If another rank fails, it panics.
func (s *Step) Run() {
	s.number++
	if _, err := s.step.Do(device.StepScalars{Step: s.number, LR: 1e-3, KLWeight: 1}); err != nil {
		panic(err)
	}
}

// wait waits for the steps that were run, and returns the bound of the last one.
func (s *Step) wait() (model.ELBO, error) { return s.step.Model.ReadELBO(1) }
