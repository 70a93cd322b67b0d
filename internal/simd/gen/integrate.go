package main

import "github.com/mmcloughlin/avo/reg"

// angles are the terms of the moments of a cosine and a sine: c and s of the phase's mean, q of its variance, u = q²,
// half = ½ cos 2t, sin2 = sin 2t.
type angles struct{ c, s, q, u, half, sin2 reg.VecVirtual }

// angles loads the columns from number first on.
func (e elements) angles(first int) angles {
	v := e.v
	a := angles{c: e.load(first), s: e.load(first + 1), q: e.load(first + 2), u: v.reg(), half: v.reg(), sin2: v.reg()}
	v.do(mul, a.q, a.q, a.u)
	v.do(mul, a.c, a.c, a.half)
	v.do(fnma231, a.s, a.s, a.half)
	v.do(mul, v.f(0.5), a.half, a.half)
	v.do(mul, a.c, a.s, a.sin2)
	v.do(add, a.sin2, a.sin2, a.sin2)
	return a
}

// less computes x − y in a new register.
func (v vec) less(x, y reg.VecVirtual) reg.VecVirtual {
	r := v.reg()
	v.do(sub, y, x, r)
	return r
}

// times computes xy in a new register.
func (v vec) times(x, y reg.VecVirtual) reg.VecVirtual {
	r := v.reg()
	v.do(mul, x, y, r)
	return r
}

// negative changes the sign of x.
func (v vec) negative(x reg.VecVirtual) { v.do(xor, v.i(1<<31), x, x) }

// integrate fills the first six columns of simd.Integrals.
func integrate(v vec) {
	n, ptrs := kernel(v, "integrate", "",
		"meanCos", "meanSin", "wave", "lost", "crossCos", "crossSin", "cos", "sin", "shrink")
	v.each(n, ptrs, func(e elements) {
		a := e.angles(6)
		e.store(v.times(a.q, a.c), 0)
		e.store(v.times(a.q, a.s), 1)
		wave := v.times(a.u, a.u)
		v.do(mul, a.half, wave, wave)
		e.store(wave, 2)
		lost := v.less(v.constant(v.f(1)), a.u)
		cross := v.times(a.u, lost)
		v.negative(cross)
		v.do(mul, v.f(0.5), lost, lost)
		e.store(lost, 3)
		e.store(v.times(cross, a.half), 4)
		e.store(v.times(cross, a.sin2), 5)
	})
	leave()
}

// integrateSlopes takes the gradients of the six columns to the gradients of the phases' means and variances.
func integrateSlopes(v vec) {
	n, ptrs := kernel(v, "integrateSlopes", "",
		"dt", "dv", "dmeanCos", "dmeanSin", "dwave", "dlost", "dcrossCos", "dcrossSin", "cos", "sin", "shrink")
	v.each(n, ptrs, func(e elements) {
		a := e.angles(8)
		rest := v.less(v.constant(v.f(1)), a.u) // 1 − u
		cross := v.times(a.u, rest)
		v.do(sub, a.u, rest, rest) // 1 − 2u

		wave, crossCos, crossSin := e.load(4), e.load(6), e.load(7)
		square := v.times(a.u, a.u)
		v.do(mul, wave, square, square)
		v.do(fnma231, cross, crossCos, square) // factor of half
		dt := v.times(cross, crossSin)         // factor of −sin 2t
		v.do(mul, a.half, dt, dt)
		v.do(mul, v.f(-4), dt, dt)
		v.do(fnma231, a.sin2, square, dt)

		du := v.times(a.half, crossCos)
		v.do(fma231, a.sin2, crossSin, du)
		v.do(mul, rest, du, du)
		half := e.load(5)
		v.do(fma231, v.f(0.5), half, du) // minus du, up to the next term
		v.do(mul, a.u, wave, wave)
		v.do(add, wave, wave, wave)
		v.do(fnma231, a.half, wave, du)
		v.do(mul, a.u, du, du) // −u du

		meanCos, meanSin := e.load(2), e.load(3)
		turn := v.times(a.c, meanSin)
		v.do(fnma231, a.s, meanCos, turn)
		v.do(fma231, a.q, turn, dt)
		e.store(dt, 0)
		along := v.times(a.c, meanCos)
		v.do(fma231, a.s, meanSin, along)
		v.do(mul, a.q, along, along)
		v.do(fnma231, v.f(0.5), along, du)
		e.store(du, 1)
	})
	leave()
}
