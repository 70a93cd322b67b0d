package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
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
	names  []string
	values []parquetValues
	unread []string // the types of columns that cannot be read; "" of others
	places []int    // of the columns that are read
	leaves []int    // where the file has these: a list has a place of its own, or several
	groups []parquet.RowGroup
	pages  []format.RowGroup // contents of the groups
	check  parquetCheck
	rows   parquet.Rows // of the group that is being read
	buffer []parquet.Row
	left   []parquet.Row // of the buffer
	err    error         // behind these
	row    []string
}

const parquetBuffer = 256 // rows

// openParquet begins to read a file of some bytes.
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
	var leaves []format.LogicalTypeValue // of all columns that have none within them
	for _, e := range file.Metadata().Schema {
		if e.Type.Valid {
			leaves = append(leaves, e.LogicalType.Value)
		}
	}
	for place, c := range file.Root().Columns() {
		values := valuesOf(c, leaves)
		p.names, p.values, p.unread = append(p.names, c.Name()), append(p.values, values), append(p.unread, "")
		if values.cell == nil {
			p.unread[place] = c.Type().String()
			continue
		}
		p.places, p.leaves = append(p.places, place), append(p.leaves, c.Index())
		p.check.kinds = append(p.check.kinds, parquet.Kind(*c.Type().PhysicalType())) // null has a type of its own
		p.check.optional = append(p.check.optional, c.Optional())
	}
	if len(p.names) > 0 && len(p.places) == 0 {
		return nil, errNoneRead
	}
	p.row = make([]string, len(p.names))
	return p, nil
}

func (p *parquetReader) Columns() []string { return p.names }

func (p *parquetReader) IsText(column int) bool { return p.values[column].text }

func (p *parquetReader) Unread(column int) string { return p.unread[column] }

func (p *parquetReader) Read() (row []string, err error) {
	defer damaged(&err)
	if p.fill(); len(p.left) == 0 {
		return nil, p.err
	}
	for k, v := range p.left[0] {
		c := p.places[k]
		if p.row[c] = ""; !v.IsNull() {
			p.row[c] = p.values[c].cell(v)
		}
	}
	p.left = p.left[1:]
	return p.row, nil
}

func (p *parquetReader) ReadNumbers(cells []float64, needed []bool, most float64) bool {
	defer damaged(&p.err)
	if p.fill(); len(p.left) == 0 {
		return false
	}
	for k, v := range p.left[0] {
		c := p.places[k]
		if !needed[c] {
			continue
		}
		if v.IsNull() || p.values[c].number == nil {
			return false
		}
		if cells[c] = p.values[c].number(v); !(math.Abs(cells[c]) <= most) {
			return false
		}
	}
	p.left = p.left[1:]
	return true
}

// fill reads rows, if none are left.
func (p *parquetReader) fill() {
	defer damaged(&p.err)
	for len(p.left) == 0 && p.err == nil {
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
		p.left = p.buffer[:n]
		if slices.ContainsFunc(p.left, func(row parquet.Row) bool { return len(row) != len(p.places) }) {
			err = errors.New("a column ends before the others")
		}
		if err != nil && err != io.EOF {
			p.err = damage("%v", err)
			p.left = nil
		} else if err == io.EOF || n == 0 {
			p.rows.Close()
			p.rows = nil
		}
	}
}

// isEmptyGroup reports whether a group has neither rows nor values. pyarrow writes one of a batch without rows: its
// columns have a dictionary, and no page behind it.
func isEmptyGroup(g *format.RowGroup) bool {
	return g.NumRows == 0 && !slices.ContainsFunc(g.Columns, func(c format.ColumnChunk) bool {
		return c.MetaData.NumValues != 0
	})
}

// open begins the next group of rows, of the columns that are read.
func (p *parquetReader) open() error {
	group, pages := partOf{RowGroup: p.groups[0]}, p.pages[0]
	pages.Columns = nil
	chunks := p.groups[0].ColumnChunks()
	for _, leaf := range p.leaves {
		group.chunks, pages.Columns = append(group.chunks, chunks[leaf]), append(pages.Columns, p.pages[0].Columns[leaf])
	}
	if err := p.check.group(pages); err != nil {
		return err
	}
	p.rows, p.groups, p.pages = parquet.NewRowGroupRowReader(group), p.groups[1:], p.pages[1:]
	return nil
}

// partOf is a group of rows of some of its columns.
type partOf struct {
	parquet.RowGroup
	chunks []parquet.ColumnChunk
}

func (g partOf) ColumnChunks() []parquet.ColumnChunk { return g.chunks }

// parquetValues read the values of a column.
type parquetValues struct {
	cell   func(parquet.Value) string  // nil where they are no cells
	number func(parquet.Value) float64 // nil unless they are plain numbers
	text   bool
}

// reals are numbers that may have fractions.
func reals(of func(parquet.Value) float64) parquetValues {
	return parquetValues{cell: func(v parquet.Value) string { return number(of(v)) }, number: of}
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
		if t.Scale >= 0 && t.Scale <= mostDigits && c.Type().Length() <= mostDigits { // in bytes, or bits of a number
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
	case *format.NullType: // of a column without a value
		p.cell = func(parquet.Value) string { return "" }
	case nil, *format.StringType, *format.EnumType:
		return plainValues(c.Type().Kind())
	}
	return p
}

// plainValues read values by their kind alone.
func plainValues(kind parquet.Kind) (p parquetValues) {
	switch kind {
	case parquet.Boolean:
		p.cell = func(v parquet.Value) string { return strconv.FormatBool(v.Boolean()) }
	case parquet.Int32:
		p.cell = func(v parquet.Value) string { return strconv.Itoa(int(v.Int32())) }
		p.number = func(v parquet.Value) float64 { return float64(v.Int32()) }
	case parquet.Int64:
		p.cell = func(v parquet.Value) string { return strconv.FormatInt(v.Int64(), 10) }
		p.number = func(v parquet.Value) float64 { return float64(v.Int64()) }
	case parquet.Int96:
		p.cell = julian
	case parquet.Float:
		p = reals(func(v parquet.Value) float64 { return float64(v.Float()) })
	case parquet.Double:
		p = reals(parquet.Value.Double)
	case parquet.ByteArray: // text, also of older writers, which did not say so
		p.cell, p.text = func(v parquet.Value) string { return string(v.ByteArray()) }, true
	}
	return p
}

// decimal is an integer of v's bytes over ten to the scale.
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

// julian is a time as Spark and Impala write it: nanoseconds of a day, and the Julian number of the day.
func julian(v parquet.Value) string {
	const first = 2440588 // 1 January 1970
	words := v.Int96()    // the lowest first
	nanos := int64(words[1])<<32 | int64(words[0])
	return time.Unix((int64(words[2])-first)*86400, nanos).UTC().Format(timeForm)
}
