package model

import "github.com/gpdrf/gpdrf-gpu/device"

// HostSparse are a device.Sparse on the host: the nonzero elements of vectors, by vectors or by columns.
type HostSparse struct {
	Start  []int32 // starts of the lists [lists+1]: list l is elements Start[l] … Start[l+1]−1 of Index and Value
	Index  []int32
	Value  []float64
	Square []float64 // ‖φ‖² of each vector [vectors]
}

// SequenceFeatures are the sequences of a data set under each feature map, in place of a table of their distances to
// X̄.
type SequenceFeatures struct {
	Inducing []HostSparse    // X̄ under each map, by columns
	Metrics  []device.Metric // metric of the distances under each map
	// total number of elements of the vectors of all rows under each map
	Sizes []int
	// the rows lo … hi−1 under each map, by vectors; nil on a dry device, which looks at sizes alone
	Rows func(lo, hi int) []HostSparse
}

// featureRows is the number of rows of SequenceFeatures in one upload.
const featureRows = 512

// uploadFeatures puts n rows on the device, and X̄ if it is not there yet.
func (m *Model) uploadFeatures(n int, v *SequenceFeatures) (rows []device.Sparse) {
	if m.gp.vectors == nil {
		for _, x := range v.Inducing {
			z := m.newSparse(len(x.Start)-1, len(x.Index), len(x.Square))
			m.uploadSparse(z, x, 0, 0)
			m.gp.vectors = append(m.gp.vectors, z)
		}
	}
	for _, size := range v.Sizes {
		rows = append(rows, m.newSparse(n, size, n))
	}
	at := make([]int32, len(rows))
	for lo := 0; lo < n && v.Rows != nil; lo += featureRows {
		for i, part := range v.Rows(lo, min(lo+featureRows, n)) {
			for l := range part.Start {
				part.Start[l] += at[i]
			}
			m.uploadSparse(rows[i], part, lo, int(at[i]))
			at[i] += int32(len(part.Index))
		}
	}
	return rows
}

func (m *Model) newSparse(lists, size, vectors int) device.Sparse {
	return device.Sparse{Start: m.dev.New(device.Int, lists+1), Index: m.dev.New(device.Int, size),
		Value: m.dev.New(device.Double, size), Square: m.dev.New(device.Double, vectors)}
}

// uploadSparse writes lists from number first on, and their elements from number at on.
func (m *Model) uploadSparse(to device.Sparse, x HostSparse, first, at int) {
	m.dev.UploadInts(to.Start.View(first, len(x.Start)), x.Start)
	m.dev.UploadInts(to.Index.View(at, len(x.Index)), x.Index)
	m.dev.Upload(to.Value.View(at, len(x.Value)), x.Value)
	m.dev.Upload(to.Square.View(first, len(x.Square)), x.Square)
}

// distances computes the distances of a batch to X̄. They are as exact as the distances of a table, and so have the
// same bits.
func (m *Model) distances(in *inputs, data *Rows, rows *device.Tensor) {
	for i, x := range data.vectors {
		m.dev.SparseDistances(in.real, i, x, rows, m.gp.vectors[i], data.metrics[i])
	}
	m.dev.Widen(in.d, in.real)
}
