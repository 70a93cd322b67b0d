package main

import (
	"fmt"
	"math"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vec is a kind of vector register: AVX-512 (64 bytes) or AVX2 (32), of float32 or of doubles. Kernels are written once
// over it.
type vec struct {
	bytes  int
	double bool
}

func (v vec) wide() bool { return v.bytes == 64 }

// size returns the bytes of an element, lanes the elements of a register.
func (v vec) size() int {
	if v.double {
		return 8
	}
	return 4
}
func (v vec) lanes() int { return v.bytes / v.size() }

// tier returns the end of a Go function's name, and name all of it: gemm32AVX512.
func (v vec) tier() string {
	if v.wide() {
		return "AVX512"
	}
	return "AVX2"
}
func (v vec) name(stem string) string { return fmt.Sprintf("%s%d%s", stem, 8*v.size(), v.tier()) }

// elem returns the Go type of an element.
func (v vec) elem() string { return fmt.Sprintf("float%d", 8*v.size()) }

// reg returns a new register, regs several.
func (v vec) reg() reg.VecVirtual {
	if v.wide() {
		return ZMM()
	}
	return YMM()
}

func (v vec) regs(n int) []reg.VecVirtual {
	r := make([]reg.VecVirtual, n)
	for i := range r {
		r[i] = v.reg()
	}
	return r
}

// con is a constant operand, the same in every lane; it may stand where a memory operand may.
type con struct {
	bits  uint64
	bytes int
}

func (v vec) f(x float64) con {
	if v.double {
		return con{math.Float64bits(x), 8}
	}
	return con{uint64(math.Float32bits(float32(x))), 4}
}

func (v vec) i(x uint64) con { return con{x & (1<<(8*v.size()) - 1), v.size()} }

// i64 returns an integer in every 64 bits, in any precision.
func (v vec) i64(x uint64) con { return con{x, 8} }

// mem returns the place of the constant: 32 bytes of copies, of which AVX-512 broadcasts the first and AVX2 reads all.
func (c con) mem() Mem {
	name := fmt.Sprintf("const%0*x", 2*c.bytes, c.bits)
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 32 / c.bytes {
		if c.bytes == 8 {
			DATA(8*i, U64(c.bits))
		} else {
			DATA(4*i, U32(uint32(c.bits)))
		}
	}
	constants[name] = m
	return m
}

var constants = map[string]Mem{}

// Asm lets con be passed as an operand; op resolves it before avo sees it.
func (c con) Asm() string { return fmt.Sprintf("%#x", c.bits) }

// op is an instruction in single and double, plain and with a broadcast memory operand.
type op struct {
	s, sBcst, d, dBcst func(...Op)
}

var (
	add     = op{VADDPS, VADDPS_BCST, VADDPD, VADDPD_BCST}
	sub     = op{VSUBPS, VSUBPS_BCST, VSUBPD, VSUBPD_BCST}
	mul     = op{VMULPS, VMULPS_BCST, VMULPD, VMULPD_BCST}
	div     = op{VDIVPS, VDIVPS_BCST, VDIVPD, VDIVPD_BCST}
	minOf   = op{VMINPS, VMINPS_BCST, VMINPD, VMINPD_BCST}
	maxOf   = op{VMAXPS, VMAXPS_BCST, VMAXPD, VMAXPD_BCST}
	fma213  = op{VFMADD213PS, VFMADD213PS_BCST, VFMADD213PD, VFMADD213PD_BCST}
	fma231  = op{VFMADD231PS, VFMADD231PS_BCST, VFMADD231PD, VFMADD231PD_BCST}
	fnma231 = op{VFNMADD231PS, VFNMADD231PS_BCST, VFNMADD231PD, VFNMADD231PD_BCST}
	sqrt    = op{s: VSQRTPS, d: VSQRTPD}
	move    = op{s: VMOVUPS, d: VMOVUPD}
	copyReg = op{s: VMOVAPS, d: VMOVAPD}
	scale   = op{s: VSCALEFPS, d: VSCALEFPD}

	comparison = op{VCMPPS, VCMPPS_BCST, VCMPPD, VCMPPD_BCST}

	and = op{VANDPS, VANDPS_BCST, VANDPD, VANDPD_BCST}
	xor = op{VXORPS, VXORPS_BCST, VXORPD, VXORPD_BCST}

	addInt = op{VPADDD, VPADDD_BCST, VPADDQ, VPADDQ_BCST}
	subInt = op{VPSUBD, VPSUBD_BCST, VPSUBQ, VPSUBQ_BCST}

	// mulWide multiplies even dwords to 64 bits; its constant is one of i64.
	mulWide = op{VPMULUDQ, VPMULUDQ_BCST, VPMULUDQ, VPMULUDQ_BCST}
)

// do emits an instruction; operands stand in Go's order, the destination last. A mask may be nil.
func (v vec) do(o op, ops ...Op) {
	ops = slices.DeleteFunc(ops, func(x Op) bool { return x == nil })
	plain, bcst := o.s, o.sBcst
	if v.double {
		plain, bcst = o.d, o.dBcst
	}
	for i, x := range ops {
		if c, ok := x.(con); ok {
			ops[i] = c.mem()
			if v.wide() {
				plain = bcst
			}
		}
	}
	plain(ops...)
}

// broadcast fills every lane of r from one element in memory or from a constant.
func (v vec) broadcast(from Op, r Op) {
	if c, ok := from.(con); ok {
		from = c.mem()
	}
	if v.double {
		VBROADCASTSD(from, r)
	} else {
		VBROADCASTSS(from, r)
	}
}

// broadcastParam fills a register from a parameter.
func (v vec) broadcastParam(name string) reg.VecVirtual {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	r := v.reg()
	v.broadcast(p.Addr, r)
	return r
}

// zero clears a register.
func (v vec) zero(r Op) { VXORPS(r, r, r) }

// at returns the memory offset bytes after a pointer.
func at(p reg.Register, offset int) Mem { return Mem{Base: p, Disp: offset} }

// imm returns an immediate operand that may be larger than 127.
func imm(n int) Op { return U32(uint32(n)) }

// param loads a parameter into a new general register.
func param(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}
