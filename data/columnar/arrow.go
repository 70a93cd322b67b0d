package columnar

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// A file of Arrow IPC, also called Feather, begins with a word. A stream has none.
const arrowWord = "ARROW1\x00\x00"

var arrowStream = []byte{0xff, 0xff, 0xff, 0xff}

// arrowReader gives the rows of a file or a stream one by one.
type arrowReader struct {
	from    batches
	names   []string
	columns []arrow.Array         // of the batch that is being read
	cells   []func(i int) string  // of the columns
	numbers []func(i int) float64 // nil unless they are plain numbers
	at, n   int                   // the next of its rows
	err     error                 // in place of another batch
	row     []string
}

// batches are the rows of a file, some at a time.
type batches interface {
	Schema() *arrow.Schema
	Read() (arrow.RecordBatch, error)
	Release()
}

// openArrow begins to read a file of some bytes.
func openArrow(r io.ReaderAt, size int64) (reader tablefile.Reader, err error) {
	defer damaged(&err)
	from, err := newArrowFile(r, size)
	if err != nil {
		return nil, err
	}
	return newArrowReader(from)
}

// openArrowStream begins to read a stream.
func openArrowStream(r io.Reader) (reader tablefile.Reader, err error) {
	defer damaged(&err)
	messages := &arrowMessages{from: r}
	from, err := ipc.NewReaderFromMessageReader(messages, ipc.WithAllocator(&messages.memory))
	if err != nil {
		return nil, messages.orDamaged(err)
	}
	return newArrowReader(arrowStreamReader{from, messages})
}

// arrowStreamReader words the errors of package ipc.
type arrowStreamReader struct {
	*ipc.Reader
	messages *arrowMessages
}

func (r arrowStreamReader) Read() (arrow.RecordBatch, error) {
	batch, err := r.Reader.Read()
	if err != nil && err != io.EOF {
		err = r.messages.orDamaged(err)
	}
	return batch, err
}

func newArrowReader(from batches) (*arrowReader, error) {
	a := &arrowReader{from: from}
	empty := true
	for _, f := range from.Schema().Fields() {
		a.names = append(a.names, f.Name)
		empty = empty && f.Type.ID() == arrow.NULL
	}
	if empty && len(a.names) > 0 {
		return nil, errors.New("has no values: all columns are of type null")
	}
	a.row, a.cells = make([]string, len(a.names)), make([]func(int) string, len(a.names))
	a.numbers = make([]func(int) float64, len(a.names))
	return a, nil
}

func (a *arrowReader) Columns() []string { return a.names }

func (a *arrowReader) Close() { a.from.Release() }

func (a *arrowReader) Read() (row []string, err error) {
	defer damaged(&err)
	if a.fill(); a.err != nil {
		return nil, a.err
	}
	for c, cell := range a.cells {
		a.row[c] = cell(a.at)
	}
	a.at++
	return a.row, nil
}

func (a *arrowReader) ReadNumbers(cells []float64, needed []bool, most float64) bool {
	defer damaged(&a.err)
	if a.fill(); a.err != nil {
		return false
	}
	for c, number := range a.numbers {
		if !needed[c] {
			continue
		}
		if number == nil || a.columns[c].IsNull(a.at) {
			return false
		}
		if cells[c] = number(a.at); !(math.Abs(cells[c]) <= most) {
			return false
		}
	}
	a.at++
	return true
}

// fill reads a batch, if no row is left.
func (a *arrowReader) fill() {
	defer damaged(&a.err)
	for a.at == a.n && a.err == nil {
		batch, err := a.from.Read()
		if err != nil {
			a.err = err
			return
		}
		a.at, a.n, a.columns = 0, int(batch.NumRows()), batch.Columns()
		for c, column := range a.columns {
			if a.cells[c] = arrowCells(column); a.cells[c] == nil {
				a.err = notFlat(a.names[c], column.DataType().String())
				return
			}
			a.numbers[c] = arrowNumbers(column)
		}
	}
}

// arrowNumbers reads the values of a column of plain numbers; nil of others.
func arrowNumbers(column arrow.Array) func(i int) float64 {
	switch x := column.(type) {
	case *array.Int32:
		return func(i int) float64 { return float64(x.Value(i)) }
	case *array.Int64:
		return func(i int) float64 { return float64(x.Value(i)) }
	case *array.Float32:
		return func(i int) float64 { return float64(x.Value(i)) }
	case *array.Float64:
		return x.Value
	}
	return nil
}

// arrowCells writes the values of a column, "" for a missing one; nil where they are no cells.
func arrowCells(column arrow.Array) func(i int) string {
	cell := arrowValues(column)
	if cell == nil {
		return nil
	}
	return func(i int) string {
		if column.IsNull(i) {
			return ""
		}
		return cell(i)
	}
}

func arrowValues(column arrow.Array) func(i int) string {
	switch x := column.(type) {
	case *array.Null:
		return func(int) string { return "" }
	case *array.Boolean:
		return func(i int) string { return oneIf(x.Value(i)) }
	case *array.Int8:
		return integers(x.Value)
	case *array.Int16:
		return integers(x.Value)
	case *array.Int32:
		return integers(x.Value)
	case *array.Int64:
		return integers(x.Value)
	case *array.Uint8:
		return integers(x.Value)
	case *array.Uint16:
		return integers(x.Value)
	case *array.Uint32:
		return integers(x.Value)
	case *array.Uint64:
		return func(i int) string { return strconv.FormatUint(x.Value(i), 10) }
	case *array.Float16:
		return func(i int) string { return number(float64(x.Value(i).Float32())) }
	case *array.Float32:
		return func(i int) string { return number(float64(x.Value(i))) }
	case *array.Float64:
		return func(i int) string { return number(x.Value(i)) }
	case *array.String:
		return x.Value
	case *array.LargeString:
		return x.Value
	case *array.StringView:
		return x.Value
	case *array.Date32:
		return func(i int) string { return day(int64(x.Value(i))) }
	case *array.Date64:
		return func(i int) string { return day(int64(x.Value(i)) / 86_400_000) }
	case *array.Timestamp:
		unit := x.DataType().(*arrow.TimestampType).Unit.Multiplier()
		return func(i int) string { return instant(int64(x.Value(i)), unit) }
	case *array.Decimal128:
		return decimals(x, func(i int) *big.Int { return x.Value(i).BigInt() })
	case *array.Decimal256:
		return decimals(x, func(i int) *big.Int { return x.Value(i).BigInt() })
	case *array.Dictionary:
		cell := arrowCells(x.Dictionary())
		if cell == nil {
			return nil
		}
		return func(i int) string { return cell(x.GetValueIndex(i)) }
	}
	return nil
}

func integers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](value func(i int) T) func(i int) string {
	return func(i int) string { return strconv.FormatInt(int64(value(i)), 10) }
}

// decimals are nil where the scale is out of range.
func decimals(column arrow.Array, value func(i int) *big.Int) func(i int) string {
	scale := int(column.DataType().(arrow.DecimalType).GetScale())
	if scale < 0 || scale > mostDigits {
		return nil
	}
	return func(i int) string { return scaled(value(i), scale) }
}

// bounded allocates what the batches of a file may hold. A buffer says how large it was before it
// was compressed, and memory is taken before that turns out to be true. Columns of one value are
// smaller by 2¹⁵, but a table has others, or few rows in a batch.
type bounded struct {
	held int
	file int64 // bytes of it that were seen
}

func (b *bounded) Allocate(n int) []byte {
	most := min(mostBatch, smallBatch+b.file*mostRatio)
	if n < 0 || int64(n) > most-int64(b.held) {
		panic(fmt.Sprintf("a batch of rows takes more than %d bytes", most))
	}
	b.held += n
	return make([]byte, n)
}

func (b *bounded) Reallocate(n int, old []byte) []byte {
	if n <= cap(old) && n >= 0 {
		return old[:n]
	}
	grown := b.Allocate(n)
	copy(grown, old)
	b.Free(old)
	return grown
}

func (b *bounded) Free(old []byte) { b.held -= cap(old) }
