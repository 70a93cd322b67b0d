package data

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// isFASTA: the first line that is not blank is a header.
func isFASTA(head []byte) bool {
	return isHeaderLine(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
}

// labelWord is what some sets of texts write before the > of a header.
const labelWord = "LABEL"

func isHeaderLine(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(line, []byte(labelWord)), []byte(">"))
}

// readFASTA reads sequences on any number of lines each, after a header >CLASS or >NAME|CLASS.
func readFASTA(in *input) (*table, error) {
	if _, err := in.text(); err != nil {
		return nil, err
	}
	t := &texts{name: in.name}
	var headers []string
	lines := &lineReader{in: in}
	for {
		from := len(t.text)
		text, err := lines.append(t.text)
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		line := text[from:]
		here := place{lines.line, 1}
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			if t.text = text; len(headers) > 0 {
				t.text = append(text, '\n')
			}
		case isHeaderLine(line):
			t.close()
			headers = append(headers, strings.TrimSpace(string(bytes.TrimPrefix(line, []byte(labelWord))[1:])))
			t.where = append(t.where, here)
			t.at = append(t.at, place{lines.line + 1, 1})
			t.text = t.text[:from]
		case bytes.IndexByte(line, '\t') >= 0:
			return nil, t.errorAt(place{lines.line, bytes.IndexByte(line, '\t') + 1},
				"found a tab in the sequence after %s: lines of class, tab and sequence cannot be mixed "+
					"with FASTA", quote(">"+headers[len(headers)-1]))
		default:
			t.text = append(text, '\n')
		}
	}
	t.close()
	return t.finishFASTA(in, headers)
}

// close ends the sequence that was read last.
func (t *texts) close() {
	if len(t.end) < len(t.at) {
		t.end = append(t.end, len(t.text))
	}
}

func (t *texts) finishFASTA(in *input, headers []string) (*table, error) {
	for i := range t.n() {
		if len(bytes.TrimSpace(t.of(i))) == 0 {
			return nil, t.errorAt(t.where[i],
				"the sequence after %s is empty: remove the header, or give the sequence", quote(">"+headers[i]))
		}
	}
	t.splitHeaders(headers)
	if in.opt.Labels == "" {
		if err := t.checkHeaders(in.opt); err != nil {
			return nil, err
		}
	}
	return t.table(in)
}

// splitHeaders takes the class from behind the last |, if there is one in the first header, else
// the whole header.
func (t *texts) splitHeaders(headers []string) {
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

// checkHeaders refuses a header without a class. Headers that are nearly all different and no
// numbers are names. Where classes may be missing, they are left out unless every header has one.
func (t *texts) checkHeaders(opt ReadOptions) error {
	if opt.TargetOptional {
		if known := t.known(opt.Like.Classes); known < t.n() {
			if t.labels = nil; known > 0 {
				t.notes = append(t.notes,
					fmt.Sprintf("%s: %d of its %s have a class of the model in the header: classes are ignored",
						t.name, known, plural(t.n(), "sequence")))
			}
		}
		return nil
	}
	for i, l := range t.labels {
		if l == "" {
			return t.errorAt(t.where[i],
				"the header has no class: write >CLASS or >NAME|CLASS in every header, or give the classes with "+
					"--labels FILE")
		}
	}
	different := map[string]bool{}
	for _, l := range t.labels {
		if _, err := parseNumber(l); err == nil {
			return nil
		}
		different[l] = true
	}
	if opt.Like == nil && len(different) > 2 && 2*len(different) > t.n() {
		return t.errorAt(t.where[0],
			"the header has no class: the headers hold %d different words in %s, so they are names; write "+
				">NAME|CLASS, or give the classes with --labels FILE",
			len(different), plural(t.n(), "sequence"))
	}
	return nil
}

// known counts the labels that are a class, or a number where there are no classes.
func (t *texts) known(classes []string) (count int) {
	find := classFinder(classes)
	for _, l := range t.labels {
		_, ok := find(l)
		if classes == nil {
			_, err := parseNumber(l)
			ok = err == nil
		}
		if ok {
			count++
		}
	}
	return count
}
