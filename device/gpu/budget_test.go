//go:build cuda && cgo

package gpu

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Free memory falls by the size of a tensor, and rises again when nobody has the tensor.
func TestFree(t *testing.T) {
	d := openDouble(t) // a card counts in pages
	before, known := d.Free()
	if !known || before <= 0 || d.Taken() != 0 {
		t.Fatalf("%d bytes are free, %v; %d are taken", before, known, d.Taken())
	}
	x := d.New(device.Double, 1<<17)
	if after, _ := d.Free(); before-after != 1<<20 || d.Taken() != 1<<20 {
		t.Errorf("%d bytes less are free, and %d taken, after a tensor of 1 MiB", before-after, d.Taken())
	}
	d.Zero(x)
	x = nil
	if after, _ := d.Free(); after != before || d.Taken() != 0 {
		t.Errorf("%d bytes are free, were %d", after, before)
	}
}
