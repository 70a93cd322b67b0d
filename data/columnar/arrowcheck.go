package columnar

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Places of fields in the tables of Message.fbs and Schema.fbs, the Arrow project's descriptions.
const (
	messageType, messageHeader, messageBody, messageMetadata = 1, 2, 3, 4

	schemaFields, schemaMetadata = 1, 2

	fieldName, fieldType, fieldCoding, fieldChildren, fieldMetadata = 0, 2, 4, 5, 6

	codingID                     = 0
	dictionaryID, dictionaryData = 0, 1

	batchNodes, batchBuffers, batchPacking, batchCounts = 1, 2, 3, 4

	packingCodec = 0
)

// Values of messageType, and of packingCodec.
const (
	isSchema, isDictionary, isBatch = 1, 2, 3

	isZstd = 1
)

// arrowKinds are the names of types by their numbers in the union Type; those of flat are cells.
var arrowKinds = map[byte]string{1: "null", 2: "int", 3: "float", 4: "binary", 5: "utf8", 6: "bool", 7: "decimal",
	8: "date", 9: "time", 10: "timestamp", 11: "interval", 12: "list", 13: "struct", 14: "union", 15: "binary",
	16: "list", 17: "map", 18: "duration", 19: "binary", 20: "utf8", 21: "list", 22: "run-end encoded", 23: "binary",
	24: "utf8", 25: "list", 26: "list"}

var flatKinds = []string{"null", "int", "float", "utf8", "bool", "decimal", "date", "timestamp"}

// arrowView is a type whose columns have as many buffers as a batch says.
const arrowView = 24

// arrowCheck checks messages by what it has learnt from the schema.
type arrowCheck struct {
	views int            // columns of arrowView
	coded map[int64]bool // whether a dictionary is one of arrowView, by its number
}

// message says how many bytes of rows follow a message, and how they are packed. Counts that its
// bytes do not pay for are an error, and so are columns that are no cells.
func (c *arrowCheck) message(description []byte) (body int64, rows packed, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w (%v)", errDamagedArrow, cause)
		}
	}()
	m := fbTable{flatbuffers.Table{Bytes: description, Pos: flatbuffers.GetUOffsetT(description)}}
	body = m.int64(messageBody)
	header, ok := m.table(messageHeader)
	if m.elements(messageMetadata, 4); !ok || body < 0 {
		return 0, nil, errDamagedArrow
	}
	switch m.byte(messageType) {
	case isSchema:
		return body, nil, c.schema(header)
	case isDictionary:
		views := 0
		if c.coded[header.int64(dictionaryID)] {
			views = 1
		}
		if header, ok = header.table(dictionaryData); ok {
			return body, header.packed(), header.checkBatch(views)
		}
	case isBatch:
		return body, header.packed(), header.checkBatch(c.views)
	}
	return 0, nil, errDamagedArrow
}

// schema checks a schema and its columns.
func (c *arrowCheck) schema(t fbTable) error {
	c.views, c.coded = 0, map[int64]bool{}
	t.elements(schemaMetadata, 4)
	for _, at := range t.elements(schemaFields, 4) {
		f := fbTable{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}}
		f.elements(fieldMetadata, 4)
		kind := f.byte(fieldType)
		if !slices.Contains(flatKinds, arrowKinds[kind]) || len(f.elements(fieldChildren, 4)) > 0 {
			name := ""
			if at := f.at(fieldName); at != 0 {
				name = f.String(f.Pos + at)
			}
			return notFlat(name, arrowKinds[kind])
		}
		if coding, ok := f.table(fieldCoding); ok {
			id := coding.int64(codingID)
			c.coded[id] = c.coded[id] || kind == arrowView
		} else if kind == arrowView {
			c.views++
		}
	}
	return nil
}

// checkBatch checks a batch of rows with so many columns of arrowView.
func (t fbTable) checkBatch(views int) error {
	t.elements(batchNodes, 16)
	buffers, counts := len(t.elements(batchBuffers, 16)), t.elements(batchCounts, 8)
	if len(counts) < views {
		return errDamagedArrow
	}
	for _, at := range counts {
		if n := t.GetInt64(at); n < 0 || n > int64(buffers) {
			return errDamagedArrow
		}
	}
	return nil
}

// packed are the buffers of a batch that are compressed with zstd: offset and length of each, in
// what follows the message.
type packed [][2]int64

func (t fbTable) packed() (buffers packed) {
	if packing, ok := t.table(batchPacking); !ok || packing.byte(packingCodec) != isZstd {
		return nil
	}
	for _, at := range t.elements(batchBuffers, 16) {
		buffers = append(buffers, [2]int64{t.GetInt64(at), t.GetInt64(at + 8)})
	}
	return buffers
}

// check checks the windows of buffers in a body that lies at an offset of a file. Each begins with
// the size that it holds.
func (p packed) check(file io.ReaderAt, body, size int64) error {
	for _, b := range p {
		start, end := b[0], b[0]+b[1]
		if start < 0 || end > size || end-start < 8 {
			continue // an empty one, or one that package ipc will not find
		}
		holds := make([]byte, 8)
		if _, err := file.ReadAt(holds, body+start); err != nil {
			return shortArrow(err)
		}
		n := int64(binary.LittleEndian.Uint64(holds))
		if n < 0 {
			continue // not compressed
		}
		if err := sizesOfZstd(file, body+start+8, body+end).checkWindow(n); err != nil {
			return err
		}
	}
	return nil
}

// fbTable is a table of a flatbuffer. Reading beyond its bytes panics.
type fbTable struct{ flatbuffers.Table }

// at is where a field lies from the table's position; 0 where it is missing.
func (t fbTable) at(field int) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*field)))
}

func (t fbTable) byte(field int) byte {
	at := t.at(field)
	if at == 0 {
		return 0
	}
	return t.GetByte(t.Pos + at)
}

func (t fbTable) int64(field int) int64 {
	at := t.at(field)
	if at == 0 {
		return 0
	}
	return t.GetInt64(t.Pos + at)
}

func (t fbTable) table(field int) (inner fbTable, ok bool) {
	at := t.at(field)
	if at == 0 {
		return inner, false
	}
	return fbTable{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + at)}}, true
}

// elements are the positions of a vector's elements, each of so many bytes.
func (t fbTable) elements(field, size int) (positions []flatbuffers.UOffsetT) {
	at := t.at(field)
	if at == 0 {
		return nil
	}
	start, n := int(t.Vector(at)), t.VectorLen(at)
	if n > (len(t.Bytes)-start)/size {
		panic(fmt.Sprintf("a list of %d", n))
	}
	for i := range n {
		positions = append(positions, flatbuffers.UOffsetT(start+i*size))
	}
	return positions
}
