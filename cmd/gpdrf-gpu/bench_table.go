package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"

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
		if d.Peak != nil {
			lines = append(lines, "peak by its data sheet: "+d.Peak.String())
		}
		lines = append(lines, "", fmt.Sprintf("%s, each operation by itself: %s", r.Preset, d.Steps[0].Size))
		lines = append(lines, d.operations(r.beside(i))...)
		lines = append(lines, "", r.Preset+", whole steps")
		lines = append(lines, d.steps(r.Ratios, i == 0)...)
	}
	return lines
}

// beside is the CPU for the GPU's table.
func (r *benchReport) beside(i int) *benchDevice {
	if i == 0 && len(r.Devices) > 1 {
		return r.Devices[1]
	}
	return nil
}

// operations is the table of single operations, the CPU's times beside a GPU's.
func (d *benchDevice) operations(cpu *benchDevice) []string {
	t, header := rightAligned(), table.Row{"operation", "calls", "ms", "GFLOP/s", "GB/s"}
	if d.Peak != nil {
		header = append(header, "share of floor")
	}
	if cpu != nil {
		header = append(header, cpu.Device+" ms", "ratio")
	}
	t.AppendHeader(header)
	sum := 0.0
	for _, f := range d.Operations {
		row := append(table.Row{f.Name, f.Calls}, speeds(f, d.Peak)...)
		sum += f.MS
		if cpu != nil {
			if k := slices.IndexFunc(cpu.Operations, func(o workload.Figure) bool { return o.Name == f.Name }); k >= 0 {
				row = append(row, digits(cpu.Operations[k].MS), ratio(cpu.Operations[k].MS, f.MS))
			}
		}
		t.AppendRow(row)
	}
	t.AppendRow(table.Row{"sum", "", digits(sum)})
	return rendered(t)
}

// steps is the table of whole steps.
func (d *benchDevice) steps(ratios []benchRatio, first bool) []string {
	t, header := rightAligned(), table.Row{"step", "steps/s", "samples/s", "ms", "GFLOP/s", "GB/s"}
	if d.Peak != nil {
		header = append(header, "share of floor")
	}
	if first && len(ratios) > 0 {
		header = append(header, "CPU ms", "ratio")
	}
	t.AppendHeader(header)
	for _, f := range d.Steps {
		row := append(table.Row{f.Size.String(), digits(f.Steps), digits(f.Samples)}, speeds(f.Figure, d.Peak)...)
		if k := slices.IndexFunc(ratios, func(r benchRatio) bool { return r.Shape == f.Size }); first && k >= 0 {
			row = append(row, digits(ratios[k].CPU), ratio(ratios[k].CPU, f.MS))
		}
		t.AppendRow(row)
	}
	return rendered(t)
}

// speeds are the columns that operations and steps share.
func speeds(f workload.Figure, peak *workload.Peak) table.Row {
	row := table.Row{digits(f.MS), digits(f.GFLOPs), digits(f.GBs)}
	if peak != nil {
		row = append(row, fmt.Sprintf("%.1f %% %s", 100*f.Share, f.Unit))
	}
	return row
}

// digits has four digits, however large it is.
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

func ratio(a, b float64) string { return fmt.Sprintf("%.1fx", a/b) }

// rightAligned is a table of numbers after a first column of names.
func rightAligned() table.Writer {
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	var columns []table.ColumnConfig
	for i := 2; i <= 10; i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: prettytext.AlignRight,
			AlignHeader: prettytext.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

func rendered(t table.Writer) (lines []string) {
	for line := range strings.SplitSeq(t.Render(), "\n") {
		lines = append(lines, "  "+strings.TrimRight(line, " "))
	}
	return lines
}
