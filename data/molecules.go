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

// isMoleculeLines: each of the first lines begins with SMILES, and one of them has a mark that
// words do not have. A name may follow behind a blank or a tab.
func isMoleculeLines(head []byte) bool {
	return areMolecules(head) && slices.ContainsFunc(firstWords(head), func(word string) bool {
		return strings.ContainsAny(word, smilesMarks)
	})
}

// smilesMarks are in SMILES and in few words.
const smilesMarks = "[(=#"

// areMolecules: each of the first lines begins with SMILES.
func areMolecules(head []byte) bool {
	return !slices.ContainsFunc(firstWords(head), func(word string) bool {
		_, err := graph.Parse([]byte(word))
		return err != nil || word[0] == '{'
	})
}

// firstWords are those of the first lines.
func firstWords(head []byte) (words []string) {
	lines, _ := linesOf(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	for _, line := range lines {
		words = append(words, firstWord(strings.TrimSpace(line)))
	}
	return words
}

// readMoleculeLines reads lines of SMILES, each with a name behind it or without one.
func readMoleculeLines(in *input) (*table, error) {
	if _, err := in.text(); err != nil {
		return nil, err
	}
	t, named := &texts{name: in.name, kind: seq.Graphs}, false
	err := in.eachLine(func(number int, line []byte) error {
		text := string(bytes.TrimSpace(line))
		if text == "" {
			return nil
		}
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
