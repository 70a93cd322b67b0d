package data

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

func sequenceLines() format {
	return format{what: "a list of sequences", is: isSequenceLines, apart: true, read: readSequenceLines,
		sequences: true}
}

// isSequenceLines reports whether each of the first lines has one tab, and some have a text after it. A table of two
// numbers has a text in its header, too, so the first line counts only after a number.
func isSequenceLines(head []byte) bool {
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
		if isWord(text) && (i > 0 || !whole || !isText(label) || areVectors(text)) {
			texts++
		}
	}
	return texts > 0
}

// isWord reports whether the text is no number, however people write it, no time and no mark of a missing cell.
func isWord(text string) bool {
	text = strings.TrimSpace(text)
	if !isText(text) || cellformat.IsNoNumber(text) || cellformat.LooksLikeTime(text) {
		return false
	}
	a, ok := cellformat.AmountOf(text)
	_, _, point := a.Plain(false)
	_, _, comma := a.Plain(true)
	return !ok || !point && !comma
}

// areVectors reports whether the text has two vectors or more, which name no column.
func areVectors(text string) bool {
	return strings.Contains(text, ";") && strings.Trim(text, "0123456789.,;+-eE \t\r") == ""
}

// linesOf returns up to 20 lines that are not blank, and whether the first is whole. Only whole lines count beyond the
// first.
func linesOf(head []byte) (lines []string, whole bool) {
	const most = 20
	for line := range bytes.Lines(head) {
		line, ended := bytes.CutSuffix(line, []byte("\n"))
		if len(lines) == most || !ended && len(lines) > 0 && len(line) >= headSize/2 {
			break
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if len(lines) == 0 {
				whole = ended || len(line) < headSize/2
			}
			lines = append(lines, string(line))
		}
	}
	return lines, whole
}

// readSequenceLines reads lines of class, tab and sequence. Where the class may be missing, a line without a tab is a
// sequence.
func readSequenceLines(in *input) (*table, error) {
	t := &sequenceTexts{input: in}
	labelled := 0
	err := in.eachRow("\t", func(number int, line []byte) error {
		tab := bytes.IndexByte(line, '\t')
		label := string(bytes.TrimSpace(line[:max(tab, 0)]))
		sequence := line[tab+1:]
		switch start := (position{number, 1}); {
		case labelled == 0 && tab < 0 && bytes.Contains(in.head, []byte("\n>")):
			return t.errorAt(start, "found %s, and FASTA headers below: write a header, such as >1, above the first "+
				"sequence", phrase.Quote(string(line)))
		case bytes.HasPrefix(line, []byte(">")):
			return t.errorAt(start,
				"found a FASTA header after lines of class, tab and sequence: put FASTA into a file of its own")
		case tab < 0 && !in.opt.TargetOptional:
			return t.errorAt(start, "there is no tab: write class, tab and sequence on every line")
		}
		if tab >= 0 {
			labelled++
		}
		t.append(sequence, position{number, tab + 2})
		t.label(label, position{number, 1})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if labelled == 0 {
		t.labels = nil
	}
	lines := t.n()
	t.dropHeader(in.opt.Schema)
	if err := t.checkLines(in.opt.Schema, labelled-(lines-t.n())); err != nil {
		return nil, err
	}
	return t.table()
}

// eachRow visits the lines of a list that are not blank. Where texts to predict stand alone on their lines, without a
// separator, a blank line between two of them is a row without a text.
func (in *input) eachRow(separators string, visit func(number int, line []byte) error) error {
	var blank []int // numbers of lines
	begun := false
	return in.eachLine(in.lim.cells, in.lim.cells, func(number int, line []byte) error {
		text := bytes.TrimSpace(line)
		if len(text) == 0 {
			blank = append(blank, number)
			return nil
		}
		if begun && in.opt.TargetOptional && !bytes.ContainsAny(text, separators) {
			for _, n := range blank {
				if err := visit(n, nil); err != nil {
					return err
				}
			}
		}
		begun = true
		blank = nil
		return visit(number, line)
	})
}

// isSequenceName reports whether people give this name to a column of sequences.
func isSequenceName(word string) bool {
	return slices.Contains([]string{"sequence", "sequences", "seq", "text", "x", "smiles", "protein",
		"dna", "rna", "peptide", "sentence", "document", "string", "input"}, strings.ToLower(word))
}

// isColumnName reports whether people give this name to a column of labels.
func isColumnName(word string) bool {
	return slices.Contains([]string{"label", "labels", "class", "classes", "target", "y", "category",
		"type", "family", "name", "outcome", "output",
		"response", "genre", "species", "group", "activity", "sentiment", "topic", "language", "kind",
		"value", "result", "tag"}, strings.ToLower(word))
}

// A list of sequences has no mark of its own: any text is one. So a file for a model of a list is checked for signs of
// another format.

// howToList is the remedy for a file that is no list.
const howToList = "write the texts alone, one on each line, or class, tab and text"

// checkTable refuses a table of text in place of a list. Symbols of graphs, numbers and vectors may be separators, and
// their own readers find what is wrong.
func (in *input) checkTable() error {
	kind := in.opt.Schema.Alphabet.Kind
	if kind.IsGraph() || kind == seq.Integers || kind == seq.Vectors {
		return nil
	}
	separator := separator(in.head)
	if separator == ' ' {
		return nil
	}
	rows := firstRows(in.head, separator)
	if len(rows) == 0 || len(rows[0]) < 2 || separator == '\t' && len(rows[0]) == 2 {
		return nil
	}
	names := rows[0]
	if len(rows) > 1 {
		rows = rows[1:] // the first may be names
	}
	texts, targets := false, false
	for j := range names {
		column := mapSlice(rows, func(row []string) string { return strings.TrimSpace(row[j]) })
		isTarget := in.opt.Schema.areTargets(column)
		targets = targets || isTarget
		texts = texts || !isTarget && slices.ContainsFunc(column, isText)
	}
	if targets && texts || in.opt.Schema.areNames(names) {
		return in.errorf("this file is a table, which begins with %s, and the training data are a list: %s; "+
			"a tab before each text keeps its separators", phrase.List(names), howToList)
	}
	return nil
}

// mayHave reports whether lines of two texts, with a tab between, may be rows like those of training.
func (s Schema) mayHave(head []byte) bool {
	lines, _ := linesOf(head)
	names := s.names()
	return s.width() == 2 || slices.ContainsFunc(strings.Split(lines[0], "\t"), func(name string) bool {
		return slices.Contains(names, strings.TrimSpace(name))
	})
}

// firstRows returns the first rows of a text, nil where not all have the same number of cells.
func firstRows(head []byte, separator rune) (rows [][]string) {
	if len(head) >= headSize/2 {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	from := csv.NewReader(bytes.NewReader(head))
	from.Comma = separator
	for len(rows) < sampleSize {
		row, err := from.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil
		}
		rows = append(rows, row)
	}
	return rows
}

// areNames reports whether the cells name columns: one of them is the target, or a word that people give to such a
// column.
func (s Schema) areNames(cells []string) bool {
	known := false
	for _, c := range cells {
		c = strings.TrimSpace(c)
		if !isText(c) || strings.ContainsAny(c, " \t") {
			return false
		}
		known = known || c == s.Target || isSequenceName(c) || isColumnName(c)
	}
	return known
}

// checkLines refuses lines whose parts before and after the tab cannot be class and sequence of rows like those of
// training. It is given the number of lines with a tab.
func (t *sequenceTexts) checkLines(like *Schema, labelled int) error {
	if like == nil || labelled == 0 {
		return nil
	}
	strange, swapped := 0, 0 // labels that are no targets, and texts that are
	for i, l := range t.labels {
		if l == "" || like.isTarget(l) {
			continue
		}
		if labelled < t.n() {
			return t.errorAt(t.where[i], "found %s before a tab, which is not a target of the training data, and "+
				"lines with a class and lines without one are mixed: every line needs the same", phrase.Quote(l))
		}
		strange++
		if text := strings.TrimSpace(string(t.of(i))); like.isTarget(text) || i == 0 && isColumnName(text) {
			swapped++
		}
	}
	if swapped == t.n() && strange == t.n() {
		return t.errorAt(t.where[0], "the targets stand after the tab: %s", howToList)
	}
	return nil
}

// dropHeader leaves out a first line that names the columns. Its text is a word. Its label is a word above numbers, or
// a word that no other line has while the other labels are few. Where rows are like those of training, it is one that
// is no target, above targets.
func (t *sequenceTexts) dropHeader(like *Schema) {
	if t.n() < 2 || strings.ContainsAny(string(t.of(0)), " \t") || !t.isHeader(like) {
		return
	}
	name := phrase.Quote(strings.TrimSpace(string(t.of(0)))) + " is read as the name of the column"
	if t.labels != nil {
		name = fmt.Sprintf("%s and %s are read as the names of the columns", phrase.Quote(t.labels[0]),
			phrase.Quote(string(t.of(0))))
	}
	t.noteAt(position{line: t.at[0].line}, "%s, and left out", name)
	t.keep(func(i int) bool { return i > 0 })
}

func (t *sequenceTexts) isHeader(like *Schema) bool {
	const enough = 5
	if t.labels == nil {
		return like != nil && isSequenceName(strings.TrimSpace(string(t.of(0))))
	}
	named := isColumnName(t.labels[0])
	both := named && isSequenceName(string(t.of(0)))
	switch {
	case !isText(t.labels[0]):
		return false
	case like != nil && (named || t.labels[0] == like.Target):
		given := slices.DeleteFunc(slices.Clone(t.labels[1:]), func(l string) bool { return l == "" })
		return !like.isTarget(t.labels[0]) && (both || len(given) > 0 && like.areTargets(given))
	case t.n() < enough && !both:
		return false
	}
	different := setOf(t.labels[1:])
	words := slices.ContainsFunc(t.labels[1:], isText)
	return !different[t.labels[0]] && !(words && !both && (3*len(different) > t.n() || !named))
}
