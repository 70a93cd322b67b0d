package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

const twoKernels = `.version 7.0
.target sm_80
.address_size 64
.visible .entry own(.param .u32 n)
{
	.reg .pred %p<2>; .reg .b32 %r<6>;
	ld.param.u32 %r1, [n];
	setp.ge.s32 %p1, %r1, 7;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra $L_end;
	bar.sync 0;
$L_end:
	ret;
}
.visible .entry shuffles(.param .u64 x)
{
	.reg .b32 %r<6>; .reg .b64 %rd<2>;
	shfl.sync.down.b32 %r1, %r2, 16, 31, -1;
	shfl.sync.down.b32 %r3, %r4, 16, 31, -1;
	ret;
}
`

// mutated translates the kernels with the mutants of a list.
func mutated(t *testing.T, list string) (code string, err error) {
	t.Helper()
	m := must.Get(parse("two.ptx", twoKernels))(t)
	path := filepath.Join(t.TempDir(), "mutants.txt")
	must.OK(t, os.WriteFile(path, []byte(list), 0o666))
	all, err := readMutants(path)
	if err != nil {
		return "", err
	}
	kernels, err := m.mutated(all)
	if err != nil {
		return "", err
	}
	return m.write(kernels)
}

func TestMutants(t *testing.T) {
	code, err := mutated(t, `# a comment

70 | other | TestF32 | none | | 1
80 | own | TestF32 | setp\.ge | setp.gt | 2
80 | shuffles | TestF32 | (shfl\S+ \S+ \S+) 16, | ${1} 8, | -1
80 | own | TestF32 | ^bar\.sync | | 1
80 | own | TestF32 | ^@%p1 (bra.*)$ | ${1} | 1
`)
	must.OK(t, err)
	mutants := strings.Split(code, "\nvoid mutant_")
	if len(mutants) != 5 {
		t.Fatalf("there are %d mutants:\n%s", len(mutants)-1, code)
	}
	for i, want := range []string{"", "p1 = (int32_t)r5 > (int32_t)r1", "r4, (uint32_t)0x8ull",
		`register_mutant_6("own", 80, 1024, {4}, call_mutant_6, 6)`, "  goto L_end;"} {
		if !strings.Contains(mutants[i], want) {
			t.Errorf("mutant %d has no %s:\n%s", i, want, mutants[i])
		}
	}
	if strings.Contains(mutants[3], "barrier") {
		t.Errorf("the barrier was not dropped:\n%s", mutants[3])
	}
}

func TestMutantErrors(t *testing.T) {
	for list, want := range map[string]string{
		"80 | own | -":                          "mutants.txt:1: 3 fields between bars",
		"\nsm | own | - | a | b | 1":            "mutants.txt:2: the image sm is not a number",
		"80 | own | - | a | b | 0":              "which match is 0",
		"80 | own | - | bar | | 2":              "mutant of line 1: kernel own has no match number 2 of bar",
		"80 | gone | - | bar | | 1":             "there is no kernel gone in two.ptx",
		"80 | own | - | ( | | 1":                "mutant of line 1: error parsing regexp",
		"80 | own | - | bar | bar | 1":          "is changed to",
		"80 | own | - | bar\\.sync | leave | 1": "two.ptx:11: not known: instruction leave",
	} {
		if _, err := mutated(t, list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", list, err, want)
		}
	}
}
