package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// kernel is a test in PTX: it reads in and writes out, which %rd1 and %rd2 point to.
type kernel struct {
	name    string
	body    string
	in      []uint64
	threads int
	blocks  int // 1 if 0
	shared  int // bytes of dynamic shared memory
}

// outcome is the results of a kernel, 8 numbers a thread, or its fault.
type outcome struct {
	out   []uint64
	fault string
}

// text returns the kernels as a module. %rd3 and %rd4 are where this thread's 8 numbers of in and out are.
func text(kernels []kernel) string {
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_80\n.address_size 64\n" +
		".extern .shared .align 16 .b8 dynamic[];\n.shared .align 16 .b8 fixed[256];\n")
	for _, k := range kernels {
		fmt.Fprintf(&b, `.visible .entry %s(.param .u64 p_in, .param .u64 p_out)
.maxntid 1024, 1, 1
{
	.reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<60>; .reg .b64 %%rd<20>; .reg .f32 %%f<20>; .reg .f64 %%fd<20>;
	.local .align 8 .b8 depot[16];
	ld.param.u64 %%rd1, [p_in];
	ld.param.u64 %%rd2, [p_out];
	mov.u32 %%r50, %%tid.x;
	mov.u32 %%r51, %%ntid.x;
	mov.u32 %%r52, %%ctaid.x;
	mad.lo.s32 %%r53, %%r52, %%r51, %%r50;
	mul.wide.u32 %%rd5, %%r53, 64;
	add.s64 %%rd4, %%rd2, %%rd5;
	mul.wide.u32 %%rd6, %%r50, 64;
	add.s64 %%rd3, %%rd1, %%rd6;
%s
	ret;
}
`, k.name, k.body)
	}
	return b.String()
}

// classes are the kinds of register by the letter of a row: the name, and what moves a number from %rd10 to a register
// and from one to %rd11.
var classes = map[byte]struct{ name, load, store string }{
	'h': {"%h", "cvt.u16.u64 %s, %%rd10;", "cvt.u64.u16 %%rd11, %s;"},
	'r': {"%r", "cvt.u32.u64 %s, %%rd10;", "cvt.u64.u32 %%rd11, %s;"},
	'R': {"%rd1", "mov.u64 %s, %%rd10;", "mov.u64 %%rd11, %s;"},
	'f': {"%f", "cvt.u32.u64 %%r40, %%rd10; mov.b32 %s, %%r40;", "mov.b32 %%r40, %s; cvt.u64.u32 %%rd11, %%r40;"},
	'F': {"%fd", "mov.b64 %s, %%rd10;", "mov.b64 %%rd11, %s;"},
	'p': {"%p", "setp.ne.s64 %s, %%rd10, 0;", "selp.b64 %%rd11, 1, 0, %s;"},
}

// body loads the operands of a row, computes, and stores the result.
func (r row) body() string {
	var b strings.Builder
	operands := make([]string, len(r.classes))
	for i := range operands {
		class := classes[r.classes[i]]
		operands[i] = fmt.Sprintf("%s%d", class.name, i+1)
		if i > 0 {
			fmt.Fprintf(&b, "\tld.global.u64 %%rd10, [%%rd3+%d];\n\t"+class.load+"\n", 8*(i-1), operands[i])
		}
	}
	fmt.Fprintf(&b, "\t%s %s;\n\t", r.op, strings.Join(operands, ", "))
	fmt.Fprintf(&b, classes[r.classes[0]].store+"\n\tst.global.u64 [%%rd4], %%rd11;\n", operands[0])
	return b.String()
}

const host = `#include "cuda/double/access.h"
#include "cuda/double/run.h"
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

static char *tensor(size_t bytes) {
  char *p = (char *)aligned_alloc(4096, (bytes + 8192) / 4096 * 4096);
  emu::know_tensor(p, bytes);
  return p;
}

int main() {
  std::string name;
  unsigned threads, blocks, shared, inputs;
  while (std::cin >> name >> threads >> blocks >> shared >> inputs) {
    uint64_t *in = (uint64_t *)tensor(inputs * 8 + 8), *out = (uint64_t *)tensor(threads * blocks * 64);
    for (unsigned i = 0; i < inputs; i++) std::cin >> in[i];
    for (unsigned i = 0; i < threads * blocks * 8; i++) out[i] = 0;
    for (auto &k : emu::kernels()) {
      if (name != k.name) continue;
      emu::Fault f = emu::run({&k, {blocks, 1, 1}, {threads, 1, 1}, shared, {(uint64_t)in, (uint64_t)out}});
      printf("%s\n", f.text.c_str());
      for (unsigned i = 0; i < threads * blocks * 8; i++) printf("%llu ", (unsigned long long)out[i]);
      printf("\n");
    }
    emu::forget_tensor((char *)in), emu::forget_tensor((char *)out);
  }
}
`

// flags compile C++ as the Makefile does; top is the folder of the module.
var flags = []string{"-O1", "-fexpensive-optimizations", "-march=native", "-std=c++17", "-w", "-fwrapv",
	"-fno-strict-aliasing", "-I", top}

const top = "../.."

// machinery is the objects of the double that run kernels, compiled once for all tests.
var machinery = sync.OnceValues(func() (objects []string, err error) {
	dir, err := os.MkdirTemp("", "ptx2cc")
	if err != nil {
		return nil, err
	}
	temporary = dir
	if err := os.WriteFile(filepath.Join(dir, "host.cc"), []byte(host), 0o666); err != nil {
		return nil, err
	}
	sources := []string{filepath.Join(dir, "host.cc")}
	for _, name := range []string{"run", "access"} {
		sources = append(sources, filepath.Join(top, "cuda/double", name+".cc"))
	}
	for _, source := range sources {
		object := filepath.Join(dir, filepath.Base(source)+".o")
		if said, err := exec.Command("g++", append(flags, "-c", source, "-o", object)...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, said)
		}
		objects = append(objects, object)
	}
	return objects, nil
})

// temporary is the folder of the machinery.
var temporary string

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(temporary)
	os.Exit(code)
}

// execute translates kernels, compiles them and runs them.
func execute(t *testing.T, kernels []kernel) []outcome {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles C++")
	}
	_, err := exec.LookPath("g++")
	must.OrSkip(t, err, "REQUIRE_CXX")
	objects := must.Get(machinery())(t)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	m := must.Get(parse("test.ptx", text(kernels)))(t)
	code := must.Get(m.write(m.functions))(t)
	must.OK(t, os.WriteFile(file("kernels.cc"), []byte(code), 0o666))
	arguments := append(slices.Clone(flags), "-ffp-contract=off", "-o", file("kernels"), file("kernels.cc"))
	if said, err := exec.Command("g++", append(arguments, objects...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var in strings.Builder
	for _, k := range kernels {
		fmt.Fprintln(&in, k.name, k.threads, max(k.blocks, 1), k.shared, len(k.in),
			strings.Trim(fmt.Sprint(k.in), "[]"))
	}
	run := exec.Command(file("kernels"))
	run.Stdin, run.Stderr = strings.NewReader(in.String()), os.Stderr
	said := must.Get(run.Output())(t)
	var all []outcome
	lines := bufio.NewScanner(bytes.NewReader(said))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		o := outcome{fault: lines.Text()}
		lines.Scan()
		for _, word := range strings.Fields(lines.Text()) {
			var v uint64
			fmt.Sscan(word, &v)
			o.out = append(o.out, v)
		}
		all = append(all, o)
	}
	if len(all) != len(kernels) {
		t.Fatalf("%d of %d kernels have run", len(all), len(kernels))
	}
	return all
}
