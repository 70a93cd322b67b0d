// Package suggest finds the word that was meant: the nearest of a list of known
// words to a mistyped one.
package suggest

import (
	"strings"

	"github.com/xrash/smetrics"
)

// Nearest is the known word with the fewest edits from word, a swap of case not
// counted, and whether it is near enough to be worth a question: at most a third of
// the letters, and always one edit. The first of equally near words wins.
func Nearest(word string, known []string) (nearest string, ok bool) {
	word = strings.ToLower(word)
	best := max(1, (len(word)+1)/3) + 1
	for _, k := range known {
		// Every edit costs one, so the result counts edits (in bytes: the words are identifiers).
		if d := smetrics.WagnerFischer(word, strings.ToLower(k), 1, 1, 1); d < best && d < len(k) {
			best, nearest, ok = d, k, true
		}
	}
	return nearest, ok
}

// Hint ends an error message about word: `: did you mean "steps"?` where a known word
// is near, and otherwise the list, `: use one of a, b, c`, or nothing where the list is
// too long to read.
func Hint(word string, known []string) string {
	const readable = 8
	switch nearest, ok := Nearest(word, known); {
	case ok:
		return `: did you mean "` + nearest + `"?`
	case len(known) > 0 && len(known) <= readable:
		return ": use one of " + strings.Join(known, ", ")
	}
	return ""
}
