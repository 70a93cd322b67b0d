package cpu

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// open opens a device with a number of workers that divides even the smallest work.
func open[T Float](t testing.TB, workers int) *Device[T] {
	d := New[T](workers)
	d.InlineWork = 0
	t.Cleanup(func() { d.Close() })
	return d
}

func TestOpen(t *testing.T) {
	for options, name := range map[string]string{"": "cpu:f32", "f32": "cpu:f32", "f64": "cpu:f64"} {
		d, err := device.Open(strings.TrimSuffix("cpu:"+options, ":"))
		if err != nil || d.Name() != name {
			t.Fatalf("cpu:%s opens %v, %v", options, d, err)
		}
		d.Close()
	}
	if _, err := device.Open("cpu:f16"); err == nil || !strings.Contains(err.Error(), "cpu:f32 or cpu:f64") {
		t.Errorf("cpu:f16: %v", err)
	}
}

// breaks panics in one block.
type breaks struct{}

func (breaks) run(_ *worker, block int) {
	if block == 7 {
		panic("block seven")
	}
}

// A panic on any worker reaches the caller, and the pool goes on.
func TestWorkerPanic(t *testing.T) {
	d := open[float32](t, 3)
	for range 50 {
		done := make(chan any, 1)
		go func() { done <- must.PanicOf(func() { d.do(breaks{}, 20, 1) }) }()
		select {
		case v := <-done:
			if text, ok := v.(string); !ok || !strings.Contains(text, "block seven") {
				t.Fatalf("panic %v", v)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the caller hangs")
		}
	}
	x := d.New(device.Real, 100, 3)
	d.Gather(d.New(device.Real, 100, 3), x, d.New(device.Int, 100))
}

// counts counts how often each block runs.
type counts []atomic.Int32

func (c counts) run(_ *worker, block int) {
	runtime.Gosched()
	c[block].Add(1)
}

// Every block runs once and before do returns, however soon the helpers and the caller fall asleep.
func TestPool(t *testing.T) {
	for _, spins := range []int{0, 1, 30, 1 << 12} {
		p := newPool(min(3, runtime.GOMAXPROCS(0)), spins)
		for n := range 3000 {
			c := make(counts, 2+n%7)
			p.do(c, len(c), inlineWork)
			for i := range c {
				if k := c[i].Load(); k != 1 {
					t.Fatalf("%d spins, task %d: block %d of %d ran %d times", spins, n, i, len(c), k)
				}
			}
		}
		p.close()
	}
}

// A wrong shape, type or device is a panic with the operation's name.
func TestMisuse(t *testing.T) {
	d, other := open[float32](t, 1), open[float64](t, 1)
	double := func(shape ...int) *device.Tensor { return d.New(device.Double, shape...) }
	real := func(shape ...int) *device.Tensor { return d.New(device.Real, shape...) }
	for want, call := range map[string]func(){
		"device: Trsm: b is double [1 3 2], want double [1 3 4]": func() {
			d.Trsm(double(1, 3, 4), double(1, 3, 3), double(1, 3, 2))
		},
		"device: ARD: X is real [2 2], want double [-1 2]": func() {
			d.ARD(device.ARDArgs{C: double(1, 3, 2), Slope: double(1, 3, 2), Z: double(3, 2), X: real(2, 2),
				LogLength: double(1, 2), Form: device.Matern12})
		},
		"device: ARD: Slope is C for RBF, and another tensor otherwise": func() {
			d.ARD(device.ARDArgs{C: double(1, 3, 2), Slope: double(1, 3, 2), Z: double(3, 2), X: double(2, 2),
				LogLength: double(1, 2)})
		},
		"device: Widen: the real tensor is not real with 3": func() { d.Widen(double(3), double(3)) },
		"device: Upload: 2 values for a tensor of 3":        func() { d.Upload(real(3), make([]float64, 2)) },
		"device: a tensor of another device": func() {
			d.Download(make([]float64, 3), other.New(device.Real, 3))
		},
		"device: Potrf: jitter is nil": func() { d.Potrf(double(1, 2, 2), nil, double(1, 2, 2)) },
		"device: RandomFeatures: the scratch was planned": func() {
			p := device.FeatureParams{LogAlpha: real(1), LogLength: real(2), MeanW: real(6, 1), LogVarW: real(6, 1)}
			d.RandomFeatures(device.FeatureArgs{Out: real(2, 4, 1), H: real(2, 4, 2), Params: p,
				Rows: d.New(device.Int, 4), Scratch: d.FeatureScratch(1, 4, 2, 3, 1)})
		},
	} {
		if text, _ := must.PanicOf(call).(string); !strings.HasPrefix(text, want) {
			t.Errorf("panic %q, want %q", text, want)
		}
	}
}
