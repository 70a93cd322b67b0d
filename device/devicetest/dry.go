package devicetest

import (
	"runtime"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Dry tests that a dry device takes exactly the memory of a new device for the same operations: for
// each row of the table by itself, and for the operations of a step one after the other. open opens
// a new device.
func Dry(t *testing.T, open func() device.Device) {
	for _, r := range table() {
		t.Run(r.name(), func(t *testing.T) {
			size := r.sizes[len(r.sizes)-1]
			compare(t, open(), func(dev device.Device) []step {
				p := r.build(newRandom(9), size)
				in, out := tensors(dev, p.in), tensors(dev, p.out)
				steps := []step{{"forward", func() { p.forward(dev, in, out) }}}
				if p.backward != nil {
					din, dout := gradients(dev, p.in), tensors(dev, p.out)
					steps = append(steps, step{"backward", func() { p.backward(dev, in, out, din, dout) }})
				}
				return steps
			})
		})
	}
	for _, diagonal := range []bool{true, false} {
		for _, k := range []int{1, 3} {
			compare(t, open(), func(dev device.Device) (steps []step) {
				for _, op := range Operations(dev, Workload{D: 3, M: 170, B: 100, K: k, J: 3, R: 170, S: 2,
					DOut: 2, Diagonal: diagonal}) {
					steps = append(steps, step{op.Name, op.Run})
				}
				return steps
			})
		}
	}
}

// step is a call of operations.
type step struct {
	name string
	run  func()
}

// keeper is a device that keeps its tensors from the collector.
type keeper struct {
	device.Device
	kept []*device.Tensor
}

// New makes a tensor that stays.
func (k *keeper) New(dtype device.DType, shape ...int) *device.Tensor {
	t := k.Device.New(dtype, shape...)
	k.kept = append(k.kept, t)
	return t
}

// compare makes the same steps on a device and on its dry twin, and compares their memory after
// each.
func compare(t *testing.T, dev device.Device, steps func(device.Device) []step) {
	t.Helper()
	before := dev.Taken()
	dry, ledger := dev.Dry()
	if dry.Name() != dev.Name() {
		t.Errorf("the dry %s is called %s", dev.Name(), dry.Name())
	}
	keep := &keeper{Device: dev}
	real, hollow := steps(keep), steps(dry)
	for i := range real {
		real[i].run()
		hollow[i].run()
		if taken := dev.Taken() - before; taken != ledger.Total() {
			t.Errorf("after %s %d bytes are taken, %d were foreseen", real[i].name, taken, ledger.Total())
		}
	}
	runtime.KeepAlive(real)
	runtime.KeepAlive(keep)
}
