package main

import (
	"context"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/train"
)

// shortStep is the longest step on a GPU that may be shorter on the CPU. The launches of kernels alone take that
// long, whatever their work.
const shortStep = 10 * time.Millisecond

// chooseFaster moves a new run from the GPU that auto has found to the CPU, if a step takes less time there. It
// measures train.PaceSteps steps on both if those on the GPU are short. An error is left out: the run meets it again
// and reports it.
func (p *program) chooseFaster(ctx context.Context, job *train.Job, short time.Duration) {
	c := job.Config
	exact := c.Precision == string(device.Highest)
	if strings.HasPrefix(job.Device.Name(), "cpu") || job.Train.Sequences != nil || !exact {
		return
	}
	onGPU, err := job.Pace(ctx, train.PaceSteps*short)
	if err != nil || onGPU > short {
		return
	}
	cpu, err := device.Open("cpu")
	if err != nil {
		return
	}
	other := *job
	other.Device, other.Config = cpu, p.on(cpu, c)
	onCPU, err := other.Pace(ctx, train.PaceSteps*onGPU)
	if err != nil {
		cpu.Close()
		return
	}
	unused := cpu
	if onCPU < onGPU {
		unused, *job = job.Device, other
	}
	unused.Close()
	p.note("training on %s: a step takes %.2g ms on the GPU, and %.2g ms on the CPU", job.Device.Name(),
		milliseconds(onGPU), milliseconds(onCPU))
}

func milliseconds(t time.Duration) float64 { return float64(t) / float64(time.Millisecond) }
