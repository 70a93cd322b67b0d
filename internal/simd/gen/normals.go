package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// normals draws four standard normals for each counter: Philox4x32-10, then Box-Muller.
// A lane is a counter. Lane 4L+q of a register holds counter number q·lanes/4 + L, which
// makes the four output registers of the last transposition follow each other in memory.
func normals(v vec) {
	TEXT(v.name("normals"), NOSPLIT, "func(blocks int, dst *float32, keys *[20]uint32, c0, c1 *[16]uint32, c2, c3 uint32)")
	Doc(v.name("normals") + " writes four normals for each lane of c0 and c1, for blocks registers of counters; c0 advances by the lanes.")
	Pragma("noescape")
	blocks, dst, keys := param("blocks"), param("dst"), param("keys")
	counter := v.reg()
	VMOVUPS(at(param("c0"), 0), counter)
	Label("block")
	even := v.counters(counter)
	odd := make([]reg.VecVirtual, 4)
	for i, x := range even {
		odd[i] = v.reg()
		if i < 2 {
			VPSRLQ(Imm(32), x, odd[i])
		} else {
			v.do(copyReg, x, odd[i])
		}
	}
	for r := range 10 {
		v.round4x32(even, keys, r)
		v.round4x32(odd, keys, r)
	}
	for i := range even {
		v.interleave(even[i], odd[i])
	}
	z0, z1 := v.boxMuller(even[0], even[1])
	z2, z3 := v.boxMuller(even[2], even[3])
	for i, x := range v.transpose4(z0, z1, z2, z3) {
		VMOVUPS(x, at(dst, i*v.bytes))
	}
	ADDQ(imm(4*v.bytes), dst)
	v.do(addInt, v.i(uint64(v.lanes())), counter, counter)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// counters are the four words of the lanes' counters.
func (v vec) counters(c0 reg.VecVirtual) []reg.VecVirtual {
	c := []reg.VecVirtual{v.reg(), v.reg(), v.broadcastParam("c2"), v.broadcastParam("c3")}
	v.do(copyReg, c0, c[0])
	VMOVUPS(at(param("c1"), 0), c[1])
	return c
}

// round4x32 is one round of Philox on the even dwords of x. What the odd ones hold does
// not matter: the multiplication does not read them.
func (v vec) round4x32(x []reg.VecVirtual, keys reg.GPVirtual, r int) {
	p0, p1, h0, h1 := v.reg(), v.reg(), v.reg(), v.reg()
	v.do(mulWide, v.i64(0xD2511F53), x[0], p0)
	v.do(mulWide, v.i64(0xCD9E8D57), x[2], p1)
	VPSRLQ(Imm(32), p0, h0)
	VPSRLQ(Imm(32), p1, h1)
	v.xor3(at(keys, 8*r), x[1], h1)
	v.xor3(at(keys, 8*r+4), x[3], h0)
	x[0], x[1], x[2], x[3] = h1, p1, h0, p0
}

// xor3 is z ^= y ^ the word at m. It overwrites y.
func (v vec) xor3(m Mem, y, z reg.VecVirtual) {
	if v.wide() {
		const parity = 0x96
		VPTERNLOGD_BCST(U8(parity), m, y, z)
		return
	}
	VPXOR(y, z, z)
	VPBROADCASTD(m, y)
	VPXOR(y, z, z)
}

// interleave puts the even dwords of odd in between those of even.
func (v vec) interleave(even, odd reg.VecVirtual) {
	VPSLLQ(Imm(32), odd, odd)
	if !v.wide() {
		VPBLENDD(U8(0xAA), odd, even, even)
		return
	}
	// bits of odd where the constant has none: low halves of even, high halves of odd
	const choose = 0xCA
	lowHalves := v.reg()
	VPBROADCASTQ(v.i64(0xffffffff).mem(), lowHalves)
	VPTERNLOGQ(U8(choose), odd, even, lowHalves)
	VMOVDQA64(lowHalves, even)
}

// boxMuller is √(−2 ln u1)·(cos, sin)(2πu2) for u1 = ((a>>8)+1)·2⁻²⁴, u2 = (b>>8)·2⁻²⁴.
// The angle is split in integers: quarter turns, rounded, and the rest.
func (v vec) boxMuller(a, b reg.VecVirtual) (z0, z1 reg.VecVirtual) {
	VPSRLD(Imm(8), a, a)
	v.do(addInt, v.i(1), a, a)
	VCVTDQ2PS(a, a)
	v.do(mul, v.f(0x1p-24), a, a)
	radius := v.logNormal(a, nil)
	v.do(mul, v.f(-2), radius, radius)
	v.do(sqrt, radius, radius)
	VPSRLD(Imm(8), b, b)
	quarter, whole := v.reg(), v.reg()
	v.do(addInt, v.i(1<<21), b, quarter)
	VPSRLD(Imm(22), quarter, quarter)
	VPSLLD(Imm(22), quarter, whole)
	v.do(subInt, whole, b, b)
	VCVTDQ2PS(b, b)
	v.do(mul, v.f(2*math.Pi*0x1p-24), b, b)
	z1, z0 = v.quadrant(b, quarter)
	v.do(mul, radius, z0, z0)
	v.do(mul, radius, z1, z1)
	return z0, z1
}

// transpose4 turns four registers into four whose every 16 bytes hold the four numbers of
// one lane.
func (v vec) transpose4(z0, z1, z2, z3 reg.VecVirtual) []reg.VecVirtual {
	t := v.regs(4)
	VUNPCKLPS(z1, z0, t[0])
	VUNPCKHPS(z1, z0, t[1])
	VUNPCKLPS(z3, z2, t[2])
	VUNPCKHPS(z3, z2, t[3])
	VUNPCKLPD(t[2], t[0], z0)
	VUNPCKHPD(t[2], t[0], z1)
	VUNPCKLPD(t[3], t[1], z2)
	VUNPCKHPD(t[3], t[1], z3)
	return []reg.VecVirtual{z0, z1, z2, z3}
}
