package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// elements moves one register of elements between the slices of a kernel and registers.
type elements struct {
	v      vec
	ptrs   []reg.GPVirtual
	masked bool
	mask   reg.VecVirtual // mask of AVX2
}

// load reads slice i; lanes past the end are zeros.
func (e elements) load(i int) reg.VecVirtual {
	v, x, m := e.v, e.v.reg(), at(e.ptrs[i], 0)
	switch {
	case !e.masked:
		v.do(move, m, x)
	case !v.wide():
		VMASKMOVPS(m, e.mask, x)
	case v.double:
		VMOVUPD_Z(m, tileMasks[0], x)
	default:
		VMOVUPS_Z(m, tileMasks[0], x)
	}
	return x
}

// store writes slice i, as far as it goes.
func (e elements) store(x reg.VecVirtual, i int) {
	v, m := e.v, at(e.ptrs[i], 0)
	switch {
	case !e.masked:
		v.do(move, x, m)
	case v.wide():
		v.do(move, x, tileMasks[0], m)
	default:
		VMASKMOVPS(x, e.mask, m)
	}
}

// each runs a kernel over n elements of slices: whole registers, then the remainder.
func (v vec) each(n reg.GPVirtual, ptrs []reg.GPVirtual, kernel func(elements)) {
	SUBQ(imm(v.lanes()), n)
	JL(LabelRef("rest"))
	Label("whole")
	kernel(elements{v: v, ptrs: ptrs})
	for _, p := range ptrs {
		ADDQ(imm(v.bytes), p)
	}
	SUBQ(imm(v.lanes()), n)
	JGE(LabelRef("whole"))
	Label("rest")
	ADDQ(imm(v.lanes()), n)
	JZ(LabelRef("done"))
	kernel(v.masked(n, ptrs))
	Label("done")
}

// masked moves the last n elements of slices, fewer than a register has.
func (v vec) masked(n reg.GPVirtual, ptrs []reg.GPVirtual) elements {
	e := elements{v: v, ptrs: ptrs, masked: true}
	if v.wide() {
		v.masks(n, 1)
	} else {
		e.mask = v.reg()
		VMOVDQU(at(edgeMask(v, n), 0), e.mask)
	}
	return e
}

// mask is the outcome of a comparison: an opmask of AVX-512, a register of ones and zeros of AVX2.
type mask struct{ r reg.Register }

// The comparisons, true also where a side is NaN.
const (
	notLess      = 0x15
	notLessEqual = 0x16
)

// compare computes x ? y, y being a register or a constant.
func (v vec) compare(predicate int, x reg.VecVirtual, y Op) mask {
	var m reg.Register
	if v.wide() {
		m = K()
	} else {
		m = v.reg()
	}
	v.do(comparison, U8(predicate), y, x, m)
	return mask{m}
}

// keep clears the lanes of x where m is not set.
func (v vec) keep(m mask, x reg.VecVirtual) {
	switch {
	case !v.wide():
		VANDPS(m.r, x, x)
	case v.double:
		VMOVAPD_Z(x, m.r, x)
	default:
		VMOVAPS_Z(x, m.r, x)
	}
}

// constant returns a register that holds a constant.
func (v vec) constant(c con) reg.VecVirtual {
	r := v.reg()
	v.broadcast(c, r)
	return r
}

// coefficients loads n elements from co on, each in all lanes of a register.
func (v vec) coefficients(co reg.GPVirtual, n int) []reg.VecVirtual {
	k := v.regs(n)
	for i, r := range k {
		v.broadcast(at(co, i*v.size()), r)
	}
	return k
}

// constantInt returns a register that holds an integer in every lane of 32 bits.
func (v vec) constantInt(x uint64) reg.VecVirtual {
	r := v.reg()
	VPBROADCASTD(v.i(x).mem(), r)
	return r
}

// horner computes Σ c_i x^i, the constant term first.
func (v vec) horner(x reg.VecVirtual, c []float64) reg.VecVirtual {
	p := v.constant(v.f(c[len(c)-1]))
	for i := len(c) - 2; i >= 0; i-- {
		v.do(fma213, v.f(c[i]), x, p)
	}
	return p
}

// rounder returns 1.5·2^(mantissa bits): a small number plus it is rounded to an integer, which the low bits of the sum
// hold.
func (v vec) rounder() float64 {
	if v.double {
		return 0x1.8p52
	}
	return 0x1.8p23
}

// round computes t = x·scale rounded to an integer in the low bits, and k the same as a number.
func (v vec) round(x reg.VecVirtual, scale float64) (t, k reg.VecVirtual) {
	t, k = v.constant(v.f(v.rounder())), v.reg()
	v.do(fma231, v.f(scale), x, t)
	v.do(sub, v.f(v.rounder()), t, k)
	return t, k
}

// function begins an assembly function, in whose signature T is an element, and leave returns from it.
func (v vec) function(name, signature string) {
	TEXT(name, NOSPLIT, strings.ReplaceAll(signature, "T", v.elem()))
	Pragma("noescape")
}

func leave() {
	VZEROUPPER()
	RET()
}

// kernel begins an assembly function over slices of n elements, in the order of names.
func kernel(v vec, stem, results string, names ...string) (n reg.GPVirtual, ptrs []reg.GPVirtual) {
	v.function(v.name(stem), "func(n int, "+strings.Join(names, ", ")+" *T)"+results)
	n = param("n")
	for _, name := range names {
		ptrs = append(ptrs, param(name))
	}
	return n, ptrs
}
