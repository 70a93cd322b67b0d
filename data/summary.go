package data

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Summary describes a data set for `info`.
type Summary struct {
	Name        string          `json:"name"`
	Path        string          `json:"path"`
	Rows        int             `json:"rows"`
	Inputs      int             `json:"inputs"`
	Sequences   *SequenceStats  `json:"sequences,omitempty"`
	Task        Task            `json:"task"`
	Target      string          `json:"target"`
	Columns     []ColumnSummary `json:"columns"`                // the inputs
	TargetStats *ColumnSummary  `json:"target_stats,omitempty"` // regression of one target
	Targets     []ColumnSummary `json:"targets,omitempty"`      // of several
	Histogram   []Bin           `json:"histogram,omitempty"`    // regression
	Classes     []ClassCount    `json:"classes,omitempty"`      // classification
	// Outlier is the input value farthest from its column's mean; AutoScaling is what
	// the scaling auto makes of it.
	Outlier     Outlier `json:"outlier"`
	AutoScaling string  `json:"auto_scaling"`
	// of the columns that need more than a mean and a standard deviation
	ScalingNotes []string `json:"scaling_notes,omitempty"`
	Fingerprint  string   `json:"fingerprint"`
}

// SequenceStats describes the sequences of a set.
type SequenceStats struct {
	Alphabet string  `json:"alphabet"`
	Letters  int     `json:"letters"` // that it has; of words, that occur
	Shortest int     `json:"shortest"`
	Mean     float64 `json:"mean"`
	Longest  int     `json:"longest"`
	Repeated int     `json:"repeated"`         // rows whose sequence an earlier row has
	Edges    float64 `json:"edges,omitempty"`  // of graphs, on average
	Values   int     `json:"values,omitempty"` // of each node of graphs
}

func sequenceStats(s *seq.Set) *SequenceStats {
	t := &SequenceStats{Alphabet: string(s.Alphabet.Kind), Letters: s.Alphabet.Letters, Repeated: s.Repeats()}
	t.Shortest, t.Mean, t.Longest = s.Lengths()
	if s.Alphabet.Kind == seq.Graphs {
		t.Edges = s.MeanEdges()
		if v := s.Alphabet.Attributes; v != nil {
			t.Values = v.Width
		}
	}
	return t
}

// ColumnSummary describes the values of one column.
type ColumnSummary struct {
	Name     string  `json:"name"`
	Type     string  `json:"type"` // "real", "whole" (numbers) or "constant"
	Min      float64 `json:"min"`
	Mean     float64 `json:"mean"`
	SD       float64 `json:"sd"` // n−1 in the denominator
	Max      float64 `json:"max"`
	Distinct int     `json:"distinct"`
}

// Bin counts the targets in [From, To), the last bin in [From, To].
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int     `json:"count"`
}

// ClassCount counts the rows of a class.
type ClassCount struct {
	Class string `json:"class"`
	Count int    `json:"count"`
}

// Outlier is a column and its largest deviation from the mean in standard deviations.
type Outlier struct {
	Column string  `json:"column"`
	SDs    float64 `json:"sds"`
}

const histogramBins = 12

// Summarize describes d.
func Summarize(d *Dataset) Summary {
	s := Summary{Name: d.Name, Path: d.Path, Rows: d.N(), Inputs: d.D(), Task: d.Task, Target: d.Target,
		AutoScaling: d.AutoScaling, Fingerprint: d.Fingerprint}
	values := make([]float64, d.N())
	for j, name := range d.Columns {
		s.Columns = append(s.Columns, summarizeColumn(name, column(values, d.X, j)))
	}
	if d.Sequences != nil {
		s.Sequences = sequenceStats(d.Sequences)
	}
	if d.X != nil {
		col, sds := worstOutlier(d.X)
		s.Outlier = Outlier{d.Columns[col], sds}
		scaler, _ := FitScaler("auto", d) // the kinds of auto are known
		s.AutoScaling, s.ScalingNotes = scaler.Kind, scaler.Notes(d)
	}
	switch {
	case d.Y != nil && d.Targets != nil:
		for c, name := range d.Targets {
			s.Targets = append(s.Targets, summarizeColumn(name, d.output(c)))
		}
	case d.Y != nil:
		y := slices.Clone(d.Y)
		t := summarizeColumn(d.Target, y)
		s.TargetStats, s.Histogram = &t, histogram(y)
	case d.Labels != nil:
		for _, c := range d.Classes {
			s.Classes = append(s.Classes, ClassCount{Class: c})
		}
		for _, l := range d.Labels {
			s.Classes[l].Count++
		}
	}
	return s
}

// summarizeColumn sorts v.
func summarizeColumn(name string, v []float64) ColumnSummary {
	c := ColumnSummary{Name: name, Type: "whole"}
	c.Mean, c.SD = meanSD(v)
	slices.Sort(v)
	c.Min, c.Max = v[0], v[len(v)-1]
	for i, x := range v {
		if i == 0 || x != v[i-1] {
			c.Distinct++
		}
		if x != float64(int64(x)) {
			c.Type = "real"
		}
	}
	if c.Distinct == 1 {
		c.Type = "constant"
	}
	return c
}

// histogram counts sorted values in bins of equal width.
func histogram(sorted []float64) []Bin {
	low, high := sorted[0], sorted[len(sorted)-1]
	if low == high {
		return []Bin{{low, high, len(sorted)}}
	}
	bins := make([]Bin, histogramBins)
	edge := func(i int) float64 {
		t := float64(i) / histogramBins
		return low*(1-t) + high*t
	}
	at := 0
	for i := range bins {
		bins[i].From, bins[i].To = edge(i), edge(i+1)
		for at < len(sorted) && (sorted[at] < bins[i].To || i == histogramBins-1) {
			bins[i].Count++
			at++
		}
	}
	return bins
}
