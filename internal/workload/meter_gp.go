package workload

import "github.com/gpdrf/gpdrf-gpu/device"

// The operations of the GP layer, in double.

// dims3 are the lengths of a tensor's axes.
func dims3(t *device.Tensor) (a, b, c float64) {
	return float64(t.Dim(0)), float64(t.Dim(1)), float64(t.Dim(2))
}

// triangle is the number of elements of one with its diagonal.
func triangle(m float64) float64 { return m * (m + 1) / 2 }

// block names a kernel block by whether it is Kuu or Kuf, with its number of pairs (m, b) and the
// bytes of its arguments.
func (m *meter) block(name string, c, z, x, logl *device.Tensor) (block string, pairs, read float64) {
	_, inducing, rows := dims3(c)
	if x == z {
		return name + " Kuu", triangle(inducing), m.bytes(z, logl)
	}
	return name + " Kuf", inducing * rows, m.bytes(z, x, logl)
}

// ARD has 2D for each distance, as a product of matrices. One set of distances does for all kernels
// with a single length-scale each. Then it has a scale and an exp, and for a kernel with a slope of
// its own the root, and what makes both of the exp.
func (m *meter) ARD(c, slope, z, x, logl *device.Tensor, shape device.Correlation) {
	name, pairs, read := m.block("ARD", c, z, x, logl)
	kernels, d := float64(c.Dim(0)), float64(z.Dim(1))
	sets := kernels
	if logl.Dim(1) == 1 {
		sets = 1
	}
	each, written := 2.0, m.bytes(c)
	if slope != c {
		each, written = 5, 2*written
	}
	m.time(name, Cost{Double: pairs * (sets*2*d + kernels*each), Bytes: read + written},
		func() { m.Device.ARD(c, slope, z, x, logl, shape) })
}

// ARDBackward has G = dc∘slope, one product for dlog ℓ and one for dz. With one length-scale in a
// set its gradient is a sum over the distances, which are −2 log c for RBF, and one product of the
// sets' sum is left.
func (m *meter) ARDBackward(dz, dlogl, dc, slope, z, x, logl *device.Tensor) {
	name, pairs, read := m.block("ARDBackward", slope, z, x, logl)
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
	m.time(name, Cost{Double: pairs * (products*2*d + kernels*3),
		Bytes: read + m.bytes(dz, dlogl, dc, slope)},
		func() { m.Device.ARDBackward(dz, dlogl, dc, slope, z, x, logl) })
}

func (m *meter) Mix(c, a, b, logit *device.Tensor) {
	m.time("Mix", m.moved(c, a, b, logit), func() { m.Device.Mix(c, a, b, logit) })
}

func (m *meter) MixBackward(da, db, dlogit, dc, a, b, logit *device.Tensor) {
	m.time("MixBackward", m.moved(da, db, dlogit, dc, a, b, logit),
		func() { m.Device.MixBackward(da, db, dlogit, dc, a, b, logit) })
}

// SparseDistances has two for each pair of numbers that meet, if columns have equally many; the
// numbers of the rows and of z are read once, and the columns of one map written.
func (m *meter) SparseDistances(d *device.Tensor, i int, x device.Sparse, rows *device.Tensor,
	z device.Sparse, linear bool) {
	share := float64(rows.Len()) / float64(x.Square.Len())
	each := float64(z.Index.Len()) / float64(z.Start.Len()-1)
	written := m.bytes(d) * float64(z.Square.Len()) / float64(d.Dim(1))
	m.time("SparseDistances", Cost{Double: 2 * share * float64(x.Index.Len()) * each,
		Bytes: share*m.bytes(x.Start, x.Index, x.Value, x.Square) +
			m.bytes(rows, z.Start, z.Index, z.Value, z.Square) + written},
		func() { m.Device.SparseDistances(d, i, x, rows, z, linear) })
}

func (m *meter) SparseBlock(c, d, logits, logsigma *device.Tensor, linear []bool) {
	m.time("SparseBlock", m.moved(c, d, logits, logsigma),
		func() { m.Device.SparseBlock(c, d, logits, logsigma, linear) })
}

func (m *meter) SparseBlockBackward(dlogits, dlogsigma, dc, d, logits, logsigma *device.Tensor, linear []bool) {
	m.time("SparseBlockBackward", m.moved(dlogits, dlogsigma, dc, d, logits, logsigma),
		func() { m.Device.SparseBlockBackward(dlogits, dlogsigma, dc, d, logits, logsigma, linear) })
}

// Potrf has M³/3 for each matrix.
func (m *meter) Potrf(l, jitter, c *device.Tensor) {
	n, size, _ := dims3(c)
	m.time("Potrf", Cost{Double: n * size * size * size / 3, Bytes: m.bytes(c, l, jitter)},
		func() { m.Device.Potrf(l, jitter, c) })
}

// PotrfBackward has twice the factorisation, as reverse mode by blocks needs (Murray 2016).
func (m *meter) PotrfBackward(dc, dl, l *device.Tensor) {
	n, size, _ := dims3(l)
	m.time("PotrfBackward", Cost{Double: 2 * n * size * size * size / 3, Bytes: m.bytes(dl, l, dc)},
		func() { m.Device.PotrfBackward(dc, dl, l) })
}

// Trsm has M² for each column.
func (m *meter) Trsm(a, l, b *device.Tensor) {
	n, size, columns := dims3(b)
	m.time("Trsm", Cost{Double: n * size * size * columns, Bytes: m.bytes(l, b, a)},
		func() { m.Device.Trsm(a, l, b) })
}

// TrsmBackward has the same solve, and the triangle of db aᵀ.
func (m *meter) TrsmBackward(db, dl, da, l, a *device.Tensor) {
	n, size, columns := dims3(a)
	m.time("TrsmBackward", Cost{Double: n * columns * (size*size + 2*triangle(size)),
		Bytes: m.bytes(db, dl, da, l, a)},
		func() { m.Device.TrsmBackward(db, dl, da, l, a) })
}

// factor is what the product of a column of n numbers with s costs, which is triangular or
// diagonal.
func factor(s *device.Tensor, n float64) float64 {
	if s.Rank() == 2 {
		return n
	}
	return 2 * triangle(n)
}

// Moments has mean 2M, ‖A‖² 2M of each kernel, P = sᵀA a triangle (M where s is diagonal) and ‖P‖²
// 2M; for each row and latent.
func (m *meter) Moments(mean, variance, p, a, mu, s, logalpha *device.Tensor) {
	kernels, n, rows := dims3(a)
	m.time("Moments", Cost{Double: rows * (kernels*2*n + float64(mu.Dim(0))*(4*n+factor(s, n)+4)),
		Bytes: m.bytes(a, mu, s, logalpha, mean, variance, p)},
		func() { m.Device.Moments(mean, variance, p, a, mu, s, logalpha) })
}

// MomentsBackward has dm and the mean's share of da 2M each, that of ‖A‖² 2M of each kernel, and dP
// = 2P dvar with its two products, for ds and da.
func (m *meter) MomentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, mu,
	s, logalpha *device.Tensor) {
	kernels, n, rows := dims3(a)
	m.time("MomentsBackward", Cost{Double: rows * (kernels*2*n + float64(mu.Dim(0))*(6*n+2*factor(s, n)+4)),
		Bytes: m.bytes(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, mu, s, logalpha)},
		func() {
			m.Device.MomentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, mu, s, logalpha)
		})
}

func (m *meter) SampleF(f, mean, variance, rows *device.Tensor, key device.Key) {
	m.time("SampleF", m.moved(mean, variance, rows, f), func() { m.Device.SampleF(f, mean, variance, rows, key) })
}

func (m *meter) SampleFBackward(dmean, dvariance, df, variance, rows *device.Tensor, key device.Key) {
	m.time("SampleFBackward", m.moved(dmean, dvariance, df, variance, rows),
		func() { m.Device.SampleFBackward(dmean, dvariance, df, variance, rows, key) })
}

func (m *meter) KLInducing(kl, dm, ds, mu, s *device.Tensor, weight device.Scalar) {
	m.time("KLInducing", m.moved(kl, dm, ds, mu, s), func() { m.Device.KLInducing(kl, dm, ds, mu, s, weight) })
}
