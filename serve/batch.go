package serve

import (
	"context"
	"time"

	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// batcher puts the rows of requests together and predicts them at once, in one goroutine: a device does one thing at a
// time.
type batcher struct {
	server    *Server
	predictor *fitted.Predictor
	queue     chan *batchItem
	done      chan struct{}
}

// batchItem has the rows of one request.
type batchItem struct {
	ctx     context.Context
	n       int
	x       []float64 // [n,Width]
	queued  time.Time
	outcome chan outcome
}

type outcome struct {
	prediction *model.Prediction
	err        error
}

// predict queues rows x [n,Width] and waits for their prediction. It fails at once if the queue is full.
func (b *batcher) predict(ctx context.Context, n int, x []float64) (*model.Prediction, error) {
	item := &batchItem{ctx, n, x, time.Now(), make(chan outcome, 1)}
	select {
	case b.queue <- item:
	default:
		return nil, &Error{busy, "the queue is full: try again in a second"}
	}
	select {
	case o := <-item.outcome:
		return o.prediction, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// run predicts until the queue is closed and empty.
func (b *batcher) run() {
	defer close(b.done)
	timer := time.NewTimer(0)
	for first := range b.queue {
		items := []*batchItem{first}
		rows := first.n
		timer.Reset(b.server.MaxDelay)
		for rows < b.server.MaxBatch {
			item := b.next(timer.C)
			if item == nil {
				break
			}
			items = append(items, item)
			rows += item.n
		}
		b.answer(items)
	}
}

// next receives an item from the queue; nil if none arrives before the timeout.
func (b *batcher) next(timeout <-chan time.Time) *batchItem {
	select {
	case item := <-b.queue:
		return item
	default:
	}
	select {
	case item := <-b.queue:
		return item
	case <-timeout:
		return nil
	}
}

// answer predicts the rows of the items that are not cancelled, in one forward pass, and answers each item.
func (b *batcher) answer(items []*batchItem) {
	var waiting []*batchItem
	var x []float64
	rows := 0
	for _, item := range items {
		if item.ctx.Err() != nil {
			continue
		}
		b.server.metrics.queueSeconds.Observe(time.Since(item.queued).Seconds())
		waiting = append(waiting, item)
		rows += item.n
		if x == nil {
			x = item.x[:len(item.x):len(item.x)]
		} else {
			x = append(x, item.x...)
		}
	}
	if rows == 0 {
		return
	}
	b.server.metrics.batchRows.Observe(float64(rows))
	ctx := b.server.shutdown
	if len(waiting) == 1 {
		ctx = waiting[0].ctx
	}
	began := time.Now()
	p, err := b.forward(ctx, rows, x)
	b.server.metrics.forwardSeconds.Observe(time.Since(began).Seconds())
	at := 0
	for _, item := range waiting {
		if err != nil {
			item.outcome <- outcome{nil, err}
			continue
		}
		item.outcome <- outcome{p.Slice(at, at+item.n), nil}
		at += item.n
	}
}

// forward runs the model on the rows. It turns a panic into an error of the requests.
func (b *batcher) forward(ctx context.Context, rows int, x []float64) (p *model.Prediction, err error) {
	defer recoverTo(b.server.Log, &err)
	return b.predictor.Predict(ctx, rows, x)
}

// close waits until run has answered all items and ended. After it, predict must not be called.
func (b *batcher) close() {
	close(b.queue)
	<-b.done
}
