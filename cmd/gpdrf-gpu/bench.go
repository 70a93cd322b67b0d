package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/suggest"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// sweepPreset varies the sizes of the first preset.
const sweepPreset = "sweep"

func benchPresets() []string { return append(workload.Names(), sweepPreset) }

// benchReport is what `bench` finds.
type benchReport struct {
	Version string            `json:"version"`
	Preset  string            `json:"preset"`
	Units   map[string]string `json:"units"`
	Devices []*benchDevice    `json:"devices"`
	Ratios  []benchRatio      `json:"ratios,omitempty"`
}

// benchDevice is one device's share of it.
type benchDevice struct {
	Device     string                `json:"device"`
	Precision  string                `json:"precision"`
	About      string                `json:"about"`
	Peak       *workload.Peak        `json:"peak,omitempty"`
	Operations []workload.Figure     `json:"operations,omitempty"`
	Steps      []workload.StepFigure `json:"steps"`
	NotRun     []benchSkip           `json:"not_run,omitempty"`
}

type benchSkip struct {
	Shape workload.Size `json:"shape"`
	Why   string        `json:"why"`
}

// benchRatio is the CPU's time over the GPU's.
type benchRatio struct {
	Shape workload.Size `json:"shape"`
	CPU   float64       `json:"cpu_ms"`
	GPU   float64       `json:"gpu_ms"`
	Ratio float64       `json:"ratio"`
}

// benchmark is one call of `bench`.
type benchmark struct {
	*program
	preset    string
	precision string // that is permitted
	shapes    []workload.Size
}

// bench times the operations of a training step, and the step.
func (p *program) bench(c *call) error {
	asJSON, err := c.isOn("json")
	if err != nil {
		return err
	}
	if err := c.noMore(c.Args().Slice()); err != nil {
		return err
	}
	seconds, err := c.count("seconds", 1, 86400, 60)
	if err != nil {
		return err
	}
	serve, err := c.isOn("serve")
	if err != nil {
		return err
	}
	alone, err := c.isOn("alone")
	if err != nil {
		return err
	}
	b := &benchmark{program: p}
	if err := b.choose(c); err != nil {
		return err
	}
	name, _ := c.text("device")
	first, err := p.openDevice(name)
	if err != nil {
		return err
	}
	name = first.Name()
	b.precision = p.relax(first, b.precision)
	if serve {
		defer first.Close()
		return b.serve(first)
	}
	if err := first.Close(); err != nil {
		return err
	}
	names := []string{name}
	if !alone && !strings.HasPrefix(name, "cpu") {
		names = append(names, cpuBeside(name))
	}
	report, err := b.measure(names, time.Duration(seconds)*time.Second)
	if err != nil {
		return err
	}
	return p.show(report, asJSON)
}

// cpuBeside is the CPU in a GPU's precision, or in single where it has no such one.
func cpuBeside(gpu string) string {
	if strings.HasSuffix(gpu, ":f64") {
		return "cpu:f64"
	}
	return "cpu:f32"
}

// choose reads --preset, --size and --precision.
func (b *benchmark) choose(c *call) (err error) {
	if b.precision, err = c.precision(string(device.Highest)); err != nil {
		return err
	}
	b.preset = workload.Names()[0]
	if name, ok := c.text("preset"); ok {
		b.preset = name
	}
	base := b.preset
	if base == sweepPreset {
		base = workload.Names()[0]
	}
	n, err := workload.Preset(base)
	if err != nil {
		return usagef("--preset: %q is not known%s: use %s", base, suggest.Hint(base, benchPresets()),
			strings.Join(benchPresets(), ", "))
	}
	if changes, ok := c.text("size"); ok {
		if n, err = n.With(changes); err != nil {
			return usagef("--size: %w", err)
		}
	}
	b.shapes = []workload.Size{n}
	if b.preset == sweepPreset {
		b.shapes, err = n.Sweep()
	}
	return err
}

// measure takes all figures; the devices share the time alike.
func (b *benchmark) measure(names []string, limit time.Duration) (*benchReport, error) {
	r := &benchReport{Version: rundir.Version, Preset: b.preset, Units: map[string]string{
		"ms": "milliseconds of a step", "gflop_per_second": "10^9 operations of the formulas per second",
		"gbyte_per_second":   "10^9 bytes of the arguments per second",
		"samples_per_second": "rows times Monte-Carlo samples per second",
		"share_of_floor":     "floor_ms/ms, the floor being the time of floor_unit at its peak",
	}}
	for _, name := range names {
		d := &benchDevice{Device: name, Precision: b.precision, About: aboutDevice(name)}
		if strings.HasPrefix(name, "cpu") {
			d.Precision = string(device.Highest)
		}
		d.Peak = workload.PeakOf(d.About)
		r.Devices = append(r.Devices, d)
		if err := b.device(d, limit/time.Duration(len(names))); err != nil {
			return nil, err
		}
	}
	r.compare()
	return r, nil
}

// aboutDevice is the description of a device, as `info` prints it.
func aboutDevice(name string) string {
	machines, _ := device.Machines()
	for _, m := range machines {
		if name == m.Name || strings.HasPrefix(name, m.Name+":") {
			return m.About
		}
	}
	return ""
}

// device measures all shapes on one device. One that cannot be done in the time, to judge by those
// before, or that the device refuses, is left out and said to be.
func (b *benchmark) device(d *benchDevice, limit time.Duration) error {
	start := time.Now()
	rate := 0.0 // operations in a second
	for i, n := range b.shapes {
		left := limit - time.Since(start)
		cost, err := n.Cost(d.Device)
		if err != nil {
			return usagef("%v", err)
		}
		// Warming up and one round.
		if need := time.Duration(2 * cost.FLOPs() / rate * float64(time.Second)); rate > 0 && need > left {
			d.NotRun = append(d.NotRun,
				benchSkip{n, fmt.Sprintf("it takes about %.1f s, and only %.1f s are left: raise --seconds",
					need.Seconds(), max(0, left.Seconds()))})
			continue
		}
		share := left / time.Duration(len(b.shapes)-i)
		if b.preset != sweepPreset {
			share = left / 2
			b.progress("%s: operations on %s", b.preset, d.Device)
			err := b.on(d, func(m workload.Machine) (err error) {
				d.Operations, err = m.Operations(b.ctx, n, share)
				return err
			})
			if err != nil {
				return err
			}
		}
		b.progress("%s: %s on %s", b.preset, n, d.Device)
		err = b.on(d, func(m workload.Machine) error {
			f, err := m.Step(b.ctx, b.preset, n, share)
			if err == nil {
				d.Steps = append(d.Steps, f)
				rate = 1e9 * f.GFLOPs
			}
			return err
		})
		if err != nil && (len(b.shapes) == 1 || errors.Is(err, errInterrupted)) {
			return err
		} else if err != nil {
			d.NotRun = append(d.NotRun, benchSkip{n, err.Error()})
		}
	}
	return nil
}

// on opens a device again, so that each measurement has all its memory. What the device fails at is
// an error.
func (b *benchmark) on(d *benchDevice, measure func(workload.Machine) error) (err error) {
	dev, err := device.Open(d.Device)
	if err != nil {
		return err
	}
	defer func() {
		if closing := dev.Close(); err == nil {
			err = closing
		}
	}()
	defer device.Guard(&err)
	precision := device.Relax(dev, device.Precision(d.Precision))
	if err = measure(workload.Machine{Device: dev, Peak: d.Peak,
		Precision: precision}); errors.Is(err, context.Canceled) {
		b.note("interrupted: no figures, since too few steps were timed")
		return errInterrupted
	}
	return err
}

// progress says on a terminal what is going on.
func (b *benchmark) progress(format string, args ...any) {
	if b.terminal {
		b.note(format, args...)
	}
}

// compare puts the second device, the CPU, beside the first.
func (r *benchReport) compare() {
	if len(r.Devices) < 2 {
		return
	}
	for _, gpu := range r.Devices[0].Steps {
		i := slices.IndexFunc(r.Devices[1].Steps, func(f workload.StepFigure) bool { return f.Size == gpu.Size })
		if i >= 0 {
			cpu := r.Devices[1].Steps[i].MS
			r.Ratios = append(r.Ratios, benchRatio{gpu.Size, cpu, gpu.MS, cpu / gpu.MS})
		}
	}
}
