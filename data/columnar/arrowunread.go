package columnar

import (
	"cmp"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Columns of lists, structs, bytes and times of a day have no cells. Their parts of a batch are skipped.

const (
	maxParts       = 1 << 16 // parts of the unread columns of a schema
	arrowBytesView = 23      // the number of a type
)

// arrowParts are the numbers of parts of a batch that belong to a column and the columns within it.
type arrowParts struct {
	nodes, buffers int
	views          int // columns that have further buffers, whose number the batch states
}

// buffersOf are the numbers of buffers of columns by their type, without those of the columns within it. Unions are
// left out, since older writers give them one more.
var buffersOf = map[byte]int{1: 0, 2: 2, 3: 2, 4: 3, 5: 3, 6: 2, 7: 2, 8: 2, 9: 2, 10: 2, 11: 2, 12: 2, 13: 1, 15: 2,
	16: 1, 17: 2, 18: 2, 19: 3, 20: 3, 21: 2, 22: 0, 23: 2, 24: 2, 25: 3, 26: 3}

// add counts the parts of a column of a schema.
func (p *arrowParts) add(column fbTable) error {
	if p.nodes++; p.nodes > maxParts {
		return damage("more than %d columns within others", maxParts)
	}
	if _, coded := column.table(fieldCoding); coded { // the values are in a dictionary
		p.buffers += 2
		return nil
	}
	kind := column.byte(fieldType)
	buffers, known := buffersOf[kind]
	if !known {
		return fmt.Errorf("column %q is of type %s, which cannot be passed over: leave it out when writing the file",
			column.text(fieldName), cmp.Or(arrowKinds[kind], "unknown"))
	}
	p.buffers += buffers
	if kind == arrowView || kind == arrowBytesView {
		p.views++
	}
	at := column.at(fieldChildren)
	if at == 0 {
		return nil
	}
	first := column.Vector(at - column.Pos)
	for i := range column.VectorLen(at - column.Pos) { // this takes no memory, even for a wrong number
		inner := column.Indirect(first + flatbuffers.UOffsetT(4*i))
		if err := p.add(fbTable{flatbuffers.Table{Bytes: column.Bytes, Pos: inner}}); err != nil {
			return err
		}
	}
	return nil
}

// skip skips a column. Its cells are missing.
func (b *arrowBatch) skip(p arrowParts) arrowColumn {
	if b.err == nil && (p.nodes > len(b.nodes) || p.views > len(b.counts)) {
		b.err = damage("a column is missing")
	}
	if b.err != nil {
		return arrowColumn{}
	}
	buffers := int64(p.buffers)
	for _, at := range b.counts[:p.views] {
		if n := b.table.GetInt64(at); n >= 0 && n <= int64(len(b.buffers)) {
			buffers += n
		} else {
			b.err = damage("a column of %d buffers", n)
		}
	}
	if buffers > int64(len(b.buffers)) {
		b.err = damage("a buffer is missing")
	}
	if b.err != nil {
		return arrowColumn{}
	}
	b.nodes, b.buffers, b.counts = b.nodes[p.nodes:], b.buffers[buffers:], b.counts[p.views:]
	return arrowColumn{rows: b.rows, cell: func(int) string { return "" }}
}
