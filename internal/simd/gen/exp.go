package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// exp computes eˣ of a slice.
func exp(v vec) {
	n, ptrs := kernel(v, "exp", "", "x", "dst")
	limit := v.constant(v.f(v.infinity()))
	v.each(n, ptrs, func(e elements) {
		e.store(v.exp(e.load(0), limit), 1)
	})
	leave()
}

// rbf computes exp(scale·min(0, x − (own + half))): the elements of a kernel matrix from scalar products and half the
// squared lengths.
func rbf(v vec) {
	v.function(v.name("rbf"), "func(n int, dst, x, half *T, own, scale T)")
	n := param("n")
	own, scale := v.broadcastParam("own"), v.broadcastParam("scale")
	limit, zero := v.constant(v.f(v.infinity())), v.reg()
	v.zero(zero)
	v.each(n, []reg.GPVirtual{param("dst"), param("x"), param("half")}, func(e elements) {
		x, h := e.load(1), e.load(2)
		v.do(add, own, h, h)
		v.do(sub, h, x, x)
		v.do(minOf, x, zero, x) // x where x is NaN
		v.do(mul, scale, x, x)
		e.store(v.exp(x, limit), 0)
	})
	leave()
}

// matern computes c = e⁻ᵗ(1 + t(p1 + p2 t)) and slope = e⁻ᵗ(q0 + q1 t) with t = √(scale·min(0, x − (own + half))): the
// elements of a Matérn kernel matrix and the slopes for its gradients. co holds p1, p2, q0 and q1. nearest receives the
// largest x − (own + half) + (own + half)·near of each lane.
func matern(v vec) {
	v.function(v.name("matern"), "func(n int, dst, slope, x, half *T, own, scale, near T, co *[4]T, nearest *[8]T)")
	correlation(v, func(co reg.GPVirtual) func(t, e reg.VecVirtual) (c, slope reg.VecVirtual) {
		k := v.coefficients(co, 4)
		return func(t, e reg.VecVirtual) (c, slope reg.VecVirtual) {
			c, slope = v.reg(), v.reg()
			v.do(copyReg, k[1], c)
			v.do(fma213, k[0], t, c)
			v.do(fma213, v.f(1), t, c)
			v.do(copyReg, k[3], slope)
			v.do(fma213, k[2], t, slope)
			v.do(mul, e, c, c)
			v.do(mul, e, slope, slope)
			return c, slope
		}
	})
}

// laplace computes c = e⁻ᵗ and slope = e⁻ᵗ/t as matern does: Matérn 1/2.
func laplace(v vec) {
	v.function(v.name("laplace"), "func(n int, dst, slope, x, half *T, own, scale, near T, nearest *[8]T)")
	correlation(v, func(reg.GPVirtual) func(t, e reg.VecVirtual) (c, slope reg.VecVirtual) {
		return func(t, e reg.VecVirtual) (c, slope reg.VecVirtual) {
			slope = v.reg()
			v.do(div, t, e, slope)
			return e, slope
		}
	})
}

// correlation emits the loop of matern and laplace, which give the rest from t and e⁻ᵗ.
func correlation(v vec, of func(co reg.GPVirtual) func(t, e reg.VecVirtual) (c, slope reg.VecVirtual)) {
	n, nearest := param("n"), param("nearest")
	own, scale, near := v.broadcastParam("own"), v.broadcastParam("scale"), v.broadcastParam("near")
	var co reg.GPVirtual
	if _, err := Param("co").Resolve(); err == nil {
		co = param("co")
	}
	rest := of(co)
	limit, zero, most := v.constant(v.f(v.infinity())), v.reg(), v.constant(v.f(math.Inf(-1)))
	v.zero(zero)
	v.each(n, []reg.GPVirtual{param("dst"), param("slope"), param("x"), param("half")}, func(e elements) {
		x, h := e.load(2), e.load(3)
		v.do(add, own, h, h)
		v.do(sub, h, x, x)
		v.do(fma213, x, near, h)
		v.do(maxOf, h, most, most)
		v.do(minOf, x, zero, x) // x where x is NaN
		v.do(mul, scale, x, x)
		t := v.reg()
		v.do(sqrt, x, t)
		minus := v.reg()
		v.do(sub, t, zero, minus)
		c, slope := rest(t, v.exp(minus, limit))
		e.store(c, 0)
		e.store(slope, 1)
	})
	v.do(move, most, at(nearest, 0))
	leave()
}

// infinity returns a number beyond the logarithm of the largest number.
func (v vec) infinity() float64 {
	if v.double {
		return 710
	}
	return 89
}

// exp computes eˣ = 2ᵏ eʳ with k = round(x/ln 2) and |r| ≤ ln 2/2, where eʳ = 1 + r + r² q(r) and q is a minimax
// polynomial of the relative error: 3e-9 in single, 8e-18 in double. limit holds infinity. It overwrites x.
func (v vec) exp(x, limit reg.VecVirtual) reg.VecVirtual {
	q := []float64{0.49999993441927302287, 0.16666520544568971083, 0.041668389071383050161,
		0.0083687274552630297152, 0.0013814576720755841868}
	zero := -103.97209
	high := float64(float32(math.Ln2))
	if v.double {
		q = []float64{0.50000000000000102655, 0.16666666666666674561, 0.041666666666521526972,
			0.0083333333333221716539, 0.0013888888947962537016,
			0.00019841269886699869538, 0.00002480148716584441399, 2.7557242213566591932e-6,
			2.7632716108151786636e-7, 2.5110096284996527979e-8}
		zero = -745.13322
		high = math.Ln2
	}
	low := lnTwoLow - (high - math.Ln2)
	// Results that round to 0 are set so, instead of computed the slow way of subnormal numbers. The minimum is x where
	// x is NaN.
	positive := v.compare(notLess, x, v.f(zero))
	v.keep(positive, x)
	v.do(minOf, x, limit, x)
	t, k := v.round(x, math.Log2E)
	v.do(fnma231, v.f(high), k, x)
	v.do(fnma231, v.f(low), k, x)
	p := v.horner(x, q)
	square := v.reg()
	v.do(mul, x, x, square)
	v.do(fma213, x, square, p)
	v.do(add, v.f(1), p, p)
	v.scaleByPower(p, t, k)
	v.keep(positive, p)
	return p
}

// lnTwoLow is ln 2 less its double.
const lnTwoLow = 2.319046813846299558e-17

// scaleByPower computes p·2ᵏ for k as round leaves it. AVX2 multiplies by two powers of about k/2, so that neither is
// out of range and the product is rounded once.
func (v vec) scaleByPower(p, t, k reg.VecVirtual) {
	if v.wide() {
		v.do(scale, k, p, p)
		return
	}
	bits, bias := 23, uint64(127)
	rounder, shift := uint64(math.Float32bits(float32(v.rounder()))), VPSLLD
	if v.double {
		bits, bias = 52, 1023
		rounder, shift = math.Float64bits(v.rounder()), VPSLLQ
	}
	v.do(subInt, v.i(rounder), t, t)
	half := v.reg()
	VPSRAD(Imm(1), t, half)
	VPSUBD(half, t, t)
	for _, power := range []reg.VecVirtual{half, t} {
		v.do(addInt, v.i(bias), power, power)
		shift(U8(bits), power, power)
		v.do(mul, power, p, p)
	}
}
