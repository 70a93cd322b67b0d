package model

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// hostBatches are rows to train on that stay on the host. A step finds its batch in x and y of the Rows, at the
// places 0 … B−1. Noise belongs to rows of the data set, so the result has the same bits as with all rows on the
// device.
type hostBatches struct {
	places *device.Tensor // places 0 … B−1 of the batch, Int [B]
	y      []targetColumn // columns of numbers, and the tensors to which a batch of them goes
	labels []int32        // labels of all rows [N]

	rows []int32 // numbers of the rows of the batch that was sent last [B]
	x    []float64
	// targets of that batch
	batchY      [][]float64
	batchLabels []int32
}

// StreamForTraining acts as UploadRows does, for rows that stay on the host, which must have no Features: SendBatch
// brings the rows of a batch.
func (m *Model) StreamForTraining(rows HostRows, y []float64, labels []int32, batch int) *Rows {
	d := m.newRows(rows.N, batch, true)
	b := &hostBatches{places: m.dev.New(device.Int, batch), labels: labels, rows: make([]int32, batch)}
	for i := range b.rows {
		b.rows[i] = int32(i)
	}
	m.dev.UploadInts(b.places, b.rows)
	fed := d.tensors()
	d.addTargets(m, batch, rows, y, labels)
	b.y = d.y.columns(y, rows)
	b.batchY = make([][]float64, len(b.y))
	for _, c := range b.y {
		fed = append(fed, c.dst)
	}
	if labels != nil {
		fed = append(fed, d.y.Labels)
	}
	d.from, d.feed, d.batches = rows.X, device.NewFeed(m.dev, fed...), b
	return d
}

// SendsBatches reports whether a step must send each batch, by SendBatch.
func (d *Rows) SendsBatches() bool { return d.batches != nil }

// SendBatch begins to bring the batch whose rows DrawRows draws with a key. After AwaitBatch, operations find the
// batch. No operation may use the data in between.
func (d *Rows) SendBatch(key device.Key) {
	b := d.batches
	words, c1, c2, c3 := key.Words(0, 0) // as in DrawRows
	philox.Below(b.rows, d.N, words, c1, c2, c3)
	b.x, b.batchLabels = b.x[:0], b.batchLabels[:0]
	for k := range b.batchY {
		b.batchY[k] = b.batchY[k][:0]
	}
	for _, r := range b.rows {
		i := int(r)
		b.x = append(b.x, d.from(i, i+1)...)
		for k, y := range b.y {
			c := len(y.src) / d.N
			b.batchY[k] = append(b.batchY[k], y.src[i*c:(i+1)*c]...)
		}
		if b.labels != nil {
			b.batchLabels = append(b.batchLabels, b.labels[i])
		}
	}
	uploadInputs(d.feed, d, b.x, 0, len(b.rows))
	for k, y := range b.y {
		d.feed.Upload(y.dst, b.batchY[k])
	}
	if d.y.Labels != nil {
		d.feed.UploadInts(d.y.Labels, b.batchLabels)
	}
}

// AwaitBatch lets operations that are called after it find the batch that was sent last.
func (d *Rows) AwaitBatch() { d.feed.Next() }
