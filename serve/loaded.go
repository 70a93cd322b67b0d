package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// loadedModel is a model that is ready to predict. It is closed when its last user releases it.
type loadedModel struct {
	trained *fitted.Model
	batcher *batcher
	dev     device.Device
	inputs  []TensorSpec
	outputs []TensorSpec
	perRow  int64 // count of numbers that a row takes: inputs and samples
	bytes   int64 // approximate size in host and device memory
	stamp   stamp
	users   atomic.Int64
	closed  chan struct{}
}

// openModel reads a model, checks it, and puts it on a device. The caller is its first user and must release it.
func (s *Server) openModel(e *entry) (m *loadedModel, err error) {
	path := e.path
	stamp := stampOf(e.path)
	run, err := rundir.OpenModel(path)
	if err != nil {
		return nil, err
	}
	if run.Result.Unfinished {
		s.Log.Warn("the run is not finished: the model is that of its last checkpoint", "path", path)
	}
	t := run.Trained
	if t.Featurizer.Gram != nil {
		return nil, fmt.Errorf("%s: it was trained with a kernel of its own, which requests cannot "+
			"bring: predict reads it with --gram", path)
	}
	dev, err := s.OpenDevice(run.Result.Device, run.Config.Precision)
	if err != nil {
		return nil, err
	}
	p, err := t.NewPredictor(dev, s.MaxBatch, cmp.Or(s.Samples, t.EvalSamples))
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	b := &batcher{s, p, make(chan *batchItem, queueLength), make(chan struct{})}
	go b.run()
	m = &loadedModel{trained: t, batcher: b, dev: dev, inputs: inputsOf(t.Schema), outputs: outputsOf(t, p.Samples()),
		bytes: dev.Taken() + stamp.alone.size + stamp.model.size, stamp: stamp, closed: make(chan struct{})}
	for _, member := range t.Models(p.Samples()) {
		m.perRow += int64(member.Config.Width() + member.Config.Components(member.Samples)*member.Config.Outputs)
	}
	m.users.Store(1)
	return m, nil
}

// The memory of a byte of a sequence while its features are counted, in numbers, as measured; and the most bytes of a
// graph, whose own memory is several times that of as many bytes in small ones.
const (
	numbersPerByte      = 12
	numbersPerGraphByte = 50
	maxGraph            = 1 << 20
)

// roomForSequences returns the memory of the sequences of a request, in numbers. It fails for a graph that is too long.
func (m *loadedModel) roomForSequences(sequences []string) (numbers int64, err error) {
	each := int64(numbersPerByte)
	alphabet := m.schema().Alphabet
	graphs := alphabet != nil && alphabet.Kind.IsGraph()
	if graphs {
		each = numbersPerGraphByte
	}
	for i, text := range sequences {
		if graphs && len(text) > maxGraph {
			return 0, &Error{tooLarge, fmt.Sprintf("row %d: a %s of more than %d bytes: send smaller ones", i+1,
				alphabet.Kind.Noun(), maxGraph)}
		}
		numbers += each * int64(len(text))
	}
	return numbers, nil
}

// defaultOutputs returns the outputs that answer a request without outputs.
func (m *loadedModel) defaultOutputs() []TensorSpec {
	return slices.DeleteFunc(slices.Clone(m.outputs), func(spec TensorSpec) bool {
		return spec.Name == samplesName || spec.Name == drawsName
	})
}

// predict waits for the prediction of rows, in a batch with rows of other requests.
func (m *loadedModel) predict(ctx context.Context, given data.Request) (*prediction, error) {
	if given.N == 0 {
		return &prediction{trained: m.trained}, nil
	}
	rows, err := m.schema().Rows(given)
	if err != nil {
		return nil, err
	}
	x, distances, err := m.trained.Rows(ctx, rows)
	if err != nil {
		return nil, err
	}
	pass, err := m.batcher.predict(ctx, given.N, x)
	if err != nil {
		return nil, err
	}
	p := &prediction{trained: m.trained, rows: rows, pass: pass, distances: distances,
		warnings: m.trained.RequestWarnings(ctx, given, rows)}
	if err := p.checkFinite(); err != nil {
		return nil, err
	}
	return p, nil
}

// release ends the use by one user; the last one closes the model.
func (m *loadedModel) release() {
	if m.users.Add(-1) > 0 {
		return
	}
	m.batcher.close()
	m.dev.Close()
	close(m.closed)
}

// schema returns the schema of the model's rows.
func (m *loadedModel) schema() data.Schema { return m.trained.Schema }
