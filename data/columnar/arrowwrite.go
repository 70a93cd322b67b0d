package columnar

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// arrowWriter writes a file of Arrow IPC, compressed with zstd.
type arrowWriter struct {
	to      io.Writer
	at      int64 // bytes written
	err     error // error of these writes
	columns []arrowCells
	cell, n int           // the next cell of the row; number of rows of the batch
	most    int           // rows of a batch
	blocks  [][]int64     // places of the batches, as message returns them
	encoder *zstd.Encoder // encoder of the buffers
}

// arrowCells are the cells of a column that are not written yet.
type arrowCells struct {
	tablefile.Column
	valid   []byte // a bit for each cell
	missing int
	values  []byte // numbers, or text
	ends    []byte // end of each text
}

// These are values of messageVersion, and of the precision of a type of numbers.
const arrowVersion, arrowDouble = 4, 2

func newArrow(w io.Writer, columns []tablefile.Column) (tablefile.Writer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	a := &arrowWriter{to: w, most: rowsOf(len(columns)), encoder: encoder}
	for _, c := range columns {
		a.columns = append(a.columns, arrowCells{Column: c})
	}
	a.write([]byte(arrowWord + "\x00\x00"))
	b := flatbuffers.NewBuilder(1 << 10)
	a.message(b, isSchema, a.schema(b), nil)
	return a, a.err
}

func (a *arrowWriter) Number(v float64) {
	c := a.next(true)
	c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(v))
}

func (a *arrowWriter) Text(v string) {
	c := a.next(true)
	c.values = append(c.values, v...)
}

func (a *arrowWriter) Missing() {
	if c := a.next(false); !c.Text {
		c.values = append(c.values, make([]byte, 8)...)
	}
}

// next returns the column of the next cell.
func (a *arrowWriter) next(valid bool) *arrowCells {
	c := &a.columns[a.cell]
	a.cell++
	if a.n%8 == 0 {
		c.valid = append(c.valid, 0)
	}
	if valid {
		c.valid[a.n/8] |= 1 << (a.n % 8)
	} else {
		c.missing++
	}
	return c
}

func (a *arrowWriter) EndRow() error {
	for k := range a.columns {
		if c := &a.columns[k]; c.Text {
			if a.n == 0 {
				c.ends = append(c.ends, 0, 0, 0, 0)
			}
			c.ends = binary.LittleEndian.AppendUint32(c.ends, uint32(len(c.values)))
		}
	}
	if a.cell, a.n = 0, a.n+1; a.n == a.most {
		a.flush()
	}
	return a.err
}

// flush writes the rows as a batch.
func (a *arrowWriter) flush() {
	var body []byte
	var nodes, buffers [][]int64
	for k := range a.columns {
		c := &a.columns[k]
		nodes = append(nodes, []int64{int64(a.n), int64(c.missing)})
		parts := [][]byte{c.valid, c.values}
		if c.missing == 0 {
			parts[0] = nil
		}
		if c.Text {
			parts = slices.Insert(parts, 1, c.ends)
		}
		for _, part := range parts {
			start := len(body)
			if len(part) > 0 {
				body = binary.LittleEndian.AppendUint64(body, uint64(len(part)))
				body = a.encoder.EncodeAll(part, body)
			}
			buffers = append(buffers, []int64{int64(start), int64(len(body) - start)})
			body = append(body, make([]byte, -len(body)&7)...)
		}
		*c = arrowCells{Column: c.Column, valid: c.valid[:0], values: c.values[:0], ends: c.ends[:0]}
	}
	b := flatbuffers.NewBuilder(1 << 10)
	nodesAt, buffersAt := structs(b, nodes), structs(b, buffers)
	packing := object(b, 2, func() { b.PrependByteSlot(0, packedZstd, packedLZ4) })
	batch := object(b, 5, func() {
		b.PrependInt64Slot(batchRows, int64(a.n), 0)
		b.PrependUOffsetTSlot(batchNodes, nodesAt, 0)
		b.PrependUOffsetTSlot(batchBuffers, buffersAt, 0)
		b.PrependUOffsetTSlot(batchPacking, packing, 0)
	})
	a.blocks = append(a.blocks, a.message(b, isBatch, batch, body))
	a.n = 0
}

// Close writes the last rows and the index.
func (a *arrowWriter) Close() error {
	if a.n > 0 {
		a.flush()
	}
	b := flatbuffers.NewBuilder(1 << 10)
	schema := a.schema(b)
	dictionaries, batches := structs(b, nil), structs(b, a.blocks)
	b.Finish(object(b, 5, func() {
		b.PrependInt16Slot(footerVersion, arrowVersion, 0)
		b.PrependUOffsetTSlot(footerSchema, schema, 0)
		b.PrependUOffsetTSlot(footerDictionaries, dictionaries, 0)
		b.PrependUOffsetTSlot(footerBatches, batches, 0)
	}))
	index := b.FinishedBytes()
	a.write([]byte("\xff\xff\xff\xff\x00\x00\x00\x00")) // this marks the end of the messages
	a.write(index)
	a.write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(index))), arrowWord...))
	return a.err
}

// message writes a description with the bytes after it. It returns the place of the message, and the lengths of both.
func (a *arrowWriter) message(b *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT, body []byte) []int64 {
	b.Finish(object(b, 5, func() {
		b.PrependInt16Slot(messageVersion, arrowVersion, 0)
		b.PrependByteSlot(messageType, kind, 0)
		b.PrependUOffsetTSlot(messageHeader, header, 0)
		b.PrependInt64Slot(messageBody, int64(len(body)), 0)
	}))
	text := b.FinishedBytes()
	text = append(text, make([]byte, -len(text)&7)...)
	block := []int64{a.at, int64(8 + len(text)), int64(len(body))}
	a.write(binary.LittleEndian.AppendUint32([]byte("\xff\xff\xff\xff"), uint32(len(text))))
	a.write(text)
	a.write(body)
	return block
}

func (a *arrowWriter) write(text []byte) {
	if a.err != nil {
		return
	}
	_, a.err = a.to.Write(text)
	a.at += int64(len(text))
}

func (a *arrowWriter) schema(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	fields := make([]flatbuffers.UOffsetT, len(a.columns))
	for k, c := range a.columns {
		name := b.CreateString(c.Name)
		children := structs(b, nil)
		kind := byte(arrowFloat)
		if c.Text {
			kind = arrowText
		}
		of := object(b, 1, func() {
			if !c.Text {
				b.PrependInt16Slot(0, arrowDouble, 0)
			}
		})
		fields[k] = object(b, 7, func() {
			b.PrependUOffsetTSlot(fieldName, name, 0)
			b.PrependBoolSlot(fieldNullable, true, false)
			b.PrependByteSlot(fieldType, kind, 0)
			b.PrependUOffsetTSlot(fieldTable, of, 0)
			b.PrependUOffsetTSlot(fieldChildren, children, 0)
		})
	}
	b.StartVector(4, len(fields), 4)
	for _, field := range slices.Backward(fields) {
		b.PrependUOffsetT(field)
	}
	columns := b.EndVector(len(fields))
	return object(b, 4, func() { b.PrependUOffsetTSlot(schemaFields, columns, 0) })
}

// object writes a table of a flatbuffer with the given number of fields.
func object(b *flatbuffers.Builder, fields int, fill func()) flatbuffers.UOffsetT {
	b.StartObject(fields)
	fill()
	return b.EndObject()
}

// structs writes a vector of structs, whose members are numbers of eight bytes.
func structs(b *flatbuffers.Builder, all [][]int64) flatbuffers.UOffsetT {
	size := 8
	if len(all) > 0 {
		size = 8 * len(all[0])
	}
	b.StartVector(size, len(all), 8)
	for _, members := range slices.Backward(all) {
		for _, v := range slices.Backward(members) {
			b.PrependInt64(v)
		}
	}
	return b.EndVector(len(all))
}
