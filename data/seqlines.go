package data

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

func sequenceLines() format {
	return format{"a list of sequences", isSequenceLines, false, true, readSequenceLines, true}
}

// isSequenceLines: every one of the first lines has one tab, and some have a text behind it. A
// table of two numbers has a text in its header, too, so the first line counts only behind a
// number.
func isSequenceLines(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	texts := 0
	lines, whole := linesOf(head)
	for i, line := range lines {
		if strings.HasPrefix(line, ">") {
			return i > 0 // FASTA among the lines: their reader says so
		}
		label, text, tab := strings.Cut(line, "\t")
		if !tab || strings.Contains(text, "\t") {
			return false
		}
		if isText(text) && (i > 0 || !whole || !isText(label)) {
			texts++
		}
	}
	return texts > 0
}

// linesOf are up to 20 lines that are not blank, and whether the first is whole. Only whole lines
// count beyond the first.
func linesOf(head []byte) (lines []string, whole bool) {
	const most = 20
	for len(lines) < most {
		line, rest, ended := bytes.Cut(head, []byte("\n"))
		if !ended && len(lines) > 0 && len(head) >= headSize/2 {
			return lines, true
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if len(lines) == 0 {
				whole = ended || len(line) < headSize/2
			}
			lines = append(lines, string(line))
		}
		if !ended {
			break
		}
		head = rest
	}
	return lines, whole
}

// readSequenceLines reads lines of class, tab and sequence. Where the class may be missing, a line
// without a tab is a sequence.
func readSequenceLines(in *input) (*table, error) {
	if _, err := in.text(); err != nil {
		return nil, err
	}
	t := &texts{name: in.name}
	lines := &lineReader{in: in}
	labelled := 0
	for {
		from := len(t.text)
		text, err := lines.append(t.text)
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		line := text[from:]
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			continue
		case line[0] == '>':
			return nil, t.errorAt(place{lines.line, 1},
				"found a FASTA header after lines of class, tab and sequence: put FASTA into a file of its own")
		}
		tab := bytes.IndexByte(line, '\t')
		label := string(bytes.TrimSpace(line[:max(tab, 0)]))
		switch {
		case tab >= 0 && label == "" && !in.opt.TargetOptional && !in.drops():
			return nil,
				t.errorAt(place{lines.line, 1}, "there is no class before the tab: write class, tab and sequence")
		case tab < 0 && !in.opt.TargetOptional:
			return nil, t.errorAt(place{lines.line, 1}, "there is no tab: write class, tab and sequence on every line")
		case tab >= 0:
			labelled++
		}
		sequence := line[tab+1:]
		if len(bytes.TrimSpace(sequence)) == 0 && !in.drops() {
			return nil,
				t.errorAt(place{lines.line, tab + 2}, "the sequence is empty: remove the line, or give the sequence")
		}
		t.labels = append(t.labels, label)
		t.where = append(t.where, place{lines.line, 1})
		t.at = append(t.at, place{lines.line, tab + 2})
		t.text = append(text[:from], sequence...)
		t.end = append(t.end, len(t.text))
	}
	if labelled == 0 {
		t.labels = nil
	}
	if err := t.checkLines(in.opt.Like, labelled); err != nil {
		return nil, err
	}
	t.dropHeader(in.opt.Like)
	return t.table(in)
}

// isSequenceName: the word is one that people give to a column of sequences.
func isSequenceName(word string) bool {
	return slices.Contains([]string{"sequence", "sequences", "seq", "text", "x", "smiles", "protein",
		"dna", "rna", "peptide", "sentence", "document", "string", "input"}, strings.ToLower(word))
}

// isColumnName: the word is one that people give to a column of labels.
func isColumnName(word string) bool {
	return slices.Contains([]string{"label", "labels", "class", "classes", "target", "y", "category",
		"type", "family", "name", "outcome", "output",
		"response", "genre", "species", "group", "activity", "sentiment", "topic", "language", "kind",
		"value", "result", "tag"}, strings.ToLower(word))
}
