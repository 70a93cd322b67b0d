package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/model"
)

func (p *program) checkVerb() verb {
	return verb{
		name: "check", line: "compare a GPU with the CPU", run: p.check,
		about: "It computes the gradients of three tiny models on a GPU and on the CPU, in float32 and in " +
			"double. One model has vectors, one has sequences, and one has W and Ω in closed form. It exits with " +
			"0 if all gradients agree, with 1 if one does not, and with 2 if there is no GPU.",
		flags: []flagSpec{
			{group: "Check", name: "device", arg: "NAME",
				help: "which GPU, or which type of it, such as cuda:1:f64; default: the first GPU, in both types"},
			{group: "Check", name: "precision", arg: "highest|medium",
				help: "of the products in random-feature layers", otherwise: "highest"},
			jsonFlag,
		},
		examples: []example{
			{"gpdrf-gpu check", "does the GPU compute what the CPU does?"},
			{"gpdrf-gpu check --device cuda:1 --precision medium", "another GPU, with its tensor cores"},
		},
	}
}

// tolerances are the permitted differences between the gradients of GPU and CPU, relative to the largest number of
// a block. A GPU adds up in another order and fuses a·b+c: there are some hundred roundings in all.
var tolerances = map[string]float64{":f32": 1e-3, ":f64": 1e-10}

// mediumTolerances are the tolerances for less exact products. TF32 has an error of 2⁻¹² in each factor. In a
// gradient that sums both signs it becomes some hundredths.
var mediumTolerances = map[device.Precision]float64{device.Medium: 5e-2}

// comparison is the result of `check` for one precision.
type comparison struct {
	Device     string  `json:"device"`
	Precision  string  `json:"precision"`
	Reference  string  `json:"reference"`
	Difference float64 `json:"difference"` // largest relative difference
	At         string  `json:"at"`         // block of parameters with this difference
	Tolerance  float64 `json:"tolerance"`
	Agrees     bool    `json:"agrees"`
}

type comparisons struct {
	About string       `json:"about"` // description of the GPU
	Check []comparison `json:"check"`
}

// Lines is the text for people.
func (c *comparisons) Lines() []string {
	lines := []string{c.About}
	for _, x := range c.Check {
		mark, verb := "✓", "agrees with"
		if !x.Agrees {
			mark, verb = "✗", "differs from"
		}
		if x.Precision != string(device.Highest) {
			verb = "at " + x.Precision + " " + verb
		}
		lines = append(lines,
			fmt.Sprintf("%s %s %s %s: largest relative difference %.2g, of the gradient of %s; tolerance %.0e",
				mark, x.Device, verb, x.Reference, x.Difference, x.At, x.Tolerance))
	}
	return lines
}

// check compares the gradients of three models on a GPU with those on the CPU.
func (p *program) check(c *call) error {
	p.newExitGuard(p.ctx, p.nothingWritten)
	name, _ := c.text("device")
	machine, suffixes, err := p.gpuToCheck(name)
	if err != nil {
		return err
	}
	precision, err := c.precision(string(device.Highest))
	if err != nil {
		return err
	}
	if precision != string(device.Highest) && len(suffixes) > 1 {
		suffixes = suffixes[:1] // The precision is one of float32.
	}
	about := &comparisons{}
	agree := true
	for _, suffix := range suffixes {
		x := comparison{Device: machine.Name + suffix, Reference: "cpu" + suffix, Tolerance: tolerances[suffix]}
		want, err := p.gradient(x.Reference, string(device.Highest))
		if err != nil {
			return err
		}
		got, err := p.gradient(x.Device, precision)
		if err != nil {
			return err
		}
		if tolerance, ok := mediumTolerances[device.Precision(got.precision)]; ok {
			x.Tolerance = tolerance
		}
		x.Precision = got.precision
		x.compare(got.gradient, want.gradient)
		about.About = machine.Name + ": " + got.about
		about.Check = append(about.Check, x)
		agree = agree && x.Agrees
	}
	if err := p.show(about); err != nil {
		return err
	}
	if !agree {
		return fmt.Errorf("the gradients of %s differ from those of the CPU: do not train on it", machine.Name)
	}
	return nil
}

// gpuToCheck returns the GPU and the suffixes that a name stands for; without a name, the first GPU.
func (p *program) gpuToCheck(name string) (found device.Machine, suffixes []string, err error) {
	suffixes = device.Suffixes[:]
	for _, suffix := range suffixes {
		if short, ok := strings.CutSuffix(name, suffix); ok {
			name, suffixes = short, []string{suffix}
			break
		}
	}
	machines, reasons := device.Machines()
	machines = slices.DeleteFunc(machines, func(m device.Machine) bool { return m.Name == "cpu" })
	switch {
	case name == "cpu":
		return found, nil, usagef("--device cpu: check compares a GPU with the CPU: name a GPU")
	case len(machines) == 0:
		reason := "no GPU"
		for backend, err := range reasons {
			reason = fmt.Sprintf("no %s: %v", backend, err)
		}
		return found, nil, usagef("there is no GPU to check (%s)", reason)
	case name == "" || name == "auto" || name == "cuda":
		return machines[0], suffixes, nil
	}
	i := slices.IndexFunc(machines, func(m device.Machine) bool { return m.Name == name })
	if i >= 0 {
		return machines[i], suffixes, nil
	}
	dev, err := p.openDevice(name) // The error explains a wrong name.
	if err == nil {
		dev.Close()
		err = usagef("--device %s: is not a GPU", name)
	}
	return found, nil, err
}

// compare fills in the largest difference of two gradients. NaN is the largest difference possible.
func (x *comparison) compare(got, want []model.Parameter) {
	for i, block := range want {
		size := math.SmallestNonzeroFloat64
		for _, v := range block.Data {
			size = max(size, math.Abs(v))
		}
		for k, v := range block.Data {
			d := min(math.Abs(got[i].Data[k]-v)/size, math.MaxFloat64)
			if math.IsNaN(d) {
				d = math.MaxFloat64
			}
			if x.At == "" || d > x.Difference {
				x.Difference, x.At = d, block.Name
			}
		}
	}
	x.Agrees = x.Difference <= x.Tolerance
}
