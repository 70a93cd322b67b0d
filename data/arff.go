package data

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// An ARFF file is a CSV table without a header row, after lines that name its columns.

// isARFF looks at the first line that is not blank and not a comment.
func isARFF(head []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '%' {
			return keyword(string(line), "@relation")
		}
	}
	return false
}

func keyword(line, word string) bool {
	first, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	return strings.EqualFold(first, word)
}

// arffHeader reads the lines before the table: the names of the columns, and how many lines they took.
func (in *input) arffHeader() (names []string, lines int, err error) {
	src := &guard{src: in.bytes, limits: limits{text: in.lim.record, record: in.lim.record}}
	for {
		line, err := readLine(src)
		lines++
		wrong := func(msg string) error { return &Error{File: in.name, Line: lines, Msg: msg} }
		switch line = strings.TrimSpace(line); {
		case err == io.EOF:
			return nil, 0, errorf(in.name, "is an ARFF file without a line @data: it was cut short, fetch it again")
		case errors.Is(err, errTextLimit), errors.Is(err, errRecordLimit):
			return nil, 0, wrong("the lines before @data are too long: this is no ARFF file")
		case err != nil:
			return nil, 0, readError(in.name, err)
		case keyword(line, "@data"):
			return names, lines, nil
		case keyword(line, "@attribute"):
			name := strings.TrimSpace(line[len("@attribute"):])
			if name == "" {
				return nil, 0, wrong("this @attribute has no name")
			}
			if q := name[0]; q == '\'' || q == '"' {
				name, _, _ = strings.Cut(name[1:], string(q))
			} else {
				name = strings.Fields(name)[0]
			}
			names = append(names, name)
		case line == "", line[0] == '%', keyword(line, "@relation"):
		default:
			return nil, 0, wrong("found " + quote(line) + " before @data: only @attribute may stand there")
		}
	}
}

// readLine reads up to and with the next line feed, byte by byte: what follows belongs to another reader.
func readLine(r io.Reader) (string, error) {
	var line []byte
	b := make([]byte, 1)
	for {
		n, err := r.Read(b)
		if n == 1 {
			line = append(line, b[0])
		}
		if n == 1 && b[0] == '\n' || err == io.EOF && len(line) > 0 {
			return string(line), nil
		} else if err != nil {
			return "", err
		}
	}
}
