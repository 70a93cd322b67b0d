package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// matches adds parts rows of 64 bytes for each of n windows, looks every byte up, and adds the bytes to eight sums.
func matches(v vec, parts int) {
	v.function(fmt.Sprintf("matches%d%s", parts, v.tier()),
		"func(n int, sums *uint64, at *uint32, counts *uint64, weight *byte)")
	n, sums, where, counts, weight := param("n"), param("sums"), param("at"), param("counts"), param("weight")
	lut, zero := v.reg(), v.reg()
	if v.wide() {
		VBROADCASTI32X4(at(weight, 0), lut)
		VPXORQ(zero, zero, zero)
	} else {
		VBROADCASTI128(at(weight, 0), lut)
		VPXOR(zero, zero, zero)
	}
	acc, x := v.regs(64/v.bytes), v.regs(64/v.bytes)
	move := func(from, to Op) {
		if v.wide() {
			VMOVDQU64(from, to)
		} else {
			VMOVDQU(from, to)
		}
	}
	for i, a := range acc {
		move(at(sums, i*v.bytes), a)
	}
	rows := make([]reg.GPVirtual, parts)
	for i := range rows {
		rows[i] = GP64()
	}
	Label("window")
	for i, r := range rows {
		MOVL(at(where, 4*i), r.As32())
	}
	for i, a := range x {
		row := func(r reg.Register) Mem { return Mem{Base: counts, Index: r, Scale: 1, Disp: i * v.bytes} }
		move(row(rows[0]), a)
		for _, r := range rows[1:] {
			VPADDB(row(r), a, a)
		}
		VPSHUFB(a, lut, a)
		VPSADBW(zero, a, a)
		VPADDQ(a, acc[i], acc[i])
	}
	ADDQ(imm(4*parts), where)
	DECQ(n)
	JNZ(LabelRef("window"))
	for i, a := range acc {
		move(a, at(sums, i*v.bytes))
	}
	leave()
}
