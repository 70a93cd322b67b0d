package columnar

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
)

// arrowFile reads the batches of a file by the index at its end. Each message is checked before
// package ipc reads it.
type arrowFile struct {
	*ipc.FileReader
	from   io.ReaderAt
	check  *arrowCheck
	blocks []arrowBlock // of rows
	next   int
}

// arrowBlock is where a message lies in a file, with the length of its description.
type arrowBlock struct {
	offset int64
	length int32
}

func newArrowFile(r io.ReaderAt, size int64) (*arrowFile, error) {
	check := &arrowCheck{}
	dictionaries, blocks, err := check.footer(r, size)
	if err != nil {
		return nil, err
	}
	for _, b := range dictionaries {
		if err := check.block(r, b); err != nil {
			return nil, err
		}
	}
	f, err := ipc.NewFileReader(io.NewSectionReader(r, 0, size), ipc.WithAllocator(&bounded{file: size}))
	if err != nil {
		return nil, fmt.Errorf("%w (%v)", errDamagedArrow, err)
	}
	return &arrowFile{f, r, check, blocks, 0}, nil
}

// Read is the next batch.
func (f *arrowFile) Read() (arrow.RecordBatch, error) {
	if f.next == len(f.blocks) {
		return nil, io.EOF
	}
	if err := f.check.block(f.from, f.blocks[f.next]); err != nil {
		return nil, err
	}
	batch, err := f.RecordBatch(f.next)
	if err != nil {
		return nil, fmt.Errorf("%w (%v)", errDamagedArrow, err)
	}
	f.next++
	return batch, nil
}

func (f *arrowFile) Release() { f.Close() }

// block checks a message.
func (c *arrowCheck) block(r io.ReaderAt, b arrowBlock) error {
	if b.offset < 0 || b.length < 8 || b.length > mostMetadata {
		return errDamagedArrow
	}
	text := make([]byte, b.length)
	if _, err := r.ReadAt(text, b.offset); err != nil {
		return shortArrow(err)
	}
	prefix := 4
	if string(text[:4]) == string(arrowStream) {
		prefix = 8
	}
	size, rows, err := c.message(text[prefix:])
	if err != nil {
		return err
	}
	return rows.check(r, b.offset+int64(b.length), size)
}

// Places of fields in the table Footer, and the size of the struct Block, of File.fbs.
const (
	footerSchema, footerDictionaries, footerBatches = 1, 2, 3

	blockSize = 24
)

// footer checks and reads the index.
func (c *arrowCheck) footer(r io.ReaderAt, size int64) (dictionaries, batches []arrowBlock, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w (%v)", errDamagedArrow, cause)
		}
	}()
	end := make([]byte, 4+6) // the length of the index, and ARROW1
	if size < int64(2*len(arrowWord)+len(end)) {
		return nil, nil, shortArrow(io.EOF)
	}
	if _, err := r.ReadAt(end, size-int64(len(end))); err != nil {
		return nil, nil, shortArrow(err)
	}
	length, most := int64(binary.LittleEndian.Uint32(end)), size-int64(len(end)+len(arrowWord))
	if string(end[4:]) != arrowWord[:6] || length < 8 || length > min(mostMetadata, most) {
		return nil, nil, shortArrow(io.EOF)
	}
	text := make([]byte, length)
	if _, err := r.ReadAt(text, size-int64(len(end))-length); err != nil {
		return nil, nil, shortArrow(err)
	}
	footer := fbTable{flatbuffers.Table{Bytes: text, Pos: flatbuffers.GetUOffsetT(text)}}
	schema, ok := footer.table(footerSchema)
	if !ok {
		return nil, nil, errDamagedArrow
	}
	blocks := func(field int) (all []arrowBlock) {
		for _, at := range footer.elements(field, blockSize) {
			all = append(all, arrowBlock{footer.GetInt64(at), footer.GetInt32(at + 8)})
		}
		return all
	}
	return blocks(footerDictionaries), blocks(footerBatches), c.schema(schema)
}
