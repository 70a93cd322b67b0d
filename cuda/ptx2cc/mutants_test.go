package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// threeKernels has one with a bound of its threads, one that calls a function with such a bound,
// and one with a shuffle.
const threeKernels = `.version 7.0
.target sm_80
.address_size 64
.func bounded(.param .b32 n)
{
	.reg .pred %p<2>; .reg .b32 %r<6>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra $L_end;
$L_end:
	ret;
}
.visible .entry own(.param .u32 n)
{
	.reg .pred %p<2>; .reg .b32 %r<6>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.s32 %p1, %r1, 7;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra $L_end;
	bar.sync 0;
$L_end:
	ret;
}
.visible .entry calls(.param .u32 n)
{
	.reg .b32 %r<6>;
	ld.param.u32 %r1, [n];
	{ .param .b32 p; st.param.b32 [p+0], %r1; call.uni bounded, (p); }
	ret;
}
.visible .entry shuffles(.param .u64 x)
{
	.reg .b32 %r<6>; .reg .b64 %rd<2>;
	shfl.sync.down.b32 %r1, %r2, 16, 31, -1;
	shfl.sync.down.b32 %r3, %r4, 16, 31, -1;
	mov.b64 %rd1, {%r1, %r3};
	ret;
}
`

// mutated translates the kernels with the mutants of a list.
func mutated(t *testing.T, list string) (names, code string, err error) {
	t.Helper()
	m, err := parse("three.ptx", threeKernels)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mutants.txt")
	if err := os.WriteFile(path, []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := readMutants(path)
	if err != nil {
		return "", "", err
	}
	var n, c strings.Builder
	err = m.writeMutants(&c, &n, all)
	return n.String(), c.String(), err
}

func TestMutants(t *testing.T) {
	names, code, err := mutated(t, `# a comment

70 | other | - | none | | 1
80 | elementwise | - | setp\.ge | setp.gt | 1
80 | shuffles | TestF32 | (shfl\S+ \S+ \S+) 16, | ${1} 8, | -1
80 | own | - | ^bar\.sync | | 1
80 | shuffles | - | (shfl\S+ \S+ \S+) 16, | ${1} 8, | 1+-1
`)
	if err != nil {
		t.Fatal(err)
	}
	want := "80001\t80\tcalls\t-\t10: setp.gt.s32 %p1, %r5, %r1 for setp.ge.s32 %p1, %r5, %r1\n" +
		"80002\t80\town\t-\t22: setp.gt.s32 %p1, %r5, %r1 for setp.ge.s32 %p1, %r5, %r1\n" +
		"80003\t80\tshuffles\tptx2cc\t39: shfl.sync.down.b32 %r3, %r4, 8, 31, -1 for shfl.sync.down.b32 %r3, %r4, 16, 31, -1\n" +
		"80004\t80\town\t-\t24: without bar.sync 0\n" +
		"80005\t80\tshuffles\t-\t38: shfl.sync.down.b32 %r1, %r2, 8, 31, -1 for shfl.sync.down.b32 %r1, %r2, 16, 31, -1; " +
		"39: shfl.sync.down.b32 %r3, %r4, 8, 31, -1 for shfl.sync.down.b32 %r3, %r4, 16, 31, -1\n"
	if names != want {
		t.Errorf("the list is\n%s, not\n%s", names, want)
	}
	for _, part := range []string{"void function_of_mutant_80001(", "function_of_mutant_80001(with, nullptr)", `register_mutant_80004("own", 80, 1024, {4}, call_mutant_80004, 80004)`} {
		if !strings.Contains(code, part) {
			t.Errorf("the code has no %s", part)
		}
	}
}

func TestMutantErrors(t *testing.T) {
	for list, want := range map[string]string{
		"80 | own | -":                          "mutants.txt:1: 3 fields between bars",
		"\nsm | own | - | a | b | 1":            "mutants.txt:2: the image sm is not a number",
		"80 | own | - | a | b | 0":              "which match is 0",
		"80 | own | - | bar | | 2":              "mutant of line 1: kernel own of three.ptx has no match number [2] of bar",
		"80 | gone | - | bar | | 1":             "kernel gone of three.ptx has no match",
		"80 | own | - | ( | | 1":                "mutant of line 1: error parsing regexp",
		"80 | own | - | bar | bar | 1":          "is changed to",
		"80 | own | - | bar\\.sync | leave | 1": "mutant of line 1: three.ptx:24: not known: instruction leave",
	} {
		if _, _, err := mutated(t, list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", list, err, want)
		}
	}
}
