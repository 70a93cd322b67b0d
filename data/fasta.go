package data

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// isFASTA reports whether the first line that is neither blank nor a comment is a header, of FASTA or of FASTQ.
func isFASTA(head []byte) bool {
	head = behindComments(head)
	return isHeaderLine(head) || isFASTQ(head)
}

// behindComments returns the text from its first line that is neither blank nor a comment.
func behindComments(head []byte) []byte {
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		if !isComment(head, true) {
			return head
		}
		_, head, _ = bytes.Cut(head, []byte("\n"))
	}
}

// isComment reports whether the line starts with ; or #. After the first header, # begins a comment only if no word
// follows directly, as texts have hashtags. Vectors are numbers after a ;.
func isComment(line []byte, first bool) bool {
	switch {
	case len(line) == 0:
		return false
	case line[0] == ';':
		line, _, _ = bytes.Cut(line, []byte("\n"))
		return len(bytes.Trim(line, "0123456789.,;+-eE \t\r")) > 0 || len(bytes.TrimSpace(line)) == 1
	case line[0] != '#':
		return false
	}
	return first || len(line) == 1 || strings.IndexByte(" \t\r#", line[1]) >= 0
}

// labelWord stands before the > of a header in some sets of texts.
const labelWord = "LABEL"

func isHeaderLine(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(line, []byte(labelWord)), []byte(">"))
}

// hasFASTAName reports whether a file is one of sequences by the end of its name.
func hasFASTAName(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return slices.Contains([]string{".fasta", ".fa", ".fna", ".faa", ".fastq", ".fq"}, filepath.Ext(name))
}

// readFASTA reads sequences on any number of lines each, after a header >CLASS or >NAME|CLASS.
func readFASTA(in *input) (*table, error) {
	t := &sequenceTexts{input: in}
	if isFASTQ(behindComments(in.head)) {
		return readFASTQ(in)
	}
	var headers []string
	var comments occurrences
	err := in.eachLine(in.lim.cells, in.lim.cells, func(number int, line []byte) error {
		if headers == nil { // isFASTA accepts a first header that follows blanks
			line = bytes.TrimLeft(line, " \t\r")
		}
		switch {
		case isHeaderLine(line):
			t.close()
			headers = append(headers, strings.TrimSpace(string(bytes.TrimPrefix(line, []byte(labelWord))[1:])))
			t.where = append(t.where, position{number, 1})
			t.at = append(t.at, position{number + 1, 1})
			return nil
		case isComment(line, headers == nil):
			comments.countAt("", position{number, 1})
			line = nil // the end of the line stays, since places in the text count its lines
		case len(bytes.TrimSpace(line)) > 0 && bytes.IndexByte(bytes.TrimRight(line, " \t"), '\t') >= 0:
			return t.errorAt(position{number, bytes.IndexByte(line, '\t') + 1},
				"found a tab in the sequence after %s: lines of class, tab and sequence cannot be mixed with FASTA",
				phrase.Quote(">"+headers[len(headers)-1]))
		}
		if len(headers) > 0 {
			t.text = append(append(t.text, line...), '\n')
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.close()
	t.noteComments(comments)
	return t.finishFASTA(headers)
}

// noteComments adds a note about the comment lines that were left out.
func (t *sequenceTexts) noteComments(lines occurrences) {
	if lines.n > 0 {
		t.note("left out: %s, the first on line %d", phrase.Plural(lines.n, "comment line"), lines.at.line)
	}
}

// close ends the current sequence.
func (t *sequenceTexts) close() {
	if len(t.end) < len(t.at) {
		t.end = append(t.end, len(t.text))
	}
}

func (t *sequenceTexts) finishFASTA(headers []string) (*table, error) {
	for i := range t.n() {
		if len(bytes.TrimSpace(t.of(i))) == 0 && !t.drops() && t.opt.bad == nil {
			return nil, t.errorAt(t.where[i],
				"the sequence after %s is empty: remove the header, or give the sequence%s",
				phrase.Quote(">"+headers[i]), t.leaveOut())
		}
	}
	t.splitHeaders(headers)
	if t.opt.Labels != "" {
		t.names = headers
	} else if err := t.checkHeaders(); err != nil {
		return nil, err
	}
	if t.labels == nil {
		t.names = headers // no part of a name is a class
	}
	made, err := t.table()
	for i, name := range t.names {
		t.names[i] = firstWord(name)
	}
	return made, err
}

// splitHeaders takes the class from after the last | if there is one in the first header. Otherwise the class is the
// whole header.
func (t *sequenceTexts) splitHeaders(headers []string) {
	bar := len(headers) > 0 && strings.Contains(headers[0], "|")
	for _, h := range headers {
		name, label := h, h
		if i := strings.LastIndexByte(h, '|'); bar {
			name, label = h[:max(i, 0)], strings.TrimSpace(h[i+1:])
			if i < 0 {
				name, label = h, ""
			}
		}
		t.names, t.labels = append(t.names, name), append(t.labels, label)
	}
}

// checkHeaders refuses a header without a class. Headers are names if they are numbered, or nearly all different and
// not numbers. Optional classes are left out unless every header has one.
func (t *sequenceTexts) checkHeaders() error {
	opt := t.opt
	if opt.TargetOptional {
		known := matrix.Which(t.n(), func(i int) bool { return opt.Schema.isTarget(t.labels[i]) })
		if len(known) < t.n() {
			if strange := matrix.Others(t.n(), known)[0]; len(known) > 0 {
				t.note("%d of its %s have a class of the model in the header: classes are ignored (line %d has %s)",
					len(known), phrase.Plural(t.n(), "sequence"), t.where[strange].line,
					phrase.Quote(t.labels[strange]))
			}
			t.labels = nil
		} else if t.areNumbered() {
			t.note("the headers number the %s: they are names, and no targets", phrase.Plural(t.n(), "sequence"))
			t.labels = nil
		}
		return nil
	}
	for i, l := range t.labels {
		if l == "" && !t.drops() {
			return t.errorAt(t.where[i],
				"the header has no class: write >CLASS or >NAME|CLASS in every header, or give the classes with "+
					"%s FILE%s", asFlag("labels"), t.leaveOut())
		}
	}
	if t.areNumbered() {
		return t.errorAt(t.where[0],
			"the header has no class: the headers number the sequences, so they are names; write >NAME|CLASS, or give "+
				"the classes with %s FILE", asFlag("labels"))
	}
	isNumber := func(l string) bool { _, err := cellformat.ParseNumber(l); return err == nil }
	different := setOf(t.labels)
	if opt.Schema == nil && len(different) > 2 && 2*len(different) > t.n() &&
		!slices.ContainsFunc(t.labels, isNumber) {
		return t.errorAt(t.where[0],
			"the header has no class: the headers hold %d different words in %s, so they are names; write "+
				">NAME|CLASS, or give the classes with %s FILE",
			len(different), phrase.Plural(t.n(), "sequence"), asFlag("labels"))
	}
	return nil
}

// areNumbered reports whether three or more headers, without a |, count the sequences.
func (t *sequenceTexts) areNumbered() bool {
	first := 0
	for i, l := range t.labels {
		v, err := strconv.Atoi(l)
		if i == 0 {
			first = v
		}
		if err != nil || v != first+i || t.names[i] != l {
			return false
		}
	}
	return len(t.labels) > 2
}

// isFASTQ reports whether the text has a header with an @, lines of letters, and a line with a +. In a file with long
// reads that line may lie beyond the head.
func isFASTQ(head []byte) bool {
	header, rest, _ := bytes.Cut(head, []byte("\n"))
	behind := bytes.TrimLeft(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*.-\r\n")
	return bytes.HasPrefix(header, []byte("@")) && len(behind) < len(rest) &&
		(bytes.HasPrefix(behind, []byte("+")) || len(behind) == 0 && len(head) >= headSize/2)
}

// readFASTQ reads sequences with a quality for each symbol. The header is like that of FASTA, with an @. Lines of
// symbols, a line with a +, and lines of as many qualities follow. Qualities are not used. Comments may stand before
// the first header.
func readFASTQ(in *input) (*table, error) {
	t := &sequenceTexts{input: in}
	var headers []string
	var comments occurrences
	plus := 0    // the line of the +
	missing := 0 // the number of qualities still to read
	wrong := func(at, found int) error {
		return t.errorAt(position{at, 1}, "found %s for the %s after %s: every symbol needs one",
			phrase.Plural(found, "quality character"), phrase.Plural(t.symbols(), "symbol"),
			phrase.Quote("@"+headers[len(headers)-1]))
	}
	err := in.eachLine(in.lim.cells, in.lim.cells, func(number int, line []byte) error {
		line = bytes.TrimRight(line, " \t")
		if headers == nil { // isFASTA accepts a first header that follows blanks
			line = bytes.TrimLeft(line, " \t\r")
		}
		switch {
		case headers == nil && isComment(line, true):
			comments.countAt("", position{number, 1})
		case plus > 0 && (missing > 0 || len(line) == 0):
			if missing -= len(line); missing < 0 {
				return wrong(number, t.symbols()-missing)
			}
		case (headers == nil || plus > 0) && len(line) > 0:
			if line[0] != '@' {
				return t.errorAt(position{number, 1}, "found %s where a header with an @ belongs",
					phrase.Quote(string(line)))
			}
			t.close()
			headers = append(headers, strings.TrimSpace(string(line[1:])))
			plus = 0
			t.where, t.at = append(t.where, position{number, 1}), append(t.at, position{number + 1, 1})
		case len(line) > 0 && line[0] == '+':
			plus, missing = number, t.symbols()
		default:
			t.text = append(append(t.text, line...), '\n')
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case plus == 0:
		return nil, t.errorAt(t.where[len(headers)-1],
			"the sequence after %s has no qualities: write a line with a + and as many qualities as symbols",
			phrase.Quote("@"+headers[len(headers)-1]))
	case missing > 0:
		return nil, wrong(plus, t.symbols()-missing)
	}
	t.close()
	t.noteComments(comments)
	t.note("FASTQ: the qualities are not used")
	return t.finishFASTA(headers)
}

// symbols counts the symbols of the current sequence.
func (t *sequenceTexts) symbols() (n int) {
	from := 0
	if len(t.end) > 0 {
		from = t.end[len(t.end)-1]
	}
	text := t.text[from:]
	return len(text) - bytes.Count(text, []byte("\n"))
}
