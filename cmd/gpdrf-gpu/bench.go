package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/version"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
	"github.com/gpdrf/gpdrf-gpu/train/memory"
)

// benchSeconds is the default of --seconds.
const benchSeconds = 60

func (p *program) benchVerb() verb {
	return verb{
		name: "bench", line: "time a training step on this machine", run: p.bench,
		about: "It times whole steps on synthetic rows, on the CPU and on a GPU if there is one. Figures are medians.",
		flags: []flagSpec{
			{group: "What", name: "preset", arg: strings.Join(workload.Names(), "|"),
				help: "the model; powerplant and sequences have the defaults",
				def:  workload.Names()[0]},
			{group: "What", name: "size", arg: "S=100,B=500",
				help: "other sizes: D, J, M, L, d, R, B or S. Of mnist and protein, shared is one kernel for all " +
					"latent functions, and integrated is W and Ω in closed form. For sequences, I is the number of " +
					"feature maps, and steps computes distances in each step"},
			{group: "What", name: "device", arg: "NAME",
				help: "where to compute: auto, cpu or cuda:N, with :f32 or :f64 as for train", def: "auto"},
			{group: "What", name: "precision", arg: "highest|medium", help: "as for train",
				def: "highest"},
			{group: "What", name: "alone", arg: switchArg, help: "do not time the CPU beside a GPU"},
			{group: "What", name: "seconds", arg: "N", help: "about how long in total",
				def: strconv.Itoa(benchSeconds)},
			{group: "Output", name: "serve", arg: switchArg,
				help: "time one step for each line \"step\" on standard input, to take turns with another program"},
			jsonFlag,
		},
		examples: []example{
			{"gpdrf-gpu bench", "the step of a GP-DRF on MNIST, on the GPU and on the CPU"},
			{"gpdrf-gpu bench --preset protein --device cpu --seconds 20", "another step, on the CPU alone"},
			{"gpdrf-gpu bench --preset sequences --size steps",
				"a step on sequences that computes their distances to the inducing points"},
			{"gpdrf-gpu bench --size S=100,shared --json", "a hundred samples and one kernel, as JSON"},
		},
	}
}

type benchReport struct {
	Version string            `json:"version"`
	Preset  string            `json:"preset"`
	Units   map[string]string `json:"units"`
	Devices []*benchDevice    `json:"devices"`
	Ratios  []benchRatio      `json:"ratios,omitempty"`
}

type benchDevice struct {
	Device    string                `json:"device"`
	Precision string                `json:"precision"`
	About     string                `json:"about"`
	Steps     []workload.StepFigure `json:"steps"`
}

// benchRatio is the ratio of the CPU's time to the GPU's.
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
	precision string // the least precise products that are permitted
	size      workload.Size
}

// bench times a training step.
func (p *program) bench(c *call) error {
	seconds := c.count("seconds", 1, 86400, benchSeconds)
	serve := c.isOn("serve")
	alone := c.isOn("alone")
	if c.err != nil {
		return c.err
	}
	for _, name := range []string{"alone", "seconds", "json"} {
		if _, given := c.text(name); given && serve {
			return usagef("--%s: has no effect with --serve, which times a step for each line: leave it out", name)
		}
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
	b.precision = p.setPrecision(first, b.precision)
	if serve {
		p.newExitGuard(p.ctx, func() error { return p.interrupted(p.ctx, "") }) // it also ends a wait for a line
		defer first.Close()
		return b.serve(first)
	}
	if err := first.Close(); err != nil {
		return err
	}
	names := []string{name}
	if !alone && !strings.HasPrefix(name, "cpu") {
		cpu := "cpu:f32" // the type of the GPU's numbers, or single precision if the CPU has no such type
		if strings.HasSuffix(name, ":f64") {
			cpu = "cpu:f64"
		}
		names = append(names, cpu)
	}
	report, err := b.measure(names, time.Duration(seconds)*time.Second)
	if err != nil {
		return err
	}
	return p.show(report)
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
	if !slices.Contains(workload.Names(), b.preset) {
		return usagef("--preset: %q is not known%s", b.preset, didyoumean.Hint(b.preset, workload.Names()))
	}
	if b.size, err = workload.Preset(b.preset); err != nil {
		return err
	}
	if changes, ok := c.text("size"); ok {
		if b.size, err = b.size.With(changes); err != nil {
			return usagef("--size: %w", err)
		}
	}
	if err := b.size.Validate(); err != nil {
		return usagef("%v", err)
	}
	return nil
}

// measure takes all figures. Each device has the same share of the time.
func (b *benchmark) measure(names []string, limit time.Duration) (*benchReport, error) {
	r := &benchReport{Version: version.Number, Preset: b.preset, Units: map[string]string{
		"ms": "milliseconds of a step", "samples_per_second": "rows times Monte-Carlo samples per second",
	}}
	for _, name := range names {
		d := &benchDevice{Device: name, Precision: b.precision}
		if strings.HasPrefix(name, "cpu") {
			d.Precision = string(device.Highest)
		}
		r.Devices = append(r.Devices, d)
		if err := b.device(d, limit/time.Duration(len(names))); err != nil {
			return nil, err
		}
	}
	if len(r.Devices) == 2 { // the second is the CPU
		gpu, cpu := r.Devices[0].Steps[0], r.Devices[1].Steps[0]
		r.Ratios = []benchRatio{{gpu.Size, cpu.MS, gpu.MS, cpu.MS / gpu.MS}}
	}
	return r, nil
}

// device measures the step on one device. A failure of the device is an error.
func (b *benchmark) device(d *benchDevice, limit time.Duration) (err error) {
	if b.terminal {
		b.note("%s: %s on %s", b.preset, b.size, d.Device)
	}
	dev, err := device.OpenLogged(d.Device, b.noteOnce)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	defer device.RecoverFault(&err)
	d.About = dev.About()
	device.SetPrecision(dev, device.Precision(d.Precision))
	if err := b.fits(dev); err != nil {
		return err
	}
	f, err := workload.TimeStep(b.ctx, dev, b.preset, b.size, limit)
	if errors.Is(err, context.Canceled) {
		b.note("interrupted: no figures, since too few steps were timed")
		return errInterrupted
	}
	d.Steps = append(d.Steps, f)
	return err
}

// fits refuses a step that takes more memory than its device or the host has.
func (b *benchmark) fits(dev device.Device) error {
	ledger, doubles, err := b.size.Memory(dev)
	if err != nil {
		return usagef("%v", err)
	}
	step := memory.Plan{Device: dev.Name(), Samples: b.size.S, Batch: b.size.B, Rows: b.size.B,
		Free: memory.FreeOf(dev)}
	p := memory.New(step, ledger, []memory.Buffer{memory.Doubles("rows and parameters", doubles)})
	if p.Fits() {
		return nil
	}
	return p.Lacks("this step", "give smaller sizes with --size")
}

// serve answers each line of standard input with one of standard output, so that another program can take turns with
// this one. The first line of output describes the step. The answer to "step" is the time of a step in milliseconds.
func (b *benchmark) serve(dev device.Device) error {
	if err := b.fits(dev); err != nil {
		return err
	}
	step, err := workload.NewStep(dev, b.size)
	if err != nil {
		return usagef("%v", err)
	}
	fmt.Fprintf(b.out, "%s, %s: %s\n", dev.Name(), dev.About(), step.Size)
	rounds := workload.Rounds{Step: step}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() != "step" {
			return usagef("--serve: %q is not a request: write step", lines.Text())
		}
		t, err := rounds.Next()
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "%.6f %.9g\n", 1e3*t.Seconds(), rounds.ELBO)
	}
	return lines.Err()
}

// Lines returns the text for people.
func (r *benchReport) Lines() (lines []string) {
	t := newNumberTable("device", "steps/s", "samples/s", "ms")
	for _, d := range r.Devices {
		lines = append(lines, d.Device+": "+d.About)
		f := d.Steps[0]
		t.add(d.Device, digits(f.Steps), digits(f.Samples), digits(f.MS))
	}
	lines = append(lines, "", fmt.Sprintf("%s, whole steps: %s", r.Preset, r.Devices[0].Steps[0].Size))
	lines = append(lines, t.lines("  ")...)
	for _, c := range r.Ratios {
		lines = append(lines, "", fmt.Sprintf("a step takes %.1f times as long on the CPU", c.Ratio))
	}
	return lines
}

// digits formats a number with four digits, however large it is.
func digits(v float64) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	case v >= 1:
		return fmt.Sprintf("%.4g", v)
	}
	return fmt.Sprintf("%.4f", v)
}
