//go:build cuda && cgo

package gpu

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// After one collection all is free that nobody can reach, and nothing else.
func TestCollectFindsAll(t *testing.T) {
	d := open(t, true)
	kept := d.New(device.Real, 10)
	func() {
		all := make([]*device.Tensor, 3000)
		for i := range all {
			all[i] = d.New(device.Int, 1)
		}
		if d.Taken() != 3000*4+40 {
			t.Errorf("%d bytes are taken", d.Taken())
		}
		runtime.KeepAlive(all)
	}()
	must.OK(t, d.heap.collect())
	if len(d.heap.live) != 1 {
		t.Errorf("%d allocations are left of those that nobody can reach", len(d.heap.live)-1)
	}
	runtime.KeepAlive(kept)
}

// Where one allocation cannot be freed, Close frees all others and names it. The double finds leaks when the last
// context closes.
func TestCloseGoesOn(t *testing.T) {
	openDouble(t)
	d := must.Get(New(0, true, quiet))(t)
	var tensors []*device.Tensor
	for range 20 {
		tensors = append(tensors, d.New(device.Real, 100))
	}
	for range 4 {
		graph, _, err := d.context.Capture(func() { d.Zero(tensors[0]) })
		must.OK(t, err)
		d.records[graph] = true
	}
	failed := 0
	for graph := range d.records { // behind the device's back
		if failed++; failed > 2 {
			break
		}
		must.OK(t, graph.Close())
	}
	must.OK(t, d.context.Free(d.memory(tensors[3]).ptr))
	must.OK(t, d.context.Free(d.memory(tensors[7]).ptr))
	before, _, err := d.context.Memory()
	must.OK(t, err)
	err = d.Close()
	if err == nil {
		t.Fatal("no error")
	}
	if text := err.Error(); strings.Count(text, "freeing memory: CUDA error 1, ") != 1 ||
		strings.Count(text, "freeing a graph: CUDA error 1, ") != 2 || strings.Contains(text, "closing") {
		t.Errorf("error %q", text)
	}
	other := open(t, true)
	if after, _, err := other.context.Memory(); err != nil || after-before != 18*400 {
		t.Errorf("%d bytes came back, %v", after-before, err)
	}
	if len(d.heap.live) > 0 {
		t.Error("the heap is not empty")
	}
}
