package data

import (
	"slices"
	"strings"
	"unicode"
)

// How people write numbers, and what only looks like one.

// minuses are signs that stand for a minus, in tables that were typeset.
var minuses = strings.NewReplacer("\u2212", "-", "\u2013", "-")

// isCode: the cell is a whole number with a leading zero, such as a postcode, which the number
// would lose.
func isCode(cell string) bool {
	return len(cell) > 1 && cell[0] == '0' && strings.Trim(cell, "0123456789") == ""
}

// isCodes: all numbers of the column are whole, and one is a code.
func (c *columnProfile) isCodes() bool { return c.codes.cell != "" && c.fractions.cell == "" }

// isSign: the sign may stand beside the digits of a number, or between its thousands.
func isSign(r rune) bool {
	return strings.ContainsRune("%,'’", r) || unicode.Is(unicode.Sc, r) || unicode.IsSpace(r)
}

// isDecorated: the text is a number with a sign of money, a per cent sign or separators of
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

// areThousands: the separator stands between groups of three digits, behind one to three that do
// not start with 0.
func areThousands(cell, separator string) bool {
	groups := strings.Split(strings.TrimLeft(cell, "+-"), separator)
	first := groups[0]
	if len(groups) < 2 || first == "" || len(first) > 3 || first[0] == '0' {
		return false
	}
	return !slices.ContainsFunc(groups, func(g string) bool { return strings.Trim(g, "0123456789") != "" }) &&
		!slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 })
}

// plainer says how such a number is to be written.
func plainer(cell string, separator rune) string {
	switch {
	case oneComma(cell) && areThousands(cell, ",") && separator != ',':
		return "the comma may stand before thousands or before decimals: write it without, or give --decimal comma"
	case oneComma(cell) && separator != ',':
		return "--decimal comma reads decimals with a comma"
	case manyCommas(cell), areThousands(cell, "."):
		return "write decimals with a point and no separator of thousands"
	}
	return "write numbers without signs"
}

// unitOf is the unit behind a number, such as kg, m² or °C; "" if there is none.
func unitOf(cell string) string {
	at := strings.IndexFunc(cell, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsLetter(r) || strings.ContainsRune("°‰", r)
	})
	if at <= 0 || isCode(cell[:at]) {
		return ""
	}
	unit := strings.TrimSpace(cell[at:])
	if _, err := (&style{comma: true}).number(cell[:at]); err != nil || unit[0] >= '0' && unit[0] <= '9' {
		return ""
	}
	return unit
}

// addUnit counts a text that is a number with a unit.
func (c *columnProfile) addUnit(cell string) {
	unit := unitOf(cell)
	if unit == "" {
		c.notUnit = true
	} else if len(c.units) <= mostUnits && !slices.Contains(c.units, unit) {
		c.units = append(c.units, unit)
	}
}

// mostUnits are those of one quantity in a column, such as g and kg.
const mostUnits = 2

// hasUnits: all texts of the column are numbers with a unit.
func (c *columnProfile) hasUnits() bool {
	return c.texts > 0 && !c.notUnit && len(c.units) <= mostUnits && c.distinct() > mostUnits
}
