package train

import (
	"context"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// measureOnDevice measures a run whose rows are on the device. Distances of sequences are a table if the run fits with
// it, otherwise features if it fits with these, and otherwise the smaller of the two.
func (s *spec) measureOnDevice(ctx context.Context, c options.Config, free *int64) (*memory.Plan, error) {
	measure := func(train, validation *model.SequenceFeatures) (*memory.Plan, error) {
		return s.measure(c, free, false, withInducing(train, c.Inducing), withInducing(validation, c.Inducing))
	}
	table, err := measure(nil, nil)
	if err != nil || !s.hasDistances() {
		return table, err
	}
	table.Distances = &memory.Distances{In: memory.InTable, Table: table.Sum("set.d")}
	if s.job.place.distances == memory.InTable || s.job.place.distances == "" && table.Fits() {
		return table, nil
	}
	features, err := s.countFeatures(ctx)
	if err != nil {
		return nil, err
	}
	if features.hasTooManyFeatures() {
		return table, nil
	}
	steps, err := measure(features.train, features.validation)
	if err != nil {
		return nil, err
	}
	table.Distances.Features = steps.Sum("set.vectors")
	if s.job.place.distances == "" && !steps.Fits() && table.Total <= steps.Total {
		return table, nil
	}
	steps.Distances = &memory.Distances{In: memory.InSteps, Table: table.Distances.Table,
		Features: table.Distances.Features}
	return steps, nil
}

// withInducing returns the sizes of v with at most m inducing points, for a dry device; nil if v is nil.
func withInducing(v *model.SequenceFeatures, m int) *model.SequenceFeatures {
	if v == nil {
		return nil
	}
	cut := &model.SequenceFeatures{Metrics: v.Metrics, Sizes: v.Sizes}
	for _, x := range v.Inducing {
		x.Square = x.Square[:min(m, len(x.Square))]
		cut.Inducing = append(cut.Inducing, x)
	}
	return cut
}

// placement is where rows and distances are. "" is by the free memory, and tests alone give it another.
type placement struct{ rows, distances string }

// onHost is the placement of rows that stay on the host: each step uploads its batch.
const onHost = "host"

// canStream reports whether each step can bring its batch from the host. The rows have to be numbers alone, since
// distances of sequences take too long, and more than a batch.
func (s *spec) canStream() bool {
	c := s.config.ModelConfig(s.train)
	return c.Inputs > 0 && c.Maps == nil && s.config.Batch < s.train.N()
}

// measure runs one step of a Config on a dry device with the given number of free bytes; nil if that is not known.
// train and validation are features of sequences in place of a table of distances, or nil.
func (s *spec) measure(c options.Config, free *int64, stream bool, train,
	validation *model.SequenceFeatures) (*memory.Plan, error) {
	ds := s.train
	dry, ledger := s.job.Device.Dry()
	mc := c.ModelConfig(ds)
	x := fitted.ZeroRows(mc.Width())
	if train != nil {
		x = fitted.ZeroRows(mc.Inputs)
	}
	rows := newTrainingRows(ds, model.HostRows{N: ds.N(), X: x, Features: train}, stream)
	if ds.Task == data.Regression {
		rows.y = ds.Y
	}
	dryStep, err := newStep(dry, dist.Dry(s.job.ranks().Rank(), s.job.ranks().Size()), c, mc, rows)
	if err != nil {
		return nil, err
	}
	if _, err := dryStep.Do(device.StepScalars{Step: 1, KLWeight: 1}); err != nil {
		return nil, err
	}
	params := dryStep.Model.Params().Len()
	v := &evaluator{}
	if s.validation != nil {
		_, part := s.evaluationRows()
		v = newEvaluator(dry, dryStep.Model, c, model.HostRows{N: part.Hi - part.Lo, X: x, Features: validation})
		if _, err := v.predictor.Predict(0); err != nil {
			return nil, err
		}
	}
	ledger.Label("device", dry)
	dryStep.Label(ledger)
	ledger.Label("validation", v)
	host := []memory.Buffer{
		memory.Doubles("parameters", params),
		memory.Doubles("checkpoint", s.vectorsPerParameter(c), params),
		fitted.PredictionBuffer(dryStep.Model.Config(), c.EvalSamples, s.job.testRows()),
	}
	if stream {
		host = append(host, memory.Doubles("batch", c.Batch, mc.Width()))
	}
	return memory.New(memory.Plan{Device: s.job.Device.Name(), Samples: c.Samples, Batch: c.Batch,
		Rows: c.ChunkRows(), Streams: stream, Free: free}, ledger, host), nil
}
