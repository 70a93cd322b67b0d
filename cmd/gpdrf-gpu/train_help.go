package main

import (
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/train/options"
)

func (p *program) trainVerb() verb {
	return verb{
		name: "train", line: "train a model and test it", run: p.train,
		flags: trainFlags(), keys: append(optionFlags(false), commandKeys()...), // keys have no flag
		about: "Without options it trains GP-DRF on the power plant table that comes with the program, and tests it " +
			"on held-out rows. It leaves a run folder with the options, the log of training, the scores and the " +
			"model. Ctrl-C saves the model so far. Some defaults depend on the data: train and plan print these " +
			"first, and info RUN lists all values.",
		examples: []example{
			{"gpdrf-gpu train", "the power plant table, in about 40 seconds"},
			{"gpdrf-gpu train --data examples/power.csv --target energy_output --time-limit 10m",
				"a table of your own, for ten minutes"},
			{"gpdrf-gpu train --data eeg --set data-dir=../data --fold 2 --model gp",
				"a named set, with the first layer alone"},
			{"gpdrf-gpu train --data examples/power.csv --folds 5 --fold 2", "tested on the second fifth of its rows"},
			{"gpdrf-gpu train --data examples/power.csv --cv 5",
				"and on each fifth in turn: the mean and standard error of each score"},
			{"gpdrf-gpu train --data examples/power.csv --preset best --time-limit 10m",
				"many configurations, the best of them stacked: docs/best.md"},
			{"gpdrf-gpu train --data train-images-idx3-ubyte.gz --test t10k-images-idx3-ubyte.gz",
				"images; their labels are found by name"},
			{"gpdrf-gpu train --data examples/dna.fasta --test examples/dna-test.fasta",
				"sequences of any length; docs/sequences.md"},
			{"gpdrf-gpu train --config runs/powerplant-gpdrf-1/config.yaml", "the same run again, bit for bit"},
			{"gpdrf-gpu train --resume runs/powerplant-gpdrf-1", "continue it after Ctrl-C, a crash or a power cut"},
		},
	}
}

// trainFlags lists the flags of train: those of options.Options and, after the data, flags of the command itself.
func trainFlags() []flagSpec {
	ofCommand := []flagSpec{
		{group: "Files", name: "config", arg: "FILE.yaml", help: "options from a file, such as a run's config.yaml. " +
			"Flags override the file, and the file the preset"},
		{group: "Files", name: setFlag, arg: "KEY=VALUE",
			help: "a key of the config file; may be repeated. A key or flag that the model does not have is an error"},
		{group: "Files", name: "resume", arg: "RUN",
			help: "continue the run in this folder, or the folds of --cv, from the last checkpoint, with its " +
				"options. It ends with the same files, bit for bit, as an uninterrupted run"},
		{group: "Files", name: "out", arg: "DIR",
			help: "the run folder; default: runs/<data>-<model>-<n>, or runs/<data>-<model>-cv-<n> for --cv"},
		{group: "Files", name: "overwrite", arg: switchArg,
			help: "replace the run in the folder of --out, once the new one is whole"},
		{group: "Data", name: "cv", arg: "N|own",
			help: "N-fold cross-validation; own takes the folds of a named set. The folds share a time limit. Their " +
				"folder has a run folder of each, cv.json with the scores, and predictions.csv with the predictions " +
				"of tested rows"},
	}
	flags := optionFlags(true)
	behind := slices.IndexFunc(flags, func(f flagSpec) bool { return f.group != "Data" })
	return append(slices.Insert(flags, behind, ofCommand...), jsonFlag)
}

// commandKeys lists the keys about the command. A run keeps report alone.
func commandKeys() []flagSpec {
	return []flagSpec{
		{group: "Command", name: "jobs", arg: "N",
			help: "number of models that preset best or ensemble trains at a time",
			def:  "one for each of up to 4 threads, fewer if memory is short, or 1 on a GPU"},
		{group: "Command", name: "report", arg: switchArg, def: "true",
			help: "write report.html into the run folder, a page about the run"},
		{group: "Command", name: "tensorboard", arg: switchArg, def: "false",
			help: "write events for TensorBoard into the run folder during the run: tensorboard --logdir runs"},
		{group: "Command", name: "until-eof", arg: switchArg, def: "false",
			help: "stop as by Ctrl-C when standard input ends, and so with the parent program"},
		{group: "Command", name: "comm-timeout", arg: "TIME", def: commTimeout,
			help: "how long each of several processes waits for the others before the job fails, at least a minute; " +
				"0s is forever"},
	}
}

// optionFlags returns the options of a run that have a flag, or those that have none.
func optionFlags(withFlag bool) (flags []flagSpec) {
	for _, o := range options.Options() {
		if o.Flag == withFlag && !(o.OmitUnset && o.Arg == "") { // a record of a run is not typed
			flags = append(flags, flagOf(&o))
		}
	}
	return flags
}

// flagsOf returns the options of a run with these keys, for verbs that read a table as train does.
func flagsOf(keys string) (flags []flagSpec) {
	for _, key := range strings.Fields(keys) {
		flags = append(flags, flagOf(options.Find(key)))
	}
	return flags
}

// flagOf returns the flag of an option, or its key.
func flagOf(o *options.Option) flagSpec {
	f := flagSpec{group: o.Group, name: o.Key, arg: o.Arg, help: o.Help, def: o.Text(), models: o.Models}
	if o.Values != nil {
		f.arg = strings.Join(o.Values, "|")
	}
	if o.IsBool() {
		f.arg = switchArg
	}
	if f.def == "0" && options.IsLength(o.Key) { // another length takes its place
		f.def = ""
	}
	return f
}

// ofMemory returns the flags or keys of train that change its memory. The help of plan names them in a line.
func ofMemory(train []flagSpec) (flags []flagSpec) {
	for _, f := range train {
		if !slices.Contains([]string{"out", "resume", "overwrite", "json"}, f.name) {
			f.unlisted = true
			flags = append(flags, f)
		}
	}
	return flags
}
