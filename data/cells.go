package data

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// This file knows how people write numbers, and texts that only look like numbers.

// minuses are signs that stand for a minus, in tables that were typeset.
var minuses = strings.NewReplacer("\u2212", "-", "\u2013", "-")

// isCode reports whether the cell is a whole number with a leading zero, such as a postcode. As a number it
// would lose the zero.
func isCode(cell string) bool {
	return len(cell) > 1 && cell[0] == '0' && strings.Trim(cell, "0123456789") == ""
}

// isCodes reports whether all numbers of the column are whole, and one is a code.
func (c *columnProfile) isCodes() bool { return c.codes.cell != "" && c.fractions.cell == "" }

// isSign reports whether the sign may stand beside the digits of a number, or between its thousands.
func isSign(r rune) bool {
	return strings.ContainsRune("%,'’", r) || unicode.Is(unicode.Sc, r) || unicode.IsSpace(r)
}

// isDecorated reports whether the text is a number with a sign of money, a per cent sign or separators of
// thousands.
func isDecorated(cell string) bool {
	plain := strings.Map(func(r rune) rune {
		if isSign(r) {
			return -1
		}
		return r
	}, cell)
	if strings.Count(plain, ".") > 1 && areThousands(plain, ".") {
		return true
	}
	_, err := parseNumber(plain)
	return err == nil
}

// areThousands reports whether the separator stands between groups of three digits. The one to three digits
// before the first separator must not start with 0.
func areThousands(cell, separator string) bool {
	groups := strings.Split(strings.TrimLeft(cell, "+-"), separator)
	first := groups[0]
	if len(groups) < 2 || first == "" || len(first) > 3 || first[0] == '0' {
		return false
	}
	return !slices.ContainsFunc(groups, func(g string) bool { return strings.Trim(g, "0123456789") != "" }) &&
		!slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 })
}

// plainer is the advice for writing a number that has such decorations.
func plainer(cell string) string {
	switch {
	case oneComma(cell) && !areThousands(cell, ","):
		return asKey("decimal") + "=comma reads decimals with a comma"
	case manyCommas(cell), areThousands(cell, "."):
		return "write decimals with a point and no separator of thousands"
	}
	return "write numbers without signs"
}

// setOf is the set of the names.
func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// byName maps the names of the elements of a list to the elements.
func byName[T any](list []T, name func(of T) string) map[string]*T {
	all := make(map[string]*T, len(list))
	for i := range list {
		all[name(list[i])] = &list[i]
	}
	return all
}

// onTop reports whether the first row holds all the names, and no row below it holds them.
func onTop(rows [][]string, names []string) bool {
	return holdsAll(rows[0], names) &&
		!slices.ContainsFunc(rows[1:], func(row []string) bool { return holdsAll(row, names) })
}

// holdsAll reports whether each of two or more names is a cell of the row.
func holdsAll(row, names []string) bool {
	cells := make(map[string]bool, len(row))
	for _, cell := range row {
		cells[strings.TrimSpace(cell)] = true
	}
	return len(names) > 1 && !slices.ContainsFunc(names, func(name string) bool { return !cells[name] })
}

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

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// notBoolean says what is wrong with a number in a column of booleans; "" if nothing is.
func (c InputColumn) notBoolean(v float64) string {
	if !c.TrueFalse || v == 0 || v == 1 || math.IsNaN(v) {
		return ""
	}
	return "which is true or false, as 1 or 0: correct it"
}

// sameBoolean reports whether one of two cells is true or false, and the other is the same or its number.
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

// indexOf is the place of a text among values, as it is written or as a boolean; −1 if it is not there.
func indexOf(values []string, cell string) int {
	if at := slices.Index(values, cell); at >= 0 {
		return at
	}
	return slices.IndexFunc(values, func(value string) bool { return sameBoolean(value, cell) })
}

// find is the place of a word among the inputs of its column, −1 if it has none. known is false for a word that
// the training data lack.
func (c InputColumn) find(cell string) (at int, known bool) {
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

// booleanClasses are the texts of a column of booleans. They are false and true if one value is written in
// several ways.
func (c *columnProfile) booleanClasses() []string {
	values := c.values()
	classes := slices.DeleteFunc([]string{"false", "true"}, func(class string) bool {
		return !slices.ContainsFunc(values, func(value string) bool { return sameBoolean(value, class) })
	})
	if len(classes) == len(values) {
		return values
	}
	return classes
}

// ParseCell reads a cell of a column of numbers as the reader of a file does: "" and words for missing values
// are NaN. A column of Schema.Booleans may have true and false.
func ParseCell(cell string, isBoolean bool) (float64, error) {
	if v, ok := boolean(strings.TrimSpace(cell)); ok && isBoolean {
		return v, nil
	}
	if cell = strings.TrimSpace(cell); isMissing(cell) || isDoubtful(cell) {
		return math.NaN(), nil
	}
	v, err := parseNumber(cell)
	switch {
	case err != nil && !isRange(err):
		return 0, errorf("", "found %s, which must be a number", quote(cell))
	case math.Abs(v) > largest:
		return 0, errorf("", "found %s, which is beyond ±%g: only smaller numbers can be used", quote(cell), largest)
	}
	return v, nil
}
