package main

import (
	"fmt"
	"math"
	"testing"
)

// row is an instruction with its results. classes are the registers of its result and operands: r and h of 32 and 16
// bits, R of 64, f float, F double, p a predicate. Each case is the result and the operands.
type row struct {
	op, classes string
	cases       []values
}

type values []any

// raw are the bits of a number as they are.
type raw uint64

// Numbers at the edges.
var (
	nan, inf     = math.NaN(), math.Inf(1)
	minus0       = math.Copysign(0, -1)
	min32, max32 = math.MinInt32, math.MaxInt32
	min64, max64 = math.MinInt64, math.MaxInt64
)

// bitsOf returns a value in a register of a class.
func bitsOf(class byte, v any) uint64 {
	switch v := v.(type) {
	case raw:
		return uint64(v)
	case bool:
		if v {
			return 1
		}
		return 0
	case int:
		switch class {
		case 'f':
			return uint64(math.Float32bits(float32(v)))
		case 'F':
			return math.Float64bits(float64(v))
		case 'h':
			return uint64(uint16(v))
		case 'R':
			return uint64(v)
		}
		return uint64(uint32(v))
	case float64:
		if class == 'f' {
			return uint64(math.Float32bits(float32(v)))
		}
		return math.Float64bits(v)
	}
	panic(fmt.Sprintf("a value of type %T", v))
}

// same reports whether two registers of a class hold the same; every NaN is the same.
func same(class byte, a, b uint64) bool {
	if class == 'f' && a&0x7fffffff > 0x7f800000 && b&0x7fffffff > 0x7f800000 {
		return true
	}
	if class == 'F' && math.IsNaN(math.Float64frombits(a)) && math.IsNaN(math.Float64frombits(b)) {
		return true
	}
	return a == b
}

// rows has each instruction at its edges. What is expected is written out, or the ISA's own words.
var rows = []row{
	{"add.s16", "hhh", []values{{-32768, 32767, 1}, {3, 1, 2}}},
	{"add.s32", "rrr", []values{{min32, max32, 1}, {-3, -1, -2}}},
	{"add.u64", "RRR", []values{{0, -1, 1}}},
	{"add.s64", "RRR", []values{{min64, max64, 1}}},
	{"add.f32", "fff", []values{{1.0, 1.0, 0x1p-24}, {nan, inf, -inf}, {inf, 0x1.fffffep127, 0x1.fffffep127},
		{raw(1), 0.0, raw(1)}}},
	{"add.rn.f64", "FFF", []values{{1.0, 1.0, 0x1p-53}, {raw(3), raw(1), raw(2)}}},
	{"sub.s16", "hhh", []values{{32767, -32768, 1}}},
	{"sub.s32", "rrr", []values{{max32, min32, 1}}},
	{"sub.s64", "RRR", []values{{max64, min64, 1}}},
	{"sub.f32", "fff", []values{{nan, inf, inf}, {0.0, 1.5, 1.5}}},
	{"sub.f64", "FFF", []values{{0x1p-53, 1.0, 1 - 0x1p-53}}},
	{"mul.lo.s16", "hhh", []values{{1, 0xffff, 0xffff}, {0x4000, 0xc000, 0xffff}}},
	{"mul.lo.s32", "rrr", []values{{min32, min32, -1}, {1, -1, -1}, {0, 65536, 65536}}},
	{"mul.lo.s64", "RRR", []values{{min64, min64, -1}, {-6, 2, -3}}},
	{"mul.hi.u16", "hhh", []values{{0xfffe, 0xffff, 0xffff}}},
	{"mul.hi.u32", "rrr", []values{{raw(0xfffffffe), -1, -1}, {1, 65536, 65536}}},
	{"mul.wide.s16", "rhh", []values{{-65534, -32767, 2}}},
	{"mul.wide.u32", "Rrr", []values{{raw(0xfffffffe00000001), -1, -1}}},
	{"mul.wide.s32", "Rrr", []values{{1, -1, -1}, {1 << 62, min32, min32}}},
	{"mul.f32", "fff", []values{{nan, 0.0, inf}, {0.0, raw(1), 0.5}, {minus0, -1.0, 0.0}}},
	{"mul.rn.f64", "FFF", []values{{inf, 1e300, 1e300}}},
	{"mad.lo.s32", "rrrr", []values{{min32, 65536, 32767, 65536}, {7, 2, 3, 1}}},
	{"mad.lo.s64", "RRRR", []values{{max64, -1, 1, min64}, {7, 2, 3, 1}}},
	{"fma.rn.f32", "ffff", []values{{0x1p-46, 1 + 0x1p-23, 1 + 0x1p-23, -(1 + 0x1p-22)}, {nan, 0.0, inf, 1.0}}},
	{"fma.rn.f64", "FFFF", []values{{0x1p-104, 1 + 0x1p-52, 1 + 0x1p-52, -(1 + 0x1p-51)}, {inf, 1e300, 1e300, 1.0}}},
	{"div.s32", "rrr", []values{{-3, -7, 2}, {min32, min32, -1}}},
	{"div.u32", "rrr", []values{{raw(0x7fffffff), -1, 2}}},
	{"div.s64", "RRR", []values{{min64, min64, -1}, {3, -7, -2}}},
	{"div.rn.f32", "fff", []values{{raw(0x3eaaaaab), 1.0, 3.0}, {inf, 1.0, 0.0}, {nan, 0.0, 0.0}, {-inf, 1.0, minus0}}},
	{"div.rn.f64", "FFF", []values{{1.0 / 3, 1.0, 3.0}, {nan, inf, inf}}},
	{"rem.s32", "rrr", []values{{-1, -7, 2}, {1, 7, -2}, {0, min32, -1}}},
	{"rem.u32", "rrr", []values{{1, -1, 2}}},
	{"rem.u16", "hhh", []values{{1, 0xffff, 2}}},
	{"rem.s64", "RRR", []values{{-1, -7, 2}, {0, min64, -1}}},
	{"min.s32", "rrr", []values{{-1, -1, 1}}},
	{"min.u32", "rrr", []values{{1, -1, 1}}},
	{"max.s32", "rrr", []values{{1, -1, 1}}},
	{"max.u32", "rrr", []values{{-1, -1, 1}}},
	{"min.f32", "fff", []values{{1.0, nan, 1.0}, {1.0, 1.0, nan}, {nan, nan, nan}, {minus0, 0.0, minus0},
		{minus0, minus0, 0.0}, {-inf, -inf, 1.0}}},
	{"max.f32", "fff", []values{{1.0, nan, 1.0}, {1.0, 1.0, nan}, {nan, nan, nan}, {0.0, 0.0, minus0},
		{0.0, minus0, 0.0}, {inf, 1.0, inf}}},
	{"min.f64", "FFF", []values{{1.0, nan, 1.0}, {1.0, 1.0, nan}, {nan, nan, nan}, {minus0, 0.0, minus0},
		{-2.0, 3.0, -2.0}}},
	{"max.f64", "FFF", []values{{1.0, nan, 1.0}, {1.0, 1.0, nan}, {0.0, minus0, 0.0}, {3.0, 3.0, -2.0}}},
	{"neg.s16", "hh", []values{{-32768, -32768}, {-5, 5}}},
	{"neg.s32", "rr", []values{{min32, min32}, {5, -5}}},
	{"neg.f32", "ff", []values{{minus0, 0.0}, {inf, -inf}}},
	{"neg.f64", "FF", []values{{0.0, minus0}, {-2.5, 2.5}}},
	{"abs.f32", "ff", []values{{0.0, minus0}, {inf, -inf}, {nan, nan}}},
	{"abs.f64", "FF", []values{{2.5, -2.5}}},
	{"sqrt.rn.f32", "ff", []values{{raw(0x3fb504f3), 2.0}, {nan, -1.0}, {minus0, minus0}, {inf, inf}}},
	{"sqrt.rn.f64", "FF", []values{{math.Sqrt2, 2.0}, {nan, -1.0}, {0x1p-537, raw(1)}}},
	{"rcp.rn.f64", "FF", []values{{1.0 / 3, 3.0}, {inf, 0.0}, {-inf, minus0}, {0.0, inf}}},
	{"rcp.rn.f32", "ff", []values{{raw(0x3eaaaaab), 3.0}}},
	// An approximation has 20 bits of mantissa, and takes no more.
	{"rcp.approx.ftz.f64", "FF", []values{{raw(0x3fd5555500000000), 3.0},
		{raw(0x3fd5555500000000), raw(0x40080000ffffffff)}, {0.5, 2.0}, {inf, 0.0},
		{-inf, math.Copysign(0x1p-1074, -1)}, {minus0, -inf}, {nan, nan}, {0.0, 0x1p+1023}}},
	{"rsqrt.approx.ftz.f64", "FF", []values{{raw(0x3fe6a09e00000000), 2.0}, {0.5, 4.0}, {inf, raw(1)}, {-inf, minus0},
		{nan, -1.0}, {0.0, inf}, {nan, nan}}},
	{"and.b32", "rrr", []values{{raw(0x0f000000), raw(0x0f0f0f0f), raw(0xff000000)}}},
	{"or.b64", "RRR", []values{{raw(0xff0f), raw(0x0f0f), raw(0xf000)}}},
	{"xor.b16", "hhh", []values{{0xf00f, 0xff00, 0x0f0f}}},
	{"xor.pred", "ppp", []values{{false, true, true}, {true, true, false}}},
	{"and.pred", "ppp", []values{{true, true, true}, {false, true, false}}},
	{"or.pred", "ppp", []values{{false, false, false}, {true, true, false}}},
	{"not.b32", "rr", []values{{-1, 0}}},
	{"not.b64", "RR", []values{{0, -1}}},
	{"not.pred", "pp", []values{{false, true}, {true, false}}},
	// A shift by the width or more: zeros, or the sign.
	{"shl.b32", "rrr", []values{{min32, 1, 31}, {0, 1, 32}, {0, -1, 33}, {0, -1, -1}, {-1, -1, 0}}},
	{"shl.b64", "RRr", []values{{min64, 1, 63}, {0, 1, 64}, {0, -1, -1}}},
	{"shl.b16", "hhr", []values{{0x8000, 1, 15}, {0, 1, 16}}},
	{"shr.u32", "rrr", []values{{1, min32, 31}, {0, -1, 32}, {0, -1, 255}, {0, -1, -1}}},
	{"shr.s32", "rrr", []values{{-1, min32, 31}, {-1, min32, 32}, {0, max32, 32}, {-1, -5, -1}, {-2, -4, 1}}},
	{"shr.u64", "RRr", []values{{1, min64, 63}, {0, -1, 64}}},
	{"shr.s64", "RRr", []values{{-1, min64, 64}, {0, max64, 99}}},
	{"shr.u16", "hhr", []values{{1, 0x8000, 15}, {0, 0xffff, 16}}},
	// Position and length count in their lowest 8 bits.
	{"bfe.u32", "rrrr", []values{{0xbc, raw(0xabcd), 4, 8}, {0, -1, 0, 0}, {0, -1, 32, 8}, {0xf, -1, 28, 8},
		{-1, -1, 0, 32}, {-1, -1, 0, 255}, {1, -1, 31, 1}, {0xbc, raw(0xabcd), 0x104, 0x108}}},
	// Comparisons without u are false if one is NaN, those with it true.
	{"setp.eq.f32", "pff", []values{{true, 0.0, minus0}, {false, nan, nan}, {false, 1.0, nan}}},
	{"setp.ne.f32", "pff", []values{{false, 0.0, minus0}, {false, nan, 1.0}, {true, 1.0, 2.0}}},
	{"setp.lt.f64", "pFF", []values{{true, 1.0, 2.0}, {false, 1.0, nan}, {false, nan, 1.0}, {false, minus0, 0.0}}},
	{"setp.le.f64", "pFF", []values{{true, 2.0, 2.0}, {false, 1.0, nan}, {false, 3.0, 2.0}}},
	{"setp.gt.f32", "pff", []values{{true, 2.0, 1.0}, {false, 1.0, nan}, {false, 1.0, 1.0}}},
	{"setp.ge.f64", "pFF", []values{{true, 1.0, 1.0}, {false, nan, 1.0}, {false, 0.0, 1.0}}},
	{"setp.neu.f64", "pFF", []values{{true, nan, nan}, {false, 1.0, 1.0}, {true, 1.0, 2.0}}},
	{"setp.ltu.f64", "pFF", []values{{true, nan, 1.0}, {true, 0.0, 1.0}, {false, 1.0, 1.0}}},
	{"setp.leu.f32", "pff", []values{{true, 1.0, nan}, {true, 1.0, 1.0}, {false, 2.0, 1.0}}},
	{"setp.gtu.f32", "pff", []values{{true, nan, nan}, {true, 2.0, 1.0}, {false, 1.0, 1.0}}},
	{"setp.geu.f64", "pFF", []values{{true, 1.0, nan}, {true, 1.0, 1.0}, {false, 0.0, 1.0}}},
	{"setp.lt.s32", "prr", []values{{true, -1, 0}, {false, 0, 0}}},
	{"setp.lt.u32", "prr", []values{{false, -1, 0}, {true, 0, -1}}},
	{"setp.gt.u64", "pRR", []values{{true, -1, 0}}},
	{"setp.gt.s64", "pRR", []values{{false, -1, 0}}},
	{"setp.lt.u16", "phh", []values{{false, 0xffff, 1}}},
	{"setp.ge.s32", "prr", []values{{true, 3, 3}, {false, -3, 3}}},
	{"setp.eq.b32", "prr", []values{{true, -1, -1}, {false, 1, 2}}},
	{"setp.ne.s64", "pRR", []values{{true, 1 << 40, 0}, {false, 5, 5}}},
	{"selp.f64", "FFFp", []values{{1.0, 1.0, 2.0, true}, {2.0, 1.0, 2.0, false}}},
	{"selp.b32", "rrrp", []values{{1, 1, 2, true}, {2, 1, 2, false}}},
	{"mov.f32", "ff", []values{{minus0, minus0}, {raw(0x7f800001), raw(0x7f800001)}}},
	{"mov.b64", "RF", []values{{raw(0x3ff0000000000000), 1.0}}},
	{"mov.b32", "fr", []values{{1.0, raw(0x3f800000)}}},
	{"mov.pred", "pp", []values{{true, true}, {false, false}}},
	// Integers: the low bits, extended by the type from.
	{"cvt.u16.u32", "hr", []values{{0x5678, raw(0x12345678)}}},
	{"cvt.u32.u16", "rh", []values{{0xffff, 0xffff}}},
	{"cvt.s32.s16", "rh", []values{{-1, 0xffff}}},
	{"cvt.s64.s32", "Rr", []values{{-1, -1}, {max32, max32}}},
	{"cvt.u64.u32", "Rr", []values{{raw(0xffffffff), -1}}},
	{"cvt.u32.u64", "rR", []values{{raw(0x9abcdef0), raw(0x123456789abcdef0)}}},
	{"cvt.s32.s8", "rr", []values{{-128, raw(0x1280)}}},
	// Floats to floats, and integers to floats: at ties and past the largest.
	{"cvt.f64.f32", "Ff", []values{{float64(float32(0.1)), 0.1}, {0x1p-149, raw(1)}, {-inf, -inf}}},
	{"cvt.rn.f32.f64", "fF", []values{{1.0, 1 + 0x1p-24}, {1 + 0x1p-22, 1 + 0x1.8p-23}, {inf, 1e300}, {0.0, 1e-300},
		{nan, nan}}},
	{"cvt.rn.f32.s32", "fr", []values{{16777216.0, 16777217}, {16777220.0, 16777219}, {-2147483648.0, min32}}},
	{"cvt.rn.f32.u32", "fr", []values{{4294967296.0, -1}}},
	{"cvt.rn.f64.s32", "Fr", []values{{-1.0, -1}}},
	{"cvt.rn.f64.u32", "Fr", []values{{4294967295.0, -1}}},
	// TF32: 10 bits of mantissa, away from zero where two are as near.
	{"cvt.rna.tf32.f32", "ff", []values{{1 + 0x1p-10, 1 + 0x1p-11}, {1.0, 1 + 0x1.fcp-12}, {-1 - 0x1p-10, -1 - 0x1p-11},
		{inf, inf}, {nan, nan}}},
	{"cvta.to.global.u64", "RR", []values{{raw(0x1234567890), raw(0x1234567890)}}},
}

func TestOpcodes(t *testing.T) {
	var kernels []kernel
	for i, r := range rows {
		if len(r.cases) > 32 {
			t.Fatalf("%s has more cases than a warp has lanes", r.op)
		}
		k := kernel{name: fmt.Sprintf("row_%d", i), body: r.body(), in: make([]uint64, 32*8), threads: 32}
		for lane := range 32 {
			for j, v := range r.cases[lane%len(r.cases)][1:] {
				k.in[lane*8+j] = bitsOf(r.classes[j+1], v)
			}
		}
		kernels = append(kernels, k)
	}
	for i, got := range execute(t, kernels) {
		r := rows[i]
		if got.fault != "" {
			t.Errorf("%s: %s", r.op, got.fault)
			continue
		}
		for lane, c := range r.cases {
			if want := bitsOf(r.classes[0], c[0]); !same(r.classes[0], got.out[lane*8], want) {
				t.Errorf("%s of %v gives %#x, not %#x (%v)", r.op, c[1:], got.out[lane*8], want, c[0])
			}
		}
	}
}

// Every instruction has a row here, or a separate test.
func TestOpcodesAreCovered(t *testing.T) {
	covered := map[string]bool{"ld": true, "st": true, "bar": true, "shfl": true, "mma": true, "bra": true, "ret": true}
	for _, r := range rows {
		var name string
		fmt.Sscanf(r.op, "%s", &name)
		for i := range name {
			if name[i] == '.' {
				name = name[:i]
				break
			}
		}
		covered[name] = true
	}
	for name := range opcodes {
		if !covered[name] {
			t.Errorf("%s has no test", name)
		}
	}
}
