// Package didyoumean finds the word that was meant: the nearest of a list of known words to a mistyped one.
package didyoumean

import "strings"

// Nearest returns the known word with the fewest edits from word, a swap of case not counted, and whether it is near
// enough to be worth a question: at most a third of the letters, and always one edit. The first of equally near words
// wins.
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

// distance counts the edits from one word to another: bytes that are added, left out or changed, and neighbours that
// are swapped. The algorithm is by Wagner and Fischer, with swaps.
func distance(from, to string) int {
	// edits from a prefix of from to each prefix of to: one byte is missing in last, and two in before
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(from) {
		row[0] = i + 1
		for j := range len(to) {
			changed := last[j]
			if from[i] != to[j] {
				changed++
			}
			row[j+1] = min(changed, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(to)]
}

// Hint returns the end of an error message about word: `: did you mean "steps"?` if a known word is near, otherwise the
// list, `: use one of a, b, c`, or "" if the list is too long to read.
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
