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
func (m *meter) block(name string, a device.ARDArgs) (block string, pairs, read float64) {
	_, inducing, rows := dims3(a.Slope)
	if a.X == a.Z {
		return name + " Kuu", triangle(inducing), m.bytes(a.Z, a.LogL)
	}
	return name + " Kuf", inducing * rows, m.bytes(a.Z, a.X, a.LogL)
}

// ARD has 2D for each distance, as a product of matrices. One set of distances does for all kernels
// with a single length-scale each. Then it has a scale and an exp, and for a kernel with a slope of
// its own the root, and the products that make both of the exp.
func (m *meter) ARD(a device.ARDArgs) {
	name, pairs, read := m.block("ARD", a)
	kernels, d := float64(a.C.Dim(0)), float64(a.Z.Dim(1))
	sets := kernels
	if a.LogL.Dim(1) == 1 {
		sets = 1
	}
	each, written := 2.0, m.bytes(a.C)
	if a.Slope != a.C {
		each, written = 5, 2*written
	}
	m.time(name, Cost{Double: pairs * (sets*2*d + kernels*each), Bytes: read + written},
		func() { m.Device.ARD(a) })
}

// ARDBackward has G = g.C∘Slope, one product for g.LogL and one for g.Z. With one length-scale in a
// set its gradient is a sum over the distances, which are −2 log c for RBF, and one product of the
// sets' sum is left.
func (m *meter) ARDBackward(g, a device.ARDArgs) {
	name, pairs, read := m.block("ARDBackward", a)
	kernels, d := float64(a.Slope.Dim(0)), float64(a.Z.Dim(1))
	products := 0.0
	if a.LogL.Dim(1) > 1 {
		products += kernels
		if g.Z != nil {
			products += kernels
		}
	} else if g.Z != nil {
		products = 1
	}
	m.time(name, Cost{Double: pairs * (products*2*d + kernels*3),
		Bytes: read + m.bytes(g.Z, g.LogL, g.C, a.Slope)},
		func() { m.Device.ARDBackward(g, a) })
}

func (m *meter) Mix(a device.MixArgs) {
	m.time("Mix", m.moved(a.C, a.A, a.B, a.Logit), func() { m.Device.Mix(a) })
}

func (m *meter) MixBackward(g, a device.MixArgs) {
	m.time("MixBackward", m.moved(g.A, g.B, g.Logit, g.C, a.A, a.B, a.Logit),
		func() { m.Device.MixBackward(g, a) })
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

func (m *meter) SparseBlock(a device.SparseBlockArgs) {
	m.time("SparseBlock", m.moved(a.C, a.D, a.Logits, a.LogSigma), func() { m.Device.SparseBlock(a) })
}

func (m *meter) SparseBlockBackward(g, a device.SparseBlockArgs) {
	m.time("SparseBlockBackward", m.moved(g.Logits, g.LogSigma, g.C, a.D, a.Logits, a.LogSigma),
		func() { m.Device.SparseBlockBackward(g, a) })
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

// factor is the cost of the product of a column of n numbers with s, which is triangular or
// diagonal.
func factor(s *device.Tensor, n float64) float64 {
	if s.Rank() == 2 {
		return n
	}
	return 2 * triangle(n)
}

// Moments has mean 2M, ‖A‖² 2M of each kernel, P = sᵀA a triangle (M where s is diagonal) and ‖P‖²
// 2M; for each row and latent.
func (m *meter) Moments(a device.MomentsArgs) {
	kernels, n, rows := dims3(a.A)
	m.time("Moments", Cost{Double: rows * (kernels*2*n + float64(a.M.Dim(0))*(4*n+factor(a.S, n)+4)),
		Bytes: m.bytes(a.A, a.M, a.S, a.LogAlpha, a.Mean, a.Variance, a.P)},
		func() { m.Device.Moments(a) })
}

// MomentsBackward has dm and the mean's share of da 2M each, that of ‖A‖² 2M of each kernel, and dP
// = 2P dvar with its two products, for ds and da.
func (m *meter) MomentsBackward(g, a device.MomentsArgs) {
	kernels, n, rows := dims3(a.A)
	m.time("MomentsBackward", Cost{Double: rows * (kernels*2*n + float64(a.M.Dim(0))*(6*n+2*factor(a.S, n)+4)),
		Bytes: m.bytes(g.A, g.M, g.S, g.LogAlpha, g.Mean, g.Variance) +
			m.bytes(a.Mean, a.Variance, a.P, a.A, a.M, a.S, a.LogAlpha)},
		func() { m.Device.MomentsBackward(g, a) })
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
