package dist

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Shards is the number of parts that a Tree adds up, for any number of ranks.
const Shards = 8

// Tree adds vectors of Shards parts in one order, so that 1, 2, 4 and 8 ranks get the same bits. Each rank has the
// parts of its Share, and adds neighbours in pairs, then pairs of pairs; the rest of the tree adds the sums of the
// ranks. It moves Size times the bytes of an AllReduce.
type Tree struct {
	comm   Comm
	levels [][]float64 // level i holds a sum of 2^i neighbours, until the next 2^i are added up
	full   []bool      // whether a level holds a sum

	send, receive []byte
}

// NewTree returns a Tree of vectors of n numbers. The number of ranks is 1, 2, 4 or 8.
func NewTree(c Comm, n int) *Tree {
	if Shards%c.Size() != 0 {
		panic("dist: a tree of 8 parts has 1, 2, 4 or 8 ranks")
	}
	t := &Tree{comm: c}
	if c.Size() > 1 {
		t.send, t.receive = make([]byte, 8*n), make([]byte, 8*n)
	}
	for own := 1; own <= Shards; own *= 2 {
		t.levels = append(t.levels, make([]float64, n))
	}
	t.full = make([]bool, len(t.levels))
	return t
}

// Add adds the next part of this rank. x may change afterwards.
func (t *Tree) Add(x []float64) {
	level := 0
	for carry := x; ; level++ {
		if !t.full[level] {
			copy(t.levels[level], carry)
			t.full[level] = true
			return
		}
		t.full[level] = false
		for i, v := range carry { // the earlier part is the left summand
			t.levels[level][i] += v
		}
		carry = t.levels[level]
	}
}

// Sum makes x the sum of all parts of all ranks. This rank must have added its Share of the parts before.
func (t *Tree) Sum(x []float64) error {
	own := level(Shards / t.comm.Size())
	mine := t.levels[own]
	if !t.full[own] {
		panic("dist: a rank has not added its parts")
	}
	t.full[own] = false
	if t.comm.Size() == 1 {
		copy(x, mine)
		return nil
	}
	for i, v := range mine {
		binary.LittleEndian.PutUint64(t.send[8*i:], math.Float64bits(v))
	}
	for r := range t.comm.Size() { // the rest of the tree is the same on all ranks
		part := t.receive
		if r == t.comm.Rank() {
			part = t.send
		}
		if err := t.comm.Broadcast(part, r); err != nil {
			return err
		}
		for i := range x {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(part[8*i:]))
		}
		t.Add(x)
	}
	all := level(t.comm.Size())
	copy(x, t.levels[all])
	t.full[all] = false
	return nil
}

// level returns log₂ n.
func level(n int) int { return bits.TrailingZeros(uint(n)) }
