package cpu

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// gather is the state of Gather.
type gather[T Float] struct {
	real   []T
	double []float64
	src    []T
	rows   []int32
	b, d   int
}

const gatherRows = 64

func (t *gather[T]) run(_ *worker, block int) {
	lo, hi := span(block, gatherRows, t.b)
	for b := lo; b < hi; b++ {
		from := t.src[int(t.rows[b])*t.d:][:t.d]
		if t.real != nil {
			copy(t.real[b*t.d:], from)
			continue
		}
		cast(t.double[b*t.d:][:t.d], from)
	}
}

// Gather copies rows by number: dst[b,:] = src[rows[b],:].
func (d *Device[T]) Gather(dst, src, rows *device.Tensor) {
	b, width := device.CheckGather(dst, src, rows)
	if dst.DType() == device.Int {
		to, from := ints(dst), ints(src)
		for i, n := range ints(rows) {
			to[i] = from[n]
		}
		return
	}
	t := &d.gather
	*t = gather[T]{src: d.real(src), rows: ints(rows), b: b, d: width}
	if dst.DType() == device.Real {
		t.real = d.real(dst)
	} else {
		t.double = double(dst)
	}
	d.do(t, blocksOf(b, gatherRows), b*width)
}

// DrawRows draws row numbers below n: rows[i] = ⌊n·w_i/2³²⌋.
func (d *Device[T]) DrawRows(rows *device.Tensor, n int, key device.Key) {
	device.CheckDrawRows(rows, n)
	words, c1, c2, c3 := key.Words(0, 0)
	philox.Below(ints(rows), n, words, c1, c2, c3)
}

// moveBlock is the number of elements in one block of an element-wise movement.
const moveBlock = 1 << 14

// convert is the state of Widen and NarrowAdd.
type convert[T Float] struct {
	real   []T
	double []float64
}

// Widen copies Real to Double.
func (d *Device[T]) Widen(dst, src *device.Tensor) {
	device.CheckConvert("Widen", dst, src)
	t := &d.convert
	t.real, t.double = d.real(src), double(dst)
	d.do((*widen[T])(t), blocksOf(len(t.real), moveBlock), len(t.real))
}

type widen[T Float] convert[T]

func (t *widen[T]) run(_ *worker, block int) {
	lo, hi := span(block, moveBlock, len(t.real))
	cast(t.double[lo:hi], t.real[lo:hi])
}

// NarrowAdd adds Double into Real.
func (d *Device[T]) NarrowAdd(dst, src *device.Tensor) {
	device.CheckConvert("NarrowAdd", src, dst)
	t := &d.convert
	t.real, t.double = d.real(dst), double(src)
	d.do((*narrowAdd[T])(t), blocksOf(len(t.real), moveBlock), len(t.real))
}

type narrowAdd[T Float] convert[T]

func (t *narrowAdd[T]) run(_ *worker, block int) {
	lo, hi := span(block, moveBlock, len(t.real))
	to := t.real[lo:hi]
	for i, v := range t.double[lo:hi] {
		to[i] += T(v)
	}
}

// wipe is the state of Zero.
type wipe[E any] struct{ x []E }

func (t *wipe[E]) run(_ *worker, block int) {
	lo, hi := span(block, moveBlock, len(t.x))
	clear(t.x[lo:hi])
}

// zero clears x by blocks.
func zero[E any](p *pool, t *wipe[E], x []E) {
	t.x = x
	p.do(t, blocksOf(len(x), moveBlock), len(x)/4)
}

// Zero writes zeros.
func (d *Device[T]) Zero(t *device.Tensor) {
	switch t.DType() {
	case device.Real:
		zero(d.pool, &d.wipeReal, d.real(t))
	case device.Double:
		zero(d.pool, &d.wipeDouble, double(t))
	default:
		clear(ints(t))
	}
}

// Concat joins columns; a part without a sample axis is the same for every s.
func (d *Device[T]) Concat(dst *device.Tensor, parts []*device.Tensor) {
	s, b, width := device.CheckConcat(dst, parts)
	if d.dry() {
		return
	}
	to := d.real(dst)
	column := 0
	for _, p := range parts {
		from := d.real(p)
		w := p.Dim(p.Rank() - 1)
		own := s * b // number of rows of the part
		if p.Rank() == 2 {
			own = b
		}
		for row := range s * b {
			copy(to[row*width+column:][:w], from[row%own*w:])
		}
		column += w
	}
}

// ConcatBackward adds the columns of ddst into dparts.
func (d *Device[T]) ConcatBackward(dparts []*device.Tensor, widths []int, ddst *device.Tensor) {
	s, b, width := device.CheckConcatBackward(dparts, widths, ddst)
	if d.dry() {
		return
	}
	from := d.real(ddst)
	column := 0
	for i, p := range dparts {
		w := widths[i]
		if p != nil {
			to := d.real(p)
			for row := range s * b {
				add(to[row*w:][:w], from[row*width+column:])
			}
		}
		column += w
	}
}

// AddColumns adds the first columns of src to the first columns of dst.
func (d *Device[T]) AddColumns(dst, src *device.Tensor) {
	rows, wdst, wsrc := device.CheckAddColumns(dst, src)
	if d.dry() {
		return
	}
	to, from, w := d.real(dst), d.real(src), min(wdst, wsrc)
	for row := range rows {
		add(to[row*wdst:][:w], from[row*wsrc:])
	}
}

// add adds src to dst.
func add[T Float](dst, src []T) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] += v
	}
}
