package main

import "strings"

// demoVerb is a first training.
func (p *program) demoVerb() verb {
	return verb{
		name: "demo", line: "train on data that come with the program", run: p.demo,
		about: "It trains a model of a power plant for about ten seconds, and prints the place of the " +
			"report. It opens nothing and needs no network.",
		flags: []flagSpec{{group: "Output", name: "out", arg: "DIR",
			help: "the run folder; otherwise runs/powerplant-gpdrf-<n>"}},
		examples: []example{{"gpdrf-gpu demo", "a first look"}},
	}
}

// demoArgs are the options of train that demo stands for: the power plant, for about ten seconds.
var demoArgs = []string{"--steps", "2000", "--validation", "0.1"}

// demo trains on the data that come with the program.
func (p *program) demo(c *call) error {
	args := append([]string{"gpdrf-gpu", "train"}, demoArgs...)
	if out, given := c.text("out"); given {
		args = append(args, "--out="+out)
	}
	p.note("this is: %s", strings.Join(args, " "))
	return p.dispatch(args[1:])
}
