package workload

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Cost is the least that an operation has to do, whatever the backend: the arithmetic of its
// formula, and each argument read or written once. A multiplication and an addition are two
// operations; exp, log, sin, cos, √ and the drawing of a normal are one each, which makes a floor
// that is made of costs a low one. What is symmetric or triangular is counted once.
type Cost struct {
	Real   float64 `json:"flop_real"`   // in the precision of the random-feature layers
	Double float64 `json:"flop_double"` // in double
	Bytes  float64 `json:"bytes"`
}

func (c *Cost) add(o Cost) { c.Real += o.Real; c.Double += o.Double; c.Bytes += o.Bytes }

// FLOPs are all operations.
func (c Cost) FLOPs() float64 { return c.Real + c.Double }

// counter counts for a device: real is the size of its Real.
type counter struct{ real int }

func counterOf(name string) counter {
	if strings.HasSuffix(name, ":f64") {
		return counter{real: 8}
	}
	return counter{real: 4}
}

// bytes is the size of tensors; a nil one has none.
func (k counter) bytes(tensors ...*device.Tensor) (n float64) {
	for _, t := range tensors {
		if t == nil {
			continue
		}
		size := k.real
		switch t.DType() {
		case device.Double:
			size = 8
		case device.Int:
			size = 4
		}
		n += float64(size * t.Len())
	}
	return n
}

// dims are the lengths of a tensor's axes.
func dims3(t *device.Tensor) (a, b, c float64) {
	return float64(t.Dim(0)), float64(t.Dim(1)), float64(t.Dim(2))
}

// half is the number of elements of a triangle with its diagonal.
func half(m float64) float64 { return m * (m + 1) / 2 }

// distances is the number of pairs (m, b) of a kernel block, and in how many sets of length-scales
// their distances are computed: one where each set has a single length-scale.
func distances(c, z, x, logl *device.Tensor) (pairs, sets float64) {
	k, m, b := dims3(c)
	pairs = m * b
	if x == z {
		pairs = half(m)
	}
	if logl.Dim(1) == 1 {
		return pairs, 1
	}
	return pairs, k
}

// ard: 2D for each distance, as a product of matrices; then a scale and an exp, and for a kernel
// with a slope of its own the root, and what makes both of the exp.
func (k counter) ard(c, slope, z, x, logl *device.Tensor) Cost {
	pairs, sets := distances(c, z, x, logl)
	kernels, d := float64(c.Dim(0)), float64(z.Dim(1))
	read := k.bytes(z, logl)
	if x != z {
		read += k.bytes(x)
	}
	each, written := 2.0, k.bytes(c)
	if slope != c {
		each, written = 5, 2*written
	}
	return Cost{Double: pairs * (sets*2*d + kernels*each), Bytes: read + written}
}

// ardBackward: G = dc∘slope, one product for dlog ℓ and one for dz. With one length-scale in a set
// its gradient is a sum over the distances, which are −2 log c for RBF, and one product of the
// sets' sum is left.
func (k counter) ardBackward(dz, dlogl, dc, slope, z, x, logl *device.Tensor) Cost {
	pairs, _ := distances(slope, z, x, logl)
	kernels, d := float64(slope.Dim(0)), float64(z.Dim(1))
	products := 0.0
	if logl.Dim(1) > 1 {
		products += kernels
		if dz != nil {
			products += kernels
		}
	} else if dz != nil {
		products = 1
	}
	read := k.bytes(z, logl, dc, slope)
	if x != z {
		read += k.bytes(x)
	}
	return Cost{Double: pairs * (products*2*d + kernels*3), Bytes: read + k.bytes(dc) + 2*k.bytes(dz, dlogl)}
}

// mix: 3 for each number.
func (k counter) mix(c, a, b, logit *device.Tensor) Cost {
	return Cost{Double: 3 * float64(c.Len()), Bytes: k.bytes(c, a, b, logit)}
}

// mixBackward: 2 for each number of both gradients, and 3 for the sum.
func (k counter) mixBackward(da, db, dlogit, dc, a, b, logit *device.Tensor) Cost {
	return Cost{Double: 5 * float64(dc.Len()), Bytes: k.bytes(da, db, dc, a, b, logit) + 2*k.bytes(dlogit)}
}

// sparseDistances: two for each pair of numbers that meet, if columns have equally many; the
// numbers of the rows and of z are read once, and the columns of one map written.
func (k counter) sparseDistances(d *device.Tensor, x device.Sparse, rows *device.Tensor, z device.Sparse) Cost {
	share := float64(rows.Len()) / float64(x.Square.Len())
	each := float64(z.Index.Len()) / float64(z.Start.Len()-1)
	written := k.bytes(d) * float64(z.Square.Len()) / float64(d.Dim(1))
	return Cost{Double: 2 * share * float64(x.Index.Len()) * each,
		Bytes: share*k.bytes(x.Start, x.Index, x.Value, x.Square) + k.bytes(rows, z.Start, z.Index,
			z.Value, z.Square) + written}
}

// sparseBlock: the scale and exp of each map, and its weighted sum.
func (k counter) sparseBlock(c, d, logits, logsigma *device.Tensor) Cost {
	return Cost{Double: 4 * float64(c.Len()*logits.Dim(1)), Bytes: k.bytes(c, d, logits, logsigma)}
}

// sparseBlockBackward: the same scale and exp, and two sums.
func (k counter) sparseBlockBackward(dlogits, dlogsigma, dc, d, logits, logsigma *device.Tensor) Cost {
	return Cost{Double: 6 * float64(dc.Len()*logits.Dim(1)),
		Bytes: k.bytes(dc, d, logits, logsigma) + 2*k.bytes(dlogits, dlogsigma)}
}

// potrf: M³/3 for each matrix.
func (k counter) potrf(l, jitter, c *device.Tensor) Cost {
	n, m, _ := dims3(c)
	return Cost{Double: n * m * m * m / 3, Bytes: k.bytes(c, l, jitter)}
}

// potrfBackward: twice the factorisation, as reverse mode by blocks needs (Murray 2016).
func (k counter) potrfBackward(dc, dl, l *device.Tensor) Cost {
	n, m, _ := dims3(l)
	return Cost{Double: 2 * n * m * m * m / 3, Bytes: k.bytes(dl, l, dc)}
}

// trsm: M² for each column.
func (k counter) trsm(a, l, b *device.Tensor) Cost {
	n, m, columns := dims3(b)
	return Cost{Double: n * m * m * columns, Bytes: k.bytes(l, b, a)}
}

// trsmBackward: the same solve, and the triangle of db aᵀ.
func (k counter) trsmBackward(db, dl, da, l, a *device.Tensor) Cost {
	n, m, columns := dims3(a)
	return Cost{Double: n * columns * (m*m + 2*half(m)), Bytes: k.bytes(da, l, a, db) + 2*k.bytes(dl)}
}

// moments: mean 2M, ‖A‖² 2M of each kernel, P = sᵀA a triangle (M where s is diagonal) and ‖P‖² 2M;
// for each row and latent.
func (k counter) moments(mean, variance, p, a, m, s, logalpha *device.Tensor) Cost {
	kernels, n, b := dims3(a)
	return Cost{
		Double: b * (kernels*2*n + float64(m.Dim(0))*(4*n+factor(s, n)+4)),
		Bytes:  k.bytes(a, m, s, logalpha, mean, variance, p),
	}
}

// factor is what the product of a column with s costs.
func factor(s *device.Tensor, n float64) float64 {
	if s.Rank() == 2 {
		return n
	}
	return 2 * half(n)
}

// momentsBackward: dm and the mean's share of da 2M each, that of ‖A‖² 2M of each kernel, and dP =
// 2P dvar with its two products, for ds and da.
func (k counter) momentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, m,
	s, logalpha *device.Tensor) Cost {
	kernels, n, b := dims3(a)
	return Cost{
		Double: b * (kernels*2*n + float64(m.Dim(0))*(4*n+2*n+2*factor(s, n)+4)),
		Bytes:  k.bytes(dmean, dvariance, mean, variance, p, a, m, s, logalpha, da) + 2*k.bytes(dm, ds, dlogalpha),
	}
}

// sampleF: a normal, a product and a sum for each number, and √var.
func (k counter) sampleF(f, mean, variance, rows *device.Tensor) Cost {
	return Cost{Double: 3*float64(f.Len()) + float64(variance.Len()), Bytes: k.bytes(mean, variance, rows, f)}
}

// sampleFBackward: a normal, a product and two sums for each number, and 1/(2√var).
func (k counter) sampleFBackward(dmean, dvariance, df, variance, rows *device.Tensor) Cost {
	return Cost{Double: 4*float64(df.Len()) + 3*float64(variance.Len()),
		Bytes: k.bytes(df, variance, rows, dmean, dvariance)}
}
