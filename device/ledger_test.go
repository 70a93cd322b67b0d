package device

import (
	"math"
	"testing"
)

type layer struct {
	out     *Tensor
	views   []*Tensor
	scratch any
}

type works struct {
	buf  []float64
	more [2][]float32
	next *works // itself
}

type holder struct {
	*layer
	layers []*layer
	dev    any
}

// A ledger adds up tensors and the largest sizes of scratch, and names them by the fields that hold them.
func TestLedger(t *testing.T) {
	l := &Ledger{}
	tensor := func(size int, shape ...int) *Tensor {
		t := NewTensor(Real, nothing{}, shape...)
		l.Tensor(t, size)
		return t
	}
	w := &works{}
	w.next = w
	first, second, lost := tensor(4, 2, 3), tensor(8, 5), tensor(4, 0)
	l.Scratch(&w.buf, 10, 8)
	l.Scratch(&w.more[1], 3, 4)
	l.Scratch(&w.buf, 7, 8)
	l.Scratch(&w.buf, 11, 8)
	if total := l.Total(); total != 24+40+88+12 {
		t.Errorf("total %d", total)
	}
	h := &holder{layer: &layer{out: first, views: []*Tensor{second.View(0, 2), second}, scratch: w}, dev: l}
	h.layers = []*layer{h.layer, nil}
	l.Label("h", h)
	l.Label("again", h)
	l.Rest("rest")
	want := map[string]int64{"h.out": 24, "h.views[1]": 40, "h.scratch.buf": 88, "h.scratch.more[1]": 12}
	for _, a := range l.Allocations() {
		if want[a.Name] != a.Bytes {
			t.Errorf("%s has %d bytes", a.Name, a.Bytes)
		}
		delete(want, a.Name)
	}
	if len(want) != 0 || lost.Len() != 0 || l.list[2].Name != "rest" {
		t.Errorf("without %v", want)
	}
}

// Sizes that no number holds stay at the largest.
func TestLedgerOverflow(t *testing.T) {
	l := &Ledger{}
	var a, b []float64
	l.Scratch(&a, math.MaxInt/2, 8)
	if l.Total() != math.MaxInt64 {
		t.Errorf("total %d", l.Total())
	}
	l.Scratch(&b, 1, 8)
	if l.Total() != math.MaxInt64 {
		t.Errorf("total %d", l.Total())
	}
}

type nothing struct{}

func (nothing) Slice(_, _ int) Memory { return nothing{} }
