package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// parquetReader gives the rows of a Parquet file one by one.
type parquetReader struct {
	columns []tablefile.Column
	values  []parquetValues
	places  []int // positions of the columns that are read
	// Positions of these columns in the file, where a list has one position or several.
	leaves    []int
	groups    []parquet.RowGroup
	pages     []format.RowGroup // contents of the groups
	check     parquetCheck
	rows      parquet.Rows // rows of the current group
	buffer    []parquet.Row
	remaining []parquet.Row // remaining rows of the buffer
	err       error         // error that follows them
	row       []string
}

const parquetBuffer = 256 // rows

// openParquet opens a file of size bytes.
func openParquet(r io.ReaderAt, size int64) (reader tablefile.Reader, err error) {
	defer damaged(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("is a Parquet file that cannot be read (%v): write it again", err)
	}
	p := &parquetReader{groups: file.RowGroups(), pages: file.Metadata().RowGroups,
		check: parquetCheck{file: r, size: size}, buffer: make([]parquet.Row, parquetBuffer)}
	var leaves []format.LogicalTypeValue // types of all columns without columns within them
	for _, e := range file.Metadata().Schema {
		if e.Type.Valid {
			leaves = append(leaves, e.LogicalType.Value)
		}
	}
	for place, c := range file.Root().Columns() {
		values := valuesOf(c, leaves)
		p.values = append(p.values, values)
		p.columns = append(p.columns, tablefile.Column{Name: c.Name(), Text: values.text})
		if values.cell == nil {
			p.columns[place].Unread = c.Type().String()
			continue
		}
		p.places, p.leaves = append(p.places, place), append(p.leaves, c.Index())
		p.check.kinds = append(p.check.kinds, parquet.Kind(*c.Type().PhysicalType())) // the type null has no kind
		p.check.optional = append(p.check.optional, c.Optional())
	}
	if len(p.columns) > 0 && len(p.places) == 0 {
		return nil, errNoneRead
	}
	pandas, _ := file.Lookup("pandas")
	markIndexes(p.columns, pandas)
	p.row = make([]string, len(p.columns))
	return p, nil
}

func (p *parquetReader) Columns() []tablefile.Column { return p.columns }

func (p *parquetReader) Read() (row []string, err error) {
	defer damaged(&err)
	if p.fill(); len(p.remaining) == 0 {
		return nil, p.err
	}
	for k, v := range p.remaining[0] {
		c := p.places[k]
		p.row[c] = ""
		if !v.IsNull() {
			p.row[c] = p.values[c].cell(v)
		}
	}
	p.remaining = p.remaining[1:]
	return p.row, nil
}

// fill reads rows, if none are left.
func (p *parquetReader) fill() {
	defer damaged(&p.err)
	for len(p.remaining) == 0 && p.err == nil {
		if p.rows == nil {
			for len(p.groups) > 0 && isEmptyGroup(&p.pages[0]) {
				p.groups, p.pages = p.groups[1:], p.pages[1:]
			}
			if len(p.groups) == 0 {
				p.err = io.EOF
				return
			}
			if p.err = p.open(); p.err != nil {
				return
			}
		}
		n, err := p.rows.ReadRows(p.buffer)
		p.remaining = p.buffer[:n]
		if slices.ContainsFunc(p.remaining, func(row parquet.Row) bool { return len(row) != len(p.places) }) {
			err = errors.New("a column ends before the others")
		}
		if err != nil && err != io.EOF {
			p.err = damage("%v", err)
			p.remaining = nil
		} else if err == io.EOF || n == 0 {
			p.rows.Close()
			p.rows = nil
		}
	}
}

// isEmptyGroup reports whether a group has neither rows nor values. pyarrow writes one for a batch without rows: its
// columns have a dictionary, and no page after it.
func isEmptyGroup(g *format.RowGroup) bool {
	return g.NumRows == 0 && !slices.ContainsFunc(g.Columns, func(c format.ColumnChunk) bool {
		return c.MetaData.NumValues != 0
	})
}

// open opens the next group of rows, with the columns that are read.
func (p *parquetReader) open() error {
	group := partOf{RowGroup: p.groups[0]}
	pages := p.pages[0]
	pages.Columns = nil
	chunks := p.groups[0].ColumnChunks()
	for _, leaf := range p.leaves {
		group.chunks = append(group.chunks, chunks[leaf])
		pages.Columns = append(pages.Columns, p.pages[0].Columns[leaf])
	}
	if err := p.check.group(pages); err != nil {
		return err
	}
	p.rows = parquet.NewRowGroupRowReader(group)
	p.groups, p.pages = p.groups[1:], p.pages[1:]
	return nil
}

// partOf is a group of rows with some of its columns.
type partOf struct {
	parquet.RowGroup
	chunks []parquet.ColumnChunk
}

func (g partOf) ColumnChunks() []parquet.ColumnChunk { return g.chunks }

// parquetValues reads the values of a column.
type parquetValues struct {
	cell func(parquet.Value) string // nil if the values cannot be cells
	text bool
}

// reals tells how to read numbers that may have fractions.
func reals(of func(parquet.Value) float64) parquetValues {
	return parquetValues{cell: func(v parquet.Value) string { return number(of(v)) }}
}

// valuesOf tells how to read a column. Package parquet does not know all types of leaves.
func valuesOf(c *parquet.Column, leaves []format.LogicalTypeValue) (p parquetValues) {
	if !c.Leaf() || c.Repeated() {
		return p
	}
	logical := leaves[c.Index()]
	if t := c.Type().LogicalType(); t != nil {
		logical = t.Value
	}
	switch t := logical.(type) {
	case *format.DateType:
		p.cell = func(v parquet.Value) string { return day(int64(v.Int32())) }
	case *format.TimestampType:
		unit := t.Unit.Value.Duration()
		p.cell = func(v parquet.Value) string { return instant(v.Int64(), unit) }
	case *format.DecimalType:
		// The length is in bytes, or in bits of a number.
		if t.Scale >= 0 && t.Scale <= maxDigits && c.Type().Length() <= maxDigits {
			p.cell = func(v parquet.Value) string { return decimal(v, int(t.Scale)) }
		}
	case *format.IntType:
		if t.IsSigned {
			return plainValues(c.Type().Kind())
		}
		p.cell = func(v parquet.Value) string { return strconv.FormatUint(v.Uint64(), 10) }
	case *format.Float16Type:
		if c.Type().Length() == 2 {
			p = reals(func(v parquet.Value) float64 { return half(binary.LittleEndian.Uint16(v.ByteArray())) })
		}
	case *format.NullType: // the column has no values
		p.cell = func(parquet.Value) string { return "" }
	case nil, *format.StringType, *format.EnumType:
		return plainValues(c.Type().Kind())
	}
	return p
}

// plainValues reads values by their kind alone.
func plainValues(kind parquet.Kind) (p parquetValues) {
	switch kind {
	case parquet.Boolean:
		p.cell = func(v parquet.Value) string { return strconv.FormatBool(v.Boolean()) }
	case parquet.Int32:
		p.cell = func(v parquet.Value) string { return strconv.Itoa(int(v.Int32())) }
	case parquet.Int64:
		p.cell = func(v parquet.Value) string { return strconv.FormatInt(v.Int64(), 10) }
	case parquet.Int96:
		p.cell = julian
	case parquet.Float:
		p = reals(func(v parquet.Value) float64 { return float64(v.Float()) })
	case parquet.Double:
		p = reals(parquet.Value.Double)
	case parquet.ByteArray: // the bytes are text, also in files of older writers, which did not say so
		p.cell = func(v parquet.Value) string { return string(v.ByteArray()) }
		p.text = true
	}
	return p
}

// decimal writes an integer of v's bytes over ten to the scale.
func decimal(v parquet.Value, scale int) string {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		n = twosComplement(v.ByteArray())
	}
	return scaled(n, scale)
}

// julian reads a time in the form of Spark and Impala: nanoseconds of a day, and the Julian number of the day.
func julian(v parquet.Value) string {
	const first = 2440588 // 1 January 1970
	words := v.Int96()    // the lowest word is the first
	nanos := int64(words[1])<<32 | int64(words[0])
	return time.Unix((int64(words[2])-first)*86400, nanos).UTC().Format(timeForm)
}
