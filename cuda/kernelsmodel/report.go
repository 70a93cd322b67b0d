package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
)

// report is docs/kernels-model.md.
type report struct {
	hash  string
	about []string                       // the workloads
	steps map[string]map[string][]figure // by card and workload
}

// shown is how many kernels of a step have a row.
const shown = 5

//go:embed intro.md
var introduction string

func (r report) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- made by make kernels-model from kernels with sha256 %s -->\n", r.hash)
	b.WriteString("\n" + introduction + "\nThe steps are:\n\n")
	slices.Sort(r.about)
	for _, line := range r.about {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\nTimes are µs a step, of all launches of a kernel together. " +
		"The rows are the five kernels with the\nlargest bounds.\n")
	for _, c := range cards {
		fmt.Fprintf(&b, "\n## %s, %s\n", c.name, c.arch)
		for _, name := range workloads {
			figures := r.steps[c.name][name]
			floor, bound := 0.0, 0.0
			for _, f := range figures {
				floor += f.floor
				bound += f.bound
			}
			fmt.Fprintf(&b, "\n%s: all kernels have a floor of %.0f µs and a bound of %.0f µs.\n\n", name, floor, bound)
			b.WriteString("| kernel | launches | floor | bound | ratio | of |\n| --- | --- | --- | --- | --- | --- |\n")
			for _, f := range figures[:shown] {
				fmt.Fprintf(&b, "| `%s` | %d | %.1f | %.1f | %.2f | %s |\n",
					f.kernel, f.launches, f.floor, f.bound, f.ratio(), f.unit)
			}
		}
	}
	b.WriteString(r.code())
	_, err := io.WriteString(w, b.String())
	return err
}

// code is what the loops of the heavy kernels consist of.
func (r report) code() string {
	var b strings.Builder
	b.WriteString("\n## The inner loops\n\nEach row is the loop of a kernel in which a warp spends most time. The columns are its\n" +
		"instructions, and for how many cycles one warp keeps each unit of a multiprocessor busy. Blocks is\nhow many share a multiprocessor.\n")
	for _, c := range cards {
		fmt.Fprintf(&b, "\n%s:\n\n"+
			"| kernel | registers | shared memory | blocks | instructions | cycles by unit |\n| --- | --- | --- | --- | --- | --- |\n", c.name)
		seen := map[string]bool{}
		for _, name := range workloads {
			for _, f := range r.steps[c.name][name][:shown] {
				if seen[f.kernel] {
					continue
				}
				seen[f.kernel] = true
				var parts []string
				for _, u := range []unit{fp32Unit, fp64Unit, tensorUnit, aluUnit, xuUnit, lsuUnit, noUnit} {
					if f.inner[u] > 0 {
						parts = append(parts, fmt.Sprintf("%s %.4g", u, f.inner[u]))
					}
				}
				if len(parts) == 0 {
					parts = []string{"no loop"}
				}
				fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %s |\n",
					f.kernel, f.resources.registers, f.resources.shared+f.shared, f.resident, f.loopSize, strings.Join(parts, ", "))
			}
		}
	}
	return b.String()
}
