package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/gpdrf/gpdrf-gpu/seq"
)

// fewColumns is how many inputs are shown of more than twice as many.
const fewColumns = 40

// Lines renders the summary for people, a line each.
func (s Summary) Lines() []string {
	lines := []string{
		fmt.Sprintf("%s: %s rows, %s, target %s (%s)", s.Path, humanize.Comma(int64(s.Rows)),
			plural(s.Inputs, "input"), quote(s.Target), s.Task),
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
			span(t.Shortest, t.Longest), t.Mean, t.Alphabet, plural(t.Letters, letter),
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
			fmt.Sprintf("and %d more inputs, the last %s (--json has all)", more,
				quote(s.Columns[len(s.Columns)-1].Name)))
	} else if len(columns) > 0 {
		lines = append(lines, columnLines(columns)...)
	}
	if s.TargetStats != nil {
		lines = append(lines, "", "target "+quote(s.Target))
		for _, b := range s.Histogram {
			lines = append(lines, fmt.Sprintf("  %11.5g … %-11.5g %9s  %s", b.From, b.To,
				humanize.Comma(int64(b.Count)), bar(b.Count, s.mostCommon())))
		}
	}
	if len(s.Classes) > 0 {
		lines = append(lines, "", "classes of "+quote(s.Target))
		for _, c := range s.Classes {
			lines = append(lines, fmt.Sprintf("  %6s %9s  %5.1f %%  %s", c.Class, humanize.Comma(int64(c.Count)),
				100*float64(c.Count)/float64(s.Rows), bar(c.Count, s.mostCommon())))
		}
	}
	if s.Inputs == 0 {
		return lines
	}
	lines = append(lines, "",
		fmt.Sprintf("auto scaling: %s (the farthest input lies %.1f sd from its mean, in column %s)",
			s.AutoScaling, s.Outlier.SDs, quote(s.Outlier.Column)))
	return append(lines, s.ScalingNotes...)
}

// graphLine describes graphs or trees.
func (t *SequenceStats) graphLine() string {
	line := fmt.Sprintf("%s of %s nodes (mean %.1f)", t.Alphabet, span(t.Shortest, t.Longest), t.Mean)
	if t.Edges > 0 {
		line += fmt.Sprintf(" and %.1f edges on average", t.Edges)
	}
	if t.Values > 0 {
		line += ", each node with " + plural(t.Values, "value")
	}
	return fmt.Sprintf("%s, %s, %s repeated", line, plural(t.Letters, "different label"),
		humanize.Comma(int64(t.Repeated)))
}

// span is "5 to 7", or "5".
func span(low, high int) string {
	if low == high {
		return strconv.Itoa(low)
	}
	return strconv.Itoa(low) + " to " + strconv.Itoa(high)
}

// columnLines is a table with a row for each column of the file, the target last.
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
		lines = append(lines, fmt.Sprintf("%-*s  %-8s %11.5g %11.5g %11.5g %11.5g %10s", width, name, c.Type,
			c.Min, c.Mean, c.SD, c.Max, humanize.Comma(int64(c.Distinct))))
	}
	return lines
}

func (s Summary) mostCommon() int {
	most := 0
	for _, b := range s.Histogram {
		most = max(most, b.Count)
	}
	for _, c := range s.Classes {
		most = max(most, c.Count)
	}
	return most
}

// bar is a line of blocks, the longest for the largest count, one at least for any.
func bar(count, largest int) string {
	const longest = 40
	if count == 0 {
		return ""
	}
	return strings.Repeat("█", max(1, count*longest/largest))
}
