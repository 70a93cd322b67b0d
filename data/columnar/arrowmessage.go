package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
)

// These are positions of fields in the tables of Message.fbs and Schema.fbs, descriptions of the Arrow project.
const (
	messageVersion, messageType, messageHeader, messageBody = 0, 1, 2, 3

	schemaEndian, schemaFields, schemaTexts = 0, 1, 2
	textKey, textValue                      = 0, 1

	fieldName, fieldNullable, fieldType, fieldTable, fieldCoding, fieldChildren = 0, 1, 2, 3, 4, 5

	codingID, codingPlaces                        = 0, 1
	dictionaryID, dictionaryData, dictionaryDelta = 0, 1, 2

	footerVersion, footerSchema, footerDictionaries, footerBatches = 0, 1, 2, 3

	batchRows, batchNodes, batchBuffers, batchPacking, batchCounts = 0, 1, 2, 3, 4
)

// These are the values of messageType.
const isSchema, isDictionary, isBatch = 1, 2, 3

// arrowMessages reads the messages of a stream.
type arrowMessages struct {
	from io.Reader
	due  int           // messages of an index that are still to come; 0 for a stream, which has no index
	seen int64         // bytes of the stream that were read
	kept int64         // bytes of decompressed dictionaries
	zstd *zstd.Decoder // decodes into the memory it is given, and no more
}

// arrowMessage is the table of a message, and the bytes after it.
type arrowMessage struct {
	in     *arrowMessages
	kind   byte
	header fbTable
	body   []byte
}

// next reads the next message; io.EOF after the last.
func (m *arrowMessages) next() (message arrowMessage, err error) {
	defer damaged(&err)
	length, err := m.length()
	if err == io.EOF && m.due > 0 {
		err = shortArrow(err)
	}
	if err != nil {
		return message, err
	}
	m.due--
	if length < 8 || length > maxMetadata {
		return message, damage("a message's description has %d bytes", length)
	}
	text, err := m.take(int64(length))
	if err != nil {
		return message, err
	}
	root := rootOf(text)
	header, ok := root.table(messageHeader)
	size := root.int64(messageBody, 0)
	if !ok || size < 0 {
		return message, damage("a message has no content")
	}
	body, err := m.take(size)
	return arrowMessage{m, root.byte(messageType), header, body}, err
}

// length reads the length of the next description; io.EOF after the last, which is 0 or the end of the file.
func (m *arrowMessages) length() (n uint32, err error) {
	const follows = 1<<32 - 1 // this word stands before the length, except in old files
	for n = follows; n == follows; {
		var word [4]byte
		if _, err = io.ReadFull(m.from, word[:]); err == io.EOF {
			return 0, err
		} else if err != nil {
			return 0, shortArrow(err)
		}
		n = binary.LittleEndian.Uint32(word[:])
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// take reads n bytes. It never holds more memory than the bytes that have arrived need.
func (m *arrowMessages) take(n int64) ([]byte, error) {
	if n > maxBatch {
		return nil, fmt.Errorf("a batch of rows has %d bytes, at most %d can be read: write smaller batches",
			n, int64(maxBatch))
	}
	const piece = 1 << 20
	text := make([]byte, 0, min(n, piece))
	for int64(len(text)) < n {
		done := len(text)
		text = slices.Grow(text, int(min(n-int64(done), piece)))
		text = text[:min(int64(cap(text)), n)]
		if _, err := io.ReadFull(m.from, text[done:]); err != nil {
			return nil, shortArrow(err)
		}
	}
	m.seen += n
	return text, nil
}

func shortArrow(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damage("it is cut short")
	}
	return err
}

// fbTable is a table of a flatbuffer. Reading beyond its bytes panics.
type fbTable struct{ flatbuffers.Table }

// rootOf returns the root table of a flatbuffer.
func rootOf(text []byte) fbTable {
	return fbTable{flatbuffers.Table{Bytes: text, Pos: flatbuffers.GetUOffsetT(text)}}
}

// at returns the position of a field; 0 if it is missing.
func (t fbTable) at(field int) flatbuffers.UOffsetT {
	at := flatbuffers.UOffsetT(t.Offset(slot(field)))
	if at == 0 {
		return 0
	}
	return t.Pos + at
}

func slot(field int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*field) }

func (t fbTable) byte(field int) byte { return t.GetByteSlot(slot(field), 0) }

func (t fbTable) int64(field int, def int64) int64 {
	return t.GetInt64Slot(slot(field), def)
}

func (t fbTable) text(field int) string {
	if at := t.at(field); at != 0 {
		return t.String(at)
	}
	return ""
}

func (t fbTable) table(field int) (inner fbTable, ok bool) {
	at := t.at(field)
	if at == 0 {
		return inner, false
	}
	return fbTable{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}}, true
}

// elements returns the positions of a vector's elements, each of size bytes.
func (t fbTable) elements(field, size int) (positions []flatbuffers.UOffsetT) {
	at := t.at(field)
	if at == 0 {
		return nil
	}
	start, n := int(t.Vector(at-t.Pos)), t.VectorLen(at-t.Pos)
	if n > (len(t.Bytes)-start)/size {
		panic(fmt.Sprintf("a list of %d", n))
	}
	for i := range n {
		positions = append(positions, flatbuffers.UOffsetT(start+i*size))
	}
	return positions
}
