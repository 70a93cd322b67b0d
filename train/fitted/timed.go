package fitted

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Cut is the part of the rows that was scored, where there was no time for all.
type Cut struct {
	Rows    int `json:"rows"`    // drawn by the seed
	Samples int `json:"samples"` // of each prediction
}

// How large the parts are in which rows are predicted.
const (
	firstPart  = 16 // rows, which are scored in any case
	partGrowth = 4
	partShare  = 0.5 // of the remaining time is for a part, in case that the machine becomes slower
	lastShare  = 0.8 // the same of the last part
	scoreTimed = 32  // rows whose scores are timed
	mostAtOnce = 256 // rows that a device predicts at a time
)

// scoreSite keeps the order of the rows apart from every other use of the seed.
const scoreSite = 0x73636f72 // "scor"

// Evaluation asks for the scores of a prediction with some samples, by the moments of Draws where
// Draws is not 0.
type Evaluation struct {
	Samples, Draws int
	Until          time.Time
}

// EvaluateUntil is Evaluate of as many rows as there is time for, in an order that the seed draws.
// A few rows are scored in any case, unless ctx ends.
func (t *Model) EvaluateUntil(ctx context.Context, dev device.Device, ds *data.Dataset, asked Evaluation,
	progress ...func(done int)) (*Scores, error) {
	for _, m := range t.Models(asked.Samples) {
		if err := m.fit(dev, ds.N(), m.Samples); err != nil {
			return nil, err
		}
	}
	// once, since it takes long for many X̄
	predictor, err := t.NewPredictor(dev, min(ds.N(), mostAtOnce), asked.Samples)
	if err != nil { // several models may have memory one after the other
		predictor = nil
	}
	e := &timed{trained: t, dev: dev, predictor: predictor, ds: ds, asked: asked,
		order: make([]int, ds.N())}
	philox.Permutation(e.order, [2]uint32{uint32(t.Seed), uint32(t.Seed >> 32)}, scoreSite, 0, 0)
	if err := e.part(ctx, min(ds.N(), firstPart)); err != nil {
		return nil, err
	}
	timed, cancel := context.WithDeadline(ctx, asked.Until)
	defer cancel()
	for n := e.next(); n > 0; n = e.next() {
		err := e.part(timed, n)
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, report := range progress {
			report(e.done)
		}
	}
	return e.scores(), nil
}

// timed is an evaluation that is to end in time.
type timed struct {
	trained   *Model
	dev       device.Device
	predictor *Predictor // nil where it has no memory
	ds        *data.Dataset
	asked     Evaluation
	order     []int

	parts []*model.Prediction
	done  int           // rows of them
	last  int           // rows of the part before
	row   time.Duration // for a row of it
	score time.Duration // and for its scores
}

// part predicts the next n rows.
func (e *timed) part(ctx context.Context, n int) error {
	begun := time.Now()
	rows := e.ds.Subset(e.order[e.done : e.done+n])
	var p *model.Prediction
	var err error
	if e.predictor != nil {
		p, err = e.predict(ctx, n)
	} else {
		p, err = e.trained.Predict(ctx, e.dev, rows, e.asked.Samples)
	}
	if err != nil {
		return err
	}
	e.row = time.Since(begun) / time.Duration(n)
	few := min(n, scoreTimed)
	timed := rows.Slice(0, few)
	begun = time.Now()
	e.trained.Score(p.Slice(0, few), timed, e.asked.Draws)
	e.score = time.Since(begun) / time.Duration(few)
	e.parts, e.done, e.last = append(e.parts, p), e.done+n, n
	return nil
}

// predict predicts the next n rows, with the inputs of a few at a time: those of all may fill the memory.
func (e *timed) predict(ctx context.Context, n int) (*model.Prediction, error) {
	var parts []*model.Prediction
	for lo := e.done; lo < e.done+n; lo += mostAtOnce {
		rows := e.ds.Subset(e.order[lo:min(lo+mostAtOnce, e.done+n)])
		x, _, err := e.trained.readRows(ctx, rows, false)
		if err != nil {
			return nil, err
		}
		some, err := e.predictor.Predict(ctx, rows.N(), x)
		if err != nil {
			return nil, err
		}
		part := Joined(some)
		if err := CheckFinite(part, rows); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return Joined(parts), nil
}

// remaining is the time for predictions.
func (e *timed) remaining() time.Duration {
	return time.Until(e.asked.Until) - time.Duration(e.done)*e.score
}

// next is how many rows the next part has; 0 where there is no time for more.
func (e *timed) next() int {
	rest, each := e.ds.N()-e.done, max(1, e.row+e.score)
	most := int(partShare * float64(e.remaining()) / float64(each))
	if float64(rest) <= lastShare*float64(e.remaining())/float64(each) {
		most = rest
	}
	n := min(rest, partGrowth*e.last, max(0, most))
	if n < min(rest, firstPart) {
		return 0
	}
	return n
}

// scores are the scores of the predicted rows, in the order of all rows.
func (e *timed) scores() *Scores {
	numbers := slices.Clone(e.order[:e.done])
	order := make([]int, e.done)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return numbers[a] - numbers[b] })
	slices.Sort(numbers)
	p, rows := Joined(e.parts), e.ds
	e.parts = nil // they fill the memory
	p = p.Pick(order)
	if e.done < e.ds.N() {
		rows = e.ds.Subset(numbers)
	}
	s := e.trained.scoreWithDensities(p, rows, e.asked.Draws)
	for i, kept := range s.Kept.Rows {
		s.Kept.Rows[i] = numbers[kept]
	}
	if e.done < e.ds.N() {
		s.Cut = &Cut{e.done, e.asked.Samples}
	}
	return s
}
