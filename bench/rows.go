package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// varies stands in a command for what the rows of one label differ in, the fold or the seed, as a shell would write it.
const varies = "$k"

// row is one run of docs/results.md: an ordinary command, that a reader can give alone.
type row struct {
	group    string // a set, or "options"
	label    string // the model, or the option
	number   int    // the fold, or the seed
	template string // the command, with varies for the number
	testRows string // file of the test rows where each one's Bhattacharyya distance is wanted
}

// name is what ROWS selects by, and the row's file below bench/results.
func (r row) name() string { return fmt.Sprintf("%s/%s-%d", r.group, r.label, r.number) }

func (r row) command() string { return strings.ReplaceAll(r.template, varies, strconv.Itoa(r.number)) }

func (s set) row(model string, fold int) row {
	command := "gpdrf-gpu train --data " + cmp.Or(s.data, s.name)
	if s.folds > 1 {
		command += " --fold " + varies
	}
	for _, args := range []string{"--model " + model, s.args, s.own[model]} {
		command = strings.TrimSpace(command + " " + args)
	}
	return row{group: s.name, label: model, number: fold, template: command, testRows: strings.ReplaceAll(s.rows, "%d", strconv.Itoa(fold))}
}

// rowsOf are those of one model, by fold.
func (s set) rowsOf(model string) (out []row) {
	for fold := 1; fold <= s.folds; fold++ {
		out = append(out, s.row(model, fold))
	}
	return out
}

// rows are all runs, the quick sets first.
func rows() (out []row) {
	for _, s := range sets() {
		for _, m := range models() {
			out = append(out, s.rowsOf(m)...)
		}
	}
	for _, o := range options() {
		for seed := 1; seed <= optionSeeds; seed++ {
			out = append(out, o.row(seed))
		}
	}
	return out
}
