package cellformat

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Amount is a cell that may be a number with signs, cut into its parts.
type Amount struct {
	Sign, Digits, Unit string
}

// amountForm is the form of such a cell. Before the number may stand a sign of money, or three capital letters and a
// blank, as codes of currencies are written.
var amountForm = regexp.MustCompile(`^(\(?)([-+\x{2212}\x{2013}]?)(\p{Sc}|[A-Z]{3}[\s\p{Z}]+|)[\s\p{Z}]*` +
	`([-+\x{2212}\x{2013}]?)(\d[\d.,'\x{2019}\s\p{Z}]*|[.,]\d+)` +
	`([-\x{2212}]|%|‰|\p{Sc}|[\p{L}°µ](?:[^\d()]|[23]\b)*)?(\)?)$`)

// AmountOf cuts a cell into its parts; false for a cell that is not a number with signs.
func AmountOf(cell string) (a Amount, ok bool) {
	part := amountForm.FindStringSubmatch(cell)
	if part == nil || (part[1] == "(") != (part[7] == ")") || part[3] != "" && part[6] != "" {
		return a, false
	}
	a.Sign, a.Unit = part[2]+part[4], strings.TrimSpace(part[3])+part[6]
	behind := part[6] == "-" || part[6] == "−"
	if behind {
		a.Unit = ""
		if a.Sign+part[1] != "" {
			return a, false
		}
	}
	if len(a.Unit) > 1 && a.Unit[0]|' ' == 'e' && strings.ContainsAny(a.Unit[1:2], "+-23") {
		return a, false // an exponent
	}
	if behind || part[1] == "(" {
		a.Sign += "-"
	}
	a.Digits = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '’':
			return '\''
		}
		return r
	}, part[5]))
	return a, true
}

// Plain writes the number with a decimal point and without separators of thousands. thousands is the separator that it
// had.
func (a Amount) Plain(comma bool) (plain, thousands string, ok bool) {
	point := "."
	if comma {
		point = ","
	}
	whole, fraction, _ := strings.Cut(a.Digits, point)
	if at := strings.IndexFunc(whole, func(r rune) bool { return !unicode.IsDigit(r) }); at >= 0 {
		thousands = whole[at : at+1]
		if !AreThousands(whole, thousands) {
			return "", "", false
		}
		whole = strings.ReplaceAll(whole, thousands, "")
	}
	plain = a.Sign + whole + "." + fraction
	v, err := ParseNumber(plain)
	if v == 0 {
		plain = strings.TrimLeft(plain, "-") // (0) is 0
	}
	return strings.TrimSuffix(plain, "."), thousands, err == nil && !IsCode(whole)
}

// IsCode reports whether the cell is a whole number with a leading zero, such as a postcode. As a number it would lose
// the zero.
func IsCode(cell string) bool {
	return len(cell) > 1 && cell[0] == '0' && strings.Trim(cell, "0123456789") == ""
}

// IsSign reports whether the sign may stand beside the digits of a number, or between its thousands.
func IsSign(r rune) bool {
	return strings.ContainsRune("%,'’", r) || unicode.Is(unicode.Sc, r) || unicode.IsSpace(r)
}

// IsDecorated reports whether the text is a number with a sign of money, a per cent sign or separators of thousands.
func IsDecorated(cell string) bool {
	plain := strings.Map(func(r rune) rune {
		if IsSign(r) {
			return -1
		}
		return r
	}, cell)
	if strings.Count(plain, ".") > 1 && AreThousands(plain, ".") {
		return true
	}
	_, err := ParseNumber(plain)
	return err == nil
}

// AreThousands reports whether the separator stands between groups of three digits. The one to three digits before the
// first separator must not start with 0.
func AreThousands(cell, separator string) bool {
	groups := strings.Split(strings.TrimLeft(cell, "+-"), separator)
	first := groups[0]
	if len(groups) < 2 || first == "" || len(first) > 3 || first[0] == '0' {
		return false
	}
	return !slices.ContainsFunc(groups, func(g string) bool { return strings.Trim(g, "0123456789") != "" }) &&
		!slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 })
}
