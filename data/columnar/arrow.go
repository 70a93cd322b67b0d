package columnar

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// A stream of Arrow IPC is a schema and then batches of rows, each in a message. A file has an index after them, with
// the schema and the places of the batches. The readers check each claim of a file against the bytes that arrive.

// arrowWord is at both ends of a file. Two zeros follow the first.
const arrowWord = "ARROW1"

// Bounds on the claims of a file.
const (
	maxMetadata = 64 << 20 // bytes of a message's description
	maxBatch    = 1 << 31  // bytes of the rows in a message
	smallBatch  = 64 << 20 // bytes of decompressed rows that any file may hold
	maxRatio    = 1 << 10  // largest ratio of decompressed to compressed bytes above smallBatch
)

// arrowReader gives the rows of a file or a stream one by one.
type arrowReader struct {
	messages     arrowMessages
	fields       []arrowField
	dictionaries map[int64]arrowColumn // dictionaries by their numbers
	described    []tablefile.Column
	columns      []arrowColumn // columns of the current batch
	at, n        int           // the next row of the batch; number of its rows
	err          error         // error in place of another batch
	row          []string
}

// openArrow opens a file of size bytes by its index.
func openArrow(r io.ReaderAt, size int64) (reader tablefile.Reader, err error) {
	defer damaged(&err)
	const start = int64(len(arrowWord) + 2)
	end := make([]byte, 4+len(arrowWord)) // the length of the index, and the word
	last := size - int64(len(end))
	if last < start {
		return nil, shortArrow(io.EOF)
	}
	if _, err := r.ReadAt(end, last); err != nil {
		return nil, shortArrow(err)
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if string(end[4:]) != arrowWord || length < 8 || length > min(maxMetadata, last-start) {
		return nil, shortArrow(io.EOF)
	}
	text := make([]byte, length)
	if _, err := r.ReadAt(text, last-length); err != nil {
		return nil, shortArrow(err)
	}
	index := rootOf(text)
	schema, ok := index.table(footerSchema)
	if !ok {
		return nil, damage("there is no schema")
	}
	var messages []io.Reader
	total := int64(0) // bytes of messages, which do not overlap
	for _, kind := range []int{footerDictionaries, footerBatches} {
		for _, at := range index.elements(kind, 24) {
			from, head, body := index.GetInt64(at), int64(index.GetInt32(at+8)), index.GetInt64(at+16)
			if from < 0 || head < 0 || body < 0 || body > size || from > last-head-body {
				return nil, damage("a batch lies outside the file")
			}
			if total += head + body; total > last {
				return nil, damage("its index has more batches than the file")
			}
			messages = append(messages, io.NewSectionReader(r, from, head+body))
		}
	}
	a, err := newArrowReader(io.MultiReader(messages...), schema)
	if err != nil {
		return nil, err
	}
	a.messages.due = len(messages)
	return a, nil
}

func openArrowStream(r io.Reader) (reader tablefile.Reader, err error) {
	defer damaged(&err)
	m, err := (&arrowMessages{from: r}).next()
	switch {
	case err != nil:
		return nil, shortArrow(err)
	case m.kind != isSchema:
		return nil, damage("there is no schema")
	}
	return newArrowReader(r, m.header)
}

// newArrowReader reads the messages that follow a schema.
func newArrowReader(r io.Reader, schema fbTable) (*arrowReader, error) {
	a := &arrowReader{messages: arrowMessages{from: r, zstd: unzstd(zstd.WithDecodeAllCapLimit(true))},
		dictionaries: map[int64]arrowColumn{}}
	var err error
	if a.fields, err = schemaOf(schema); err != nil {
		return nil, err
	}
	empty := true
	for _, f := range a.fields {
		isText := slices.Contains([]byte{arrowText, arrowLargeText, arrowView}, f.kind)
		a.described = append(a.described, tablefile.Column{Name: f.name, Text: isText, Unread: f.unread})
		empty = empty && (f.kind == arrowNull || f.unread != "")
	}
	if empty && len(a.fields) > 0 {
		return nil, errNoneRead
	}
	markIndexes(a.described, textUnder(schema, "pandas"))
	a.columns, a.row = make([]arrowColumn, len(a.fields)), make([]string, len(a.fields))
	return a, nil
}

func (a *arrowReader) Columns() []tablefile.Column { return a.described }

func (a *arrowReader) Read() (row []string, err error) {
	defer damaged(&err)
	if a.fill(); a.err != nil {
		return nil, a.err
	}
	for c := range a.columns {
		a.row[c] = a.columns[c].text(a.at)
	}
	a.at++
	return a.row, nil
}

// fill reads messages up to the next batch of rows, if no row is left.
func (a *arrowReader) fill() {
	defer damaged(&a.err)
	for a.at == a.n && a.err == nil {
		m, err := a.messages.next()
		switch {
		case err != nil:
			a.err = err
		case m.kind == isDictionary:
			a.err = a.readDictionary(m)
		case m.kind == isBatch:
			a.err = a.readBatch(m)
		default:
			a.err = damage("a message of kind %d", m.kind)
		}
	}
}

func (a *arrowReader) readBatch(m arrowMessage) error {
	b := m.batch(m.header)
	if len(a.fields) == 0 {
		return nil
	}
	for c, f := range a.fields {
		if f.unread != "" {
			a.columns[c] = b.skip(f.parts)
			continue
		}
		if !f.coded {
			a.columns[c] = b.column(f.arrowType)
			continue
		}
		values, known := a.dictionaries[f.dictionary]
		if !known {
			return damage("a dictionary is missing")
		}
		a.columns[c] = b.column(f.places).lookUp(values)
	}
	a.at, a.n = 0, b.rows
	return b.err
}

// readDictionary reads the values that columns refer to by number.
func (a *arrowReader) readDictionary(m arrowMessage) error {
	id := m.header.int64(dictionaryID, 0)
	values, ok := m.header.table(dictionaryData)
	if !ok {
		return damage("a dictionary has no values")
	}
	if m.header.byte(dictionaryDelta) != 0 {
		return errors.New("has a dictionary in parts, which cannot be read: write it again without deltas")
	}
	for _, f := range a.fields {
		if f.coded && f.dictionary == id {
			b := m.batch(values)
			a.dictionaries[id] = b.column(f.arrowType)
			return b.err
		}
	}
	return nil
}
