package main

import (
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// An operation that took no longer than an empty wait has no ratio.
func TestBenchWithoutTime(t *testing.T) {
	gpu := &benchDevice{Operations: []workload.Figure{{Name: "Zero", Calls: 2}, {Name: "Adam", Calls: 1, MS: 0.5}}}
	cpu := &benchDevice{Device: "cpu:f32", Operations: []workload.Figure{{Name: "Zero", Calls: 2, MS: 1},
		{Name: "Adam", Calls: 1, MS: 2}}}
	table := strings.Join(gpu.operations(cpu), "\n")
	must.Lack(t, table, "Inf")
	must.Contain(t, table, "4.0x")
}
