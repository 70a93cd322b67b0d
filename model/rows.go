package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Rows are a data set that the device reads by row number: uploaded once, or on the host and sent in batches, by
// StreamForPrediction or StreamForTraining.
type Rows struct {
	N int
	x *device.Tensor // Real [N,D]; nil where rows are sequences alone
	// Real [N,I·M], squared distances to X̄, or 2(1 − A) if solved; nil without sequences, or for vectors of them
	d *device.Tensor
	// feature vectors of the sequences under each map, from which a step computes the distances of its batch; or nil
	vectors []device.Sparse
	metrics []device.Metric // metrics of the distances of vectors
	y       Targets
	total   float64 // Σ w of all rows; N without weights

	solved bool // SolveRows has replaced the distances

	// rows lo … hi−1 on the host, of which x and d hold one batch; nil for other data
	from func(lo, hi int) []float64
	feed device.Feed // uploads the rows of a batch to x and d
	// batches of StreamForTraining; nil for other data
	batches *hostBatches
}

// HostRows are the inputs of a data set on the host, in batches.
type HostRows struct {
	N int
	// rows lo … hi−1: their scaled inputs and then their distances to X̄ [hi−lo,Width], or no distances where there are
	// Features
	X        func(lo, hi int) []float64
	Features *SequenceFeatures // features of sequences; nil: distances are a table
	// Weight [N]: row n counts as w_n rows in the bound; nil: each counts once
	Weight []float64
	// Offset [N] is added to the log rates of counts in the bound, and not in predictions, for which there is
	// Prediction.AddOffset; nil: nothing
	Offset []float64
}

// Total returns Σ w of the rows, or their number if they have no weights.
func (d *Rows) Total() float64 { return d.total }

// Upload puts N rows x [N,Width] on the device: their scaled inputs and then their distances. Targets are in
// training-sd units [N,C] for a likelihood of numbers, or class labels [N]. Both may be nil for prediction.
func (m *Model) Upload(n int, x, y []float64, labels []int32) *Rows {
	width := m.cfg.Width()
	return m.UploadRows(HostRows{N: n, X: func(lo, hi int) []float64 { return x[lo*width : hi*width] }}, y, labels)
}

// UploadRows acts as Upload does, with the inputs in batches. The first data with Features decides that all later data
// has Features, and that a later Workspace has memory for them. The last data with targets decides the same for weights
// and offsets.
func (m *Model) UploadRows(rows HostRows, y []float64, labels []int32) *Rows {
	d := m.newRows(rows.N, rows.N, rows.Features == nil)
	step := rows.N
	if rows.Features != nil {
		d.vectors = m.uploadFeatures(rows.N, rows.Features)
		d.metrics = rows.Features.Metrics
	}
	if width := d.width(); width > 0 {
		step = max(1, uploadValues/width)
	}
	for lo := 0; lo < rows.N && d.width() > 0; lo += step {
		hi := min(lo+step, rows.N)
		uploadInputs(m.dev, d, rows.X(lo, hi), lo, hi)
	}
	if y != nil || labels != nil {
		d.addTargets(m, rows.N, rows, y, labels)
	}
	for _, c := range d.y.columns(y, rows) {
		m.dev.Upload(c.dst, c.src)
	}
	if labels != nil {
		m.dev.UploadInts(d.y.Labels, labels)
	}
	return d
}

// addTargets makes memory for the targets of a number of rows, and for their weights and offsets.
func (d *Rows) addTargets(m *Model, n int, rows HostRows, y []float64, labels []int32) {
	if y != nil {
		d.y.Numbers = m.dev.New(device.Real, n, m.cfg.targets())
	}
	if labels != nil {
		d.y.Labels = m.dev.New(device.Int, n)
	}
	m.rowsHave.weight, m.rowsHave.offset = rows.Weight != nil, rows.Offset != nil
	d.total = float64(rows.N)
	if rows.Weight != nil {
		d.y.Weight = m.dev.New(device.Real, n, 1)
		d.total = 0
		for _, w := range rows.Weight {
			d.total += w
		}
	}
	if rows.Offset != nil {
		d.y.Offset = m.dev.New(device.Real, n, 1)
	}
}

// targetColumn is a tensor of targets and the numbers of all rows.
type targetColumn struct {
	dst *device.Tensor
	src []float64
}

// columns returns the columns of numbers.
func (t *Targets) columns(y []float64, rows HostRows) (all []targetColumn) {
	for _, c := range []targetColumn{{t.Numbers, y}, {t.Weight, rows.Weight}, {t.Offset, rows.Offset}} {
		if c.dst != nil {
			all = append(all, c)
		}
	}
	return all
}

// uploadValues is the number of elements of x in one upload.
const uploadValues = 1 << 20

// StreamForPrediction returns n rows that stay on the host: a prediction uploads one batch of them at a time. x gives
// the rows lo … hi−1 [hi−lo,Width].
func (m *Model) StreamForPrediction(n int, x func(lo, hi int) []float64) *Rows {
	return &Rows{N: n, from: x}
}

// withBatch adds memory for a batch, and a feed into it, to rows of StreamForPrediction; others it returns unchanged.
func (m *Model) withBatch(d *Rows, batch int) *Rows {
	if d.tensors() != nil || d.vectors != nil {
		return d
	}
	w := m.newRows(d.N, batch, true)
	w.from = d.from
	w.feed = device.NewFeed(m.dev, w.tensors()...)
	return w
}

// newRows returns data of n rows with memory for some of them.
func (m *Model) newRows(n, rows int, table bool) *Rows {
	d := &Rows{N: n}
	if m.cfg.Inputs > 0 {
		d.x = m.dev.New(device.Real, rows, m.cfg.Inputs)
	}
	if m.cfg.Maps != nil && table {
		d.d = m.dev.New(device.Real, rows, m.cfg.distances())
	}
	return d
}

// tensors returns the tensors of the inputs.
func (d *Rows) tensors() (inputs []*device.Tensor) {
	for _, t := range []*device.Tensor{d.x, d.d} {
		if t != nil {
			inputs = append(inputs, t)
		}
	}
	return inputs
}

// width returns the count of numbers of a row that are uploaded.
func (d *Rows) width() (columns int) {
	for _, t := range d.tensors() {
		columns += t.Dim(1)
	}
	return columns
}

// uploader is a device or a feed.
type uploader interface {
	Upload(dst *device.Tensor, src []float64)
}

// uploadInputs writes the rows lo … hi−1 of x and d.
func uploadInputs(to uploader, d *Rows, rows []float64, lo, hi int) {
	first := 0
	width := d.width()
	for _, dst := range d.tensors() {
		columns := dst.Dim(1)
		part := rows
		if columns < width {
			part = make([]float64, 0, (hi-lo)*columns)
			for i := range hi - lo {
				part = append(part, rows[i*width+first:i*width+first+columns]...)
			}
		}
		to.Upload(dst.View(lo*columns, hi-lo, columns), part)
		first += columns
	}
}

// SetInducing gives a model of sequences the squared distances among X̄ under each map [M,I·M].
func (m *Model) SetInducing(distances []float64) {
	m.dev.Upload(m.gp.xbar.d, distances)
	m.gp.factorised = false
}

// Head returns the first n rows, sharing their memory. Those of StreamForTraining are then for a prediction.
func (d *Rows) Head(n int) *Rows {
	head := *d
	head.N = n
	if d.batches != nil {
		head = Rows{N: n, from: d.from}
	}
	return &head
}
