package conformance

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

func sparseRows() []row {
	ops := []string{"SparseBlock", "SparseBlockBackward"}
	block := func(r *random, size []int, linear func(i int) bool) *problem {
		kinds := make([]bool, size[3])
		for i := range kinds {
			kinds[i] = linear(i)
		}
		return sparseBlock(r, size, kinds)
	}
	return []row{
		{ops: []string{"SparseDistances"}, sizes: [][]int{{1, 1, 1, 1}, {40, 33, 31, 57},
			{9, 70, 257, 300}, {5, 2, 4099, 40}}, nmse: copies, build: sparseDistances(device.Squared, device.Unit)},
		{ops: []string{"SparseDistances"}, variant: "tanimoto", sizes: [][]int{{1, 1, 1, 1}, {40, 33, 31, 57},
			{5, 2, 4099, 40}}, nmse: copies, build: sparseDistances(device.Tanimoto)},
		{ops: ops, sizes: [][]int{{1, 1, 1, 1}, {3, 31, 33, 2}, {2, 70, 131, 3}},
			build: given(block, func(int) bool { return false })},
		{ops: ops, variant: "linear", sizes: [][]int{{2, 31, 33, 1}, {3, 33, 70, 2}},
			build: given(block, func(int) bool { return true })},
		{ops: ops, variant: "both", sizes: [][]int{{2, 33, 31, 4}, {1, 33, 35, device.MaxMaps}},
			build: given(block, func(i int) bool { return i%3 != 1 })},
	}
}

// sparseBlock returns the problem of a sum over maps. Size: K, M, B, I.
func sparseBlock(r *random, size []int, linear []bool) *problem {
	k, m, b, maps := size[0], size[1], size[2], size[3]
	d := zeros("d", device.Double, b, maps*m)
	for i := range d.data {
		d.data[i] = 2 * r.Float64()
	}
	logits := r.normal("logits", device.Double, adds, 0, 1, k, maps)
	if maps == 1 {
		logits.grad = none // ω is 1, and there is only rounding to compare
	}
	return with(&problem{
		in:  []*array{d, logits, r.normal("logsigma", device.Double, adds, -0.3, 0.4, k, maps)},
		out: []*array{zeros("c", device.Double, k, m, b)},
		naive: func(in, out [][]float64) {
			for at := range out[0] {
				q, j, n := at/(m*b), at/b%m, at%b
				total, sum := 0.0, 0.0
				for i, is := range linear {
					weight := math.Exp(in[1][q*maps+i])
					dist, sigma := in[0][(n*maps+i)*m+j], math.Exp(in[2][q*maps+i])
					f := math.Exp(-dist / (2 * sigma * sigma))
					if is {
						f = 1 - dist/2
					}
					total, sum = total+weight, sum+weight*f
				}
				out[0][at] = sum / total
			}
		},
	}, func(in, out []*device.Tensor) device.SparseBlockArgs {
		return device.SparseBlockArgs{C: out[0], D: in[0], Logits: in[1], LogSigma: in[2], Linear: linear}
	}, device.Device.SparseBlock, func(dev device.Device, g, a device.SparseBlockArgs) {
		if g.Logits == nil {
			g.Logits = dev.New(device.Double, k, maps)
		}
		dev.SparseBlockBackward(g, a)
	})
}

// sparseVectors returns n vectors of length 1, or of counts of 1 where counted, with width numbers, of which a tenth is
// not zero and one vector is all zero; dense has them as rows. By columns, or by vectors.
func sparseVectors(r *random, name string, n, width int, byColumn, counted bool) (in []*array, dense []float64) {
	dense = make([]float64, n*width)
	square := zeros(name+" square", device.Double, n)
	for v := range n {
		norm := 0.0
		for c := range width {
			if v%7 != 3 && (r.IntN(10) == 0 || c == v%width) {
				dense[v*width+c] = 1
				if !counted {
					dense[v*width+c] = 0.1 + r.Float64()
				}
				norm += dense[v*width+c] * dense[v*width+c]
			}
		}
		square.data[v] = norm
		if norm == 0 || counted {
			continue
		}
		square.data[v] = 1
		for c := range width {
			dense[v*width+c] /= math.Sqrt(norm)
		}
	}
	lists, length, stride, step := n, width, width, 1
	if byColumn {
		lists, length, stride, step = width, n, 1, width
	}
	start, index, value := []float64{0}, []float64{}, []float64{}
	for l := range lists {
		for e := range length {
			if x := dense[l*stride+e*step]; x != 0 {
				index, value = append(index, float64(e)), append(value, x)
			}
		}
		start = append(start, float64(len(index)))
	}
	list := func(what string, dtype device.DType, x []float64) *array {
		return &array{name: name + what, dtype: dtype, shape: []int{len(x)}, data: x}
	}
	return []*array{list(" start", device.Int, start), list(" index", device.Int, index),
		list(" value", device.Double, value), square}, dense
}

// sparse returns the four arrays of sparseVectors.
func sparse(in []*device.Tensor) device.Sparse {
	return device.Sparse{Start: in[0], Index: in[1], Value: in[2], Square: in[3]}
}

// sparseDistances fills a map of d by each of the metrics, in Double and in Real. Size: N, B, M, columns.
func sparseDistances(metrics ...device.Metric) func(*random, []int) *problem {
	return func(r *random, size []int) *problem {
		n, b, m, width := size[0], size[1], size[2], size[3]
		counted := metrics[0] == device.Tanimoto
		x, denseX := sparseVectors(r, "x", n, width, false, counted)
		z, denseZ := sparseVectors(r, "z", m, width, true, counted)
		columns := len(metrics) * m
		return &problem{
			in:  append(append([]*array{r.below("rows", n, b)}, x...), z...),
			out: []*array{zeros("double", device.Double, b, columns), zeros("real", device.Real, b, columns)},
			naive: func(in, out [][]float64) {
				for at := range out[0] {
					row, i, j := int(in[0][at/columns]), at/m%len(metrics), at%m
					out[0][at] = naiveMetric(metrics[i], denseX[row*width:][:width], denseZ[j*width:][:width])
					out[1][at] = out[0][at]
				}
			},
			forward: func(dev device.Device, in, out []*device.Tensor) {
				for _, d := range out {
					for i, metric := range metrics {
						dev.SparseDistances(d, i, sparse(in[1:]), in[0], sparse(in[5:]), metric)
					}
				}
			},
		}
	}
}

// naiveMetric compares two vectors by the definition.
func naiveMetric(metric device.Metric, x, z []float64) float64 {
	square, dot, low, high := 0.0, 0.0, 0.0, 0.0
	for c, v := range x {
		square += (v - z[c]) * (v - z[c])
		dot += v * z[c]
		low, high = low+min(v, z[c]), high+max(v, z[c])
	}
	switch {
	case high == 0:
		return 0
	case metric == device.Tanimoto:
		return 2 - 2*low/high
	case metric == device.Unit:
		return max(0, 2-2*dot)
	}
	return square
}
