package data

import (
	"slices"
	"strings"
)

// A column of booleans is one of numbers: true is 1 and false is 0, in capitals or not.

// boolean is the number of a cell true or false.
func boolean(cell string) (v float64, ok bool) {
	switch {
	case strings.EqualFold(cell, "true"):
		return 1, true
	case strings.EqualFold(cell, "false"):
		return 0, true
	}
	return 0, false
}

// sameBoolean: one of two cells is true or false, and the other is the same or its number.
func sameBoolean(a, b string) bool {
	v, isBoolean := boolean(a)
	w, isToo := boolean(b)
	switch {
	case isBoolean && isToo:
		return v == w
	case isBoolean:
		return b == number(v)
	}
	return isToo && a == number(w)
}

// indexOf is the place of a text among values, as it is written or as a boolean; −1 if there is
// none.
func indexOf(values []string, cell string) int {
	if at := slices.Index(values, cell); at >= 0 {
		return at
	}
	return slices.IndexFunc(values, func(value string) bool { return sameBoolean(value, cell) })
}

// areBooleans: these two are false and true, or 0 and 1.
func areBooleans(classes []string) bool {
	return len(classes) == 2 && indexOf(classes, "false") >= 0 && indexOf(classes, "true") >= 0
}

// isBoolean: all cells are true, false, 1 or 0.
func (c *columnProfile) isBoolean() bool {
	return c.texts == c.booleans && c.fractions.cell == "" && c.codes.cell == "" &&
		(c.numbers == 0 || c.low >= 0 && c.high <= 1) && (c.texts == 0 || c.doubtful.n == 0)
}

// booleanClasses are the texts of a column of booleans; those of one value that is written in
// several ways are false and true.
func (c *columnProfile) booleanClasses() []string {
	values := c.values()
	written := map[string]bool{}
	for _, value := range values {
		same := "false"
		if sameBoolean(value, "true") {
			same = "true"
		}
		written[same] = true
	}
	if len(written) == len(values) {
		return values
	}
	classes := []string{}
	for _, class := range []string{"false", "true"} {
		if written[class] {
			classes = append(classes, class)
		}
	}
	return classes
}

// booleans are the names of the columns of booleans.
func booleans(columns []inputColumn) (names []string) {
	for _, c := range columns {
		if c.boolean {
			names = append(names, c.name)
		}
	}
	return names
}

// ParseCell reads a cell of a column of numbers as a file's reader does: "" and words for missing
// values are NaN.
func (s Schema) ParseCell(column, cell string) (float64, error) {
	if v, ok := boolean(strings.TrimSpace(cell)); ok && slices.Contains(s.Booleans, column) {
		return v, nil
	}
	return parseNumberCell(cell)
}
