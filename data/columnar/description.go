package columnar

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// A Parquet file describes itself and its pages in the compact form of Thrift. Package parquet allocates a list before
// its elements arrive, and follows nested values to any depth. So this walk checks a description first. An invalid one
// is a panic.

// maxDepth is the largest depth of nested values. Those of Parquet need less than ten.
const maxDepth = 64

const cutShort = "a description is cut short"

// description is a description that is being checked.
type description struct {
	in   *bufio.Reader
	left uint64 // elements that its lists may still have, since each takes at least a byte
}

// walk checks the description of up to size bytes at the start of a reader.
func walk(in *bufio.Reader, size int64) {
	d := description{in, uint64(size)}
	d.value(thrift.STRUCT, 0)
}

func (d *description) byte() byte {
	b, err := d.in.ReadByte()
	if err != nil {
		panic(cutShort)
	}
	return b
}

// number reads a number of variable length, without its sign.
func (d *description) number() uint64 {
	n, err := binary.ReadUvarint(d.in)
	if err != nil {
		panic(cutShort)
	}
	return n
}

func (d *description) skip(n uint64) {
	if n > math.MaxInt32 {
		panic(cutShort)
	}
	if _, err := d.in.Discard(int(n)); err != nil {
		panic(cutShort)
	}
}

// value checks a value, which lies within depth others.
func (d *description) value(kind thrift.Type, depth int) {
	if depth > maxDepth {
		panic(fmt.Sprintf("a description has more than %d values within each other", maxDepth))
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE: // the type is the value
	case thrift.I8:
		d.skip(1)
	case thrift.I16, thrift.I32, thrift.I64:
		d.number()
	case thrift.DOUBLE:
		d.skip(8)
	case thrift.UUID:
		d.skip(16)
	case thrift.BINARY:
		d.skip(d.number())
	case thrift.LIST, thrift.SET:
		d.list(depth)
	case thrift.STRUCT:
		for head := d.byte(); head != 0; head = d.byte() {
			if head>>4 == 0 {
				d.number() // number of the field
			}
			d.value(thrift.Type(head&15), depth+1)
		}
	default:
		panic(fmt.Sprintf("a description has a value of type %d", kind))
	}
}

func (d *description) list(depth int) {
	head := d.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = d.number()
	}
	if n > d.left {
		panic(fmt.Sprintf("a description has a list of %d", n))
	}
	d.left -= n
	for range n {
		if kind := thrift.Type(head & 15); kind > thrift.FALSE {
			d.value(kind, depth+1)
		} else { // a boolean is a byte in a list
			d.skip(1)
		}
	}
}

// checkShape checks the numbers of columns and groups in the description of a file of length bytes. It does so before
// package parquet allocates memory for each column of each group, and for the path to each column.
func checkShape(in io.Reader, length int64) error {
	var shape struct {
		Columns []struct {
			Children thrift.Null[int32] `thrift:"5,optional"`
		} `thrift:"2,optional"`
		Groups []struct{} `thrift:"4,optional"`
	}
	if err := thrift.NewDecoder((&thrift.CompactProtocol{}).NewReader(in)).Decode(&shape); err != nil {
		return damage("%v", err)
	}
	if n, groups := len(shape.Columns), len(shape.Groups); int64(n)*int64(groups) > length {
		return damage("%d columns in %d groups of rows", n, groups)
	}
	var open []int32 // number of remaining columns in each open group of columns
	for _, c := range shape.Columns {
		if c.Children.V > 0 {
			if open = append(open, c.Children.V); len(open) > maxDepth {
				return damage("more than %d groups of columns within each other", maxDepth)
			}
			continue
		}
		for last := len(open) - 1; last >= 0; last-- {
			if open[last]--; open[last] > 0 {
				break
			}
			open = open[:last]
		}
	}
	return nil
}
