package conformance

import (
	"runtime"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// A dry device takes exactly the memory of a new device for the same operations: for each row of the table by itself,
// and for all one after the other.
func TestDry(t *testing.T) {
	t.Setenv("EMU_IDLE", "1") // the kernels of the driver test double do nothing
	open(t, true)             // a GPU stays open between the rows
	for _, single := range []bool{true, false} {
		for _, r := range table() {
			t.Run(r.name(), func(t *testing.T) { compare(t, open(t, single), r.calls) })
		}
		compare(t, open(t, single), calls)
	}
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

// compare makes the same calls on a device and on its dry twin, and compares their memory after each.
func compare(t *testing.T, dev device.Device, calls func(device.Device) []call) {
	t.Helper()
	before := dev.Taken()
	dry, ledger := dev.Dry()
	if dry.Name() != dev.Name() {
		t.Errorf("the dry %s is called %s", dev.Name(), dry.Name())
	}
	keep := &keeper{Device: dev}
	real, hollow := calls(keep), calls(dry)
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
