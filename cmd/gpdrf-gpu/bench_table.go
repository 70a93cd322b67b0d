package main

import (
	"fmt"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// Lines is the text for people.
func (r *benchReport) Lines() []string {
	var lines []string
	for i, d := range r.Devices {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, fmt.Sprintf("%s: %s", d.Device, d.About))
		lines = append(lines, "", fmt.Sprintf("%s, each operation by itself: %s", r.Preset, d.Steps[0].Size))
		lines = append(lines, d.operations(r.cpuFor(i))...)
		lines = append(lines, "", r.Preset+", whole steps")
		lines = append(lines, d.step(r.cpuFor(i))...)
	}
	return lines
}

// cpuFor returns the CPU, whose times stand in the table of the GPU; nil for the table of the CPU.
func (r *benchReport) cpuFor(i int) *benchDevice {
	if i == 0 && len(r.Devices) > 1 {
		return r.Devices[1]
	}
	return nil
}

// operations is the table of single operations, with the CPU's times beside a GPU's.
func (d *benchDevice) operations(cpu *benchDevice) []string {
	header := []any{"operation", "calls", "ms"}
	if cpu != nil {
		header = append(header, cpu.Device+" ms", "ratio")
	}
	t, sum := newNumberTable(header...), 0.0
	for _, f := range d.Operations {
		row := []any{f.Name, f.Calls, digits(f.MS)}
		sum += f.MS
		if cpu != nil {
			if k := slices.IndexFunc(cpu.Operations, func(o workload.Figure) bool { return o.Name == f.Name }); k >= 0 {
				row = append(row, digits(cpu.Operations[k].MS), ratio(cpu.Operations[k].MS, f.MS))
			}
		}
		t.add(row...)
	}
	t.add("sum", "", digits(sum))
	return t.lines("  ")
}

// step is the table of the whole step, with the CPU's time beside a GPU's.
func (d *benchDevice) step(cpu *benchDevice) []string {
	f := d.Steps[0]
	header := []any{"step", "steps/s", "samples/s", "ms"}
	row := []any{f.Size, digits(f.Steps), digits(f.Samples), digits(f.MS)}
	if cpu != nil {
		header = append(header, "CPU ms", "ratio")
		row = append(row, digits(cpu.Steps[0].MS), ratio(cpu.Steps[0].MS, f.MS))
	}
	t := newNumberTable(header...)
	t.add(row...)
	return t.lines("  ")
}

// digits formats a number with four digits, however large it is.
func digits(v float64) string {
	switch {
	case v == 0:
		return ""
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	case v >= 1:
		return fmt.Sprintf("%.4g", v)
	}
	return fmt.Sprintf("%.4f", v)
}

// ratio formats a/b; "" if b is 0, for an operation that took no longer than an empty wait.
func ratio(a, b float64) string {
	if b == 0 {
		return ""
	}
	return fmt.Sprintf("%.1fx", a/b)
}
