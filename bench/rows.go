package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// varies stands in a command for the number in which the rows of one label differ: the fold or the seed. It has the
// form of a shell variable.
const varies = "$k"

// row is one run of docs/results.md: an ordinary command that a reader can run by itself.
type row struct {
	group          string // name of the set
	label          string // name of the model
	number         int    // fold or seed
	template       string // command, with varies for the number
	testRows       string // file of the test rows whose Bhattacharyya distances are wanted; "" for none
	earlierOptions string // options at the command's end that were defaults when the record was made
}

// name returns the name of a row for -rows: the group, whose records are a file below bench/results, and the name of
// the row in that file.
func (r row) name() string { return r.group + "/" + r.line() }

func (r row) command() string { return strings.ReplaceAll(r.template, varies, strconv.Itoa(r.number)) }

// words returns the words of the command as a shell passes them to the program.
func (r row) words() []string { return strings.Fields(os.ExpandEnv(typedCommand(r.command()))) }

// typedCommand returns a command as a user types it. The commands of rows and records have all options as flags, but
// some of these are keys of --set.
func typedCommand(command string) string {
	words := strings.Fields(command)
	var out []string
	for i := 0; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i], "--")
		key, value, hasValue := strings.Cut(name, "=")
		o := options.Find(key)
		if !isFlag || o == nil || o.Flag {
			out = append(out, words[i])
			continue
		}
		if o.IsBool() && !hasValue {
			value = "true"
		} else if !hasValue {
			i++
			value = words[i]
		}
		out = append(out, "--set", key+"="+value)
	}
	return strings.Join(out, " ")
}

// matches reports whether a record has the command of this row, or had it when its earlierOptions were defaults.
func (r row) matches(command string) bool {
	now := r.command()
	return command == now || command == strings.TrimSuffix(now, r.earlierOptions)
}

// earlierDefaults returns the options that give a command of model gpdrf or drf its earlier defaults: 200 frequencies
// with one frozen draw, and no skip.
func earlierDefaults(model, command string, sequences bool) string {
	once := ""
	add := func(key, value string) {
		if !strings.Contains(command+" ", " --"+key+" ") && !strings.Contains(command, " --"+key+"=") {
			once += " --" + key + value
		}
	}
	if model == "gp" {
		return ""
	}
	add("spectra", " var-fixed")
	if model == "drf" || !sequences {
		add("features", " 200")
	}
	if model == "gpdrf" && !sequences {
		add("skip", "=false")
	}
	return once
}

// source returns the options that choose the rows of a run.
func (s set) source() string {
	args := strings.TrimSpace("--data " + cmp.Or(s.data, s.name) + " " + s.reads)
	if s.split {
		args += fmt.Sprintf(" --folds %d", s.folds)
	}
	if s.folds > 1 {
		args += " --fold " + varies
	}
	return args
}

func (s set) row(model string, fold int) row {
	command := "gpdrf-gpu train " + s.source()
	if model == defaultLabel {
		return row{group: s.name, label: model, number: fold, template: command}
	}
	command += " --model " + model
	if s.kernel != "" {
		command += " --kernel " + s.kernel
	}
	for _, args := range []string{s.args, s.own[model]} {
		command = strings.TrimSpace(command + " " + args)
	}
	once := ""
	if !s.defaultsOnly {
		once = earlierDefaults(model, command, s.kernel != "")
	}
	return row{group: s.name, label: model, number: fold, template: command + once, earlierOptions: once,
		testRows: strings.ReplaceAll(s.rows, "%d", strconv.Itoa(fold))}
}

// has reports whether the set is run with a model.
func (s set) has(model string) bool { return s.models == nil || slices.Contains(s.models, model) }

// rowsOf returns the rows of one model, by fold; no rows if the set is run without the model. Train without options is
// not run on sets that were split into folds.
func (s set) rowsOf(model string) (out []row) {
	switch {
	case model == defaultLabel && s.defaultsOnly:
		return s.rowsOf("gpdrf")
	case model == defaultLabel && s.split, model != defaultLabel && !s.has(model):
		return nil
	}
	for fold := 1; fold <= max(1, s.folds); fold++ {
		out = append(out, s.row(model, fold))
	}
	return out
}

// rows returns all rows that train a model, the quick sets first.
func rows() (out []row) {
	for _, s := range sets() {
		out = append(out, s.modelRows()...)
	}
	return out
}

// modelRows returns the rows of the set that train a model.
func (s set) modelRows() (out []row) {
	if !s.defaultsOnly {
		out = s.rowsOf(defaultLabel)
	}
	for _, m := range models() {
		out = append(out, s.rowsOf(m)...)
	}
	return out
}
