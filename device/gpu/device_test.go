//go:build cuda && cgo

package gpu

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/cuda"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Names that open, and the errors of the others.
func TestOpen(t *testing.T) {
	open(t, true)
	for options, name := range map[string]string{"": "cuda:0:f32", "0": "cuda:0:f32", "f64": "cuda:0:f64",
		"0:f32": "cuda:0:f32", "0:f64": "cuda:0:f64"} {
		d, err := device.Open(strings.TrimSuffix("cuda:"+options, ":"))
		if err != nil || d.Name() != name {
			t.Fatalf("cuda:%s opens %v, %v", options, d, err)
		}
		must.OK(t, d.Close())
	}
	for name, want := range map[string]string{
		"cuda:x": "cuda:N", "cuda:-1": "cuda:N", "cuda:0:f16": "cuda:N:f32", "cuda:f16": "cuda:N",
		"cuda:99": "there is no GPU number 99",
	} {
		if _, err := device.Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if dev, why, err := device.OpenAuto(quiet); err != nil || why != "" || dev.Name() != "cuda:0:f32" {
		t.Errorf("auto is %v, %q, %v", dev, why, err)
	} else {
		dev.Close()
	}
}

// A value that the variable of recorded steps does not have is an error.
func TestOpenErrorOfVariable(t *testing.T) {
	open(t, true)
	t.Setenv(graphVariable, "off")
	_, err := device.Open("cuda:0")
	const want = "GPDRF_CUDA_GRAPH=off: use 0 "
	if _, ok := errors.AsType[*device.SettingError](err); !ok || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
}

// Tensors that nobody can reach any more are freed when memory is short.
func TestMemoryComesBack(t *testing.T) {
	t.Setenv("EMU_MEMORY", "16")
	d := open(t, true)
	if total := d.context.Info().Memory; total != 16<<20 {
		t.Skipf("the GPU has %d bytes: too many to fill", total)
	}
	for range 50 {
		d.New(device.Double, 1<<18) // 2 MiB
	}
	kept := d.New(device.Double, 1<<20)
	defer runtime.KeepAlive(kept)
	fault, _ := must.PanicOf(func() { d.New(device.Double, 3, 1<<19) }).(*device.FaultError)
	if full, ok := errors.AsType[*cuda.OutOfMemoryError](fault); !ok || full.Bytes != 12<<20 ||
		!strings.Contains(fault.Error(),
			"cuda:0:f32: a double tensor of shape [3 524288]: 12.0 MiB of GPU memory are needed") {
		t.Errorf("12 MiB more: %v", fault)
	}
}

// A view is the same memory.
func TestViews(t *testing.T) {
	d := open(t, true)
	x := d.New(device.Real, 3, 4)
	d.Upload(x.View(4, 2, 2), []float64{1, 2, 3, 4})
	d.Copy(x.View(0, 2), x.View(6, 2))
	d.Zero(x.View(4, 1))
	got := make([]float64, 12)
	d.Download(got, x)
	for i, want := range []float64{3, 4, 0, 0, 0, 2, 3, 4, 0, 0, 0, 0} {
		if got[i] != want {
			t.Fatalf("%v", got)
		}
	}
	for _, n := range []int{0, 1} { // a tensor of nothing is one
		y := d.New(device.Int, n)
		d.UploadInts(y, make([]int32, n))
		d.Zero(y)
	}
}

// A tensor of another device is a bug, and so is a wrong shape.
func TestMisuse(t *testing.T) {
	d, other := open(t, true), open(t, false)
	for want, call := range map[string]func(){
		"device: a tensor of another device": func() { d.Download(make([]float64, 3), other.New(device.Real, 3)) },
		"device: Upload: 2 values for a tensor of 3": func() {
			d.Upload(d.New(device.Real, 3), make([]float64, 2))
		},
		"device: Widen: the real tensor is not real": func() {
			d.Widen(d.New(device.Double, 3), d.New(device.Double, 3))
		},
	} {
		if text, _ := must.PanicOf(call).(string); !strings.HasPrefix(text, want) {
			t.Errorf("panic %q, want %q", text, want)
		}
	}
}

// The argument of a kernel keeps the memory of a tensor that nobody else can reach, until it is gone itself.
func TestArgumentKeepsMemory(t *testing.T) {
	const kept, lost = 260, 1000 // elements; no other tensor has this number
	d := open(t, true)
	argument := d.ptr(d.New(device.Real, kept))
	d.New(device.Real, lost)
	live := func(elements int) bool {
		runtime.GC()
		d.New(device.Int, 1) // frees the blocks that the collector found
		for _, b := range d.heap.live {
			if b.bytes == 4*elements {
				return true
			}
		}
		return false
	}
	if live(lost) {
		t.Error("a tensor that nobody can reach is not freed")
	}
	if !live(kept) {
		t.Error("the memory of an argument is freed")
	}
	runtime.KeepAlive(argument)
	if argument = cuda.Pointer(0); live(kept) {
		t.Error("memory whose argument is gone is not freed")
	}
	runtime.KeepAlive(argument)
}

// An operation allocates nothing after its first call.
func TestNoAllocation(t *testing.T) {
	d := open(t, true)
	p := d.New(device.Real, 1000)
	double := d.New(device.Double, 1000)
	for name, op := range map[string]func(){
		"Adam": func() {
			d.Adam(p, p, p, p, p, device.AdamStep{Beta1: 0.9, Beta2: 0.999, Step: device.StepNumber{N: 1}})
		},
		"Widen":      func() { d.Widen(double, p) },
		"NarrowAdd":  func() { d.NarrowAdd(p, double) },
		"Copy, Zero": func() { d.Copy(p, p); d.Zero(p) },
	} {
		op()
		if n := must.AllocsPerRun(2, op); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
	values, rows, index := make([]float64, 1000), make([]int32, 1000), d.New(device.Int, 1000)
	for name, op := range map[string]func(){
		"Upload":     func() { d.Upload(p, values) },
		"UploadInts": func() { d.UploadInts(index, rows) },
		"Download":   func() { d.Download(values, p) },
	} {
		if n := must.AllocsPerRun(2, op); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}

// lost runs a test again, in a separate process, with a driver that is lost at a call and cannot be used again. That
// process repeats the work, at most ten times, until it is a fault.
func lost(t *testing.T, call string, work func(d *Device) func(i int), check func(d *Device, i int, err error)) {
	if os.Getenv("EMU_LOST") == "" {
		openDouble(t)
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), "EMU_LOST="+call)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	d := must.Get(New(0, true, quiet))(t)
	step := work(d)
	i := 0
	var err error
	for err == nil && i < 10 {
		i++
		func() {
			defer device.RecoverFault(&err)
			step(i)
		}()
	}
	check(d, i, err)
}

// A driver that is lost in the middle of a run is a fault, which Guard makes an error.
func TestLostDriver(t *testing.T) {
	lost(t, "10", func(d *Device) func(int) {
		p := d.New(device.Real, 1000)
		return func(int) {
			d.Adam(p, p, p, p, p, device.AdamStep{Beta1: 0.9, Beta2: 0.999, Step: device.StepNumber{N: 1}})
		}
	}, func(d *Device, i int, err error) {
		if i != 10 || err == nil ||
			err.Error() != "cuda:0:f32: adam: launching adam_f32: CUDA error 999, the driver was lost" {
			t.Errorf("launch %d: %v", i, err)
		}
		if d.Close() == nil {
			t.Error("a lost driver closes without an error")
		}
	})
}

// Guard holds faults only.
func TestGuard(t *testing.T) {
	var err error
	if must.PanicOf(func() { defer device.RecoverFault(&err); panic("our own") }) != "our own" {
		t.Error("Guard holds a panic that is not a fault")
	}
}

// fold and foldRows against plain sums.
func TestFold(t *testing.T) {
	for _, single := range []bool{true, false} {
		d := open(t, single)
		const blocks, n = 37, 300
		x := make([]float64, blocks*n)
		for i := range x {
			x[i] = math.Sin(float64(i))
		}
		partial, dst := d.New(device.Double, blocks, n), d.New(device.Real, n)
		d.Upload(partial, x)
		d.Upload(dst.View(0, 1), []float64{5})
		d.real.foldRows(d.ptr(dst), d.ptr(partial), n, blocks, true, 2)
		got, want := make([]float64, n), make([]float64, n)
		want[0] = 5
		for i, v := range x {
			want[i%n] += 2 * v
		}
		d.Download(got, dst)
		for i, v := range got {
			if math.Abs(v-want[i]) > 1e-5 {
				t.Fatalf("column %d: %g, want %g", i, v, want[i])
			}
		}
		value := d.New(device.Double, 1)
		d.double.fold(d.ptr(value), d.ptr(partial), len(x), false, -1)
		sum := 0.0
		for _, v := range x {
			sum -= v
		}
		if d.Download(got[:1], value); math.Abs(got[0]-sum) > 1e-11 {
			t.Errorf("sum %g, want %g", got[0], sum)
		}
		d.real.fold(d.ptr(dst), d.ptr(partial), len(x), false, -1)
		if d.Download(got, dst); math.Abs(got[0]-sum) > 1e-6 {
			t.Errorf("sum of Real %g, want %g", got[0], sum)
		}
	}
}

// Scratch grows, keeps its place while it is large enough, and comes back when nobody has it.
func TestScratch(t *testing.T) {
	d := open(t, true)
	var s scratch
	small := d.growReals(&s, 10)
	large := d.growDoubles(&s, 1000)
	if small == large || d.growReals(&s, 2000) != large || d.growDoubles(&s, 1) != large ||
		d.growReals(&s, 2001) == large {
		t.Error("scratch does not grow as it should")
	}
}
