package main

import (
	"fmt"
	"strings"
)

// What each option does is measured on POWERPLANT's training rows of fold 1 alone: each seed holds
// out a fifth of them, which are predicted once, after the last step.
const (
	optionsGroup = "options"
	optionsBase  = "--data powerplant --steps 5000 --validation 0.2 --restore last --eval-every 5000"
	optionSeeds  = 3
)

// option is one change of the defaults.
type option struct {
	args string
	over string // the option that it is compared with; "" is the defaults
	says string
}

// optionRuns are the rows of the table "What each option does".
func optionRuns() []option {
	return []option{
		{args: "", says: "the defaults"},
		{args: "--samples 2", says: "two samples a step"},
		{args: "--samples 4", says: "four samples a step"},
		{args: "--likelihood student-t", says: "heavy-tailed noise"},
		{args: "--likelihood heteroscedastic", says: "noise that depends on the input"},
		{args: "--lengthscales ard", says: "own length-scales for each latent function"},
		{args: "--kernel matern32", says: "Matérn 3/2 in the GP layer"},
		{args: "--kernel rbf+matern32", says: "a sum of two kernels there"},
		{args: "--features-kernel matern32", says: "Matérn 3/2 in the random features"},
		{args: "--q-cov full", says: "full covariance of q"},
		{args: "--natgrad 0.1", says: "natural gradients for q of the inducing outputs"},
		{args: "--features-kernel arccos1", says: "arc-cosine features of degree 1"},
		{args: "--feed-forward=false", says: "the random features do not see the input"},
		{args: "--skip", says: "the first latent function added to the output"},
		{args: "--layers 2", says: "two layers of random features"},
		{args: "--layers 2 --feed-forward=false", over: "--layers 2", says: "where neither sees the input"},
	}
}

// label is the option in the name of a row.
func (o option) label() string {
	if o.args == "" {
		return "defaults"
	}
	return strings.NewReplacer("--", "", " ", "-", "=", "-", "+", "-").Replace(o.args)
}

func (o option) row(seed int) row {
	command := strings.TrimSpace(fmt.Sprintf("gpdrf-gpu train %s --seed %s %s", optionsBase, varies, o.args))
	once := onceDefault("gpdrf", command, false)
	return row{group: optionsGroup, label: o.label(), number: seed, template: command + once, once: once}
}
