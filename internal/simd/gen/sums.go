package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// partialSums is how many bytes of partial sums dot keeps, in every tier: element i goes to partial sum i mod
// (partialSums/size), so that all tiers add in one order.
const partialSums = 256

// dot computes Σ x y.
func dot(v vec) {
	n, ptrs := kernel(v, "dot", " (sum T)", "x", "y")
	x, y := ptrs[0], ptrs[1]
	acc := v.regs(partialSums / v.bytes)
	for _, a := range acc {
		v.zero(a)
	}
	t := v.reg()
	term := func(i int) {
		v.do(move, at(x, i*v.bytes), t)
		v.do(fma231, at(y, i*v.bytes), t, acc[i])
	}
	SUBQ(imm(partialSums/v.size()), n)
	JL(LabelRef("rest"))
	Label("whole")
	for i := range acc {
		term(i)
	}
	ADDQ(imm(partialSums), x)
	ADDQ(imm(partialSums), y)
	SUBQ(imm(partialSums/v.size()), n)
	JGE(LabelRef("whole"))
	Label("rest")
	ADDQ(imm(partialSums/v.size()), n)
	for i := range acc {
		CMPQ(n, imm(v.lanes()))
		JL(LabelRef(fmt.Sprintf("last%d", i)))
		term(i)
		SUBQ(imm(v.lanes()), n)
	}
	JMP(LabelRef("reduce"))
	for i := range acc {
		Label(fmt.Sprintf("last%d", i))
		TESTQ(n, n)
		JZ(LabelRef("reduce"))
		ADDQ(imm(i*v.bytes), x)
		ADDQ(imm(i*v.bytes), y)
		e := v.masked(n, ptrs)
		a := e.load(0)
		v.do(fma231, a, e.load(1), acc[i])
		JMP(LabelRef("reduce"))
	}
	Label("reduce")
	v.reduce(acc)
}

// reduce returns the sum of registers: halved, the upper half added to the lower, down to one number.
func (v vec) reduce(acc []reg.VecVirtual) {
	for len(acc) > 1 {
		h := len(acc) / 2
		for i := range h {
			v.do(add, acc[i+h], acc[i], acc[i])
		}
		acc = acc[:h]
	}
	low, high := acc[0], YMM()
	if v.wide() {
		VEXTRACTF64X4(Imm(1), acc[0], high)
		v.do(add, high, low.AsY(), low.AsY())
	}
	VEXTRACTF128(Imm(1), low.AsY(), high.AsX())
	v.do(add, high.AsX(), low.AsX(), low.AsX())
	VPERMILPD(Imm(1), low.AsX(), high.AsX())
	v.do(add, high.AsX(), low.AsX(), low.AsX())
	if !v.double {
		VMOVSHDUP(low.AsX(), high.AsX())
		VADDSS(high.AsX(), low.AsX(), low.AsX())
	}
	Store(low.AsX(), Return("sum"))
	leave()
}

// axpy computes y += αx.
func axpy(v vec) {
	v.function(v.name("axpy"), "func(n int, alpha T, x, y *T)")
	n, alpha := param("n"), v.broadcastParam("alpha")
	v.each(n, []reg.GPVirtual{param("x"), param("y")}, func(e elements) {
		x, y := e.load(0), e.load(1)
		v.do(fma231, alpha, x, y)
		e.store(y, 1)
	})
	leave()
}

// multiply computes the product of two slices, and the product added to a third.
func multiply(v vec) {
	n, ptrs := kernel(v, "mul", "", "dst", "x", "y")
	v.each(n, ptrs, func(e elements) {
		x, y := e.load(1), e.load(2)
		v.do(mul, x, y, y)
		e.store(y, 0)
	})
	leave()
	n, ptrs = kernel(v, "mulAdd", "", "dst", "x", "y")
	v.each(n, ptrs, func(e elements) {
		dst, x := e.load(0), e.load(1)
		v.do(fma231, e.load(2), x, dst)
		e.store(dst, 0)
	})
	leave()
}

// rotate computes dst = cos∘b − sin∘a.
func rotate(v vec) {
	n, ptrs := kernel(v, "rotate", "", "dst", "cos", "sin", "a", "b")
	v.each(n, ptrs, func(e elements) {
		cos, sin := e.load(1), e.load(2)
		v.do(mul, e.load(4), cos, cos)
		v.do(fnma231, e.load(3), sin, cos)
		e.store(cos, 0)
	})
	leave()
}
