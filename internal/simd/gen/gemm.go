package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unroll is how many steps of k a turn of the inner loop makes.
const unroll = 4

// heights returns the numbers of rows that one call may compute: the tallest tile that the registers hold, and shorter
// ones for any remainder.
func (v vec) heights() []int {
	if v.wide() {
		return []int{12, 8, 4, 2, 1}
	}
	return []int{6, 4, 2, 1}
}

// Values of MXCSR with all exceptions masked: flushing takes subnormal numbers for zero, and exact is Go's own. With
// short length-scales most correlations are tiny, and subnormal products would make a step take three times as long.
const (
	exact    = 0x1f80
	flushing = exact | 0x8040
)

// gemm emits the micro-kernel: rows × cols of C from rows of A, read in place, and panels of B, two registers wide,
// packed k by k. Sums over k stay in registers; C is written once, as α·sum (first) or C + α·sum. lda and ldc are in
// bytes; rows must be one of the heights.
func gemm(v vec) {
	v.function(v.name("gemm"), "func(rows, cols, k int, alpha T, a *T, lda int, b, c *T, ldc int, first int)")
	rows := param("rows")
	cols, b, c := param("cols"), param("b"), param("c")
	VLDMXCSR(v.i(flushing).mem())
	for i, h := range v.heights() {
		if i+1 < len(v.heights()) {
			CMPQ(rows, Imm(uint64(h)))
			JNE(LabelRef(fmt.Sprintf("below%d", h)))
		}
		rowBlock(v, h, cols, b, c)
		if i+1 < len(v.heights()) {
			Label(fmt.Sprintf("below%d", h))
		}
	}
}

// rowBlock walks h rows along the panels of B.
func rowBlock(v vec, h int, cols, b, c reg.GPVirtual) {
	panel, narrow := fmt.Sprintf("panel%d", h), fmt.Sprintf("narrow%d", h)
	Label(panel)
	CMPQ(cols, imm(v.lanes()))
	JLE(LabelRef(narrow))
	tile{v, h, 2, cols, b, c}.emit()
	ADDQ(imm(2*v.bytes), c)
	SUBQ(imm(2*v.lanes()), cols)
	JG(LabelRef(panel))
	VLDMXCSR(v.i(exact).mem())
	leave()
	Label(narrow)
	tile{v, h, 1, cols, b, c}.emit()
	VLDMXCSR(v.i(exact).mem())
	leave()
}

// tile is h rows by w registers of C.
type tile struct {
	v          vec
	h, w       int
	cols, b, c reg.GPVirtual
}

func (t tile) label(name string) string { return fmt.Sprintf("%s%dx%d", name, t.h, t.w) }

func (t tile) emit() {
	v := t.v
	acc := make([][]reg.VecVirtual, t.h)
	for r := range acc {
		acc[r] = v.regs(t.w)
		for _, x := range acc[r] {
			v.zero(x)
		}
	}
	t.sum(acc)
	v.masks(t.cols, t.w)
	alpha := v.broadcastParam("alpha")
	ldc, first := param("ldc"), param("first")
	row := GP64()
	MOVQ(t.c, row)
	TESTQ(first, first)
	JZ(LabelRef(t.label("add")))
	t.store(acc, alpha, row, ldc, true)
	JMP(LabelRef(t.label("stored")))
	Label(t.label("add"))
	t.store(acc, alpha, row, ldc, false)
	Label(t.label("stored"))
}

// sum runs over k. Rows of A are addressed in threes from one pointer each.
func (t tile) sum(acc [][]reg.VecVirtual) {
	v := t.v
	k, lda := param("k"), param("lda")
	bases := []reg.GPVirtual{param("a")}
	if t.h > 3 {
		lda3 := GP64()
		LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
		for r := 3; r < t.h; r += 3 {
			next := GP64()
			LEAQ(Mem{Base: bases[len(bases)-1], Index: lda3, Scale: 1}, next)
			bases = append(bases, next)
		}
	}
	panels := v.regs(t.w)
	factors := v.regs(min(2, t.h))
	step := func(u int) {
		for j, p := range panels {
			v.do(move, at(t.b, u*2*v.bytes+j*v.bytes), p)
		}
		for r := range acc {
			m := at(bases[r/3], u*v.size())
			if r%3 > 0 {
				m.Index, m.Scale = lda, uint8(r%3)
			}
			x := factors[r%len(factors)]
			v.broadcast(m, x)
			for j, p := range panels {
				v.do(fma231, p, x, acc[r][j])
			}
		}
	}
	body := func(steps int) {
		for u := range steps {
			step(u)
		}
		ADDQ(imm(steps*2*v.bytes), t.b)
		for _, p := range bases {
			ADDQ(imm(steps*v.size()), p)
		}
	}
	SUBQ(imm(unroll), k)
	JL(LabelRef(t.label("rest")))
	Label(t.label("unrolled"))
	body(unroll)
	SUBQ(imm(unroll), k)
	JGE(LabelRef(t.label("unrolled")))
	Label(t.label("rest"))
	ADDQ(imm(unroll), k)
	JZ(LabelRef(t.label("summed")))
	Label(t.label("one"))
	body(1)
	DECQ(k)
	JNZ(LabelRef(t.label("one")))
	Label(t.label("summed"))
}

// store writes the tile to C. With AVX-512 masks end each row.
func (t tile) store(acc [][]reg.VecVirtual, alpha reg.VecVirtual, row, ldc reg.GPVirtual, first bool) {
	v := t.v
	edge := fmt.Sprintf("%s%v", t.label("edge"), first)
	end := fmt.Sprintf("%s%v", t.label("end"), first)
	if !v.wide() {
		CMPQ(t.cols, imm(t.w*v.lanes()))
		JL(LabelRef(edge))
	}
	for r := range acc {
		for j, x := range acc[r] {
			m, k := at(row, j*v.bytes), Op(nil)
			if v.wide() {
				k = tileMasks[j]
			}
			if first {
				v.do(mul, alpha, x, x)
			} else {
				v.do(fma213, m, alpha, k, x)
			}
			v.do(move, x, k, m)
		}
		if r+1 < t.h {
			ADDQ(ldc, row)
		}
	}
	if v.wide() {
		return
	}
	JMP(LabelRef(end))
	Label(edge)
	t.storeEdge(acc, alpha, ldc, first)
	Label(end)
}

// storeEdge does with AVX2 what store does, for a tile that ends within its registers.
func (t tile) storeEdge(acc [][]reg.VecVirtual, alpha reg.VecVirtual, ldc reg.GPVirtual, first bool) {
	v := t.v
	mask := edgeMask(v, t.cols)
	m0 := v.reg()
	old := v.reg()
	for j := range t.w {
		p := GP64()
		MOVQ(t.c, p)
		VMOVDQU(at(mask, j*v.bytes), m0)
		for r := range acc {
			x, m := acc[r][j], at(p, j*v.bytes)
			if first {
				v.do(mul, alpha, x, x)
			} else {
				VMASKMOVPS(m, m0, old)
				v.do(fma213, old, alpha, x)
			}
			VMASKMOVPS(x, m0, m)
			if r+1 < t.h {
				ADDQ(ldc, p)
			}
		}
	}
}

// tileMasks are the mask registers of a tile's two columns of registers.
var tileMasks = []reg.OpmaskPhysical{reg.K1, reg.K2}

// masks sets the mask registers of AVX-512 to the first cols elements of n registers.
func (v vec) masks(cols reg.GPVirtual, n int) {
	if !v.wide() {
		return
	}
	count, all, mask := GP64(), GP64(), GP64()
	MOVQ(imm(n*v.lanes()), count)
	CMPQ(cols, count)
	CMOVQLT(cols, count)
	MOVQ(I64(-1), all)
	BZHIQ(count, all, mask)
	KMOVW(mask.As32(), reg.K1)
	if n == 2 {
		SHRQ(Imm(uint64(v.lanes())), mask)
		KMOVW(mask.As32(), reg.K2)
	}
}

// maskTable makes sixteen dwords of ones, then sixteen of zeros.
func maskTable() Mem {
	if m, ok := constants["maskTable"]; ok {
		return m
	}
	m := GLOBL("maskTable", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(0xffffffff))
	}
	for i := range 16 {
		DATA(64+4*i, U32(0))
	}
	constants["maskTable"] = m
	return m
}

// edgeMask points to the AVX2 masks of the first cols elements of registers.
func edgeMask(v vec, cols reg.GPVirtual) reg.GPVirtual {
	p, q := GP64(), GP64()
	LEAQ(maskTable().Offset(64), p)
	MOVQ(cols, q)
	SHLQ(Imm(map[bool]uint64{false: 2, true: 3}[v.double]), q)
	SUBQ(q, p)
	return p
}
