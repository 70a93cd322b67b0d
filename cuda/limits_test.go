//go:build cuda && cgo

package cuda

import (
	"fmt"
	"strings"
	"testing"

	"gorgonia.org/cu"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The double plays a GPU of each compute capability: a launch with as much shared memory as a block may have there
// passes, and one with a byte more is refused, as is a grid that is too high.
func TestLimits(t *testing.T) {
	for capability, kib := range map[string]int{"7.0": 96, "7.5": 64, "8.0": 163, "8.6": 99, "8.9": 99, "9.0": 227,
		"10.0": 227, "12.0": 99, "12.1": 99} {
		t.Run(capability, func(t *testing.T) {
			t.Setenv("EMU_CAPABILITY", capability)
			c := openMutants(t)
			if got := c.Info().Capability.String(); got != capability {
				t.Fatalf("the GPU says %s", got)
			}
			p := put(t, c, make([]float32, 64))
			for name, static := range map[string]int{"mutant_touch": 0, "mutant_fixed": 256} {
				k := kernel(t, c, name)
				must.OK(t, k.Launch(Grid{1, 1, 1}, kib<<10-static, Pointer(p)))
				if err := k.Launch(Grid{1, 1, 1}, kib<<10-static+1, Pointer(p)); err == nil {
					t.Errorf("%s: a block of more than %d KiB of shared memory is launched", name, kib)
				}
				if err := k.Launch(Grid{1, 65536, 1}, 0, Pointer(p)); err == nil {
					t.Errorf("%s: a grid of 65,536 in y is launched", name)
				}
				must.OK(t, c.Wait())
			}
		})
	}
}

// Without asking for more, a block has 48 KiB of shared memory, static and dynamic together; a kernel asks before its
// first launch with dynamic shared memory.
func TestDefaultShared(t *testing.T) {
	const defaultShared = 48 << 10
	c := openMutants(t)
	p := put(t, c, make([]float32, 64))
	for name, static := range map[string]int{"mutant_touch": 0, "mutant_fixed": 256} {
		for extra, want := range map[int]bool{0: true, 1: false} {
			k := kernel(t, c, name)
			k.shared = 1 << 30 // a launch need not request it again
			if err := k.Launch(Grid{1, 1, 1}, defaultShared-static+extra, Pointer(p)); (err == nil) != want {
				t.Errorf("%s with %d bytes beyond 48 KiB: %v", name, extra, err)
			}
		}
	}
	if err := kernel(t, c, "mutant_fixed").Launch(Grid{1, 1, 1}, defaultShared-128, Pointer(p)); err != nil {
		t.Errorf("a kernel whose static and dynamic parts are more than 48 KiB together: %v", err)
	}
	must.OK(t, c.Wait())
}

// A kernel whose source states how many blocks share a multiprocessor asks for the shared memory of all of them, before
// its first launch and where a later one has more.
func TestCarveout(t *testing.T) {
	c := open(t)
	asked := func(k *Kernel) int {
		must.OK(t, c.enter())
		defer c.leave()
		return must.Get(k.fn.Attribute(carveout))(t)
	}
	p, none := put(t, c, make([]float64, 64)), Float64(0)
	gemm := kernel(t, c, "gemm_nn_f64")
	if asked(gemm) != -1 || gemm.Blocks < 2 {
		t.Errorf("%d %%, before a launch of %d blocks", asked(gemm), gemm.Blocks)
	}
	zero := Int(0)
	for extra := range 2 {
		must.OK(t, gemm.Launch(Grid{1, 1, 1}, extra<<10, zero, Int(1), Int(1), Int(1), Int(1), none, none, Pointer(p),
			Int(1), zero, zero, Pointer(p), Int(1), zero, zero, Pointer(p), Int(1), zero, Pointer(0), none))
		must.OK(t, c.enter())
		static := must.Get(gemm.fn.Attribute(cu.SharedSizeBytes))(t)
		c.leave()
		need := gemm.Blocks * (static + extra<<10 + reservedShared)
		if got := asked(gemm) * c.shared / 100; asked(gemm) < 100 && got < need || got > need+c.shared/100 {
			t.Errorf("%d bytes are asked for, of %d that %d blocks need", got, need, gemm.Blocks)
		}
	}
	widen := kernel(t, c, "widen_f32")
	if must.OK(t, widen.Launch(Grid{1, 1, 1}, 0, Int(1), Pointer(p), Pointer(p))); asked(widen) != -1 {
		t.Error("a kernel without a number of blocks asks for a part of the cache")
	}
	must.OK(t, c.Wait())
}

// As many blocks of a kernel as its source states have their registers in a multiprocessor of this GPU, and nothing
// else, as its driver has compiled them. What is not as in cuda/registers.txt is another assembler's choice.
func TestRegistersOfDriver(t *testing.T) {
	c := open(t)
	for name := range c.images[0].kernels {
		k := kernel(t, c, name)
		must.OK(t, c.enter())
		each, local := must.Get(k.fn.Attribute(cu.NumRegs))(t), must.Get(k.fn.Attribute(cu.LocalSizeBytes))(t)
		c.leave()
		if each < 1 || max(1, k.Blocks)*blockRegisters(k.Threads, each) > 65536 {
			t.Errorf("%s: %d blocks of %d threads with %d registers each", name, max(1, k.Blocks), k.Threads, each)
		}
		if local > 0 && !strings.HasPrefix(name, "probe_") {
			t.Errorf("%s has %d bytes of registers in memory", name, local)
		}
	}
}

// mutantPTX writes the heads of mutants, of which one has shared memory.
func mutantPTX(names ...string) string {
	text := ".version 6.3\n.shared .align 4 .b8 of_mutant_fixed[256];\n"
	for _, name := range names {
		body := ""
		if name == "fixed" {
			body = "of_mutant_fixed"
		}
		text += fmt.Sprintf(".visible .entry mutant_%s(\n\t.param .u64 x\n)\n.maxntid 64, 1, 1\n{\n%s\n}\n", name, body)
	}
	return text
}
