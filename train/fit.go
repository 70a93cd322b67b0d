package train

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/usage"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
	"github.com/gpdrf/gpdrf-gpu/train/options"
	"github.com/gpdrf/gpdrf-gpu/train/step"
)

// Plan says what the run takes of its device's memory, and decides how many rows are computed at
// once: the whole batch where it fits, or the most that do. Where not even one row fits, it is a
// *usage.Error that says what would; the Plan, for one row, is there all the same. The Config
// is one of Fit.
func (j *Job) Plan(ctx context.Context) (*memory.Plan, error) {
	if err := j.project(ctx); err != nil {
		return nil, err
	}
	free, known := j.Device.Free()
	p, err := j.planFor(ctx, free, known)
	if err == nil {
		j.inSteps = p.Distances != nil && p.Distances.In == memory.InSteps
		j.streams = p.Streams
	}
	return p, err
}

// planFor is Plan where so many bytes are free.
func (j *Job) planFor(ctx context.Context, free int64, known bool) (*memory.Plan, error) {
	streams := false
	measure := func(c *options.Config) (*memory.Plan, error) {
		if streams {
			return j.measureStream(c, free)
		}
		return j.measureAs(ctx, c, free, known)
	}
	fits := func(c *options.Config, key string) func(n int) bool {
		return func(n int) bool { p, err := measure(c.With(key, n)); return err == nil && p.Fits() }
	}
	c := j.Config
	p, err := measure(c)
	if err != nil || p.Fits() && j.rows != onHost {
		return p, err
	}
	if streams = j.canStream() && (p.MostlyRows() || j.rows == onHost); streams {
		if p, err = measure(c); err != nil || p.Fits() {
			return p, err
		}
	}
	if c.Chunk == 0 {
		c = c.With("chunk", max(1, memory.Largest(c.Batch, fits(c, "chunk"))))
		if p, err = measure(c); err != nil || p.Fits() {
			return p, err
		}
	}
	sizes := []struct {
		key string
		now int
	}{{"chunk", p.Rows}, {"samples", c.Samples}, {"features", c.Features}, {"inducing", c.Inducing},
		{"eval-samples", c.EvalSamples}}
	var alone, together []string
	for _, o := range sizes {
		if n := memory.Largest(o.now-1, fits(c, o.key)); n > 0 && options.Find(o.key).Applies(c.Model) {
			alone = append(alone, options.Find(o.key).Written(n))
		}
	}
	if alone != nil {
		return p, p.TooLarge(strings.Join(alone, ", or "))
	}
	for _, o := range sizes { // one after the other down to 1, until the rest fits
		if o.now == 1 || !options.Find(o.key).Applies(c.Model) {
			continue
		}
		n := memory.Largest(o.now-1, fits(c, o.key))
		together = append(together, options.Find(o.key).Written(max(1, n)))
		if n > 0 {
			return p, p.TooLarge(strings.Join(together, " "))
		}
		c = c.With(o.key, 1)
	}
	return p, p.TooLarge("")
}

// explain extends an error of memory that ran out during a run, because another program took it
// after the plan. It says what the memory was for, and what would fit if the run began again now.
// It returns other errors unchanged.
func (j *Job) explain(err error, planned *memory.Plan) error {
	var fault *device.FaultError
	if !errors.As(err, &fault) || fault.Bytes == 0 {
		return err
	}
	var names []string
	for _, b := range planned.Buffers {
		if b.Bytes == fault.Bytes && len(names) < 3 {
			names = append(names, b.Name)
		}
	}
	if names != nil {
		err = fmt.Errorf("%w, for %s", err, strings.Join(names, " or "))
	}
	free, known := j.Device.Free()
	// what this run holds yet will be free
	p, now := j.planFor(context.Background(), memory.Plus(free, j.Device.Taken()), known)
	switch {
	case now != nil:
		return fmt.Errorf("%w; %v", err, now)
	case p.Rows < planned.Rows:
		return fmt.Errorf("%w; with what is free now, %d rows at a time fit: try once more", err, p.Rows)
	}
	return fmt.Errorf("%w; there is enough memory again: try once more", err)
}

// onHost is where each step brings its batch from.
const onHost = "host"

// canStream says whether each step can bring its batch from the host: rows are numbers alone, since
// distances of sequences take too long, and a batch is a part of them.
func (j *Job) canStream() bool {
	c := j.Config.ModelConfig(j.Train)
	return c.Inputs > 0 && c.Maps == nil && j.Config.Batch < j.Train.N()
}

// measureStream measures a run whose rows stay on the host.
func (j *Job) measureStream(c *options.Config, free int64) (*memory.Plan, error) {
	p, err := j.measure(c, true, nil, nil)
	if err == nil {
		p.Free = &free
	}
	return p, err
}

// measure runs one step of a Config on a dry device; train and held are the sequences of the
// training and the validation rows in place of a table of distances, or nil.
func (j *Job) measure(c *options.Config, stream bool, train, held *model.Vectors) (*memory.Plan, error) {
	ds := j.Train
	dry, ledger := j.Device.Dry()
	var y []float64
	if ds.Task == data.Regression {
		y = ds.Y
	}
	mc := c.ModelConfig(ds)
	x := fitted.ZeroRows(mc.Width())
	if train != nil {
		x = fitted.ZeroRows(mc.Inputs)
	}
	ranks := dist.Dry(j.ranks().Rank(), j.ranks().Size())
	r, err := allocate(dry, ranks, c, mc, stream,
		model.Rows{N: ds.N(), X: x, Vectors: train}, y, ds.Labels)
	if err != nil {
		return nil, err
	}
	if _, err := r.Do(device.Now{Step: 1, KLWeight: 1}); err != nil {
		return nil, err
	}
	params := r.Model.Params().Len()
	v := &evaluator{}
	if j.Validation != nil {
		_, part := j.evaluated()
		v = newEvaluator(dry, r.Model, c, model.Rows{N: part.Hi - part.Lo, X: x, Vectors: held})
		if _, err := v.predictor.Predict(0); err != nil {
			return nil, err
		}
	}
	ledger.Label("device", dry)
	r.Label(ledger)
	ledger.Label("validation", v)
	host := []memory.Buffer{
		memory.Doubles("parameters", params),
		memory.Doubles("checkpoint", j.keeps(c), params),
		fitted.PredictionBuffer(r.Model.Config(), c.EvalSamples, j.testRows()),
	}
	if stream {
		host = append(host, memory.Doubles("batch", c.Batch, mc.Width()))
	}
	return memory.New(memory.Plan{Device: j.Device.Name(), Samples: c.Samples, Batch: c.Batch,
		Rows: c.RowsAtOnce(), Streams: stream}, ledger, host), nil
}

// allocate puts a run on a device: parameters that are zero yet, rows or room for a batch of them,
// and the memory of a step.
func allocate(dev device.Device, ranks dist.Comm, c *options.Config, mc model.Config, stream bool,
	rows model.Rows, y []float64, labels []int32) (*step.Step, error) {
	m, err := model.New(dev, mc)
	if err != nil {
		return nil, &usage.Error{Err: err}
	}
	var set *model.Data
	if stream {
		set = m.StreamBatches(rows, y, labels, c.Batch)
	} else {
		set = m.UploadRows(rows, y, labels)
	}
	return step.New(dev, m, set, step.NewReducer(ranks, c.Deterministic), step.Options{
		Seed: c.Seed, Samples: c.Samples, Batch: c.Batch, AtOnce: c.RowsAtOnce(), Natural: c.NatGrad > 0,
		Beta1: c.AdamBeta1, Beta2: c.AdamBeta2, Eps: c.AdamEps, L2: c.L2,
	}), nil
}
