// Package summary describes a data set for people: its columns, targets, sequences and outliers.
package summary

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Summary describes a data set for `info`.
type Summary struct {
	Name        string          `json:"name"`
	Path        string          `json:"path"`
	Rows        int             `json:"rows"`
	Inputs      int             `json:"inputs"`
	Sequences   *SequenceStats  `json:"sequences,omitempty"`
	Task        data.Task       `json:"task"`
	Target      string          `json:"target"`
	Columns     []ColumnSummary `json:"columns"`                // the inputs
	TargetStats *ColumnSummary  `json:"target_stats,omitempty"` // regression of one target
	Targets     []ColumnSummary `json:"targets,omitempty"`      // several targets
	Histogram   []Bin           `json:"histogram,omitempty"`    // regression
	Classes     []ClassCount    `json:"classes,omitempty"`      // classification
	// Outlier is the input value farthest from its column's mean; AutoScaling is what the scaling auto makes of it.
	Outlier     Outlier `json:"outlier"`
	AutoScaling string  `json:"auto_scaling"`
	// ScalingNotes are about the columns that need more than a mean and a standard deviation.
	ScalingNotes []string `json:"scaling_notes,omitempty"`
	Fingerprint  string   `json:"fingerprint"`
}

// SequenceStats describes the sequences of a set.
type SequenceStats struct {
	Alphabet string  `json:"alphabet"`
	Letters  int     `json:"letters"` // letters of the alphabet; for words, those that occur
	Shortest int     `json:"shortest"`
	Mean     float64 `json:"mean"`
	Longest  int     `json:"longest"`
	Repeated int     `json:"repeated"`         // rows whose sequence equals that of an earlier row
	Edges    float64 `json:"edges,omitempty"`  // edges of a graph, on average
	Values   int     `json:"values,omitempty"` // values of each node of graphs
}

// ColumnSummary describes the values of one column.
type ColumnSummary struct {
	Name     string  `json:"name"`
	Type     string  `json:"type"` // "real" or "whole" (numbers), "constant", or "text", which has no moments
	Min      float64 `json:"min"`
	Mean     float64 `json:"mean"`
	SD       float64 `json:"sd"` // n−1 in the denominator
	Max      float64 `json:"max"`
	Distinct int     `json:"distinct"`
}

// text is the type of a column of numbered words.
const text = "text"

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

// Of describes d.
func Of(d *data.Dataset) Summary {
	s := Summary{Name: d.Name, Path: d.Path, Rows: d.N(), Inputs: d.D(), Task: d.Task, Target: d.Target,
		AutoScaling: d.AutoScaling, Fingerprint: d.Fingerprint}
	values := make([]float64, d.N())
	for j, name := range d.Columns {
		s.Columns = append(s.Columns, summarizeColumn(name, matrix.Column(values, d.X, j)))
	}
	for _, c := range d.Schema().NumberedWords() {
		s.Columns[c.At] = ColumnSummary{Name: c.Column, Type: text, Distinct: len(c.Words)}
	}
	if set := d.Sequences; set != nil {
		t := &SequenceStats{Alphabet: string(set.Alphabet.Kind), Letters: set.Alphabet.Letters,
			Repeated: set.Duplicates()}
		t.Shortest, t.Mean, t.Longest = set.Lengths()
		if set.Alphabet.Kind == seq.Graphs {
			t.Edges = set.MeanEdges()
			if v := set.Alphabet.Attributes; v != nil {
				t.Values = v.Width
			}
		}
		s.Sequences = t
	}
	if numbers := numbersOf(d); numbers != nil {
		col, sds := worstOutlier(numbers)
		s.Outlier = Outlier{numbers.Columns[col], sds}
		scaler, _ := scaling.FitScaler("auto", numbers) // scaling.FitScaler accepts the kind auto
		s.AutoScaling, s.ScalingNotes = scaler.Kind, scaler.Notes(numbers)
	}
	switch {
	case d.Y != nil && d.Targets != nil:
		for c, name := range d.Targets {
			s.Targets = append(s.Targets, summarizeColumn(name, d.Output(c)))
		}
	case d.Y != nil:
		y := slices.Clone(d.Y)
		s.TargetStats = new(summarizeColumn(d.Target, y))
		s.Histogram = histogram(y)
	case d.Labels != nil:
		for c, n := range d.ClassCounts() {
			s.Classes = append(s.Classes, ClassCount{d.Classes[c], n})
		}
	}
	return s
}

// numbersOf returns d without its numbered words; nil if no column stays.
func numbersOf(d *data.Dataset) *data.Dataset {
	var words []int
	for _, c := range d.Schema().NumberedWords() {
		words = append(words, c.At)
	}
	switch numbers := matrix.Others(d.D(), words); {
	case len(numbers) == 0:
		return nil
	case words == nil:
		return d
	default:
		return d.WithFeatures(matrix.Columns(d.X, numbers), matrix.Pick(d.Columns, numbers), false)
	}
}

// worstOutlier finds the input with the value farthest from its mean, and that distance in standard deviations.
func worstOutlier(ds *data.Dataset) (col int, sds float64) {
	n, d := matrix.Size(ds.X)
	c := make([]float64, n)
	for j := range d {
		matrix.Column(c, ds.X, j)
		mean, sd := stats.MeanSD(c)
		if sd == 0 {
			continue
		}
		if worst := max(slices.Max(c)-mean, mean-slices.Min(c)) / sd; worst > sds {
			col, sds = j, worst
		}
	}
	return col, sds
}

// summarizeColumn describes the values v of a column, and sorts them.
func summarizeColumn(name string, v []float64) ColumnSummary {
	c := ColumnSummary{Name: name, Type: "whole"}
	c.Mean, c.SD = stats.MeanSD(v)
	slices.Sort(v)
	c.Min, c.Max = v[0], v[len(v)-1]
	for i, x := range v {
		if i == 0 || x != v[i-1] {
			c.Distinct++
		}
		if x != math.Trunc(x) {
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

// fewColumns is the number of inputs that are shown if there are more than twice as many.
const fewColumns = 40

// Lines formats the summary for people, a line each.
func (s Summary) Lines() []string {
	lines := []string{
		fmt.Sprintf("%s: %s rows, %s, target %s (%s)", s.Path, humanize.Comma(int64(s.Rows)),
			phrase.Plural(s.Inputs, "input"), phrase.Quote(s.Target), s.Task),
		"fingerprint " + s.Fingerprint,
		"",
	}
	if t := s.Sequences; t != nil && seq.Kind(t.Alphabet).IsGraph() {
		lines = append(lines, t.graphLine())
	} else if t != nil {
		letter := "letter"
		if t.Alphabet == string(seq.Vectors) {
			letter = "different one"
		}
		lines = append(lines, fmt.Sprintf("sequences of %s symbols (mean %.1f), alphabet %s with %s, %s repeated",
			phrase.Span(t.Shortest, t.Longest), t.Mean, t.Alphabet, phrase.Plural(t.Letters, letter),
			humanize.Comma(int64(t.Repeated))))
	}
	columns := slices.Concat(s.Columns, s.Targets)
	if s.TargetStats != nil {
		columns = append(columns, *s.TargetStats)
	}
	if s.Sequences != nil && len(columns) > 0 {
		lines = append(lines, "")
	}
	if more := len(s.Columns) - fewColumns; more > fewColumns {
		columns = append(columns[:fewColumns:fewColumns], columns[len(s.Columns):]...)
		lines = append(append(lines, columnLines(columns)...),
			fmt.Sprintf("and %d more inputs, the last %s (%s has all)", more,
				phrase.Quote(s.Columns[len(s.Columns)-1].Name), usererror.Flag("json")))
	} else if len(columns) > 0 {
		lines = append(lines, columnLines(columns)...)
	}
	if s.TargetStats != nil {
		lines = append(lines, "", "target "+phrase.Quote(s.Target))
		most := slices.MaxFunc(s.Histogram, func(a, b Bin) int { return a.Count - b.Count }).Count
		for _, b := range s.Histogram {
			lines = append(lines, fmt.Sprintf("  %11.5g … %-11.5g %9s  %s", b.From, b.To,
				humanize.Comma(int64(b.Count)), bar(b.Count, most)))
		}
	}
	if len(s.Classes) > 0 {
		lines = append(lines, "", "classes of "+phrase.Quote(s.Target))
		most := slices.MaxFunc(s.Classes, func(a, b ClassCount) int { return a.Count - b.Count }).Count
		for _, c := range s.Classes {
			lines = append(lines, fmt.Sprintf("  %6s %9s  %5.1f %%  %s", c.Class, humanize.Comma(int64(c.Count)),
				100*float64(c.Count)/float64(s.Rows), bar(c.Count, most)))
		}
	}
	if s.Outlier.Column == "" {
		return lines
	}
	lines = append(lines, "",
		fmt.Sprintf("auto scaling: %s (the farthest input lies %.1f sd from its mean, in column %s)",
			s.AutoScaling, s.Outlier.SDs, phrase.Quote(s.Outlier.Column)))
	return append(lines, s.ScalingNotes...)
}

// graphLine describes graphs or trees.
func (t *SequenceStats) graphLine() string {
	line := fmt.Sprintf("%s of %s nodes (mean %.1f)", t.Alphabet, phrase.Span(t.Shortest, t.Longest), t.Mean)
	if t.Edges > 0 {
		line += fmt.Sprintf(" and %.1f edges on average", t.Edges)
	}
	if t.Values > 0 {
		line += ", each node with " + phrase.Plural(t.Values, "value")
	}
	return fmt.Sprintf("%s, %s, %s repeated", line, phrase.Plural(t.Letters, "different label"),
		humanize.Comma(int64(t.Repeated)))
}

// columnLines writes a table with a row for each column of the file, the target last.
func columnLines(columns []ColumnSummary) []string {
	width := len("column")
	for _, c := range columns {
		width = max(width, min(utf8.RuneCountInString(c.Name), 32))
	}
	lines := []string{fmt.Sprintf("%-*s  %-8s %11s %11s %11s %11s %10s", width, "column", "type",
		"min", "mean", "sd", "max", "distinct")}
	for _, c := range columns {
		name := c.Name
		if r := []rune(name); len(r) > width {
			name = string(r[:width-1]) + "…"
		}
		if c.Type == text {
			lines = append(lines, fmt.Sprintf("%-*s  %-8s %58s", width, name, c.Type,
				humanize.Comma(int64(c.Distinct))))
			continue
		}
		lines = append(lines, fmt.Sprintf("%-*s  %-8s %11.5g %11.5g %11.5g %11.5g %10s", width, name, c.Type,
			c.Min, c.Mean, c.SD, c.Max, humanize.Comma(int64(c.Distinct))))
	}
	return lines
}

// bar draws a line of blocks, the longest for the largest count. Any count above 0 has one block at least.
func bar(count, largest int) string {
	const longest = 40
	if count == 0 {
		return ""
	}
	return strings.Repeat("█", max(1, count*longest/largest))
}
