package data

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// isCodes reports whether all numbers of the column are whole, and one is a code.
func (c *columnProfile) isCodes() bool { return c.codes.cell != "" && c.fractions.cell == "" }

// plainCell returns the advice for writing a number that has such decorations.
func plainCell(cell string) string {
	_, err := cellformat.ParseNumber(strings.ReplaceAll(cell, ",", ""))
	switch {
	case oneComma(cell) && !cellformat.AreThousands(cell, ","):
		return asKey("decimal") + "=comma reads decimals with a comma"
	case err == nil && strings.Contains(cell, ","), cellformat.AreThousands(cell, "."):
		return "write decimals with a point and no separator of thousands"
	}
	return "write numbers without signs"
}

// zeroByte is the message about a byte that JSON and typed columns may hold.
const zeroByte = "found a byte 0x00, which text does not have"

var escapeForm = regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)`)

// LoneSurrogate describes the first escape in a JSON text that is half of a character, "" for none. Package json would
// replace it silently.
func LoneSurrogate(text []byte) string {
	if !bytes.Contains(text, []byte(`\u`)) {
		return ""
	}
	for {
		at := escapeForm.FindSubmatchIndex(text)
		switch {
		case at == nil:
			return ""
		case at[2] >= 0:
			return fmt.Sprintf("found %s, half of a character, which text does not have", text[at[0]:at[1]])
		}
		text = text[at[1]:]
	}
}

// setOf returns the set of the values.
func setOf[T comparable](values []T) map[T]bool {
	set := make(map[T]bool, len(values))
	for _, v := range values {
		set[v] = true
	}
	return set
}

// mapSlice applies a function to the elements of a list, in order; nil for none.
func mapSlice[T, U any](list []T, of func(T) U) (results []U) {
	for _, element := range list {
		results = append(results, of(element))
	}
	return results
}

// byName maps the names of the elements of a list to the elements.
func byName[T any](list []T, name func(of T) string) map[string]*T {
	all := make(map[string]*T, len(list))
	for i := range list {
		all[name(list[i])] = &list[i]
	}
	return all
}

// holdsAll reports whether each of two or more names is a cell of the row.
func holdsAll(row, names []string) bool {
	cells := setOf(mapSlice(row, strings.TrimSpace))
	return len(names) > 1 && !slices.ContainsFunc(names, func(name string) bool { return !cells[name] })
}

// A column of booleans is one of numbers: true is 1 and false is 0, in capitals or not.

func boolToFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// notBoolean says what is wrong with a number in a column of booleans; "" if nothing is.
func (c *InputColumn) notBoolean(v float64) string {
	if !c.TrueFalse || v == 0 || v == 1 || math.IsNaN(v) {
		return ""
	}
	return "which is true or false, as 1 or 0: correct it"
}

// indexOf returns the place of a text among values, as it is written or as a boolean; −1 if it is not there.
func indexOf(values []string, cell string) int {
	if at := slices.Index(values, cell); at >= 0 {
		return at
	}
	return slices.IndexFunc(values, func(value string) bool { return cellformat.SameBoolean(value, cell) })
}

// find finds the place of a word among the inputs of its column, −1 if it has none. known is false for a word that the
// training data lack.
func (c *InputColumn) find(cell string) (at int, known bool) {
	if at = indexOf(c.Values, cell); at >= 0 || c.Others == nil {
		return at, at >= 0
	}
	_, known = slices.BinarySearch(c.Others, cell)
	return len(c.Values), known
}

// isBoolean reports whether all cells are true, false, 1 or 0.
func (c *columnProfile) isBoolean() bool {
	return c.texts.n == c.booleans && c.fractions.cell == "" && c.codes.cell == "" &&
		(c.numbers == 0 || c.low >= 0 && c.high <= 1) && (c.texts.n == 0 || c.doubtful.n == 0)
}

// booleanClasses returns the texts of a column of booleans. They are false and true if one value is written in several
// ways.
func (c *columnProfile) booleanClasses() []string {
	values := c.values()
	classes := slices.DeleteFunc([]string{"false", "true"}, func(class string) bool {
		return !slices.ContainsFunc(values, func(value string) bool { return cellformat.SameBoolean(value, class) })
	})
	if len(classes) == len(values) {
		return values
	}
	return classes
}

// ParseCell reads a cell of a column of numbers as the reader of a file does: "" and words for missing values are NaN.
// A column of Schema.Booleans may have true and false.
func ParseCell(cell string, isBoolean bool) (float64, error) {
	if v, ok := cellformat.Boolean(strings.TrimSpace(cell)); ok && isBoolean {
		return v, nil
	}
	if cell = strings.TrimSpace(cell); cellformat.IsNoNumber(cell) {
		return math.NaN(), nil
	}
	v, err := cellformat.ParseNumber(cell)
	switch {
	case err != nil && !cellformat.IsRange(err):
		return 0, errorf("", "found %s, which must be a number", phrase.Quote(cell))
	case math.Abs(v) > maxMagnitude:
		return 0, errorf("", "found %s, which is beyond ±%g: only smaller numbers can be used", phrase.Quote(cell),
			maxMagnitude)
	}
	return v, nil
}

// remedy returns this advice where the file is one to train on. A model needs each of its columns as it was trained.
func (r *records) remedy(advice string) string {
	if r.opt.Schema != nil {
		return "correct it or remove the row"
	}
	return advice
}

// missingCell returns the error about a missing cell that nothing fills.
func (r *records) missingCell(i int, advice string) error {
	cell, column := strings.TrimSpace(r.row[i]), phrase.Quote(r.columnName(i))
	if cell == "" {
		return r.cellError(i, "empty cell in column %s: %s", column, advice)
	}
	return r.cellError(i, "found %s, a missing value, in column %s: %s", phrase.Quote(cell), column, advice)
}

// found returns the error about cell i of the current row, which it names with its column.
func (r *records) found(i int, format string, args ...any) *Error {
	return r.cellError(i, "found %s in column %s%s", phrase.Quote(strings.TrimSpace(r.row[i])),
		phrase.Quote(r.columnName(i)), fmt.Sprintf(format, args...))
}

// value reads cell i of the current row, which must be a finite number; advice is what to do about a word.
func (r *records) value(i int, advice string) (float64, error) {
	cell := strings.TrimSpace(r.row[i])
	if r.isStray(i) {
		return 0, r.found(i, ": %s", r.notations[i].like(cell))
	}
	v, err := r.dialect.number(cell)
	if b, ok := cellformat.Boolean(cell); ok && r.types == nil && r.isTyped(i) {
		return b, nil
	}
	if err == nil && math.Abs(v) <= maxMagnitude {
		return v, nil
	}
	switch {
	case cellformat.IsNoNumber(cell):
		return 0, r.missingCell(i, "the target must be known: fill it in or remove the row")
	case err == nil && math.IsInf(v, 0):
		return 0, r.found(i, ": only finite numbers can be used, fill it in or remove the row")
	case err == nil, cellformat.IsRange(err):
		return 0, r.found(i, ", which is beyond ±%g: %s", maxMagnitude, r.remedy("divide the column by a power of ten"))
	case cellformat.IsDecorated(cell):
		return 0, r.found(i, ": %s", plainCell(cell))
	}
	advice = r.remedy(advice)
	if a, ok := cellformat.AmountOf(cell); ok && a.Unit != "" {
		advice = "write the number alone, without " + phrase.Quote(a.Unit)
	}
	header := ""
	if _, doubtful := r.doubtfulHeader(); doubtful {
		header = " (the first row is read as the names of the columns: " + asKey("header") + "=no reads it as data)"
	}
	return 0, r.found(i, "%s, which must be a number: %s", header, advice)
}
