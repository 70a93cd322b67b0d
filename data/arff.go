package data

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// An ARFF file is a table without a header row. Lines before it name the columns and their types.

// openARFF reads the lines before the table, and its first row.
func (r *records) openARFF() error {
	names, err := r.arffHeader()
	if err != nil {
		return err
	}
	r.dialect = detectedDialect{separator: ','}
	r.rows = &plainRows{src: bufio.NewReader(r.guard), commas: true, comment: '%'}
	if err := r.readFirst(); err != nil {
		return err
	}
	if strings.HasPrefix(r.row[0], "{") {
		return r.errorAt(position{line: r.line},
			"found a sparse row: write all its values, or save the table as LIBSVM or CSV")
	}
	if len(names) != r.width {
		return r.errorAt(position{line: r.line}, "this row has %s, but there are %d lines @attribute",
			phrase.Plural(r.width, "cell"), len(names))
	}
	return r.nameColumns(names)
}

// isARFF looks at the first line that is not blank and not a comment.
func isARFF(head []byte) bool {
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '%' {
			return keyword(string(line), "@relation")
		}
	}
	return false
}

func keyword(line, word string) bool {
	return strings.EqualFold(firstWord(line), word)
}

// arffHeader reads the lines before the table: the names of the columns, and their types.
func (r *records) arffHeader() (names []string, err error) {
	read := int64(0)
	err = r.eachLine(r.lim.text, r.lim.record, func(number int, text []byte) error {
		r.before = number
		read += int64(len(text) + 1)
		wrong := func(msg string) error { return r.errorAt(position{line: number}, "%s", msg) }
		switch line := strings.TrimSpace(string(text)); {
		case read > r.lim.record:
			return wrong("the lines before @data are too long: this is not an ARFF file")
		case keyword(line, "@data"):
			return io.EOF
		case keyword(line, "@attribute"):
			name, rest := strings.TrimSpace(line[len("@attribute"):]), ""
			if name == "" {
				return wrong("this @attribute has no name")
			}
			if q := name[0]; q == '\'' || q == '"' {
				name, rest = quotedName(name)
			} else if at := strings.IndexAny(name, " \t{"); at >= 0 {
				name, rest = name[:at], name[at:]
			}
			kind, err := arffTypeOf(rest)
			if err != nil {
				return wrong(err.Error())
			}
			names = append(names, name)
			r.types = append(r.types, kind)
		case line == "", line[0] == '%', keyword(line, "@relation"):
		default:
			return wrong("found " + phrase.Quote(line) + " before @data: only @attribute may stand there")
		}
		return nil
	})
	switch err {
	case io.EOF:
		return names, nil
	case nil:
		err = r.errorf("is an ARFF file without a line @data: it was cut short, fetch it again")
	}
	return nil, err
}

// quotedName cuts a name in quotes from the type after it. A quote or a \ inside it stands after a \.
func quotedName(text string) (name, rest string) {
	quote, end := text[:1], 1
	for end < len(text) && text[end:end+1] != quote {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(text) { // the name ends in a \ that stands for itself
		name, rest, _ = strings.Cut(text[1:], quote)
		return name, rest
	}
	name = strings.NewReplacer(`\\`, `\`, `\`+quote, quote).Replace(text[1:end])
	return name, text[end+1:]
}

// arffTypeOf reads the type after the name of a column, in small letters: numeric, string, date, or nominal if values
// are listed.
func arffTypeOf(text string) (string, error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		kind, form, _ := strings.Cut(strings.ToLower(text), " ")
		day, month := strings.IndexByte(form, 'd'), strings.IndexByte(form, 'm')
		if kind == "date" && day >= 0 && month >= 0 {
			kind += map[bool]string{true: cellformat.DayFirst, false: cellformat.MonthFirst}[day < month]
		}
		return kind, nil
	}
	end := strings.LastIndexByte(text, '}')
	if end < 0 {
		return "", errors.New("the list of values of this @attribute has no closing }")
	}
	r := &plainRows{src: bufio.NewReader(strings.NewReader(text[1:end])), commas: true}
	if _, err := r.Read(); err != nil {
		return "", errors.New("the list of values of this @attribute is empty or has an open quote")
	}
	return "nominal", nil
}

// isDated reports whether an ARFF table says that column i is of dates.
func (r *records) isDated(i int) bool { return r.types != nil && strings.HasPrefix(r.types[i], "date") }

// dateOrder returns the order of day and month that an ARFF table says column i has.
func (r *records) dateOrder(i int) string {
	if !r.isDated(i) {
		return ""
	}
	return strings.TrimPrefix(r.types[i], "date")
}
