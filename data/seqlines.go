package data

import (
	"bytes"
	"fmt"
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
		case tab >= 0 && label == "":
			return nil,
				t.errorAt(place{lines.line, 1}, "there is no class before the tab: write class, tab and sequence")
		case tab < 0 && !in.opt.TargetOptional:
			return nil, t.errorAt(place{lines.line, 1}, "there is no tab: write class, tab and sequence on every line")
		case tab >= 0:
			labelled++
		}
		if labelled != 0 && labelled != t.n()+1 {
			return nil, t.errorAt(place{lines.line, 1},
				"lines with a class and lines without one are mixed: every line needs the same")
		}
		sequence := line[tab+1:]
		if len(bytes.TrimSpace(sequence)) == 0 {
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
	t.dropHeader()
	return t.table(in)
}

// dropHeader leaves out a first line that names the columns. Its text is a word. Its label is a
// word above numbers, or a word that no other line has while the other labels are few.
func (t *texts) dropHeader() {
	const enough = 5
	if t.labels == nil || t.n() < 2 || strings.ContainsAny(string(t.of(0)), " \t") || !isText(t.labels[0]) {
		return
	}
	named := isColumnName(t.labels[0])
	both := named && isSequenceName(string(t.of(0)))
	if t.n() < enough && !both {
		return
	}
	different, words := map[string]bool{}, false
	for _, l := range t.labels[1:] {
		different[l] = true
		words = words || isText(l)
	}
	if different[t.labels[0]] || words && !both && (3*len(different) > t.n() || !named) {
		return
	}
	t.notes = append(t.notes,
		fmt.Sprintf("%s:%d: %s and %s are read as the names of the columns, and left out", t.name,
			t.at[0].line, quote(t.labels[0]), quote(string(t.of(0)))))
	t.text = t.text[t.end[0]:]
	for i := range t.end[1:] {
		t.end[i+1] -= t.end[0]
	}
	t.end, t.at, t.labels, t.where = t.end[1:], t.at[1:], t.labels[1:], t.where[1:]
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
