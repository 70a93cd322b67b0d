package main

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/predict"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// verb is one command. The help, docs/cli.md and the parser take all they need from it.
type verb struct {
	name     string
	args     string // its arguments, as the help writes them; a line for each way to call it
	line     string // its description in a line
	about    string // its description in a few lines
	examples []example
	flags    []flagSpec
	keys     []flagSpec // the keys that --set takes
	run      func(*call) error
}

type example struct{ command, what string }

// flagSpec is one flag of a verb, or one key that --set takes. Its text is checked by the command that uses it.
type flagSpec struct {
	group, name string
	arg         string // the placeholder of its value; a switch has BOOL, or nothing
	help        string
	def         string // its default
	models      string // the models that have it; "" is all
	unlisted    bool   // the help of another verb lists it
	isKey       bool   // it is a key of --set and of a config file
}

func (f flagSpec) isSwitch() bool { return f.arg == "" || f.arg == switchArg }

const switchArg = "BOOL"

// Flags of several commands.
var (
	deviceFlag = flagSpec{group: "Prediction", name: "device", arg: "NAME",
		help: "where to compute; default: where the run was trained"}
	precisionFlag = flagSpec{group: "Prediction", name: "precision", arg: "highest|medium",
		help: "precision of products in random-feature layers; default: the precision of the run"}
	levelFlag = flagSpec{group: "Prediction", name: "level", arg: "X",
		help: "level of the intervals or sets of a run with --conformal, between 0 and 1; default: the level " +
			"of training"}
	samplesFlag = flagSpec{group: "Prediction", name: "samples", arg: "S",
		help: "number of Monte-Carlo samples; default: as in the run's test"}
	gramFlag = flagSpec{group: "Data", name: "gram", arg: "FILE.npz",
		help: "the kernel of the rows of FILE with the inducing points, for a run that was trained with one"}
	labelsFlag   = flagOf(options.Find("labels"))
	tableSetFlag = flagSpec{group: "Data", name: setFlag, arg: "KEY=VALUE",
		help: "how FILE is written; the keys are below"}
	idFlag = flagSpec{group: "Data", name: "id", arg: "COL",
		help: "the column that names the rows, and is copied; default: the column of training"}
	outFlag = flagSpec{group: "Output", name: "out", arg: "FILE|-", def: "-",
		help: "where to write: FILE.csv, FILE.jsonl, FILE.parquet, FILE.arrow, or - for standard output"}
	formatFlag = flagSpec{group: "Output", name: "format", arg: strings.Join(predict.Formats(), "|"),
		help: "how to write; default: as FILE ends, or csv"}
	jsonFlag = flagSpec{group: "Output", name: "json",
		help: "print JSON on standard output; notes go to standard error"}
)

func commonFlags() []flagSpec {
	return []flagSpec{
		{group: "Output", name: "quiet", arg: switchArg, help: "print warnings, errors and the result only"},
		{group: "Output", name: "threads", arg: "N",
			help: "at most N processor threads; the result does not depend on N", def: "all"},
	}
}

// verbs lists all commands in the order of the help.
func (p *program) verbs() []verb {
	all := []verb{p.trainVerb(), p.evalVerb(), p.predictVerb(), p.suggestVerb(), p.serveVerb(), p.exportVerb(),
		p.dataVerb(), p.infoVerb(), p.planVerb(), p.checkVerb(), p.reportVerb(), p.runsVerb(), p.benchVerb()}
	for i := range all {
		all[i].flags = append(all[i].flags, commonFlags()...)
		for k := range all[i].keys {
			all[i].keys[k].isKey = true
		}
	}
	return append(all, p.completionVerb(), p.manVerb()) // these have no flags
}

// dialectKeys lists the keys of verbs that read a file with the columns of the training file.
func dialectKeys() []flagSpec {
	all := flagsOf("separator decimal header")
	for i := range all {
		all[i].def = "as in the training file"
	}
	return all
}

// tableKeys lists the keys of verbs that read any table.
func tableKeys() []flagSpec {
	return flagsOf("separator decimal header thousands dates text id one-hot tokens")
}

// tableOptions reads the flags and keys about tables.
func (c *call) tableOptions() (data.TableOptions, error) {
	text := func(name string) string { value, _ := c.text(name); return value }
	o := data.TableOptions{
		Ignore: text("ignore"), ID: text("id"), Text: text("text"), Missing: text("missing"), Dates: text("dates"),
		OneHot: c.isOn("one-hot"),
		Dialect: data.Dialect{Separator: text("separator"), Decimal: text("decimal"), Thousands: text("thousands"),
			Header: text("header")},
	}
	return o, c.err
}
