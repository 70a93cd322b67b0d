package main

import (
	"fmt"
	"os"
	"strings"
)

const notesFile = "bench/results-notes.md"

// notes are the texts of docs/results.md and its pages by their headings in notesFile.
type notes map[string]string

// readNotes reads the parts below headings of the second level.
func readNotes(path string) (notes, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := notes{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		heading, words, _ := strings.Cut(part, "\n")
		if _, ok := all[heading]; ok {
			return nil, fmt.Errorf("%s has two parts %q", path, heading)
		}
		all[heading] = strings.TrimSpace(words)
	}
	return all, nil
}

// of returns the texts about a set and about its folds.
func (n notes) of(s set) string {
	var parts []string
	headings := []string{s.title()}
	if s.split {
		headings = append(headings, "Folds")
	}
	for _, heading := range headings {
		if words := n[heading]; words != "" {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, "\n\n")
}
