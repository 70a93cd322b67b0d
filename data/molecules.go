package data

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

func moleculeLines() format {
	return format{"a list of molecules", isMoleculeLines, false, true, readMoleculeLines, true}
}

// isMoleculeLines: the first lines begin with SMILES, and one of them has a mark that words do not
// have. A name may follow behind a blank or a tab.
func isMoleculeLines(head []byte) bool {
	return areMolecules(head) && slices.ContainsFunc(firstWords(head), func(word string) bool {
		return strings.ContainsAny(word, smilesMarks)
	})
}

// smilesMarks are in SMILES and in few words.
const smilesMarks = "[(=#"

// areMolecules: the first line and nearly all of the next ones begin with SMILES.
func areMolecules(head []byte) bool {
	words, valid := firstWords(head), 0
	for i, word := range words {
		if _, err := graph.Parse([]byte(word)); err == nil && word[0] != '{' {
			valid++
		} else if i == 0 {
			return false
		}
	}
	return float64(valid) >= mostlyValid*float64(len(words))
}

// firstWords are those of the first lines.
func firstWords(head []byte) (words []string) {
	lines, _ := linesOf(head)
	for _, line := range lines {
		words = append(words, firstWord(strings.TrimSpace(line)))
	}
	return words
}

// readMoleculeLines reads lines of SMILES, each with a name behind it or without one.
func readMoleculeLines(in *input) (*table, error) {
	t, named := &texts{name: in.name, kind: seq.Graphs}, false
	err := in.eachRow(" \t", func(number int, line []byte) error {
		text := string(bytes.TrimSpace(line))
		smiles := firstWord(text)
		name := strings.TrimSpace(text[len(smiles):])
		named = named || name != ""
		t.append([]byte(smiles), place{number, 1 + bytes.Index(line, []byte(smiles))})
		t.names = append(t.names, name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !named {
		t.names = nil
	}
	return t.table(in)
}
