package data

import (
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
)

// findHeader decides whether the first row names the columns, and whether by numbers alone, such as wavelengths.
func (d *detectedDialect) findHeader(rows [][]string, given Dialect, names, inputs []string) (header, numeric bool) {
	isName := func(cell string) bool { return d.isText(cell) && slices.Contains(names, strings.TrimSpace(cell)) }
	switch {
	case d.rowNames:
		return true, false
	case given.Header != "" || len(rows) == 0:
		return given.Header == "yes", false
	case slices.ContainsFunc(rows[0], isName):
		return true, false
	case names != nil && slices.ContainsFunc(rows[0], d.isNumber):
		numeric = holdsAll(rows[0], inputs) &&
			!slices.ContainsFunc(rows[1:], func(row []string) bool { return holdsAll(row, inputs) })
		return numeric, numeric
	}
	return d.isHeader(rows), false
}

// isHeader decides whether the first row names the columns. It does if one of its words is above numbers, or if it has
// words alone and none of them occurs again below. Names may be repeated as a whole row, in joined files.
func (d *detectedDialect) isHeader(rows [][]string) bool {
	if len(rows) == 0 || !slices.ContainsFunc(rows[0], d.isText) {
		return false
	}
	if len(rows) == 1 {
		return true
	}
	numbers := slices.ContainsFunc(rows[0], func(cell string) bool {
		return strings.TrimSpace(cell) != "" && !d.isText(cell)
	})
	if slices.ContainsFunc(rows[1:], func(row []string) bool {
		return (numbers || len(row) == 1) && d.repeatsWord(rows[0], row)
	}) {
		return false
	}
	aboveNumbers, repeated := false, false
	for j, cell := range rows[0] {
		if d.isWord(cell) {
			numbersBelow, wordsBelow, again := d.below(rows, j)
			aboveNumbers = aboveNumbers || numbersBelow && !wordsBelow
			repeated = repeated || again
		}
	}
	return aboveNumbers || !numbers && !repeated
}

// isWord reports whether the cell is text that stands for a value.
func (d *detectedDialect) isWord(cell string) bool {
	return d.isText(cell) && !cellformat.IsMissing(strings.TrimSpace(cell))
}

// repeatsWord reports whether a word of the first row occurs again in its column. In a row with numbers, or of a single
// column, that makes it data.
func (d *detectedDialect) repeatsWord(first, row []string) bool {
	for j, cell := range row[:min(len(row), len(first))] {
		if d.isWord(cell) && strings.TrimSpace(cell) == strings.TrimSpace(first[j]) {
			return true
		}
	}
	return false
}

// below reports whether column j has numbers or words below the first row, and whether its first cell occurs again. A
// row that repeats the whole first row does not count.
func (d *detectedDialect) below(rows [][]string, j int) (numbers, words, again bool) {
	for _, row := range rows[1:] {
		if j >= len(row) || slices.Equal(row, rows[0]) {
			continue
		}
		switch cell := strings.TrimSpace(row[j]); {
		case cell == "" || cellformat.IsMissing(cell):
		case d.isText(cell):
			words, again = true, again || cell == strings.TrimSpace(rows[0][j])
		default:
			numbers = true
		}
	}
	return numbers, words, again
}

// maybeNames reports whether the numbers of the first row may be names. Years or wavelengths rise in equal steps, as no
// other row does. pandas names columns 0, 1, 2, … that have no names.
func (d *detectedDialect) maybeNames(rows [][]string, names []string) bool {
	return len(rows) > 0 && d.inSteps(rows[0]) &&
		(strings.TrimSpace(rows[0][1]) == "1" && strings.TrimSpace(rows[0][2]) == "2" ||
			names == nil && !slices.ContainsFunc(rows[1:], d.inSteps))
}

// inSteps reports whether the numbers of a row, three or more, rise in equal steps, and the other cells are words or
// empty.
func (d *detectedDialect) inSteps(row []string) bool {
	var numbers []float64
	for _, cell := range row {
		if v, err := d.number(strings.TrimSpace(cell)); err == nil {
			numbers = append(numbers, v)
		} else if strings.TrimSpace(cell) != "" && !d.isText(cell) {
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
