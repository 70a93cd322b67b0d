package simd

// Integrals are the columns of numbers, all of one length, by which cosines and sines of phases θ ~ N(t, v) enter the
// moments of their weighted sum. With q = e^−v/2 and u = q²:
//
//	MeanCos = q cos t          Wave     = ½ u² cos 2t
//	MeanSin = q sin t          Lost     = ½ (1 − u)
//	                           CrossCos = −½ u (1 − u) cos 2t
//	                           CrossSin = −u (1 − u) sin 2t
type Integrals[T Float] struct {
	MeanCos, MeanSin, Wave, Lost, CrossCos, CrossSin []T
	Cos, Sin, Shrink                                 []T // cos t, sin t and q
}

func (m *Integrals[T]) check() {
	checkLens(m.Cos, m.MeanCos, m.MeanSin, m.Wave, m.Lost, m.CrossCos, m.CrossSin, m.Sin, m.Shrink)
}

// span returns elements lo … hi.
func (m *Integrals[T]) span(lo, hi int) Integrals[T] {
	return Integrals[T]{
		m.MeanCos[lo:hi], m.MeanSin[lo:hi], m.Wave[lo:hi], m.Lost[lo:hi], m.CrossCos[lo:hi], m.CrossSin[lo:hi],
		m.Cos[lo:hi], m.Sin[lo:hi], m.Shrink[lo:hi],
	}
}

// Integrate32 fills the first six columns from Cos, Sin and Shrink.
func Integrate32(m Integrals[float32]) {
	m.check()
	byTier(len(m.Cos), func() { integrateScalar(&m) }, func(i, end int) {
		part := m.span(i, end)
		integrate32Kernel(&part)
	})
}

// Integrate64 computes Integrate32 in double.
func Integrate64(m Integrals[float64]) { m.check(); integrateScalar(&m) }

// IntegrateSlopes32 takes gradients of the first six columns, which stand in these, to dt and dv of the phases' means
// and variances.
func IntegrateSlopes32(dt, dv []float32, m Integrals[float32]) {
	m.check()
	checkLens(dt, dv, m.Cos)
	byTier(len(dt), func() { slopesScalar(dt, dv, &m) }, func(i, end int) {
		part := m.span(i, end)
		integrateSlopes32Kernel(dt[i:end], dv[i:end], &part)
	})
}

// IntegrateSlopes64 computes IntegrateSlopes32 in double.
func IntegrateSlopes64(dt, dv []float64, m Integrals[float64]) {
	m.check()
	checkLens(dt, dv, m.Cos)
	slopesScalar(dt, dv, &m)
}

func integrateScalar[T Float](m *Integrals[T]) {
	for i, c := range m.Cos {
		s, q := m.Sin[i], m.Shrink[i]
		u := q * q
		half, sin2, lost := (c*c-s*s)/2, 2*s*c, 1-u
		m.MeanCos[i], m.MeanSin[i] = q*c, q*s
		m.Wave[i], m.Lost[i] = u*u*half, lost/2
		m.CrossCos[i], m.CrossSin[i] = -u*lost*half, -u*lost*sin2
	}
}

func slopesScalar[T Float](dt, dv []T, m *Integrals[T]) {
	for i, c := range m.Cos {
		s, q := m.Sin[i], m.Shrink[i]
		u := q * q
		half, sin2 := (c*c-s*s)/2, 2*s*c
		cross := u * (1 - u)
		dhalf, dsin2 := u*u*m.Wave[i]-cross*m.CrossCos[i], -cross*m.CrossSin[i]
		dt[i] = q*(c*m.MeanSin[i]-s*m.MeanCos[i]) + 4*half*dsin2 - sin2*dhalf
		du := 2*u*half*m.Wave[i] - m.Lost[i]/2 - (1-2*u)*(half*m.CrossCos[i]+sin2*m.CrossSin[i])
		dv[i] = -q*(c*m.MeanCos[i]+s*m.MeanSin[i])/2 - u*du
	}
}
