// Package suggest finds the word that was meant: the nearest of a list of known
// words to a mistyped one.
package didyoumean

import "strings"

// Nearest returns the known word with the fewest edits from word, a swap of case not
// counted, and whether it is near enough to be worth a question: at most a third of
// the letters, and always one edit. The first of equally near words wins.
func Nearest(word string, known []string) (nearest string, ok bool) {
	word = strings.ToLower(word)
	best := max(1, (len(word)+1)/3) + 1
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); d < best && d < len(k) {
			best, nearest, ok = d, k, true
		}
	}
	return nearest, ok
}

// distance counts the edits from one word to another: bytes that are added, left out or changed, by
// the algorithm of Wagner and Fischer.
func distance(from, to string) int {
	row := make([]int, len(to)+1) // edits from the part of from read so far to each prefix of to
	for j := range row {
		row[j] = j
	}
	for i := range len(from) {
		corner := row[0] // from one byte less of both
		row[0] = i + 1
		for j := range len(to) {
			changed := corner
			if from[i] != to[j] {
				changed++
			}
			corner = row[j+1]
			row[j+1] = min(changed, row[j]+1, corner+1)
		}
	}
	return row[len(to)]
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
