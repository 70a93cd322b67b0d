package memory

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// Buffers are in the group of their part of the model.
func TestGroups(t *testing.T) {
	for name, want := range map[string]string{
		"model.params.wide": "parameters", "model.params.sums": "gradients", "model.report": "report",
		"model.drf[0].integrated.params.MeanOmega": "DRF layers: frequencies", "model.gp.kuu.c": "GP layer: matrices",
	} {
		if got := parts[partIndex(name)].group; got != want {
			t.Errorf("%s is in %q", name, got)
		}
	}
}

// A plan that fits again is not called too large.
func TestLacksNothing(t *testing.T) {
	err := (&Plan{Device: "cpu:f64"}).Lacks("a step", "take less")
	if strings.Contains(err.Error(), "0 B") || !strings.Contains(err.Error(), "try once more") {
		t.Error(err)
	}
}

// Sums that an int64 cannot hold do not turn negative.
func TestHugeSums(t *testing.T) {
	ledger := &device.Ledger{}
	for range 2 {
		ledger.Tensor(device.NewTensor(device.Double, nil, 1_000_000, 1_000_000, 1_000_000), 8)
	}
	ledger.Rest("model.gp.kuu")
	host := []Buffer{{Name: "parameters", Bytes: math.MaxInt64}, {Name: "checkpoint", Bytes: math.MaxInt64}}
	p := New(Plan{Device: "cuda:0:f32"}, ledger, host)
	for _, line := range p.Lines() {
		if strings.Contains(line, " -") {
			t.Errorf("%q has a negative number", line)
		}
	}
	if p.Host != math.MaxInt64 {
		t.Errorf("the host has %d bytes", p.Host)
	}
}

// A long name does not move the columns after it.
func TestPlanColumns(t *testing.T) {
	ledger := &device.Ledger{}
	for _, name := range []string{"model.drf[0].integrated.params.LogVarOmega", "model.gp.l"} {
		ledger.Tensor(device.NewTensor(device.Double, nil, 12, 100), 8)
		ledger.Rest(name)
	}
	p := New(Plan{Device: "cpu:f32"}, ledger, nil)
	lines := p.Lines()
	for _, line := range lines[:slices.Index(lines, "")] {
		if len(line) != len(lines[0]) {
			t.Errorf("the columns of %q and %q differ", line, lines[0])
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1 << 10: "1.0 KiB",
		3 << 19: "1.5 MiB", 1 << 31: "2.0 GiB", math.MaxInt64: "8388608.0 TiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
