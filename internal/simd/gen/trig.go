package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sinCosLimit is the largest |x| whose reduction by two parts of π is accurate.
const sinCosLimit = 5000

// sinCos computes sin x and cos x from sin r and cos r, r = x − kπ, |r| ≤ π/2. It stops at the first register that
// holds a number beyond sinCosLimit, Inf or NaN, and returns how many elements are left. Four registers are tested
// together; if one must stop, they are taken one by one.
func sinCos(v vec) {
	const together = 4
	n, ptrs := kernel(v, "sinCos", " (left int)", "x", "sin", "cos")
	SUBQ(imm(together*v.lanes()), n)
	JL(LabelRef("single"))
	Label("four")
	x := v.regs(together)
	for i := range x {
		v.do(move, at(ptrs[0], i*v.bytes), x[i])
	}
	v.jumpIfAny(v.compare(notLessEqual, v.largest(x), v.f(sinCosLimit)), "single")
	for i := range x {
		sin, cos := v.sinCos(x[i])
		v.do(move, sin, at(ptrs[1], i*v.bytes))
		v.do(move, cos, at(ptrs[2], i*v.bytes))
	}
	for _, p := range ptrs {
		ADDQ(imm(together*v.bytes), p)
	}
	SUBQ(imm(together*v.lanes()), n)
	JGE(LabelRef("four"))
	Label("single")
	ADDQ(imm(together*v.lanes()), n)
	v.each(n, ptrs, func(e elements) {
		x := e.load(0)
		v.jumpIfAny(v.compare(notLessEqual, v.largest([]reg.VecVirtual{x}), v.f(sinCosLimit)),
			map[bool]string{false: "stop", true: "stopRest"}[e.masked])
		sin, cos := v.sinCos(x)
		e.store(sin, 1)
		e.store(cos, 2)
	})
	left := GP64()
	XORQ(left, left)
	Store(left, Return("left"))
	leave()
	Label("stop")
	ADDQ(imm(v.lanes()), n)
	Label("stopRest")
	Store(n, Return("left"))
	leave()
}

// largest returns the largest |x| of each lane. That of AVX-512 leaves out NaN, which sinCos may as well compute with.
func (v vec) largest(x []reg.VecVirtual) reg.VecVirtual {
	size := v.reg()
	v.do(copyReg, x[0], size)
	if len(x) == 1 || !v.wide() {
		v.do(and, v.i(0x7fffffff), size, size)
	}
	for _, y := range x[1:] {
		if v.wide() {
			const absoluteMaximum = 0x0b
			VRANGEPS(U8(absoluteMaximum), y, size, size)
			continue
		}
		other := v.reg()
		v.do(copyReg, y, other)
		v.do(and, v.i(0x7fffffff), other, other)
		VMAXPS(other, size, size)
	}
	return size
}

// sinCos overwrites x.
func (v vec) sinCos(x reg.VecVirtual) (sin, cos reg.VecVirtual) {
	high := float64(float32(math.Pi))
	low := math.Pi - high
	t, k := v.round(x, 1/math.Pi)
	v.do(fnma231, v.f(high), k, x)
	v.do(fnma231, v.f(low), k, x)
	VPSLLD(Imm(31), t, t)
	sin, cos = v.quarterTurn(x)
	v.do(xor, t, sin, sin)
	v.do(xor, t, cos, cos)
	return sin, cos
}

// quarterTurn computes the sine and cosine of |r| ≤ π/2 by minimax polynomials of absolute error below 5e-9 and 6e-8.
func (v vec) quarterTurn(r reg.VecVirtual) (sin, cos reg.VecVirtual) {
	square := v.reg()
	v.do(mul, r, r, square)
	sin = v.horner(square, []float64{-0.16666656732559204, 0.008333008736371994,
		-0.00019806029740720987, 2.5988374545704573e-06})
	cube := v.reg()
	v.do(mul, square, r, cube)
	v.do(fma213, r, cube, sin)
	cos = v.horner(square, []float64{1, -0.4999993145465851, 0.041663963347673416,
		-0.0013855708530172706, 2.3189033527160063e-05})
	return sin, cos
}

// flip changes the sign of x where the highest bit of t is set. It overwrites t.
func (v vec) flip(t, x reg.VecVirtual) {
	signs := v.constantInt(1 << 31)
	if v.wide() {
		const xorAnd = 0x78 // x ^= t & signs
		VPTERNLOGD(U8(xorAnd), signs, t, x)
		return
	}
	VPAND(signs, t, t)
	VPXOR(t, x, x)
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
