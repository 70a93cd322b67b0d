package data

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

func sequenceLines() format {
	return format{"a list of sequences", isSequenceLines, false, true, readSequenceLines, true}
}

// isSequenceLines: every one of the first lines has one tab, and some have a text behind it. A table of two
// numbers has a text in its header, too, so the first line counts only behind a number.
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

// linesOf are up to 20 lines that are not blank, and whether the first is whole. Only whole lines count
// beyond the first.
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
			return nil, t.errorAt(place{lines.line, 1}, "found a FASTA header after lines of class, tab and sequence: put FASTA into a file of its own")
		}
		tab := bytes.IndexByte(line, '\t')
		label := string(bytes.TrimSpace(line[:max(tab, 0)]))
		if t.n() == 0 && isSequenceHeader(line) {
			t.notes = append(t.notes, fmt.Sprintf("%s:%d: the names of the columns, left out", in.name, lines.line))
			continue
		}
		switch {
		case tab >= 0 && label == "":
			return nil, t.errorAt(place{lines.line, 1}, "there is no class before the tab: write class, tab and sequence")
		case tab < 0 && !in.opt.TargetOptional:
			return nil, t.errorAt(place{lines.line, 1}, "there is no tab: write class, tab and sequence on every line")
		case tab >= 0:
			labelled++
		}
		if labelled != 0 && labelled != t.n()+1 {
			return nil, t.errorAt(place{lines.line, 1}, "lines with a class and lines without one are mixed: every line needs the same")
		}
		sequence := line[tab+1:]
		if len(bytes.TrimSpace(sequence)) == 0 {
			return nil, t.errorAt(place{lines.line, tab + 2}, "the sequence is empty: remove the line, or give the sequence")
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
	return t.table(in)
}

// isSequenceHeader: the first line names the two columns.
func isSequenceHeader(line []byte) bool {
	label, text, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(line[:min(len(line), 100)]))), "\t")
	known := func(word string, words ...string) bool {
		for _, w := range words {
			if word == w {
				return true
			}
		}
		return false
	}
	return known(label, "label", "class", "target", "y") && known(text, "sequence", "seq", "text", "x")
}
