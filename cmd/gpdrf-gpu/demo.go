package main

import "strings"

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
