package cpu

import "github.com/gpdrf/gpdrf-gpu/device"

// movement is the state of Gather, the one movement that is worth dividing: rows of a
// large data set are far apart in memory.
type movement[T Float] struct {
	real   []T
	double []float64
	src    []T
	rows   []int32
	b, d   int
}

const gatherRows = 64

func (t *movement[T]) run(_ *worker, block int) {
	lo, hi := span(block, gatherRows, t.b)
	for b := lo; b < hi; b++ {
		from := t.src[int(t.rows[b])*t.d:][:t.d]
		if t.real != nil {
			copy(t.real[b*t.d:], from)
			continue
		}
		to := t.double[b*t.d:][:t.d]
		for i, v := range from {
			to[i] = float64(v)
		}
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
	t := &d.movement
	*t = movement[T]{src: d.real(src), rows: ints(rows), b: b, d: width}
	if dst.DType() == device.Real {
		t.real = d.real(dst)
	} else {
		t.double = double(dst)
	}
	d.do(t, blocksOf(b, gatherRows), b*width)
}

// Widen copies Real to Double.
func (d *Device[T]) Widen(dst, src *device.Tensor) {
	device.CheckConvert("Widen", dst, src)
	to := double(dst)
	for i, v := range d.real(src) {
		to[i] = float64(v)
	}
}

// NarrowAdd adds Double into Real.
func (d *Device[T]) NarrowAdd(dst, src *device.Tensor) {
	device.CheckConvert("NarrowAdd", src, dst)
	to := d.real(dst)
	for i, v := range double(src) {
		to[i] += T(v)
	}
}

// Concat joins columns; a part without a sample axis is the same for every s.
func (d *Device[T]) Concat(dst *device.Tensor, parts []*device.Tensor) {
	s, b, width := device.CheckConcat(dst, parts)
	to, column := d.real(dst), 0
	for _, p := range parts {
		from, w := d.real(p), p.Dim(p.Rank()-1)
		for row := range s * b {
			if at := row % (len(from) / max(1, w)) * w; w > 0 {
				copy(to[row*width+column:][:w], from[at:])
			}
		}
		column += w
	}
}

// ConcatBackward adds the columns of ddst into dparts.
func (d *Device[T]) ConcatBackward(dparts []*device.Tensor, widths []int, ddst *device.Tensor) {
	s, b, width := device.CheckConcatBackward(dparts, widths, ddst)
	from, column := d.real(ddst), 0
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

// AddColumns adds the first columns that both have.
func (d *Device[T]) AddColumns(dst, src *device.Tensor) {
	rows, wdst, wsrc := device.CheckAddColumns(dst, src)
	to, from, w := d.real(dst), d.real(src), min(wdst, wsrc)
	for row := range rows {
		add(to[row*wdst:][:w], from[row*wsrc:])
	}
}

// add is dst += src.
func add[T Float](dst, src []T) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] += v
	}
}
