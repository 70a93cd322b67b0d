package predict

import (
	"context"
	"io"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Stream predicts rows as they are read, so that memory does not depend on their number. While a batch is predicted,
// the next one is read and the last one written.
type Stream struct {
	Trained *fitted.Model
	Device  device.Device
	Samples int
	Draws   int // as in NewTable
	Seed    uint64

	// Options of the predictions. Progress gets the number of predicted rows, of those that come at once.
	Options fitted.PredictOptions

	predictor *fitted.Predictor
	far       scaling.FarRows
	warnings  []string
	done      int // number of predicted rows, if all rows come at once
}

// Batches are small enough that a few of them fit any memory.
const (
	maxNumbers = 1 << 20 // numbers in a prediction: the product of samples, rows and outputs
	maxWhole   = 1 << 26 // the same if all rows come at once: each batch prepares the model again
	maxRows    = 1 << 13
	minRows    = 1 << 8
)

// BatchRows returns the number of rows that a model predicts at a time, with S samples.
func BatchRows(t *fitted.Model, samples int) int { return rowsWithin(t, samples, maxRows, maxNumbers) }

// rowsWithin returns how many of these rows fit a prediction of this count of numbers, or minRows if that is more.
func rowsWithin(t *fitted.Model, samples, rows, numbers int) int {
	for _, m := range t.Models(samples) {
		rows = min(rows, numbers/(m.Config.Components(m.Samples)*m.Config.Outputs))
	}
	return max(minRows, rows)
}

// Run predicts all rows of a source. Soon after ctx ends, its cause is the error.
func (s *Stream) Run(ctx context.Context, from *data.Stream, to Writer) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	read, predicted, written := make(chan *data.Dataset, 1), make(chan *Table, 1), make(chan struct{})
	go func() {
		defer close(read)
		if err := s.read(ctx, from, read); err != io.EOF {
			leave(err)
		}
	}()
	go func() {
		defer close(written)
		for table := range predicted {
			if err := to.Write(table); err != nil {
				leave(err)
				break
			}
		}
	}()
	for ds := range read {
		table, err := s.predict(ctx, from.Whole(), ds)
		if err != nil {
			leave(err)
			break
		}
		send(ctx, predicted, table)
	}
	close(predicted)
	<-written
	for range read { // the channel ends, since ctx has ended
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return to.Close()
}

// read takes batches to a channel, up to io.EOF. Rows that come at once are parted where they would fill the memory.
func (s *Stream) read(ctx context.Context, from *data.Stream, to chan<- *data.Dataset) error {
	for size := BatchRows(s.Trained, s.Samples); ctx.Err() == nil; {
		ds, err := from.Next(size)
		if err != nil {
			return err
		}
		lo, most := 0, ds.N()
		if from.Whole() {
			s.warnings = s.Trained.RowWarnings(ctx, ds, 1)
			most = rowsWithin(s.Trained, s.Samples, most, maxWhole)
		}
		for ; lo+most < ds.N(); lo += most {
			send(ctx, to, ds.Slice(lo, lo+most))
		}
		if lo > 0 {
			ds = ds.Slice(lo, ds.N())
		}
		send(ctx, to, ds)
	}
	return context.Cause(ctx)
}

// send sends a value unless ctx has ended.
func send[T any](ctx context.Context, to chan<- T, v T) {
	select {
	case to <- v:
	case <-ctx.Done():
	}
}

// predict makes a table of a batch.
func (s *Stream) predict(ctx context.Context, whole bool, ds *data.Dataset) (*Table, error) {
	if whole {
		before := s.done
		o := s.Options
		s.done += ds.N()
		o.Progress = func(done int) { s.Options.Progress(before + done) }
		p, distances, err := s.Trained.PredictSet(ctx, s.Device, ds, s.Samples, o)
		if err != nil {
			return nil, err
		}
		return NewTable(s.Trained, ds, p, distances, s.Draws, s.Seed), nil
	}
	if s.predictor == nil { // the first batch is the largest
		var err error
		if s.predictor, err = s.Trained.NewPredictor(s.Device, ds.N(), s.Samples); err != nil {
			return nil, err
		}
	}
	s.Trained.AddFar(&s.far, ds)
	p, distances, err := s.predictor.PredictSet(ctx, ds, s.Options)
	if err != nil {
		return nil, err
	}
	return NewTable(s.Trained, ds, p, distances, s.Draws, s.Seed), nil
}

// Warnings returns warnings about rows that are unlike those of training.
func (s *Stream) Warnings() []string {
	if text := s.far.Describe(); text != "" {
		return []string{text}
	}
	return s.warnings
}
