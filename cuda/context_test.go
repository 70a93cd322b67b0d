//go:build cuda && cgo

package cuda

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

func quiet(string) {}

// open opens the first GPU, or the driver test double; without either the test is skipped, and fails if REQUIRE_CUDA is
// set.
func open(t testing.TB) *Context {
	t.Helper()
	c, err := Open(0, quiet)
	must.OrSkip(t, err, "REQUIRE_CUDA")
	t.Cleanup(func() { must.OK(t, c.Close()) })
	return c
}

// kernel finds a kernel of a GPU that has room for it.
func kernel(t testing.TB, c *Context, name string) *Kernel {
	t.Helper()
	return must.Get(c.Kernel(name))(t)
}

// emulated reports whether the driver is the test double, under its own name: with EMU_NAME it takes the place of a
// card.
func emulated() bool {
	found, _ := Devices()
	return len(found) > 0 && strings.HasPrefix(found[0].Name, "driver test double")
}

// put allocates memory with x in it.
func put[E any](t testing.TB, c *Context, x []E) Ptr {
	t.Helper()
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
	p := must.Get(c.Alloc(len(bytes)))(t)
	t.Cleanup(func() { must.OK(t, c.Free(p)) })
	for at := Ptr(0); len(bytes) > 0; {
		staged := must.Get(c.Stage(min(len(bytes), StageSize)))(t)
		n := copy(staged, bytes)
		must.OK(t, c.Write(p+at, staged))
		bytes, at = bytes[n:], at+Ptr(n)
	}
	return p
}

func get[E any](t testing.TB, c *Context, x []E, p Ptr) {
	t.Helper()
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
	for at := 0; at < len(bytes); at += StageSize {
		staged := must.Get(c.Stage(min(len(bytes)-at, StageSize)))(t)
		must.OK(t, c.Read(staged, p+Ptr(at)))
		copy(bytes[at:], staged)
	}
}

// The tests of a double that goes by another name would all be skipped.
func TestDriver(t *testing.T) {
	info := open(t).Info()
	driver := os.Getenv("GPDRF_CUDA_DRIVER")
	double := strings.HasSuffix(driver, "fakecuda.so") || strings.HasSuffix(driver, "double.so")
	if double && os.Getenv("EMU_NAME") == "" && !emulated() {
		t.Fatalf("GPDRF_CUDA_DRIVER is %q, but the driver shows %q", driver, info.Name)
	}
	t.Log(info)
}

// What goes up comes down, whatever its size and from any goroutine.
func TestCopies(t *testing.T) {
	c := open(t)
	for _, n := range []int{1, 7, StageSize / 8, 5*StageSize/8 + 3} {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(i) + 0.5
		}
		a, b := put(t, c, x), put(t, c, y)
		must.OK(t, c.Copy(b, a, n*8))
		must.OK(t, c.Clear(a, 8))
		done := make(chan struct{})
		go func() {
			defer close(done)
			get(t, c, y, b)
		}()
		<-done
		for i := range x {
			if x[i] != y[i] {
				t.Fatalf("%d elements: number %d is %g, want %g", n, i, y[i], x[i])
			}
		}
		if get(t, c, y[:1], a); y[0] != 0 {
			t.Fatalf("cleared to %g", y[0])
		}
	}
}

func TestOpenErrors(t *testing.T) {
	open(t)
	if _, err := Open(1000, quiet); err == nil || !strings.Contains(err.Error(), "there is no GPU number 1000") {
		t.Errorf("GPU 1000: %v", err)
	}
	if _, err := choose(Capability{5, 2}, ""); err == nil || !strings.Contains(err.Error(), "7.0 or later") {
		t.Errorf("compute capability 5.2: %v", err)
	}
}

// The error has the message of the driver's compiler about PTX that it rejects.
func TestCompilerSays(t *testing.T) {
	c := open(t)
	must.OK(t, c.enter())
	defer c.leave()
	_, err := loadImage("broken.ptx", []byte(".version 6.3\n.target sm_75\n.address_size 64\nno PTX at all\n\x00"))
	if plain := result("loading broken.ptx", 218); err == nil || !strings.HasPrefix(err.Error(), plain.Error()+": ") {
		t.Errorf("broken PTX: %v, without the words of the compiler", err)
	}
}

// A kernel is loaded when it is first used. Where the GPU has no memory for it, that is an error.
func TestKernelOutOfMemory(t *testing.T) {
	c := open(t)
	if !emulated() {
		t.Skip("this GPU has room for all kernels")
	}
	t.Setenv("EMU_NO_ROOM", "probe_f64")
	if k, err := c.Kernel("probe_f64"); k != nil || err == nil || !OutOfMemory(err) ||
		!strings.HasPrefix(err.Error(), "loading kernel probe_f64: CUDA error 2, ") {
		t.Errorf("%v", err)
	}
	kernel(t, c, "probe_f32")
	t.Setenv("EMU_NO_ROOM", "")
	kernel(t, c, "probe_f64")
}

// A Context that cannot be opened to the end leaves no kernels on a GPU that another one keeps open.
func TestAbandon(t *testing.T) {
	other := open(t)
	c := must.Get(Open(0, quiet))(t)
	must.OK(t, c.staging.close())
	c.abandon()
	for _, i := range c.images {
		for name, m := range i.modules {
			if m.handle != (cu.Module{}) {
				t.Fatalf("%s is still loaded for %s", i.image, name)
			}
		}
	}
	if c.stream != cu.NoStream {
		t.Error("the stream is still there")
	}
	kernel(t, other, "probe_f32")
}

func TestOutOfMemory(t *testing.T) {
	c := open(t)
	_, err := c.Alloc(1 << 50)
	if full, ok := err.(*OutOfMemoryError); !ok || full.Bytes != 1<<50 || full.Total <= 0 {
		t.Errorf("a petabyte: %v", err)
	}
}

// A launch takes no memory of Go's.
func TestLaunchAllocatesNothing(t *testing.T) {
	c := open(t)
	x := put(t, c, make([]float64, 256))
	k := kernel(t, c, "probe_f64")
	if n := must.AllocsPerRun(10, func() {
		must.OK(t, k.Launch(Grid{1, 1, 1}, 0, Int(256), Int(0), Pointer(x), Pointer(x)))
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestWrongArguments(t *testing.T) {
	c := open(t)
	k := kernel(t, c, "probe_f64")
	for want, call := range map[string]func(){
		"probe_f64 has 4 parameters, not 1":      func() { k.Launch(Grid{1, 1, 1}, 0, Int(1)) },
		"probe_f64: parameter 2 is u64, not u32": func() { k.Launch(Grid{1, 1, 1}, 0, Int(1), Int(1), Int(1), Int(1)) },
		"there is no kernel nothing":             func() { kernel(t, c, "nothing") },
		"parameter 1 is 4294967296, which is too large": func() {
			k.Launch(Grid{1, 1, 1}, 0, Int(1), Int(1<<32), Pointer(0), Pointer(0))
		},
	} {
		if text, _ := must.PanicOf(call).(string); !strings.Contains(text, want) {
			t.Errorf("panic %q, want %q", text, want)
		}
	}
}

// probe runs kernel probe on x; f is the number of a function there.
func probe[T float32 | float64](t *testing.T, c *Context, f int, x []T) []T {
	t.Helper()
	name := "probe_f64"
	if unsafe.Sizeof(x[0]) == 4 {
		name = "probe_f32"
	}
	in, out := put(t, c, x), put(t, c, make([]T, len(x)))
	k := kernel(t, c, name)
	grid := Grid{(len(x) + k.Threads - 1) / k.Threads, 1, 1}
	must.OK(t, k.Launch(grid, 0, Int(len(x)), Int(f), Pointer(out), Pointer(in)))
	y := make([]T, len(x))
	get(t, c, y, out)
	return y
}

// ulps returns how far y is from want in units of the last place of want, or of floor if that is larger.
func ulps[T float32 | float64](y T, want, floor float64) float64 {
	if float64(y) == want || math.IsNaN(float64(y)) && math.IsNaN(want) {
		return 0
	}
	size, bits := max(math.Abs(want), floor), 52
	if unsafe.Sizeof(y) == 4 {
		bits = 23
		if math.Abs(want) > math.MaxFloat32 || math.Abs(want) < 0x1p-149 {
			want = float64(float32(want))
		}
		size = max(size, 0x1p-126)
	} else {
		size = max(size, 0x1p-1022)
	}
	if float64(y) == want {
		return 0
	}
	_, e := math.Frexp(size)
	return math.Abs(float64(y)-want) / math.Ldexp(1, e-1-bits)
}

func testMath[T float32 | float64](t *testing.T, c *Context) {
	r := rand.New(rand.NewPCG(1, 2))
	sample := func(n int, f func() float64, extra ...float64) []T {
		x := make([]T, 0, n+len(extra))
		for range n {
			x = append(x, T(f()))
		}
		for _, v := range extra {
			x = append(x, T(v))
		}
		return x
	}
	inf, nan := math.Inf(1), math.NaN()
	wide, tiny := 708.0, 1e-300
	if unsafe.Sizeof(T(0)) == 4 {
		wide, tiny = 103.0, 1e-42
	}
	turn := func() float64 { return (r.Float64() - 0.5) * math.Ldexp(2, r.IntN(29)-4) }
	type function struct {
		name         string
		number       int
		x            []T
		f            func(float64) float64
		worst, floor float64
	}
	functions := []function{
		{"exp", 0, sample(20000, func() float64 { return (r.Float64() - 0.5) * 2 * wide }, 0, inf, -inf, nan, 800, -800,
			1, -1), math.Exp, 1.5, 0},
		{"log", 1, sample(20000, func() float64 { return math.Exp(turn() / 1e7) }, 0, inf, -1, nan, 1, tiny, 2, 0.5,
			math.Sqrt2, 1-1e-7, 1+1e-7), math.Log, 1.5, 0},
		{"sin", 2, sample(20000, turn, 0, nan, math.Pi, math.Pi/4, -math.Pi/4, 1e-30), math.Sin, 2, 0.5},
		{"quantile", 4, sample(20000, func() float64 { return 0.02 + 0.96*r.Float64() }, 0.5, 0.075, 0.925),
			func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }, 12, 0.5},
		{"cos", 3, sample(20000, turn, 0, nan, math.Pi, math.Pi/4, -math.Pi/4, 1e-30), math.Cos, 2, 0.5},
	}
	if unsafe.Sizeof(T(0)) == 8 {
		positive := sample(20000, func() float64 { return math.Exp((r.Float64() - 0.5) * 1400) }, 1, 0x1p-1022,
			0x1p1022, nan)
		near := sample(20000, func() float64 { return 0.5 + 1.5*r.Float64() })
		all := append(positive, near...)
		functions = append(functions,
			function{"reciprocal", 6, all, func(v float64) float64 { return 1 / v }, 1, 0},
			function{"reciprocal root", 7, all, func(v float64) float64 { return 1 / math.Sqrt(v) }, 2, 0})
	}
	for _, c2 := range functions {
		worst, at := 0.0, T(0)
		for i, y := range probe(t, c, c2.number, c2.x) {
			if e := ulps(y, c2.f(float64(c2.x[i])), c2.floor); !(e <= worst) {
				worst, at = e, c2.x[i]
			}
		}
		t.Logf("%s: %.2f ulp at %g", c2.name, worst, at)
		if !(worst <= c2.worst) {
			t.Errorf("%s(%g): %.2f ulp, want at most %g", c2.name, at, worst, c2.worst)
		}
	}
	// A sine does not depend on those beside it.
	alone := sample(1000, func() float64 { return (r.Float64() - 0.5) * 2e5 })
	for number, name := range map[int]string{2: "sine", 3: "cosine"} {
		want, mixed := probe(t, c, number, alone), make([]T, 0, 2*len(alone))
		for i, v := range alone {
			mixed = append(mixed, v, []T{1e6, T(nan), T(inf), 1e5}[i%4])
		}
		for i, y := range probe(t, c, number, mixed) {
			if i%2 == 0 && y != want[i/2] {
				t.Errorf("the %s of %g is %g beside others, not %g", name, mixed[i], y, want[i/2])
			}
		}
	}
	// where the library's inverse rounds less well than its erfc
	for _, p := range []float64{1e-3, 1e-6, 1e-9, 1e-12, 1e-15} {
		z := float64(probe(t, c, 4, []T{T(p)})[0])
		if off := math.Abs(math.Erfc(-z/math.Sqrt2)/2/p - 1); off > 1e-5 || unsafe.Sizeof(T(0)) == 8 && off > 5e-11 {
			t.Errorf("quantile(%g) is %g, which has a probability %g off", p, z, off)
		}
	}
	// The ends of the range, where the Go library rounds less well.
	if unsafe.Sizeof(T(0)) == 8 {
		for i, y := range probe(t, c, 0, []T{709.7, -745}) {
			if want := []float64{1.6549840276802644e+308, 5e-324}[i]; ulps(y, want, 0) > 1.5 {
				t.Errorf("end %d of exp: %g, want %g", i, y, want)
			}
		}
		if y := probe(t, c, 1, []T{1e-310})[0]; ulps(y, -713.80137882815416, 0) > 1.5 {
			t.Errorf("log 1e-310: %g", y)
		}
	}
	for i, y := range probe(t, c, 2, []T{T(inf), T(math.Ldexp(1, 31))}) {
		if y == y {
			t.Errorf("the sine of huge number %d is %g, want NaN", i, y)
		}
	}
}

func TestMath(t *testing.T) {
	c := open(t)
	t.Run("float32", func(t *testing.T) { testMath[float32](t, c) })
	t.Run("float64", func(t *testing.T) { testMath[float64](t, c) })
}

// The stream of normals agrees with internal/philox.
func TestNormals(t *testing.T) {
	c := open(t)
	const n = 5000
	single, double := probe(t, c, 5, make([]float32, n)), probe(t, c, 5, make([]float64, n))
	for i := range n {
		want := philox.Normal([2]uint32{1, 2}, 3, 4, 5, i)
		if math.Abs(double[i]-want) > 4e-15 || math.Abs(float64(single[i])-want) > 2e-6 {
			t.Fatalf("normal %d is %g and %g, want %g", i, double[i], single[i], want)
		}
	}
}
