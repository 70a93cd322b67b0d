package main

import (
	"fmt"
	"io"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// A model of what sharing a batch gains: nothing of it is measured. A step takes its arithmetic or
// its memory traffic, at half the peaks of an H200: 67 TFLOP/s of doubles on tensor cores, as many
// of floats, 4.8 TB/s. Ranks share what grows with the rows. Then they add up the gradient.
const (
	modelFLOPs  = 33.5e12
	modelMemory = 2.4e12
	modelFixed  = 60e-6 // launches of a step
)

// wire is how a sum goes: the latency of a doubling of ranks, and bytes per second in a node of 8
// and beyond it.
type wire struct {
	name          string
	hop           float64
	inside, among float64
}

// wires: through the host, and between GPUs, of which 100 GB/s within a node and 40 GB/s between
// nodes is assumed for sums of some megabytes. Nearly all numbers are the GP layer's, in double.
var wires = []wire{
	{"host memory and MPI", 15e-6, 5e9, 5e9},
	{"NCCL", 6e-6, 100e9, 40e9},
}

func (w wire) sum(bytes float64, ranks int) float64 {
	if ranks == 1 {
		return 0
	}
	speed := w.inside
	if ranks > 8 {
		speed = w.among
	}
	return w.hop*math.Log2(float64(ranks)) + bytes/speed
}

// scaling prints the table of docs/scaling.md.
func scaling(out io.Writer) error {
	fmt.Fprintln(out, "| step, B = 2000 | repeated | gradient | a sum by | 2 ranks "+
		"| 8 | 64 | 8, rows each | 64 | 1024 |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|---|")
	for _, name := range []string{"mnist", "protein", "powerplant"} {
		size, err := workload.Preset(name)
		if err != nil {
			return err
		}
		size.B = 2000
		alone, err := modelStep(size)
		if err != nil {
			return err
		}
		parameters, err := size.Parameters()
		if err != nil {
			return err
		}
		row := size
		row.B = 1
		repeated, err := modelStep(row)
		if err != nil {
			return err
		}
		gradient := 8 * float64(parameters)
		for _, w := range wires {
			fmt.Fprintf(out, "| %s, %.2f ms | %.0f %% | %.1f MB | %s |", name, alone*1e3,
				100*repeated/alone, gradient/1e6, w.name)
			for _, ranks := range []int{2, 8, 64} {
				part := size
				part.B = max(1, size.B/ranks)
				t, err := modelStep(part)
				if err != nil {
					return err
				}
				fmt.Fprintf(out, " %.2f |", alone/(t+w.sum(gradient, ranks))/float64(ranks))
			}
			for _, ranks := range []int{8, 64, 1024} {
				fmt.Fprintf(out, " %.2f |", alone/(alone+w.sum(gradient, ranks)))
			}
			fmt.Fprintln(out)
		}
	}
	return nil
}

// modelStep is the time of a step in seconds.
func modelStep(n workload.Size) (float64, error) {
	c, err := n.Cost("cpu:f32")
	return modelFixed + max(c.FLOPs()/modelFLOPs, c.Bytes/modelMemory), err
}
