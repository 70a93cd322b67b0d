//go:build cuda && cgo

package gpu

import (
	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// Gather copies rows by number: dst[b,:] = src[rows[b],:].
func (d *Device) Gather(dst, src, rows *device.Tensor) {
	b, width := device.CheckGather(dst, src, rows)
	n := b * width
	switch dst.DType() {
	case device.Int:
		d.plain.launch("gather_int", d.plain.over("gather_int", n), 0, cuda.Int(n), cuda.Int(1), d.ptr(dst), d.ptr(src),
			d.ptr(rows))
	case device.Real:
		d.real.launch("gather", d.real.over("gather", n), 0, cuda.Int(n), cuda.Int(width), d.ptr(dst), d.ptr(src),
			d.ptr(rows))
	default:
		d.real.launch("gather_widen", d.real.over("gather_widen", n), 0, cuda.Int(n), cuda.Int(width), d.ptr(dst),
			d.ptr(src), d.ptr(rows))
	}
}

// DrawRows draws row numbers below n: rows[i] = ⌊n·w_i/2³²⌋.
func (d *Device) DrawRows(rows *device.Tensor, n int, keyOf device.Key) {
	b := device.CheckDrawRows(rows, n)
	k0, k1, step, site, _ := d.key(keyOf)
	d.plain.launch("draw_rows", d.plain.over("draw_rows", blocksOf(b, 4)), 0, cuda.Int(b), cuda.Int(n), k0, k1, step,
		site, d.ptr(rows))
}

// Widen copies Real to Double.
func (d *Device) Widen(dst, src *device.Tensor) {
	device.CheckConvert("Widen", dst, src)
	n := dst.Len()
	d.real.launch("widen", d.real.over("widen", n), 0, cuda.Int(n), d.ptr(dst), d.ptr(src))
}

// NarrowAdd adds Double into Real.
func (d *Device) NarrowAdd(dst, src *device.Tensor) {
	device.CheckConvert("NarrowAdd", src, dst)
	n := dst.Len()
	d.real.launch("narrow_add", d.real.over("narrow_add", n), 0, cuda.Int(n), d.ptr(dst), d.ptr(src))
}

// Concat joins columns; a part without a sample axis is the same for every s.
func (d *Device) Concat(dst *device.Tensor, parts []*device.Tensor) {
	s, b, width := device.CheckConcat(dst, parts)
	for column := 0; len(parts) > 0; {
		var args [9]cuda.Arg // the kernel takes at most this many parts
		joined := 0
		for i := range 3 {
			var part *device.Tensor
			w, rows := 0, b
			if len(parts) > 0 {
				part, parts = parts[0], parts[1:]
				w, rows = part.Dim(part.Rank()-1), part.Len()/part.Dim(part.Rank()-1)
			}
			joined += w
			args[3*i], args[3*i+1], args[3*i+2] = cuda.Int(w), cuda.Int(rows), d.ptr(part)
		}
		n := s * b * joined
		d.real.launch("concat", d.real.over("concat", n), 0, cuda.Int(n), cuda.Int(width), cuda.Int(column), d.ptr(dst),
			args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8])
		column += joined
	}
}

// ConcatBackward adds the columns of ddst into dparts.
func (d *Device) ConcatBackward(dparts []*device.Tensor, widths []int, ddst *device.Tensor) {
	s, b, width := device.CheckConcatBackward(dparts, widths, ddst)
	column := 0
	for i, p := range dparts {
		if p != nil {
			d.addColumns(s*b, widths[i], columns{p, widths[i], 0}, columns{ddst, width, column})
		}
		column += widths[i]
	}
}

// AddColumns adds the first columns of src to the first columns of dst.
func (d *Device) AddColumns(dst, src *device.Tensor) {
	rows, wdst, wsrc := device.CheckAddColumns(dst, src)
	d.addColumns(rows, min(wdst, wsrc), columns{dst, wdst, 0}, columns{src, wsrc, 0})
}

// columns are the columns of a matrix from column from on.
type columns struct {
	of          *device.Tensor
	width, from int
}

// addColumns adds w columns of src to w columns of dst.
func (d *Device) addColumns(rows, w int, dst, src columns) {
	n := rows * w
	d.real.launch("add_columns", d.real.over("add_columns", n), 0, cuda.Int(n), cuda.Int(w),
		cuda.Int(dst.width), cuda.Int(dst.from), cuda.Int(src.width), cuda.Int(src.from), d.ptr(dst.of), d.ptr(src.of))
}
