package main

import (
	"regexp"
	"strings"
	"testing"
)

// A kernel that a GPU might forgive is a fault here, with kernel, block, thread and line.
func TestFaults(t *testing.T) {
	faults := []struct {
		body   string
		blocks int
		says   string
	}{
		{"div.s32 %r1, %r50, 0;", 1, "kernel fault_0, block .0,0,0.: thread 0 divides by zero"},
		{"rem.u32 %r1, %r50, 0;", 1, "thread 0 divides by zero"},
		{"ld.global.u32 %r1, [%rd1+2];", 1, "thread 0 uses a misaligned address, at line [0-9]+ of the PTX"},
		{"setp.eq.s32 %p1, %r50, 63; @%p1 st.global.u64 [%rd4+64], 5;", 1,
			"thread 63 writes 8 bytes that end 8 bytes past the end of a tensor of 4096 bytes, at line"},
		{"setp.eq.s32 %p1, %r50, 0; @%p1 ld.global.u64 %rd7, [%rd4+-8];", 1,
			"thread 0 reads 8 bytes that begin 8 bytes before a tensor of 4096 bytes"},
		{"mov.u64 %rd7, 4096; ld.global.u32 %r1, [%rd7];", 1, "thread 0 reads outside all memory"},
		{"mov.u64 %rd7, fixed; mov.u32 %r1, 0; st.shared.u32 [%rd7+256], %r1;", 1,
			"thread 0 writes 4 bytes that end 4 bytes past the end of the shared array fixed of 256 bytes"},
		{"mov.u64 %rd7, dynamic; ld.shared.u32 %r1, [%rd7+4];", 1,
			"thread 0 reads byte 4 of the shared array that is dynamic, which was never written"},
		{"mov.u64 %rd7, fixed; st.global.u32 [%rd7], 1;", 1, "uses shared memory as global memory"},
		{"st.shared.u32 [%rd4], 1;", 1, "uses an address outside shared memory"},
		{"mov.u64 %rd7, depot; st.local.u32 [%rd7+16], 1;", 1, "uses local memory outside"},
		{"mov.u64 %rd7, fixed; st.shared.u32 [%rd7], 1;", 1,
			"thread 1 writes what thread 0 wrote, with no barrier between"},
		{"setp.eq.s32 %p1, %r50, 0; mov.u64 %rd7, fixed; @%p1 st.shared.u32 [%rd7], 1; ld.shared.u32 %r1, [%rd7];", 1,
			"thread 1 reads what thread 0 wrote"},
		{"mov.u64 %rd7, fixed; setp.eq.s32 %p1, %r50, 5; @%p1 st.shared.u32 [%rd7], 1; bar.sync 0; " +
			"ld.shared.u32 %r1, [%rd7]; @%p1 st.shared.u32 [%rd7], 1;", 1, "thread 5 writes what other threads read"},
		{"setp.eq.s32 %p1, %r50, 0; @%p1 st.global.u64 [%rd2], 1; ld.global.u64 %rd7, [%rd2];", 1,
			"thread 1 reads what thread 0 wrote"},
		{"setp.eq.s32 %p1, %r50, 0; @%p1 st.global.u64 [%rd2], 1;", 2,
			"block .1,0,0.: thread 0 writes what another block writes in the same launch"},
		{"ld.global.u64 %rd7, [%rd2]; setp.eq.s32 %p1, %r53, 65; @%p1 st.global.u64 [%rd2], 1;", 2,
			"block .1,0,0.: thread 1 writes what another block reads"},
		{"setp.lt.s32 %p1, %r50, 5; @%p1 bra $L_out; bar.sync 0;\n$L_out:", 1, "__syncthreads"},
	}
	var kernels []kernel
	for i, f := range faults {
		kernels = append(kernels, kernel{name: "fault_" + string(rune('0'+i)), body: "\t" + f.body, threads: 64,
			blocks: f.blocks, shared: 64})
		if i > 9 {
			kernels[i].name = "fault_" + string(rune('a'+i))
		}
	}
	for i, o := range execute(t, kernels) {
		if !regexp.MustCompile(faults[i].says).MatchString(o.fault) {
			t.Errorf("%s\n gives %q\n want  %q", faults[i].body, o.fault, faults[i].says)
		}
	}
}

// What is not known is an error with its file and line.
func TestErrors(t *testing.T) {
	for body, want := range map[string]string{
		"\n\tex2.approx.f32 %f1, %f2;":                        "test.ptx:22: not known: instruction ex2.approx.f32",
		"add.sat.s32 %r1, %r2, %r3;":                          "instruction add.sat.s32 of 3 operands",
		"add.ftz.f32 %f1, %f2, %f3;":                          "instruction add.ftz.f32",
		"add.s32 %r1, %r2;":                                   "instruction add.s32 of 2 operands",
		"add.s32 %r1, %r2, %rd3;":                             "%rd3, a register of 8 bytes, as int32_t of 4",
		"add.s64 %r1, %rd2, %rd3;":                            "%r1, a register of 4 bytes, gets int64_t",
		"add.s32 %q1, %r2, %r3;":                              "%q1 is not a register",
		"add.s32 %r1, %r2, nothing;":                          "operand nothing",
		"add.f32 %f1, %f2, 0d3FF0000000000000;":               "operand 0d3FF0000000000000",
		"mul.s32 %r1, %r2, %r3;":                              "instruction mul.s32",
		"fma.rz.f32 %f1, %f2, %f3, %f4;":                      "instruction fma.rz.f32",
		"div.approx.f32 %f1, %f2, %f3;":                       "instruction div.approx.f32",
		"setp.lt.and.s32 %p1, %r1, %r2, %p2;":                 "comparison .lt.and.s32",
		"setp.ltu.s32 %p1, %r1, %r2;":                         "comparison .ltu.s32",
		"cvt.s32.f32 %r1, %f1;":                               "conversion cvt.s32.f32",
		"cvt.f32.f64 %f1, %fd1;":                              "conversion cvt.f32.f64",
		"cvt.rni.f32.f64 %f1, %fd1;":                          "conversion cvt.rni.f32.f64",
		"cvt.rn.f64.f32 %fd1, %f1;":                           "conversion cvt.rn.f64.f32",
		"cvt.rzi.s32.f32 %r1, %f1;":                           "conversion cvt.rzi.s32.f32",
		"ld.global.nc.f32 %f1, [%rd1];":                       "memory .nc",
		"ld.global.v2.f32 %f1, [%rd1];":                       "of 1 registers",
		"ld.param.u64 %rd1, [p_in+4];":                        "8 bytes at [p_in+4], which has 8",
		"bar.sync 1;":                                         "barrier .sync 1",
		"bra $nowhere;":                                       "branch to $nowhere",
		"call.uni nobody, (p_in);":                            "instruction call.uni",
		"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;":         "shuffle",
		"mma.sync.aligned.m8n8k16.row.col.s32 %r1, %r2, %r3;": "instruction mma.sync.aligned.m8n8k16.row.col.s32",
		"atom.global.add.u32 %r1, [%rd1], 1;":                 "instruction atom.global.add.u32",
		".reg .b128 %x<3>;":                                   ".reg .b128 %x<3>",
		"add.s32 %r1, %r2, %r3":                               "test.ptx:",
	} {
		m, err := parse("test.ptx", text([]kernel{{name: "bad", body: body}}))
		if err == nil {
			_, err = m.write(m.functions)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "test.ptx:") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
	for module, want := range map[string]string{
		"":                                    "x.ptx:1: no .target",
		".version 7.0\n.target sm_80\n.tex x": "x.ptx:3: not known: .tex x",
		".target sm_80\n.visible .entry a()\n.reqntid 5\n{\n}": "x.ptx:3: not known: .reqntid 5",
		".target sm_80\n.visible .entry a()\n{\nret;":          "x.ptx:2: a has no end",
		".target sm_80\n.address_size 32":                      "x.ptx:2: addresses of 32 bits",
		".target sm_80\n.func a()\n{\nret;\n}":                 "x.ptx:2: not known: .func a()",
	} {
		if _, err := parse("x.ptx", module); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", module, err, want)
		}
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{"fixed": "fixed", "_ZZ4foldIdEvE4part": "part",
		"_ZZ9tile_sumsILb0ELb1E6ByTypedZ9gemm_tileE6tile_a": "tile_a"} {
		if got := shortName(name); got != want {
			t.Errorf("%s is called %s, not %s", name, got, want)
		}
	}
}
