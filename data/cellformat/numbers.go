package cellformat

import (
	"errors"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// minuses are signs that stand for a minus, in tables that were typeset.
var minuses = strings.NewReplacer("\u2212", "-", "\u2013", "-")

// ParseNumber reads a decimal number. Go also accepts 1_000 and 0x1p4, which are text in a table, as names or
// identifiers. Fortran writes 1.0D+02.
func ParseNumber(cell string) (float64, error) {
	if strings.Contains(cell, "_") || strings.Contains(cell, "x") || strings.Contains(cell, "X") {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err == nil || IsRange(err) {
		return v, err
	}
	plain := cell
	if strings.Contains(cell, "\xe2") {
		plain = minuses.Replace(cell)
	}
	if at := strings.IndexAny(plain, "dD"); at > 0 && strings.Contains(plain[:at], ".") &&
		(strings.HasPrefix(plain[at+1:], "+") || strings.HasPrefix(plain[at+1:], "-")) {
		plain = plain[:at] + "e" + plain[at+1:]
	}
	if plain == cell {
		return v, err
	}
	return strconv.ParseFloat(plain, 64)
}

// Boolean reads the number of a cell true or false.
func Boolean(cell string) (v float64, ok bool) {
	switch {
	case strings.EqualFold(cell, "true"):
		return 1, true
	case strings.EqualFold(cell, "false"):
		return 0, true
	}
	return 0, false
}

// SameBoolean reports whether one of two cells is true or false, and the other is the same or its number.
func SameBoolean(a, b string) bool {
	v, isBoolean := Boolean(a)
	w, isToo := Boolean(b)
	switch {
	case isBoolean && isToo:
		return v == w
	case isBoolean:
		return b == phrase.Number(v)
	}
	return isToo && a == phrase.Number(w)
}

// IsMissing reports whether the cell says that there is no value.
func IsMissing(cell string) bool {
	switch strings.ToLower(cell) {
	case `\n`, "nat": // missing values of databases, and of times in pandas
		return cell == `\N` || cell == "NaT"
	case "", "na", "n/a", "nan", "null", "?", "#n/a", "<na>", "#na", "nil":
		return true
	}
	return false
}

// IsDoubtful reports whether the cell means a missing value among numbers. Among texts it may be a value.
func IsDoubtful(cell string) bool {
	switch strings.ToLower(cell) {
	case "none", "missing", "unknown", "-", "--", "−", "–", "—", ".", "*":
		return true
	}
	return false
}

// IsNoNumber reports whether the cell means a missing value among numbers.
func IsNoNumber(cell string) bool {
	digit := cell != "" && cell[0] >= '0' && cell[0] <= '9' // most cells begin with one
	return !digit && (IsMissing(cell) || IsDoubtful(cell))
}

// IsRange reports whether the error is about a number that double precision cannot hold.
func IsRange(err error) bool { return errors.Is(err, strconv.ErrRange) }
