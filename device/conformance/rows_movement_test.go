package conformance

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// copies is the NMSE of operations that round nothing, or add two numbers.
const copies = 1e-13

func movementRows() []row {
	return []row{
		{ops: []string{"Gather"}, sizes: [][]int{{1, 1, 1}, {40, 257, 5}}, nmse: copies, build: gather},
		{ops: []string{"DrawRows"}, sizes: [][]int{{1, 1}, {7, 3}, {9469, 257}, {1000003, 1030}},
			nmse: copies, build: drawRows},
		{ops: []string{"Widen", "NarrowAdd"}, sizes: [][]int{{1}, {257}, {40001}}, nmse: copies, build: widen},
		{ops: []string{"Concat", "ConcatBackward"}, sizes: [][]int{{1, 1, 1, 1}, {3, 31, 4, 2}},
			nmse: copies, build: concat},
		{ops: []string{"AddColumns"}, variant: "wide", sizes: [][]int{{2, 31, 5, 3}}, nmse: copies, build: addColumns},
		{ops: []string{"AddColumns"}, variant: "narrow", sizes: [][]int{{2, 31, 2, 3}},
			nmse: copies, build: addColumns},
	}
}

// Size: N, B, D. The same rows are gathered to Real, to Double, and from Int to Int.
func gather(r *random, size []int) *problem {
	n, b, d := size[0], size[1], size[2]
	return &problem{
		in: []*array{r.normal("src", device.Real, none, 0, 1, n, d), r.below("rows", n, b), r.below("labels", 9, n)},
		out: []*array{zeros("real", device.Real, b, d), zeros("double", device.Double, b, d),
			zeros("labels as double", device.Double, b)},
		naive: func(in, out [][]float64) {
			for i, row := range in[1] {
				for j := range d {
					out[0][i*d+j] = in[0][int(row)*d+j]
					out[1][i*d+j] = in[0][int(row)*d+j]
				}
				out[2][i] = in[2][int(row)]
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.Gather(out[0], in[0], in[1])
			dev.Gather(out[1], in[0], in[1])
			dev.Upload(out[2], gatherInts(dev, in[2], in[1]))
		},
	}
}

// gatherInts gathers labels and reads them through a softmax of width 9, the only operation that reads labels: log
// softmax is 0 at the label where h is −1000 elsewhere.
func gatherInts(dev device.Device, src, rows *device.Tensor) []float64 {
	const classes = 9
	b := rows.Dim(0)
	labels := dev.New(device.Int, b)
	dev.Gather(labels, src, rows)
	h, dh, ell := dev.New(device.Real, 1, b, classes), dev.New(device.Real, 1, b, classes), dev.New(device.Double, 1)
	dev.SoftmaxLogLik(ell, device.LikelihoodArgs{H: dh}, device.LikelihoodArgs{H: h, Y: labels}, 1)
	got := make([]float64, b)
	for i, v := range download(dev, dh) { // positive at the label alone
		if v > 0 {
			got[i/classes] = float64(i % classes)
		}
	}
	return got
}

// Size: N, B. The numbers come out whole, through a Gather from 0, 1, 2, …
func drawRows(r *random, size []int) *problem {
	n, b := size[0], size[1]
	numbers := zeros("numbers", device.Real, n, 1)
	for i := range numbers.data {
		numbers.data[i] = float64(i)
	}
	key := device.Key{Seed: 5<<40 + 3, Step: device.StepNumber{N: 17}, Sample: 2, Site: device.SiteBatch, Layer: 1}
	var rows *device.Tensor
	return &problem{
		in:  []*array{numbers},
		out: []*array{zeros("rows", device.Double, b, 1)},
		naive: func(in, out [][]float64) {
			words, c1, c2, c3 := key.Words(0, 0)
			for i := range b {
				w := philox.Block(words, [4]uint32{uint32(i / 4), c1, c2, c3})[i%4]
				// exact: fewer than 53 bits
				out[0][i] = math.Floor(float64(n) * float64(w) / (1 << 32))
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			if rows == nil {
				rows = dev.New(device.Int, b)
			}
			dev.DrawRows(rows, n, key)
			dev.Gather(out[0], in[0], rows)
		},
	}
}

// Widen, whose gradient comes back through NarrowAdd.
func widen(r *random, size []int) *problem {
	n := size[0]
	return &problem{
		in:    []*array{r.normal("src", device.Real, adds, 0, 1, n)},
		out:   []*array{zeros("dst", device.Double, n)},
		naive: func(in, out [][]float64) { copy(out[0], in[0]) },
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.Widen(out[0], in[0])
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.NarrowAdd(din[0], dout[0])
		},
	}
}

// Size: S, B, and the widths of a part with samples and of one without.
func concat(r *random, size []int) *problem {
	s, b, w0, w1 := size[0], size[1], size[2], size[3]
	widths, width := []int{w0, w1, w0}, w0+w1+w0
	return &problem{
		in: []*array{
			r.normal("part 0", device.Real, adds, 0, 1, s, b, w0),
			r.normal("part 1", device.Real, none, 0, 1, b, w1),
			r.normal("part 2", device.Real, adds, 0, 1, s, b, w0),
		},
		out: []*array{zeros("dst", device.Real, s, b, width)},
		naive: func(in, out [][]float64) {
			for row := range s * b {
				for c := range w0 {
					out[0][row*width+c] = in[0][row*w0+c]
					out[0][row*width+w0+w1+c] = in[2][row*w0+c]
				}
				for c := range w1 {
					out[0][row*width+w0+c] = in[1][row%b*w1+c]
				}
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) { dev.Concat(out[0], in) },
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.ConcatBackward(din, widths, dout[0])
		},
	}
}

// Size: S, B, width of dst, width of src. dst is read and written: it goes through a copy.
func addColumns(r *random, size []int) *problem {
	s, b, wd, ws := size[0], size[1], size[2], size[3]
	return &problem{
		in: []*array{r.normal("dst", device.Real, adds, 0, 1, s, b, wd),
			r.normal("src", device.Real, adds, 0, 1, s, b, ws)},
		out: []*array{zeros("dst", device.Real, s, b, wd)},
		naive: func(in, out [][]float64) {
			copy(out[0], in[0])
			for row := range s * b {
				for c := range min(wd, ws) {
					out[0][row*wd+c] += in[1][row*ws+c]
				}
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.Copy(out[0], in[0])
			dev.AddColumns(out[0], in[1])
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.AddColumns(din[0], dout[0]) // a skip connection is its own transpose
			dev.AddColumns(din[1], dout[0])
		},
	}
}
