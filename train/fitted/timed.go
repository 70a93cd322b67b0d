package fitted

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Cut is the part of the rows that was scored because there was no time for all.
type Cut struct {
	Rows    int `json:"rows"`    // number of scored rows, drawn by the seed
	Samples int `json:"samples"` // number of samples in each prediction
}

// The sizes of the parts in which rows are predicted.
const (
	firstPart  = 16  // number of rows of the first part, which is always scored
	partGrowth = 4   // largest ratio of the sizes of two parts
	partShare  = 0.5 // share of the remaining time for a part, since the machine may become slower
	lastShare  = 0.8 // share of the remaining time for the last part
	scoreTimed = 32  // number of rows whose scores are timed
	maxAtOnce  = 256 // number of rows that a device predicts at a time
)

// scoreSite keeps the order of the rows apart from every other use of the seed.
const scoreSite = 0x73636f72 // "scor"

// EvaluateOptions is a request for the scores of a prediction with a number of samples.
type EvaluateOptions struct {
	Samples  int
	Draws    int            // the scores are by the moments of that number of draws, if it is not 0
	Until    time.Time      // only rows that there is time for are scored; the zero time: all rows
	Ranks    dist.Comm      // as in PredictOptions, if all rows are scored
	Progress func(done int) // as in PredictOptions
}

// evaluateUntil evaluates as many rows as there is time for, in an order that the seed draws. A few rows are always
// scored, unless ctx ends.
func (m *Model) evaluateUntil(ctx context.Context, dev device.Device, ds *data.Dataset,
	request EvaluateOptions) (*Scores, error) {
	for _, sampled := range m.Models(request.Samples) {
		if err := sampled.checkMemory(dev, ds.N(), sampled.Samples); err != nil {
			return nil, err
		}
	}
	// one predictor serves all parts, since it takes long to make with many X̄
	predictor, err := m.NewPredictor(dev, min(ds.N(), maxAtOnce), request.Samples)
	if err != nil { // there is too little memory for all models at once
		predictor = m.newPredictor(dev, request.Samples)
	}
	e := &timedEvaluation{trained: m, predictor: predictor, ds: ds, request: request, order: make([]int, ds.N())}
	philox.Permutation(e.order, [2]uint32{uint32(m.Seed), uint32(m.Seed >> 32)}, scoreSite, 0, 0)
	if err := e.part(ctx, min(ds.N(), firstPart)); err != nil {
		return nil, err
	}
	limited, cancel := context.WithDeadline(ctx, request.Until)
	defer cancel()
	for n := e.nextRows(); n > 0; n = e.nextRows() {
		err := e.part(limited, n)
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil {
			return nil, err
		}
		if request.Progress != nil {
			request.Progress(e.done)
		}
	}
	return e.scores(), nil
}

// timedEvaluation is an evaluation until a time.
type timedEvaluation struct {
	trained   *Model
	predictor *Predictor
	ds        *data.Dataset
	request   EvaluateOptions
	order     []int

	parts     []*model.Prediction
	done      int           // number of rows in parts
	lastRows  int           // number of rows of the last part
	rowTime   time.Duration // time of a row's prediction in the last part
	scoreTime time.Duration // time of a row's scores in the last part
}

// part predicts the next n rows.
func (e *timedEvaluation) part(ctx context.Context, n int) error {
	start := time.Now()
	rows := e.ds.Subset(e.order[e.done : e.done+n])
	p, _, err := e.predictor.PredictSet(ctx, rows, PredictOptions{})
	if err != nil {
		return err
	}
	e.rowTime = time.Since(start) / time.Duration(n)
	sampleSize := min(n, scoreTimed)
	sample := rows.Slice(0, sampleSize)
	start = time.Now()
	e.trained.Score(p.Slice(0, sampleSize), sample, e.request.Draws)
	e.scoreTime = time.Since(start) / time.Duration(sampleSize)
	e.parts = append(e.parts, p)
	e.done += n
	e.lastRows = n
	return nil
}

// remainingTime returns the time that remains for predictions, without that for their scores.
func (e *timedEvaluation) remainingTime() time.Duration {
	return time.Until(e.request.Until) - time.Duration(e.done)*e.scoreTime
}

// nextRows returns the number of rows of the next part; 0 if there is no time for more.
func (e *timedEvaluation) nextRows() int {
	remaining, perRow := e.ds.N()-e.done, max(1, e.rowTime+e.scoreTime)
	most := int(partShare * float64(e.remainingTime()) / float64(perRow))
	if float64(remaining) <= lastShare*float64(e.remainingTime())/float64(perRow) {
		most = remaining
	}
	n := min(remaining, partGrowth*e.lastRows, max(0, most))
	if n < min(remaining, firstPart) {
		return 0
	}
	return n
}

// scores returns the scores of the predicted rows, in the order of all rows.
func (e *timedEvaluation) scores() *Scores {
	numbers := slices.Clone(e.order[:e.done])
	order := metrics.ArgSort(e.done, func(a, b int) int { return numbers[a] - numbers[b] })
	slices.Sort(numbers)
	p := model.JoinPredictions(e.parts)
	rows := e.ds
	e.parts = nil // this frees their memory
	p = p.SelectRows(order)
	if e.done < e.ds.N() {
		rows = e.ds.Subset(numbers)
	}
	s := e.trained.scoreWithDensities(p, rows, e.request.Draws)
	for i, index := range s.Kept.Rows {
		s.Kept.Rows[i] = numbers[index]
	}
	if e.done < e.ds.N() {
		s.Cut = &Cut{e.done, e.request.Samples}
	}
	return s
}
