package data

import (
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
)

// findHeader decides whether the first row names the columns, and whether by numbers alone, such as wavelengths.
func (s *detectedDialect) findHeader(rows [][]string, d Dialect, names, inputs []string) (header, numeric bool) {
	isName := func(cell string) bool { return s.isText(cell) && slices.Contains(names, strings.TrimSpace(cell)) }
	switch {
	case s.rowNames:
		return true, false
	case d.Header != "" || len(rows) == 0:
		return d.Header == "yes", false
	case slices.ContainsFunc(rows[0], isName):
		return true, false
	case names != nil && slices.ContainsFunc(rows[0], s.isNumber):
		numeric = holdsAll(rows[0], inputs) &&
			!slices.ContainsFunc(rows[1:], func(row []string) bool { return holdsAll(row, inputs) })
		return numeric, numeric
	}
	return s.isHeader(rows), false
}

// isHeader decides whether the first row names the columns. It does if one of its words is above numbers, or if it has
// words alone and none of them occurs again below. A word of a row with numbers, or of a single column, that occurs
// again makes it data. Names may be repeated as a whole row, in joined files.
func (s *detectedDialect) isHeader(rows [][]string) bool {
	if len(rows) == 0 || !slices.ContainsFunc(rows[0], s.isText) {
		return false
	}
	if len(rows) == 1 {
		return true
	}
	numbers := slices.ContainsFunc(rows[0], func(cell string) bool {
		return strings.TrimSpace(cell) != "" && !s.isText(cell)
	})
	above, repeated := false, false
	for j, cell := range rows[0] {
		cell = strings.TrimSpace(cell)
		if !s.isText(cell) || cellformat.IsMissing(cell) {
			continue
		}
		numbersBelow, wordsBelow := false, false
		for _, row := range rows[1:] {
			if j >= len(row) {
				continue
			}
			switch below := strings.TrimSpace(row[j]); {
			case below == "" || cellformat.IsMissing(below):
			case below == cell && (numbers || len(row) == 1):
				return false
			case below == cell && slices.Equal(row, rows[0]):
			case below == cell:
				wordsBelow, repeated = true, true
			case s.isText(below):
				wordsBelow = true
			default:
				numbersBelow = true
			}
		}
		above = above || numbersBelow && !wordsBelow
	}
	return above || !numbers && !repeated
}

// maybeNames reports whether the numbers of the first row may be names. Years or wavelengths rise in equal steps, as no
// other row does. pandas names columns 0, 1, 2, … that have no names.
func (s *detectedDialect) maybeNames(rows [][]string, names []string) bool {
	return len(rows) > 0 && s.inSteps(rows[0]) &&
		(strings.TrimSpace(rows[0][1]) == "1" && strings.TrimSpace(rows[0][2]) == "2" ||
			names == nil && !slices.ContainsFunc(rows[1:], s.inSteps))
}

// inSteps reports whether the numbers of a row, three or more, rise in equal steps, and the other cells are words or
// empty.
func (s *detectedDialect) inSteps(row []string) bool {
	var numbers []float64
	for _, cell := range row {
		if v, err := s.number(strings.TrimSpace(cell)); err == nil {
			numbers = append(numbers, v)
		} else if strings.TrimSpace(cell) != "" && !s.isText(cell) {
			return false
		}
	}
	for k := 2; k < len(numbers); k++ {
		step := numbers[1] - numbers[0]
		if !(step > 0 && math.Abs(numbers[k]-numbers[k-1]-step) <= 1e-6*step) {
			return false
		}
	}
	return len(numbers) >= 3
}
