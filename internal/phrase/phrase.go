// Package phrase has the parts of messages: names in quotes, counts with their nouns, lists and ranges.
package phrase

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// Quote shows a cell or a name in a message, shortened if it is long.
func Quote(s string) string {
	const longest = 40
	if r := []rune(s); len(r) > longest {
		return strconv.Quote(string(r[:longest])) + "…"
	}
	return strconv.Quote(s)
}

// List shows the first few of the words, quoted.
func List(words []string) string {
	const shown = 8
	var quoted []string
	for _, w := range words[:min(len(words), shown)] {
		quoted = append(quoted, Quote(w))
	}
	text := strings.Join(quoted, ", ")
	if more := len(words) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Number formats a value without needless digits.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Plural returns a count and its noun, such as "1 row" or "2 rows".
func Plural(n int, what string) string {
	return strconv.Itoa(n) + " " + english.PluralWord(n, what, "")
}

// Span returns "5 to 7", or "5".
func Span(low, high int) string {
	if low == high {
		return strconv.Itoa(low)
	}
	return strconv.Itoa(low) + " to " + strconv.Itoa(high)
}
