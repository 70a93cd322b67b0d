package columnar

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/pierrec/lz4/v4"
)

// These are the numbers of types in the union Type whose values are cells.
const (
	arrowNull, arrowInt, arrowFloat, arrowText, arrowBool, arrowDecimal = 1, 2, 3, 5, 6, 7
	arrowDate, arrowTime, arrowLargeText, arrowView                     = 8, 10, 20, 24
)

// arrowKinds are the names of all types.
var arrowKinds = map[byte]string{1: "null", 2: "int", 3: "float", 4: "binary", 5: "utf8", 6: "bool", 7: "decimal",
	8: "date", 9: "time", 10: "timestamp", 11: "interval", 12: "list", 13: "struct", 14: "union", 15: "binary",
	16: "list", 17: "map", 18: "duration", 19: "binary", 20: "utf8", 21: "list", 22: "run-end encoded", 23: "binary",
	24: "utf8", 25: "list", 26: "list"}

// arrowType is the type of a column's values.
type arrowType struct {
	kind   byte
	bytes  int // bytes of a value of a fixed size, or of an offset of text
	signed bool
	scale  int           // scale of decimals
	unit   time.Duration // unit of timestamps
}

// arrowField is a column of the schema.
type arrowField struct {
	name string
	arrowType
	coded      bool       // a batch holds positions in a dictionary of values
	places     arrowType  // type of the positions
	dictionary int64      // number of the dictionary
	unread     string     // type of the column, if its values cannot be cells
	parts      arrowParts // parts of a batch that belong to an unread column
}

// schemaOf reads the columns of a schema.
func schemaOf(t fbTable) (fields []arrowField, err error) {
	if t.GetInt16Slot(slot(schemaEndian), 0) != 0 {
		return nil, fmt.Errorf("has its numbers in big-endian order: write it again in little-endian order")
	}
	parts := 0 // number of parts of all unread columns
	for _, at := range t.elements(schemaFields, 4) {
		column := fbTable{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}}
		f := arrowField{name: column.text(fieldName)}
		var flat bool
		kind := column.byte(fieldType)
		of, _ := column.table(fieldTable)
		if f.arrowType, flat = typeOf(kind, of); !flat || len(column.elements(fieldChildren, 4)) > 0 {
			if err := f.parts.add(column); err != nil {
				return nil, err
			}
			if parts += f.parts.nodes; parts > maxParts {
				return nil, damage("more than %d columns within others", maxParts)
			}
			f.unread = cmp.Or(arrowKinds[kind], "unknown")
			fields = append(fields, f)
			continue
		}
		var coding fbTable
		if coding, f.coded = column.table(fieldCoding); f.coded {
			f.dictionary = coding.int64(codingID, 0)
			f.places = arrowType{kind: arrowInt, bytes: 4, signed: true}
			if places, given := coding.table(codingPlaces); given {
				if f.places, flat = typeOf(arrowInt, places); !flat {
					return nil, damage("positions in a dictionary are no integers")
				}
			}
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// textUnder returns the text that a schema has under a key; "" if it has none.
func textUnder(schema fbTable, key string) string {
	for _, at := range schema.elements(schemaTexts, 4) {
		pair := fbTable{flatbuffers.Table{Bytes: schema.Bytes, Pos: schema.Indirect(at)}}
		if pair.text(textKey) == key {
			return pair.text(textValue)
		}
	}
	return ""
}

// typeOf reads the table of a type, which may be empty. flat is false if values of the type cannot be cells.
func typeOf(kind byte, t fbTable) (a arrowType, flat bool) {
	a.kind = kind
	if t.Bytes == nil {
		return a, kind == arrowNull
	}
	widths := []int{1, 2, 4, 8}
	switch kind {
	case arrowNull, arrowBool, arrowView:
	case arrowInt:
		a.bytes = int(t.GetInt32Slot(slot(0), 0) / 8)
		a.signed = t.byte(1) != 0
	case arrowFloat:
		a.bytes = 2 << min(uint16(t.GetInt16Slot(slot(0), 0)), 8)
		widths = []int{2, 4, 8}
	case arrowText:
		a.bytes = 4
	case arrowLargeText:
		a.bytes = 8
	case arrowDecimal:
		a.scale = int(t.GetInt32Slot(slot(1), 0))
		a.bytes = int(t.GetInt32Slot(slot(2), 128) / 8)
		widths = []int{4, 8, 16, 32}
	case arrowDate:
		a.bytes = 4 << min(uint16(t.GetInt16Slot(slot(0), 1)), 8) // days, or milliseconds
	case arrowTime:
		units := []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond}
		a.bytes = 8
		a.unit = units[t.GetInt16Slot(slot(0), 0)]
	default:
		return a, false
	}
	return a, (a.bytes == 0 || slices.Contains(widths, a.bytes)) && a.scale >= 0 && a.scale <= maxDigits
}

// arrowBatch gives the columns of a batch one by one. Once err is set, they are empty.
type arrowBatch struct {
	arrowMessage
	table                  fbTable
	rows                   int
	nodes, buffers, counts []flatbuffers.UOffsetT // remaining parts of the batch
	packing                int                    // a codec; −1 for none
	room                   int64                  // bytes that decompressed buffers may still take
	err                    error
}

// These are the codecs of a batch.
const packedLZ4, packedZstd = 0, 1

// batch reads the table RecordBatch.
func (m arrowMessage) batch(t fbTable) *arrowBatch {
	b := &arrowBatch{arrowMessage: m, table: t, rows: int(t.int64(batchRows, 0)), nodes: t.elements(batchNodes, 16),
		buffers: t.elements(batchBuffers, 16), counts: t.elements(batchCounts, 8), packing: -1,
		room: min(maxBatch, smallBatch+m.in.seen*maxRatio) - m.in.kept}
	if packing, ok := t.table(batchPacking); ok {
		b.packing = int(packing.byte(0))
	}
	return b
}

// buffer returns the next buffer, with at least some bits for each of n values.
func (b *arrowBatch) buffer(n, bits int) (text []byte) {
	if b.err == nil && len(b.buffers) == 0 {
		b.err = damage("a buffer is missing")
	}
	if b.err != nil {
		return nil
	}
	from, length := b.table.GetInt64(b.buffers[0]), b.table.GetInt64(b.buffers[0]+8)
	b.buffers = b.buffers[1:]
	if from < 0 || length < 0 || from > int64(len(b.body)) || length > int64(len(b.body))-from {
		b.err = damage("a buffer of %d bytes where there are none", length)
		return nil
	}
	if text, b.err = b.unpacked(b.body[from : from+length]); b.err == nil && n > len(text)*8/max(1, bits) {
		b.err = damage("a buffer of %d bytes for %d values", len(text), n)
	}
	return text
}

// unpacked decompresses a buffer. Its decompressed size stands before it.
func (b *arrowBatch) unpacked(packed []byte) (text []byte, err error) {
	if len(packed) == 0 || b.packing < 0 {
		return packed, nil
	}
	if len(packed) < 8 {
		return nil, damage("a buffer of %d bytes lacks its size", len(packed))
	}
	n := int64(binary.LittleEndian.Uint64(packed))
	packed = packed[8:]
	if n == -1 {
		return packed, nil
	}
	if n < 0 || n > b.room {
		return nil, damage("a buffer claims %d bytes, at most %d can be read", n, b.room)
	}
	b.room -= n
	if b.kind == isDictionary {
		b.in.kept += n
	}
	text = make([]byte, n)
	switch b.packing {
	case packedLZ4:
		_, err = io.ReadFull(lz4.NewReader(bytes.NewReader(packed)), text)
	case packedZstd:
		if text, err = b.in.zstd.DecodeAll(packed, text[:0]); err == nil && int64(len(text)) < n {
			err = io.ErrUnexpectedEOF
		}
	default:
		return nil, fmt.Errorf("is compressed in way %d of Arrow, which is not known: write it again with zstd",
			b.packing)
	}
	if err != nil {
		return nil, damage("%v", err)
	}
	return text, nil
}

// arrowColumn holds the values of a column in a batch.
type arrowColumn struct {
	rows  int
	valid []byte // a bit for each value; nil if none is missing
	cell  func(i int) string
	whole func(i int) int64 // nil unless the values are integers
}

func (c *arrowColumn) missing(i int) bool { return c.valid != nil && !bit(c.valid, i) }

// text returns the text of a cell; "" for a missing one.
func (c *arrowColumn) text(i int) string {
	if c.missing(i) {
		return ""
	}
	return c.cell(i)
}

// lookUp looks up the values at the positions of a dictionary.
func (c arrowColumn) lookUp(values arrowColumn) arrowColumn {
	return arrowColumn{rows: c.rows, valid: c.valid, cell: func(i int) string {
		at := c.whole(i)
		if at < 0 || at >= int64(values.rows) {
			panic(fmt.Sprintf("place %d of a dictionary of %d", at, values.rows))
		}
		return values.text(int(at))
	}}
}

func (b *arrowBatch) column(t arrowType) (c arrowColumn) {
	if len(b.nodes) == 0 {
		b.err = damage("a column is missing")
		return c
	}
	rows := b.table.GetInt64(b.nodes[0])
	missing := b.table.GetInt64(b.nodes[0] + 8)
	b.nodes = b.nodes[1:]
	if rows < 0 || rows != int64(b.rows) {
		b.err = damage("a column of %d rows in a batch of %d", rows, b.rows)
		return c
	}
	c.rows = int(rows)
	if t.kind == arrowNull {
		c.cell = func(int) string { return "" }
		return c
	}
	if missing == 0 {
		b.buffer(0, 1)
	} else {
		c.valid = b.buffer(c.rows, 1)
	}
	switch t.kind {
	case arrowText, arrowLargeText:
		c.cell = b.texts(c.rows, t.bytes)
	case arrowView:
		c.cell = b.views(c.rows)
	case arrowBool:
		values := b.buffer(c.rows, 1)
		c.cell = func(i int) string { return strconv.FormatBool(bit(values, i)) }
	default:
		c.fixed(t, b.buffer(c.rows, 8*t.bytes))
	}
	return c
}

func (c *arrowColumn) fixed(t arrowType, values []byte) {
	integer := integers(t, values)
	switch t.kind {
	case arrowInt:
		c.whole = integer
		c.cell = func(i int) string { return strconv.FormatInt(integer(i), 10) }
		if t.bytes == 8 && !t.signed {
			c.cell = func(i int) string { return strconv.FormatUint(uint64(integer(i)), 10) }
		}
	case arrowFloat:
		switch t.bytes {
		case 2:
			c.cell = func(i int) string { return number(half(uint16(integer(i)))) }
		case 4:
			c.cell = func(i int) string {
				return number(float64(math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))))
			}
		case 8:
			c.cell = func(i int) string {
				return number(math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:])))
			}
		}
	case arrowDate:
		c.cell = func(i int) string { return day(integer(i)) }
		if t.bytes == 8 {
			c.cell = func(i int) string { return time.UnixMilli(integer(i)).UTC().Format(time.DateOnly) }
		}
	case arrowTime:
		c.cell = func(i int) string { return instant(integer(i), t.unit) }
	case arrowDecimal:
		c.cell = func(i int) string {
			n := slices.Clone(values[i*t.bytes : (i+1)*t.bytes]) // the lowest byte is the first
			slices.Reverse(n)
			return scaled(twosComplement(n), t.scale)
		}
	}
}

// integers reads values of up to eight bytes.
func integers(t arrowType, values []byte) func(i int) int64 {
	// above is the number of bits of a word above a value
	signed, above := t.signed || t.kind == arrowDate, 64-8*t.bytes
	return func(i int) int64 {
		var word [8]byte
		copy(word[:], values[i*t.bytes:(i+1)*t.bytes])
		v := binary.LittleEndian.Uint64(word[:]) << above
		if signed {
			return int64(v) >> above
		}
		return int64(v >> above)
	}
}

// texts reads texts by their ends, each of size bytes.
func (b *arrowBatch) texts(rows, size int) func(i int) string {
	ends := b.buffer(rows+min(rows, 1), 8*size)
	text := b.buffer(0, 8)
	end := integers(arrowType{bytes: size}, ends)
	return func(i int) string { return string(text[end(i):end(i+1)]) }
}

// views reads texts that are in a view of 16 bytes, or in one of several buffers.
func (b *arrowBatch) views(rows int) func(i int) string {
	const size, inside = 16, 12
	views := b.buffer(rows, 8*size)
	if len(b.counts) == 0 {
		b.err = damage("a column lacks the number of its buffers")
		return nil
	}
	n := b.table.GetInt64(b.counts[0])
	b.counts = b.counts[1:]
	if n < 0 || n > int64(len(b.buffers)) {
		b.err = damage("a column of %d buffers", n)
		return nil
	}
	texts := make([][]byte, n)
	for k := range texts {
		texts[k] = b.buffer(0, 8)
	}
	return func(i int) string {
		view := views[i*size : (i+1)*size]
		word := func(at int) int64 { return int64(int32(binary.LittleEndian.Uint32(view[at:]))) }
		if n := word(0); n > inside {
			return string(texts[word(8)][word(12) : word(12)+n])
		}
		return string(view[4 : 4+word(0)])
	}
}

func bit(bits []byte, i int) bool { return bits[i/8]>>(i%8)&1 == 1 }

// half reads a number of 16 bits.
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	v := math.Ldexp(1+fraction/1024, exponent-15)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if bits>>15 == 1 {
		v = -v
	}
	return v
}
