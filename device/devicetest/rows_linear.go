package devicetest

import "github.com/gpdrf/gpdrf-gpu/device"

func linearRows() []row {
	sizes := [][]int{{1, 1, 1, 1}, {3, 31, 5, 2}, {2, 65, 4, 70}}
	op := func(transposed bool) func(*random, []int) *problem {
		return func(r *random, size []int) *problem { return addProduct(r, size, transposed) }
	}
	return []row{
		{ops: []string{"AddProduct"}, sizes: sizes, nmse: 1e-12, reason: "float32 sums", build: op(false)},
		{ops: []string{"AddProduct"}, variant: "transposed", sizes: sizes, nmse: 1e-12, reason: "float32 sums", build: op(true)},
	}
}

// Size: S, B, width of dst, width of src. dst is read and written: it goes through a copy. The
// matrix is fixed.
func addProduct(r *random, size []int, transposed bool) *problem {
	s, b, n, k := size[0], size[1], size[2], size[3]
	shape, at := []int{k, n}, func(i, j int) int { return i*n + j }
	if transposed {
		shape, at = []int{n, k}, func(i, j int) int { return j*k + i }
	}
	return &problem{
		in: []*array{
			r.normal("dst", device.Real, adds, 0, 1, s, b, n), r.normal("src", device.Real, adds, 0, 1, s, b, k), r.normal("a", device.Real, none, 0, 1, shape...),
		},
		out: []*array{zeros("dst", device.Real, s, b, n)},
		naive: func(in, out [][]float64) {
			copy(out[0], in[0])
			for row := range s * b {
				for j := range n {
					for i := range k {
						out[0][row*n+j] += in[1][row*k+i] * in[2][at(i, j)]
					}
				}
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.Copy(out[0], in[0])
			dev.AddProduct(out[0], in[1], in[2], transposed)
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.AddColumns(din[0], dout[0])
			dev.AddProduct(din[1], dout[0], in[2], !transposed)
		},
	}
}
