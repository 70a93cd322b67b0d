package data

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// jsonRows reads rows as objects in JSON, one on each line, or the elements of an array. The keys of the first are the
// columns. A column that a later row lacks is a missing cell, like null.
type jsonRows struct {
	name string
	src  *bufio.Reader
	next func() ([]byte, error) // reads a row

	names  []string
	at     map[string]int // positions of the columns by their names
	spare  []string       // columns that only some rows may have
	text   []byte         // the current line or element
	row    []string
	typed  []bool   // cells that are numbers, true or false, not text
	starts []int    // start of each cell in the text, from 1
	line   int      // where the text starts, from 1
	column int      // bytes of that line before the text
	end    position // place where the rest of an array starts; its column is from 0
	count  int      // number of elements of an array so far
	comma  bool     // a comma must stand before the next element of an array
	flat   bool     // an array on one line, whose elements count as lines
	offset int64

	noCells map[int]string // columns of lists or objects, as records.noCells
	plain   []bool         // columns that have had another value
	// Rows are like the training rows: after the first, a column that is read holds no list.
	like   bool
	spared map[int]bool // columns that are not read, whatever they hold
}

var graphKeys = regexp.MustCompile(`"(nodes|edges)"\s*:\s*\[`)

// isJSONRows reports whether the first line, or the first element of an array, is a JSON object, and not a graph.
func isJSONRows(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	end := "\n"
	if inside, array := bytes.CutPrefix(head, []byte("[")); array && !isGraphArray(head) {
		head, end = inside, "}"
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(head, "{ \t\r\n"), []byte(end))
	return isGraphLines(head) && bytes.Contains(first, []byte(`"`)) && !graphKeys.Match(first)
}

// rowsKeyForm is the beginning of an object whose first key has a list of objects.
var rowsKeyForm = regexp.MustCompile(`^\s*{\s*"([^"]*)"\s*:\s*\[\s*{`)

// pandasForm is the beginning of a table that pandas writes in parts, by the numbers of its rows, or by its columns.
var pandasForm = regexp.MustCompile(`^\s*{\s*("(columns|schema)"\s*:\s*[\[{]|"0"\s*:\s*{|"[^"]*"\s*:\s*{\s*"0"\s*:)`)

// tableFault tells why an object that holds all rows, as {"data": [{…}, …]} does, cannot be read; "" for other text.
func tableFault(head []byte) string {
	from := json.NewDecoder(bytes.NewReader(head))
	object := map[string]json.RawMessage{}
	err := from.Decode(&object)
	whole := err == nil && !from.More() // otherwise this is a row that has a list
	if !whole && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	scalar := false
	for _, value := range object {
		scalar = scalar || value[0] != '[' && value[0] != '{'
	}
	if key := rowsKeyForm.FindSubmatch(head); key != nil && !(whole && len(object) > 1) {
		return "is an object that holds its rows as " + phrase.Quote(string(key[1])) +
			": write these alone, as an array or one on each line"
	}
	if pandasForm.Match(head) && !scalar && len(object) != 1 {
		return "is an object that holds a table by its parts: write each row as an object, as pandas does with " +
			"orient=records"
	}
	return ""
}

// isGraphArray reports whether the file is an array of graphs.
func isGraphArray(head []byte) bool {
	inside, array := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("["))
	return array && isGraphLines(inside) && graphKeys.Match(inside)
}

// nestedForm is the beginning of an array of arrays, up to the end of its first row.
var nestedForm = regexp.MustCompile(`^(\[\s*){2,}[^\[\]]*\][\s,]*(\[|\][\s\]]*$|$)`)

// inBrackets reports whether rows stand in brackets, as lists in JSON, tuples of Python and printed arrays do.
func inBrackets(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if nestedForm.Match(head) {
		return true
	}
	lines := bytes.Split(head, []byte("\n"))
	if len(bytes.TrimSpace(head)) <= len(lines[0]) {
		lines = [][]byte{nil, lines[0], nil} // a single row
	}
	found := false
	for _, line := range lines[1:max(1, len(lines)-1)] { // the first may be a header, the last cut short
		line = bytes.TrimRight(line, ", \t\r")
		if cells, ok := unwrap(line); len(line) > 0 && (!ok || !bytes.ContainsAny(cells, ",; \t|")) {
			return false
		}
		found = found || len(line) > 0
	}
	return found
}

// unwrap returns the text between the brackets around a line, if they are its only ones.
func unwrap(line []byte) (inside []byte, ok bool) {
	line = bytes.TrimSpace(line)
	inside = bytes.Trim(line, "[()] ")
	ok = len(inside) > 0 && !bytes.ContainsAny(inside, "[()]") && strings.IndexByte("[(", line[0]) >= 0 &&
		strings.IndexByte("])", line[len(line)-1]) >= 0
	return inside, ok
}

func (r *records) openJSON() error {
	rows := &jsonRows{name: r.name, src: bufio.NewReader(r.guard), noCells: map[int]string{}}
	rows.next = rows.nextLine
	if bytes.HasPrefix(bytes.TrimLeft(r.head, " \t\r\n"), []byte("[")) {
		before, err := rows.src.ReadBytes('[')
		if err != nil {
			return readError(r.name, err)
		}
		rows.next = rows.nextElement
		rows.offset = int64(len(before))
		lines := bytes.Split(before, []byte("\n"))
		rows.end = position{len(lines), len(lines[len(lines)-1])}
		rows.flat = !bytes.Contains(bytes.TrimSpace(r.head), []byte("\n"))
	}
	if r.opt.TargetOptional {
		rows.spare = r.opt.Schema.Outputs()
	}
	r.rows = rows
	r.dialect = detectedDialect{separator: ','}
	r.noCells = rows.noCells
	if err := r.readFirst(); err != nil {
		return err
	}
	r.dialect.names = rows.names
	rows.spared = r.spared(rows.names)
	rows.like = r.opt.Schema != nil
	return r.nameColumns(rows.names)
}

func (j *jsonRows) FieldPos(cell int) (line, column int) {
	at := j.placeOf(j.starts[cell] - 1)
	return at.line, at.column
}

// placeOf returns the place of a byte of the text, from 0. The text of an element may have several lines.
func (j *jsonRows) placeOf(at int) position {
	before := j.text[:at]
	if last := bytes.LastIndexByte(before, '\n'); last >= 0 {
		return position{j.line + bytes.Count(before, []byte("\n")), at - last}
	}
	return position{j.line, j.column + at + 1}
}

func (j *jsonRows) InputOffset() int64     { return j.offset }
func (j *jsonRows) isNumber(cell int) bool { return j.typed[cell] }

// Read returns the next row.
func (j *jsonRows) Read() ([]string, error) {
	text, err := j.next()
	if err == nil {
		err = j.parse(text)
	}
	return j.row, err
}

// nextLine returns the next line that is not blank.
func (j *jsonRows) nextLine() ([]byte, error) {
	for {
		text, err := j.src.ReadBytes('\n')
		j.offset += int64(len(text))
		if err != nil && (err != io.EOF || len(text) == 0) {
			return nil, err
		}
		j.line++
		if len(bytes.TrimSpace(text)) > 0 {
			return text, nil
		}
	}
}

// nextElement returns the next element of an array. It finds where elements end, and parse finds their faults.
func (j *jsonRows) nextElement() ([]byte, error) {
	b, err := j.firstOfElement()
	if err != nil {
		return nil, err
	}
	var text []byte
	for depth, quoted, escaped := 0, false, false; ; {
		switch {
		case quoted:
			quoted, escaped = b != '"' || escaped, b == '\\' && !escaped
		case b == '"':
			quoted = true
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		}
		ended := depth < 0 || depth == 0 && !quoted && b == ',' // after an element that is no object
		if ended {
			j.offset--
			j.end.column--
			err = j.src.UnreadByte()
		} else {
			text = append(text, b)
		}
		if ended || depth == 0 && !quoted && (b == '}' || b == ']') {
			j.count++
			j.comma = true
			return text, err
		}
		if b, err = j.nextByte(); err != nil {
			return nil, err
		}
	}
}

// firstOfElement returns the first byte of the next element, after its comma.
func (j *jsonRows) firstOfElement() (byte, error) {
	for {
		b, err := j.nextByte()
		switch {
		case err != nil:
			return 0, err
		case strings.IndexByte(" \t\r\n", b) >= 0:
			continue
		case b == ']' && (j.comma || j.count == 0):
			if rest, _ := j.src.Peek(j.src.Size()); len(bytes.TrimSpace(rest)) > 0 {
				return 0, errorf(j.name, "found more after the array: join the arrays to one")
			}
			return 0, io.EOF
		case j.comma && b == ',':
			j.comma = false
			continue
		case j.comma:
			return 0, errorAt(j.name, j.end, "found no comma between two rows of the array: write one")
		case b == ',' || b == ']':
			return 0, errorAt(j.name, j.end,
				"found no row at this comma of the array, or after the last one: remove it")
		}
		j.line, j.column = j.end.line, j.end.column-1
		if j.flat {
			j.line, j.column = j.count+1, 0
		}
		return b, nil
	}
}

// nextByte reads a byte of an array.
func (j *jsonRows) nextByte() (byte, error) {
	b, err := j.src.ReadByte()
	if err == io.EOF {
		return 0, errorf(j.name, "the array breaks off after %s: the file was cut short, make it again",
			phrase.Plural(j.count, "whole element"))
	}
	j.offset++
	j.end.column++
	if b == '\n' {
		j.end = position{line: j.end.line + 1}
	}
	return b, err
}

func (j *jsonRows) parse(text []byte) error {
	first := j.at == nil
	j.text = text
	if first {
		j.at = map[string]int{}
	}
	for c := range j.row {
		j.row[c], j.typed[c], j.starts[c] = "", false, 0
	}
	from := json.NewDecoder(bytes.NewReader(text))
	from.UseNumber()
	if open, err := from.Token(); err != nil || open != json.Delim('{') {
		return j.wrong(from, "found no object in JSON: write a row as {\"column\": value, …}")
	}
	for from.More() {
		key, err := from.Token()
		if err != nil {
			return j.broken(from, err)
		}
		name := key.(string) // only a name can stand here in an object
		c, known := j.at[name]
		switch {
		case !known && !first && slices.Contains(j.spare, name):
			if err := from.Decode(new(any)); err != nil {
				return j.broken(from, err)
			}
			continue
		case !known && !first:
			return j.wrong(from, "found the key %s, which the first row does not have: give it there too, "+
				"as null if it has no value", phrase.Quote(name))
		case !known:
			c = len(j.names)
			j.at[name] = c
			j.names = append(j.names, name)
			j.row = append(j.row, "")
			j.typed = append(j.typed, false)
			j.plain = append(j.plain, false)
			j.starts = append(j.starts, 0)
		case j.starts[c] > 0:
			return j.wrong(from, "found the key %s twice in a row", phrase.Quote(name))
		}
		j.starts[c] = int(from.InputOffset()) + 1
		if err = j.cell(from, c); err != nil {
			return err
		}
	}
	if _, err := from.Token(); err != nil {
		return j.broken(from, err)
	}
	if _, err := from.Token(); err != io.EOF {
		return j.wrong(from, "found more after the object: write each row on a line of its own")
	}
	for c := range j.starts {
		j.starts[c] = max(1, j.starts[c])
	}
	return nil
}

// cell reads the value of a column. A list or an object is a missing cell. The first value of a column decides whether
// the column holds lists or objects.
func (j *jsonRows) cell(from *json.Decoder, c int) error {
	var value any
	if err := from.Decode(&value); err != nil {
		return j.broken(from, err)
	}
	kind := ""
	switch v := value.(type) {
	case []any:
		kind = "list"
	case map[string]any:
		kind = "object"
	case string:
		j.row[c] = v
		fault := LoneSurrogate(j.text[j.starts[c]-1 : from.InputOffset()])
		if strings.IndexByte(v, 0) >= 0 {
			fault = zeroByte
		}
		if fault != "" && !j.spared[c] {
			return j.wrong(from, "%s: correct column %s", fault, phrase.Quote(j.names[c]))
		}
	case json.Number:
		j.row[c], j.typed[c] = v.String(), true
	case bool:
		j.row[c], j.typed[c] = strconv.FormatBool(v), true
	}
	switch {
	case kind == "":
		j.plain[c] = j.plain[c] || value != nil
	case j.spared[c], j.noCells[c] != "", slices.Contains(j.spare, j.names[c]): // the cell is not read
	case j.plain[c], j.like:
		return j.wrong(from, "found a JSON %s in column %s: only numbers, text, true, false and null can be read", kind,
			phrase.Quote(j.names[c]))
	default:
		j.noCells[c] = kind
	}
	return nil
}

// broken returns the error about a line that is not JSON.
func (j *jsonRows) broken(from *json.Decoder, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return j.wrong(from, "the object does not end on its line: write each row on a line of its own")
	}
	rest := strings.TrimLeft(string(j.text[from.InputOffset():]), " \t:")
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if strings.HasPrefix(rest, word) {
			return j.wrong(from, "found %s, which JSON does not have: write null where there is no value", word)
		}
	}
	return j.wrong(from, "is no JSON (%v)", err)
}

func (j *jsonRows) wrong(from *json.Decoder, format string, args ...any) error {
	err := errorAt(j.name, j.placeOf(int(from.InputOffset())), format, args...)
	err.row = true
	return err
}
