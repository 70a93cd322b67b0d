package workload

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Sequences are random sparse vectors of length 1, in place of the features of sequences under one map.
type Sequences struct {
	columns int
	lists   model.HostSparse // features of the sequences, by vectors
}

// NewSequences makes n sequences; each is the mean number of a sequence's nonzero columns.
func NewSequences(r *rand.Rand, n, columns, each int) Sequences {
	s := Sequences{columns, model.HostSparse{Start: []int32{0}}}
	l := &s.lists
	for range n {
		first := len(l.Value)
		square := 0.0
		for c := range columns {
			if r.IntN(columns) < each {
				v := 0.5 + r.Float64()
				l.Index, l.Value = append(l.Index, int32(c)), append(l.Value, v)
				square += v * v
			}
		}
		for i := range l.Value[first:] {
			l.Value[first+i] /= math.Sqrt(square)
		}
		l.Start, l.Square = append(l.Start, int32(len(l.Value))), append(l.Square, math.Ceil(min(square, 1)))
	}
	return s
}

// n returns the number of vectors.
func (s Sequences) n() int { return len(s.lists.Square) }

// distances returns ‖x − z‖² between s and z [N, maps·M], the same under each of maps maps.
func (s Sequences) distances(z Sequences, maps int) (d []float64) {
	dense := make([]float64, s.columns)
	row := make([]float64, z.n())
	for n := range s.n() {
		clear(dense)
		for e := s.lists.Start[n]; e < s.lists.Start[n+1]; e++ {
			dense[s.lists.Index[e]] = s.lists.Value[e]
		}
		for m := range row {
			row[m] = s.lists.Square[n] + z.lists.Square[m]
			for e := z.lists.Start[m]; e < z.lists.Start[m+1]; e++ {
				row[m] -= 2 * dense[z.lists.Index[e]] * z.lists.Value[e]
			}
			row[m] = max(0, row[m])
		}
		d = append(d, slices.Repeat(row, maps)...)
	}
	return d
}

// SelfDistances returns the distances among s [N, maps·N], 0 between a vector and itself.
func (s Sequences) SelfDistances(maps int) []float64 {
	d := s.distances(s, maps)
	for n := range s.n() {
		for i := range maps {
			d[(n*maps+i)*s.n()+n] = 0
		}
	}
	return d
}

// Vectors returns s for a model that computes their distances to X̄ = z in every step, the same under each of maps
// maps.
func (s Sequences) Vectors(z Sequences, maps int) *model.SequenceFeatures {
	v := &model.SequenceFeatures{Inducing: slices.Repeat([]model.HostSparse{z.byColumn()}, maps)}
	v.Sizes = slices.Repeat([]int{len(s.lists.Value)}, maps)
	v.Metrics = slices.Repeat([]device.Metric{device.Squared}, maps)
	v.Rows = func(lo, hi int) (all []model.HostSparse) {
		for range maps {
			from, to := s.lists.Start[lo], s.lists.Start[hi]
			part := model.HostSparse{Index: s.lists.Index[from:to], Value: s.lists.Value[from:to],
				Square: s.lists.Square[lo:hi]}
			for _, at := range s.lists.Start[lo : hi+1] {
				part.Start = append(part.Start, at-from)
			}
			all = append(all, part)
		}
		return all
	}
	return v
}

// byColumn returns s by columns.
func (s Sequences) byColumn() model.HostSparse {
	columns := make([]model.HostSparse, s.columns)
	for n := range s.n() {
		for e := s.lists.Start[n]; e < s.lists.Start[n+1]; e++ {
			c := &columns[s.lists.Index[e]]
			c.Index, c.Value = append(c.Index, int32(n)), append(c.Value, s.lists.Value[e])
		}
	}
	l := model.HostSparse{Start: []int32{0}, Square: s.lists.Square}
	for _, c := range columns {
		l.Index, l.Value = append(l.Index, c.Index...), append(l.Value, c.Value...)
		l.Start = append(l.Start, int32(len(l.Value)))
	}
	return l
}

// uploadSequences puts the rows of a step on a model's device, as a table of distances or as vectors.
func (n Size) uploadSequences(m *model.Model, r *rand.Rand, y []float64, labels []int32) *model.Rows {
	own, rows := NewSequences(r, n.M, sequenceColumns, sequenceEach),
		NewSequences(r, n.rows(), sequenceColumns, sequenceEach)
	m.SetInducing(own.SelfDistances(n.I))
	if n.Steps {
		return m.UploadRows(model.HostRows{N: n.rows(), Features: rows.Vectors(own, n.I)}, y, labels)
	}
	return m.Upload(n.rows(), rows.distances(own, n.I), y, labels)
}
