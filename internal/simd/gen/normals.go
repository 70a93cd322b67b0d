package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// normals draws four standard normals for each counter: Philox4x32-10, then Box-Muller. A lane is a counter; c0
// advances by the lanes after each of the blocks. Lane 4L+q of a register holds counter number q·lanes/4 + L, which
// makes the four output registers of the last transposition follow each other in memory. AVX-512 has the registers to
// draw for two registers of counters together, so that no round waits for another.
func normals(v vec) {
	v.function(v.name("normals"), "func(blocks int, dst *float32, keys *[20]uint32, c0, c1 *[16]uint32, c2, c3 uint32)")
	blocks, dst, keys := param("blocks"), param("dst"), param("keys")
	counter := v.reg()
	VMOVUPS(at(param("c0"), 0), counter)
	common := v.common(keys)
	if v.wide() {
		setOddLanes()
		SUBQ(Imm(2), blocks)
		JL(LabelRef("last"))
		Label("two")
		v.draw(2, dst, keys, counter, common)
		SUBQ(Imm(2), blocks)
		JGE(LabelRef("two"))
		Label("last")
		ADDQ(Imm(2), blocks)
		JZ(LabelRef("done"))
	}
	Label("block")
	v.draw(1, dst, keys, counter, common)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	Label("done")
	leave()
}

// draw writes the normals of n registers of counters.
func (v vec) draw(n int, dst, keys reg.GPVirtual, counter reg.VecVirtual, c common) {
	words := v.firstRounds(n, keys, counter, c)
	for r := 2; r < 10; r++ {
		for _, x := range words {
			v.round4x32(x, keys, r)
		}
	}
	for i := range n {
		even, odd := words[2*i], words[2*i+1]
		for w := range even {
			v.interleave(even[w], odd[w])
		}
		for q, x := range v.transpose4(v.boxMuller(even)) {
			VMOVUPS(x, at(dst, (4*i+q)*v.bytes))
		}
	}
	ADDQ(imm(4*n*v.bytes), dst)
}

// common are the words of the first two rounds that all registers of counters share, because they differ in c0 only.
// They wait on the stack: the low word of c2's product in the first round, and for even and for odd lanes the product
// of the second round, as it is and its high words.
type common struct {
	low           Mem
	product, high [2]Mem
}

func (v vec) common(keys reg.GPVirtual) (c common) {
	c2, low, high := v.broadcastParam("c2"), v.reg(), v.reg()
	v.do(mulWide, v.i64(mul1), c2, low)
	v.highWords(low, high)
	kept := func(x reg.VecVirtual) Mem {
		m := AllocLocal(v.bytes)
		VMOVUPS(x, m)
		return m
	}
	c.low = kept(low)
	for parity := range 2 {
		x0, c1 := v.reg(), v.reg()
		v.do(copyReg, high, x0)
		VMOVUPS(at(param("c1"), 0), c1)
		v.lanesOf(parity, c1)
		v.xor3(at(keys, 0), c1, x0)
		product, productHigh := v.reg(), v.reg()
		v.do(mulWide, v.i64(mul0), x0, product)
		v.highWords(product, productHigh)
		c.product[parity], c.high[parity] = kept(product), kept(productHigh)
	}
	return c
}

// firstRounds returns the counters after two rounds: counters of even lanes and of odd lanes for each of n registers.
func (v vec) firstRounds(n int, keys reg.GPVirtual, c0 reg.VecVirtual, c common) (words [][]reg.VecVirtual) {
	loaded := func(m Mem) reg.VecVirtual {
		x := v.reg()
		VMOVUPS(m, x)
		return x
	}
	for range n {
		for parity := range 2 {
			x0, x3, x2, p1, h1 := v.reg(), v.reg(), v.reg(), v.reg(), v.reg()
			v.do(copyReg, c0, x0)
			v.lanesOf(parity, x0)
			v.do(mulWide, v.i64(mul0), x0, x3)
			v.highWords(x3, x2)
			v.xor3(at(keys, 4), v.broadcastParam("c3"), x2)
			v.do(mulWide, v.i64(mul1), x2, p1)
			v.highWords(p1, h1)
			v.xor3(at(keys, 8), loaded(c.low), h1)
			h0 := loaded(c.high[parity])
			v.xor3(at(keys, 12), x3, h0)
			words = append(words, []reg.VecVirtual{h1, p1, h0, loaded(c.product[parity])})
		}
		v.do(addInt, v.i(uint64(v.lanes())), c0, c0)
	}
	return words
}

// lanesOf moves odd dwords to the even ones, if parity is 1.
func (v vec) lanesOf(parity int, x reg.VecVirtual) {
	if parity == 1 {
		VPSRLQ(Imm(32), x, x)
	}
}

// highWords copies the odd dwords of x to the even ones of y.
func (v vec) highWords(x, y reg.VecVirtual) { VPSHUFD(U8(0xF5), x, y) }

// The multipliers of Philox.
const mul0, mul1 = 0xD2511F53, 0xCD9E8D57

// round4x32 does one round of Philox on the even dwords of x. What the odd ones hold does not matter: the
// multiplication does not read them.
func (v vec) round4x32(x []reg.VecVirtual, keys reg.GPVirtual, r int) {
	p0, p1, h0, h1 := v.reg(), v.reg(), v.reg(), v.reg()
	v.do(mulWide, v.i64(mul0), x[0], p0)
	v.do(mulWide, v.i64(mul1), x[2], p1)
	v.highWords(p0, h0)
	v.highWords(p1, h1)
	v.xor3(at(keys, 8*r), x[1], h1)
	v.xor3(at(keys, 8*r+4), x[3], h0)
	x[0], x[1], x[2], x[3] = h1, p1, h0, p0
}

// xor3 computes z ^= y ^ the word at m. It overwrites y.
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

// interleave puts the even dwords of odd in between the even dwords of even.
func (v vec) interleave(even, odd reg.VecVirtual) {
	if v.wide() {
		VPSHUFD(U8(0xA0), odd, oddLanes, even)
		return
	}
	VPSLLQ(Imm(32), odd, odd)
	VPBLENDD(U8(0xAA), odd, even, even)
}

// oddLanes are the odd dwords of a register of AVX-512.
var oddLanes = reg.K3

func setOddLanes() {
	m := GP32()
	MOVL(U32(0xAAAA), m)
	KMOVW(m, oddLanes)
}

// boxMuller computes √(−2 ln u1)·(cos, sin)(2πu2) for u1 = ((a>>8)+1)·2⁻²⁴, u2 = (b>>8)·2⁻²⁴, for two pairs of words a
// and b. The angle is split in integers: half turns, rounded, and the rest.
func (v vec) boxMuller(words []reg.VecVirtual) (z []reg.VecVirtual) {
	var radius []reg.VecVirtual
	unit := v.constant(v.f(0x1p-24))
	for _, a := range []reg.VecVirtual{words[0], words[2]} {
		VPSRLD(Imm(8), a, a)
		VCVTDQ2PS(a, a)
		v.do(fma213, v.f(0x1p-24), unit, a)
		r := v.logNormal(a, nil, -2)
		v.do(sqrt, r, r)
		radius = append(radius, r)
	}
	for i, b := range []reg.VecVirtual{words[1], words[3]} {
		// Bit 31 of b + ¼ turn counts half turns, and the 23 bits below the highest of b, with a sign, are the rest.
		turn := v.reg()
		v.do(addInt, v.i(1<<30), b, turn)
		VPSLLD(Imm(1), b, b)
		VPSRAD(Imm(9), b, b)
		VCVTDQ2PS(b, b)
		v.do(mul, v.f(2*math.Pi*0x1p-24), b, b)
		v.flip(turn, radius[i])
		sin, cos := v.quarterTurn(b)
		v.do(mul, radius[i], cos, cos)
		v.do(mul, radius[i], sin, sin)
		z = append(z, cos, sin)
	}
	return z
}

// transpose4 turns four registers into four whose every 16 bytes hold the four numbers of one lane.
func (v vec) transpose4(z []reg.VecVirtual) []reg.VecVirtual {
	t := v.regs(4)
	VUNPCKLPS(z[1], z[0], t[0])
	VUNPCKHPS(z[1], z[0], t[1])
	VUNPCKLPS(z[3], z[2], t[2])
	VUNPCKHPS(z[3], z[2], t[3])
	VUNPCKLPD(t[2], t[0], z[0])
	VUNPCKHPD(t[2], t[0], z[1])
	VUNPCKLPD(t[3], t[1], z[2])
	VUNPCKHPD(t[3], t[1], z[3])
	return z
}
