//go:build cuda && cgo

package cuda

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// openMutants opens the double with the kernels of cuda/double/mutants.cu. It reads only the heads of their PTX.
func openMutants(t testing.TB) *Context {
	t.Helper()
	if !emulated() {
		t.Skip("GPDRF_CUDA_DRIVER does not name the driver test double")
	}
	c := open(t)
	text := mutantPTX("divergent", "two_barriers", "warp", "no_barrier", "past_end", "null", "dynamic", "shared",
		"fill", "touch", "fixed", "race", "one_more", "unwritten", "blocks")
	signatures := must.Get(Signatures(text))(t)
	must.OK(t, c.enter())
	defer c.leave()
	must.OK(t, c.unload())
	module, err := loadImage("the mutants", append([]byte(text), 0))
	c.images = []*loaded{whole("the mutants", module, signatures)}
	must.OK(t, err)
	return c
}

// run launches a mutant on 64 floats and returns its results.
func run(t *testing.T, c *Context, name string) []float32 {
	x := make([]float32, 64)
	p := put(t, c, x)
	must.OK(t, kernel(t, c, name).Launch(Grid{1, 1, 1}, 0, Pointer(p)))
	get(t, c, x, p)
	return x
}

// mutant is a test that must fail: it has a fault of a kernel or of the host, and this is the message of the double.
type mutant struct {
	test func(t *testing.T)
	says string
}

// mutants are the faults that every form of the double finds.
var mutants = map[string]mutant{
	"divergent barrier": {func(t *testing.T) { run(t, openMutants(t), "mutant_divergent") },
		"kernel mutant_divergent, block .0,0,0.: a thread (has ended while others wait|" +
			"waits at __syncthreads that others have ended without)"},
	"two barriers": {func(t *testing.T) { run(t, openMutants(t), "mutant_two_barriers") },
		"kernel mutant_two_barriers, block .0,0,0.: threads wait at different __syncthreads, " +
			".*mutants.cu:[0-9]+ and .*mutants.cu:[0-9]+"},
	"divergent warp": {func(t *testing.T) { run(t, openMutants(t), "mutant_warp") },
		"of 64 threads, 32 wait at __syncthreads .*mutants.cu:[0-9]+. and 32 in a warp operation"},
	"missing __syncthreads": {missingBarrier, "the order of threads changes the result"},
	"past the end": {func(t *testing.T) { run(t, openMutants(t), "mutant_past_end") },
		"thread 63 writes to address 0x[0-9a-f]+, which is outside"},
	"null pointer": {func(t *testing.T) { run(t, openMutants(t), "mutant_null") },
		"thread [0-9]+ reads address 0x[0-9a-f]+, which is outside"},
	"past shared memory": {func(t *testing.T) { run(t, openMutants(t), "mutant_shared") },
		"a write beside the shared array s"},
	"past dynamic shared memory": {func(t *testing.T) {
		c := openMutants(t)
		p := put(t, c, make([]float32, 64))
		must.OK(t, kernel(t, c, "mutant_dynamic").Launch(Grid{1, 1, 1}, 60000, Pointer(p)))
		must.OK(t, c.Wait())
	}, "a write beside the shared array that is dynamic"},
	"missing wait": {missingWait, "read 0 before the kernel ran"},
	"double free": {func(t *testing.T) {
		c := openMutants(t)
		p := must.Get(c.Alloc(100))(t)
		must.OK(t, c.Free(p))
		must.OK(t, c.Free(p))
	}, "freeing memory: CUDA error 1, invalid argument"},
	"leak": {func(t *testing.T) {
		c := must.Get(Open(0, quiet))(t)
		must.Get(c.Alloc(100))(t)
		must.OK(t, c.Close())
	}, "1 device allocations .100 bytes. and 0 pinned ones were never freed"},
	"copy past the end": {func(t *testing.T) {
		c := openMutants(t)
		p, staged := put(t, c, make([]float32, 4)), must.Get(c.Stage(17))(t)
		must.OK(t, c.Write(p, staged))
	}, "copying to the GPU: CUDA error 1"},
	"pageable memory": {func(t *testing.T) {
		c := openMutants(t)
		must.OK(t, c.Write(put(t, c, make([]float32, 4)), make([]byte, 16)))
	}, "copying to the GPU: CUDA error 1"},
	"leak of a graph": {func(t *testing.T) {
		c := must.Get(Open(0, quiet))(t)
		_, _, err := c.Capture(func() {})
		must.OK(t, err)
		must.OK(t, c.Close())
	}, "1 graphs were never destroyed"},
	"a number baked into a graph": {func(t *testing.T) {
		c := open(t)
		x, fold := put(t, c, []float64{1}), kernel(t, c, "fold_f64")
		step := 1.0
		work := func() {
			must.OK(t, fold.Launch(Grid{1, 1, 1}, 0, Int(1), Int(0), Float64(step), Pointer(x), Pointer(x)))
		}
		g := captured(t, c, work)
		step = 2
		must.OK(t, g.Launch())
		got := make([]float64, 1)
		if get(t, c, got, x); got[0] != step {
			t.Fatalf("the replay has a step of %g, not %g", got[0], step)
		}
	}, "the replay has a step of 1, not 2"},
	"wait in a capture": {func(t *testing.T) {
		c := open(t)
		captured(t, c, func() { must.OK(t, c.Wait()) })
	}, "waiting for the GPU: CUDA error 900, operation not permitted when stream is capturing"},
	"allocation in a capture": {func(t *testing.T) {
		c := open(t)
		captured(t, c, func() { _, err := c.Alloc(8); t.Log(err) })
	}, "(?s)allocating memory: CUDA error 900.*ending a capture: CUDA error 901"},
	"no context on the thread": {func(t *testing.T) {
		c := openMutants(t)
		must.OK(t, c.enter())
		defer c.leave()
		must.OK(t, cu.SetCurrentContext(cu.CUContext{}))
		must.Get(cu.MemAlloc(64))(t)
	}, "InvalidContext"},
}

// accesses are the faults that only a form with checks of each access finds, or reports otherwise.
var accesses = map[string]mutant{
	"past a tensor": {func(t *testing.T) {
		c := openMutants(t)
		must.OK(t, kernel(t, c, "mutant_one_more").Launch(Grid{1, 1, 1}, 0, Pointer(put(t, c, make([]float32, 63)))))
		must.OK(t, c.Wait())
	}, "kernel mutant_one_more, block .0,0,0.: thread 63 writes 4 bytes that end 4 bytes past " +
		"the end of a tensor of 252 bytes"},
	"unwritten shared memory": {func(t *testing.T) { run(t, openMutants(t), "mutant_unwritten") },
		"kernel mutant_unwritten, block .0,0,0.: thread 63 reads byte 252 of the shared array s, " +
			"which was never written"},
	"blocks that race": {func(t *testing.T) {
		c := openMutants(t)
		must.OK(t, kernel(t, c, "mutant_blocks").Launch(Grid{2, 1, 1}, 0, Pointer(put(t, c, make([]float32, 64)))))
		must.OK(t, c.Wait())
	}, "kernel mutant_blocks, block .[01],0,0.: thread 0 reads what another block writes in the same launch"},
	"missing __syncthreads": {func(t *testing.T) { run(t, openMutants(t), "mutant_no_barrier") },
		"kernel mutant_no_barrier, block .0,0,0.: thread [0-9]+ reads byte [0-9]+ of the shared array s, " +
			"which was never written"},
	"threads that race": {func(t *testing.T) { run(t, openMutants(t), "mutant_race") },
		"kernel mutant_race, block .0,0,0.: thread [0-9]+ (reads|writes) what thread [0-9]+ (read|wrote), " +
			"with no barrier between"},
	"past shared memory": {mutants["past shared memory"].test,
		"thread 63 writes 4 bytes that end 4 bytes past the end of the shared array s of 256 bytes"},
	"past dynamic shared memory": {mutants["past dynamic shared memory"].test,
		"thread 63 writes 4 bytes that end 4 bytes past the end of the shared array that is dynamic of 60000 bytes"},
}

// checked reports whether the double is a form that checks each access: see the Makefile.
func checked() bool { return strings.HasSuffix(os.Getenv("GPDRF_CUDA_DRIVER"), "double.so") }

func missingBarrier(t *testing.T) {
	c := openMutants(t)
	var first []float32
	for _, order := range []string{"0", "1", "7"} {
		t.Setenv("EMU_ORDER", order)
		got := run(t, c, "mutant_no_barrier")
		if first == nil {
			first = got
		}
		for i := range got {
			if math.Float32bits(got[i]) != math.Float32bits(first[i]) {
				t.Fatalf("the order of threads changes the result: element %d is %g and %g", i, first[i], got[i])
			}
		}
	}
}

func missingWait(t *testing.T) {
	c := openMutants(t)
	p := put(t, c, make([]float32, 64))
	must.OK(t, kernel(t, c, "mutant_fill").Launch(Grid{1, 1, 1}, 0, Pointer(p)))
	staged := must.Get(c.Stage(256))(t)
	clear(staged)
	must.OK(t, c.enter())
	must.OK(t, cu.MemcpyDtoHAsync(unsafe.Pointer(&staged[0]), cu.DevicePtr(p), 256, c.stream))
	c.leave()
	if v := *(*float32)(unsafe.Pointer(&staged[0])); v != 1 {
		t.Fatalf("read %g before the kernel ran", v)
	}
}

// Each mutant makes a test fail, with the words that lead to its fault. An error of a kernel stays with its process, so
// that each mutant has a separate process.
func TestMutants(t *testing.T) {
	all := mutants
	if checked() {
		all = maps.Clone(all)
		maps.Copy(all, accesses)
	}
	if name := os.Getenv("MUTANT"); name != "" {
		all[name].test(t)
		return
	}
	if !emulated() {
		t.Skip("only the driver test double finds them all")
	}
	open(t)
	for name, m := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestMutants$", "-test.v")
			cmd.Env = append(os.Environ(), "MUTANT="+name)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the mutant passes:\n%s", out)
			}
			if !regexp.MustCompile(m.says).Match(out) || strings.Contains(string(out), "SIGSEGV") {
				t.Errorf("the double does not say %q:\n%s", m.says, out)
			}
		})
	}
}
