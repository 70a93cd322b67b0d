package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sinCosLimit is the largest |x| whose reduction by two parts of π/2 is accurate.
const sinCosLimit = 5000

// sinCos is sin x and cos x from those of r = x − k·π/2, |r| ≤ π/4. It stops at the
// first register that holds a number beyond sinCosLimit, Inf or NaN.
func sinCos(v vec) {
	n, ptrs := kernel(v, "sinCos", "writes sin x and cos x and returns how many elements are left; it stops before a register with an |x| over 5000.", " (left int)", "x", "sin", "cos")
	high := float64(float32(math.Pi / 2))
	low := math.Pi/2 - high
	v.each(n, ptrs, func(e elements) {
		x := e.load(0)
		size := v.reg()
		v.do(copyReg, x, size)
		v.do(and, v.i(0x7fffffff), size, size)
		v.jumpIfAny(v.compare(notLessEqual, size, v.f(sinCosLimit)), map[bool]string{false: "stop", true: "stopRest"}[e.masked])
		t, k := v.round(x, 2/math.Pi)
		v.do(fnma231, v.f(high), k, x)
		v.do(fnma231, v.f(low), k, x)
		sin, cos := v.quadrant(x, t)
		e.store(sin, 1)
		e.store(cos, 2)
	})
	left := GP64()
	XORQ(left, left)
	Store(left, Return("left"))
	VZEROUPPER()
	RET()
	Label("stop")
	ADDQ(imm(v.lanes()), n)
	Label("stopRest")
	Store(n, Return("left"))
	VZEROUPPER()
	RET()
}

// quadrant is the sine and cosine of r + q·π/2, |r| ≤ π/4, for the number q in the
// low bits of t, by minimax polynomials of absolute error below 4e-9.
func (v vec) quadrant(r, q reg.VecVirtual) (sin, cos reg.VecVirtual) {
	square := v.reg()
	v.do(mul, r, r, square)
	sin = v.horner(square, []float64{-0.16666654602392740103, 0.0083320960417989896024, -0.00019503293500919004397})
	cube := v.reg()
	v.do(mul, square, r, cube)
	v.do(fma213, r, cube, sin)
	cos = v.horner(square, []float64{1, -0.5, 0.041666654579759069943, -0.0013887649460467751078, 0.00002446316604892377628})
	// an odd quadrant swaps them
	odd := v.odd(q)
	swap := v.reg()
	v.do(copyReg, sin, swap)
	v.pick(odd, cos, sin)
	v.pick(odd, swap, cos)
	// bit 1 of q is the sign of the sine, bit 1 of q+1 that of the cosine
	sign := v.reg()
	VPSLLD(Imm(30), q, sign)
	v.do(and, v.i(1<<31), sign, sign)
	v.do(xor, sign, sin, sin)
	v.do(addInt, v.i(1), q, sign)
	VPSLLD(Imm(30), sign, sign)
	v.do(and, v.i(1<<31), sign, sign)
	v.do(xor, sign, cos, cos)
	return sin, cos
}

// odd says which integers are odd.
func (v vec) odd(q reg.VecVirtual) mask {
	if v.wide() {
		m := K()
		VPTESTMD_BCST(v.i(1).mem(), q, m)
		return mask{m}
	}
	m := v.reg()
	VPSLLD(Imm(31), q, m)
	return mask{m}
}

// jumpIfAny jumps if a comparison holds in any lane.
func (v vec) jumpIfAny(m mask, label string) {
	if v.wide() {
		KORTESTW(m.r, m.r)
	} else {
		bits := GP32()
		VMOVMSKPS(m.r, bits)
		TESTL(bits, bits)
	}
	JNZ(LabelRef(label))
}
