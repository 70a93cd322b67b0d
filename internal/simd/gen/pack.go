package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packRows copies k rows of up to two registers into a panel of B, zeros after the last element. It moves dwords and
// serves both precisions. stride is in bytes.
func packRows(v vec) {
	v.function("packRows"+v.tier(), "func(k, dwords int, src *byte, stride int, dst *byte)")
	k, dwords := param("k"), param("dwords")
	src, stride, dst := param("src"), param("stride"), param("dst")
	x, m := v.regs(2), v.regs(2)
	if v.wide() {
		v.masks(dwords, 2)
	} else {
		table := edgeMask(v, dwords)
		VMOVDQU(at(table, 0), m[0])
		VMOVDQU(at(table, v.bytes), m[1])
	}
	Label("row")
	for j := range x {
		if v.wide() {
			VMOVUPS_Z(at(src, j*v.bytes), tileMasks[j], x[j])
		} else {
			VMASKMOVPS(at(src, j*v.bytes), m[j], x[j])
		}
	}
	for j := range x {
		VMOVUPS(x[j], at(dst, j*v.bytes))
	}
	ADDQ(stride, src)
	ADDQ(imm(2*v.bytes), dst)
	DECQ(k)
	JNZ(LabelRef("row"))
	leave()
}

// transpose writes dst[j,i] = src[i,j] in squares of side × side elements. The last square of a row is moved back to
// end with it, so cols must be at least side. Rows are filled up with copies of the last one: dst must have room for
// whole squares. lds and ldd are in bytes.
func transpose(v vec, side int, square func(src []Mem, store func(j int, x Op))) {
	size := v.size()
	v.function(v.name("transpose"), "func(rows, cols int, src *T, lds int, dst *T, ldd int)")
	rows, src := param("rows"), param("src")
	Label("band")
	row := []reg.GPVirtual{src}
	lds := param("lds")
	for i := 1; i < side; i++ {
		next := GP64()
		LEAQ(Mem{Base: row[i-1], Index: lds, Scale: 1}, next)
		CMPQ(rows, Imm(uint64(i)))
		CMOVQLE(row[i-1], next)
		row = append(row, next)
	}
	column := GP64()
	XORQ(column, column)
	Label("square")
	// dst + column·ldd + the band's offset, which the stack keeps in dst's parameter
	ldd, to := param("ldd"), GP64()
	MOVQ(column, to)
	IMULQ(ldd, to)
	dst, err := Param("dst").Resolve()
	if err != nil {
		panic(err)
	}
	ADDQ(dst.Addr, to)
	var from []Mem
	for _, p := range row {
		from = append(from, Mem{Base: p, Index: column, Scale: uint8(size)})
	}
	square(from, func(j int, x Op) {
		VMOVUPS(x, at(to, 0))
		if j+1 < side {
			ADDQ(ldd, to)
		}
	})
	// the next square, or the one that ends with the row
	last, cols := GP64(), param("cols")
	LEAQ(at(cols, -side), last)
	CMPQ(column, last)
	JGE(LabelRef("across"))
	ADDQ(imm(side), column)
	CMPQ(column, last)
	CMOVQGT(last, column)
	JMP(LabelRef("square"))
	Label("across")
	ADDQ(imm(side*size), dst.Addr)
	step := GP64()
	Load(Param("lds"), step)
	SHLQ(Imm(map[int]uint64{4: 2, 8: 3}[side]), step)
	ADDQ(step, src)
	SUBQ(imm(side), rows)
	JG(LabelRef("band"))
	leave()
}

// transpose32 turns squares of 8 × 8 float32.
func transpose32() {
	transpose(vec{bytes: 32}, 8, func(src []Mem, store func(int, Op)) {
		// registers hold four columns of row i, and of row i+4 above
		half := func(offset int) (x [4]reg.VecVirtual) {
			for i := range x {
				x[i] = YMM()
				VMOVUPS(src[i].Offset(offset), x[i].AsX())
				VINSERTF128(Imm(1), src[i+4].Offset(offset), x[i], x[i])
			}
			return x
		}
		for h := range 2 {
			x := half(16 * h)
			t := [4]reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
			VUNPCKLPS(x[1], x[0], t[0])
			VUNPCKHPS(x[1], x[0], t[1])
			VUNPCKLPS(x[3], x[2], t[2])
			VUNPCKHPS(x[3], x[2], t[3])
			for q := range 4 {
				a, b := t[q/2], t[2+q/2]
				if q%2 == 0 {
					VUNPCKLPD(b, a, x[q])
				} else {
					VUNPCKHPD(b, a, x[q])
				}
				store(4*h+q, x[q])
			}
		}
	})
}

// transpose64 turns squares of 4 × 4 doubles.
func transpose64() {
	transpose(vec{bytes: 32, double: true}, 4, func(src []Mem, store func(int, Op)) {
		for h := range 2 {
			x := [2]reg.VecVirtual{YMM(), YMM()}
			for i := range x {
				VMOVUPD(src[i].Offset(16*h), x[i].AsX())
				VINSERTF128(Imm(1), src[i+2].Offset(16*h), x[i], x[i])
			}
			lo, hi := YMM(), YMM()
			VUNPCKLPD(x[1], x[0], lo)
			VUNPCKHPD(x[1], x[0], hi)
			store(2*h, lo)
			store(2*h+1, hi)
		}
	})
}
