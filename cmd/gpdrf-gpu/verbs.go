package main

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
	"github.com/gpdrf/gpdrf-gpu/predict"
)

// verb is one command: all that its help, its page of docs/cli.md and the parser know of it.
type verb struct {
	name     string
	args     string // how its arguments are written
	line     string // what it does, in a line
	about    string // and in a few
	examples []example
	flags    []flagSpec
	keys     []flagSpec // that --set takes
	run      func(*call) error
}

type example struct{ command, what string }

// flagSpec is one flag of a verb, or one key that --set takes. The command that uses its text also
// checks it.
type flagSpec struct {
	group, name string
	arg         string // the placeholder of its value; a switch has BOOL, or nothing
	help        string
	otherwise   string // its default
	models      string // those that have it; "" is all
	unlisted    bool   // belongs to another verb, whose help lists it
	isKey       bool   // for --set, and in a config file
	command     bool   // a key about the command: no option of the run
}

func (f flagSpec) isSwitch() bool { return f.arg == "" || f.arg == switchArg }

const switchArg = "BOOL"

var jsonFlag = flagSpec{group: "Output", name: "json",
	help: "print JSON on standard output; notes go to standard error"}

// commonFlags are those of all commands.
func commonFlags() []flagSpec {
	return []flagSpec{
		{group: "Output", name: "quiet", arg: switchArg, help: "print warnings, errors and the result only"},
		{group: "Output", name: "threads", arg: "N",
			help: "at most N processor threads; the result does not depend on N", otherwise: "all"},
	}
}

// setFlagOf is the flag --set of a verb.
func setFlagOf(help string) flagSpec {
	return flagSpec{group: "Files", name: setFlag, arg: "KEY=VALUE", help: help}
}

// verbs are all commands, in the order of the help.
func (p *program) verbs() []verb {
	all := p.ownVerbs()
	for i := range all {
		all[i].flags = append(all[i].flags, commonFlags()...)
		for k := range all[i].keys {
			all[i].keys[k].isKey = true
		}
	}
	return all
}

// ownVerbs are the commands without the flags that all have.
func (p *program) ownVerbs() []verb {
	deviceFlag := flagSpec{group: "Prediction", name: "device", arg: "NAME",
		help: "where to compute; default: where the run was trained"}
	precisionFlag := flagSpec{group: "Prediction", name: "precision", arg: "highest|high|medium",
		help: "as for train; default: that of the run"}
	samplesFlag := flagSpec{group: "Prediction", name: "samples", arg: "S",
		help: "Monte-Carlo samples; default: as many as in the run's own test"}
	gramFlag := flagSpec{group: "Data", name: "gram", arg: "FILE.npz",
		help: "the kernel of the rows of FILE with the inducing points, for a run that was trained with one"}
	labelsFlag := flagSpec{group: "Data", name: "labels", arg: "FILE",
		help: "a file with the targets, if FILE has none and its name does not lead to them"}
	tableSetFlag := setFlagOf("how FILE is written; the keys are below")
	tableSetFlag.group = "Data"
	return []verb{
		p.trainVerb(),
		{
			name: "eval", args: "RUN", line: "score a run on its test rows, or on others", run: p.eval,
			about: "It reads the run's own test rows again, and warns if they have changed since. A file given with " +
				"--data needs the columns of the training data and the target.",
			flags: []flagSpec{
				{group: "Data", name: "data", arg: "FILE",
					help: "rows with their targets; default: the run's own test rows"},
				labelsFlag, gramFlag,
				tableSetFlag, samplesFlag, deviceFlag, precisionFlag, jsonFlag,
			},
			keys: dialectKeys(),
			examples: []example{
				{"gpdrf-gpu eval runs/powerplant-gpdrf-1", "the scores of the run again"},
				{"gpdrf-gpu eval runs/powerplant-gpdrf-1 --data 2024.csv --json", "its scores on new rows"},
			},
		},
		{
			name: "predict", args: "RUN", line: "predict the rows of a file", run: p.predict,
			about: "RUN is a run folder, or its model.safetensors alone. Columns are matched to those of training by " +
				"name, or by position where the file has no header. The target may be missing; " +
				"otherwise it is copied " +
				"to the last column. Each row of the output is a row of the input, in the same order and in the " +
				"target's own units. A regression has mean, sd, var_aleatoric (noise), var_epistemic (what the model " +
				"does not know) and the quantiles q05 q25 q50 q75 q95. A classification has " +
				"label, p_<class> for each " +
				"class, entropy (in nats) and bhattacharyya. The last is the distance between the two most probable " +
				"classes over the samples. It is large where the model is sure, and empty where the samples do not " +
				"vary. The column distance says how far a row is from the training rows, whatever its sd is. It is 0 " +
				"for a training row. It is 1 for a row as far away as the farthest 1 % of the training rows are from " +
				"the others. A column that names the rows comes first.",
			flags: []flagSpec{
				{group: "Data", name: "data", arg: "FILE", help: "the rows, in a format of docs/data.md"},
				{group: "Data", name: "id", arg: "COL",
					help: "the column that names the rows, and is copied; default: that of training"},
				gramFlag, tableSetFlag,
				{group: "Output", name: "out", arg: "FILE|-",
					help: "where to write: FILE.csv, FILE.jsonl, FILE.parquet, FILE.arrow, or - for standard output"},
				{group: "Output", name: "format", arg: strings.Join(predict.Formats(), "|"),
					help: "how to write; default: as FILE ends, or csv"},
				{group: "Output", name: "skip-bad", arg: "FILE.csv",
					help: "leave out rows that cannot be read, and write them here with their lines and reasons"},
				samplesFlag,
				{group: "Prediction", name: "draws", arg: "T",
					help: "mean and sd from T draws, as in the paper; default: in closed form"},
				{group: "Prediction", name: "seed", arg: "N", help: "of the draws; default: that of the run"},
				deviceFlag, precisionFlag,
			},
			keys: dialectKeys(),
			examples: []example{
				{"gpdrf-gpu predict runs/powerplant-gpdrf-1 --data new.csv --out predictions.csv", "a table"},
				{"gpdrf-gpu predict runs/powerplant-gpdrf-1 --data new.csv --out - | head -3", "a look"},
				{"gunzip -c big.csv.gz | gpdrf-gpu predict runs/powerplant-gpdrf-1 --data - " +
					"--out all.parquet", "any number of rows: they are not held in memory"},
				{"gpdrf-gpu predict runs/powerplant-gpdrf-1 --data new.csv --out all.csv " +
					"--skip-bad bad.csv", "and what was wrong with the others"},
			},
		},
		p.serveVerb(deviceFlag, precisionFlag, samplesFlag),
		p.exportVerb(samplesFlag),
		{
			name: "data", args: "ACTION [SET ...]", line: "list, fetch or check the named data sets", run: p.data,
			about: "ACTION is list, fetch or check. list shows the sets that --data may name, " +
				"and where they are read " +
				"from. fetch downloads the public originals of a set into the data folder. A download that broke off " +
				"continues where it stopped. A file with a wrong checksum is kept aside and never used. check " +
				"compares files with their checksums, for all sets or those named. It exits with 0 if all files that " +
				"are there are right, and with 1 if not.",
			flags: []flagSpec{
				{group: "Data", name: "data-dir", arg: "DIR", help: "folder of the named sets; default: $GPDRF_DATA"},
				jsonFlag,
			},
			examples: []example{
				{"gpdrf-gpu data list", "the sets and where they are"},
				{"gpdrf-gpu data fetch mnist --data-dir ~/gpdrf-data", "11 MB of images"},
				{"gpdrf-gpu data check", "are the files in $GPDRF_DATA what they should be?"},
			},
		},
		{
			name: "info", args: "[RUN | FILE]", line: "describe a run, a model, a data file or this machine",
			run: p.info,
			about: "Of a run folder it shows what was trained, and the scores. It reads all of a model " +
				"file or a checkpoint, checks it, and shows its format, its checksum and its tensors. Of a " +
				"data file it shows the columns, the target and the fingerprint; a named set stands for its " +
				"training rows. Without an argument it shows the devices of this machine, and where the " +
				"named sets are read from.",
			flags: []flagSpec{
				{group: "Data", name: "target", arg: "COL[,COL]",
					help: "target column of FILE by name or by number from 1, or several"},
				{group: "Data", name: "task", arg: "auto|regression|classification",
					help: "how to read the target of FILE"},
				labelsFlag,
				{group: "Data", name: "ignore", arg: "COL[,COL]", help: "columns of FILE to leave out"},
				{group: "Data", name: "missing", arg: strings.Join(data.MissingWays(), "|"),
					help: "what to do about missing cells of FILE; default: impute"},
				{group: "Data", name: "sequence", arg: "COL", help: "the column of a table that holds sequences"},
				tableSetFlag,
				{group: "Check", name: "check-file", arg: "FILE",
					help: "read all of a model file or a checkpoint, whatever its name; exit code 2 if it is damaged"},
				jsonFlag,
			},
			keys: tableKeys(),
			examples: []example{
				{"gpdrf-gpu info runs/powerplant-gpdrf-1", "a run: its options and its scores"},
				{"gpdrf-gpu info --check-file copy-of-model.safetensors", "is this copy of a model whole?"},
				{"gpdrf-gpu info houses.csv --target price", "a table, before training on it"},
				{"gpdrf-gpu info genes.fasta.gz", "sequences, their alphabet and classes"},
				{"gpdrf-gpu info", "this machine"},
			},
		},
		{
			name: "plan", line: "how much memory a training takes, and whether it fits", run: p.plan,
			about: "It takes the options of train (gpdrf-gpu help train) and lists every buffer " +
				"of that training with " +
				"its size. Nothing is trained. If the training does not fit, the exit code is 2, and the error names " +
				"options that would fit.",
			flags: append(planFlags(), jsonFlag), keys: planKeys(),
			examples: []example{
				{"gpdrf-gpu plan --data houses.csv --set samples=100 --device cuda", "does it fit the GPU?"},
				{"gpdrf-gpu plan --config runs/powerplant-gpdrf-1/config.yaml", "how much memory an earlier run took"},
			},
		},
		{
			name: "check", line: "compare a GPU with the CPU", run: p.check,
			about: "It computes the gradients of three tiny models on a GPU and on the CPU, in " +
				"float32 and in double. One " +
				"model has vectors, one has sequences, and one has W and Ω in closed form. It exits with 0 if all " +
				"gradients agree, with 1 if one does not, and with 2 if there is no GPU.",
			flags: []flagSpec{
				{group: "Check", name: "device", arg: "NAME",
					help: "which GPU, or which type of it, such as cuda:1:f64; default: the first GPU, in both types"},
				{group: "Check", name: "precision", arg: "highest|high|medium",
					help: "of the products in random-feature layers", otherwise: "highest"},
				jsonFlag,
			},
			examples: []example{
				{"gpdrf-gpu check", "does the GPU compute what the CPU does?"},
				{"gpdrf-gpu check --device cuda:1 --precision medium", "another GPU, with its tensor cores"},
			},
		},
		{
			name: "report", args: "RUN [RUN ...]", line: "write a page of HTML about runs", run: p.report,
			about: "The page shows what was trained, learning curves, calibration, predictions, " +
				"residuals against each " +
				"input, which inputs matter, confused classes and the worst rows. It is one file that loads nothing " +
				"else. Several runs stand side by side; a cross-validation stands for its folds. " +
				"train writes the page " +
				"of its run by itself. Where a run folder holds no predictions, the run's test " +
				"rows are predicted again.",
			flags: []flagSpec{
				{group: "Output", name: "out", arg: "FILE.html",
					help: "where to write; otherwise report.html in the run folder, or, of several runs, here"},
			},
			examples: []example{
				{"gpdrf-gpu report runs/powerplant-gpdrf-1", "the page of a run"},
				{"gpdrf-gpu report runs/houses-gpdrf-1 runs/houses-gp-1 --out both.html", "two runs side by side"},
			},
		},
		{
			name: "runs", args: "[DIR] | compare A B", line: "list runs and their scores, or compare two", run: p.runs,
			about: "It lists the runs in DIR and below, otherwise in runs. A cross-validation is " +
				"one line, with the means " +
				"of its folds. compare says which options of two runs differ, and their scores. Where both have " +
				"predictions of the same test rows, it compares these row by row, with standard errors.",
			flags: []flagSpec{
				{group: "Output", name: "sort", arg: "COLUMN",
					help: "sort by a column, from the least; with a - in front from the largest"},
				jsonFlag,
			},
			examples: []example{
				{"gpdrf-gpu runs", "all runs"},
				{"gpdrf-gpu runs experiments --sort nlpd", "those of a folder, the best first"},
				{"gpdrf-gpu runs compare runs/houses-gpdrf-1 runs/houses-gp-1", "what differs, and which is better"},
			},
		},
		{
			name: "bench", line: "time a training step on this machine", run: p.bench,
			about: "It trains on synthetic rows. It times each operation by itself, and then " +
				"whole steps. Figures are " +
				"medians. It also compares them with a floor: the time that the GPU would need at its peak, by its " +
				"data sheet. The floor counts the arithmetic of products and random features, and each " +
				"argument read or written once. " +
				"The unit that takes longest decides: FP32, FP64, the tensor cores (DMMA, TF32) or the memory. No " +
				"peak is known for a CPU, which is timed beside a GPU. An operation by itself includes its launch, " +
				"so the operations of a GPU may add up to more than the step.",
			flags: []flagSpec{
				{group: "What", name: "preset", arg: strings.Join(workload.Names(), "|"), help: "which step",
					otherwise: workload.Names()[0]},
				{group: "What", name: "size", arg: "S=100,B=500",
					help: "other sizes: D, J, M, L, d, R, B or S. shared is one kernel for all latent " +
						"functions, and integrated is W and Ω in closed form. For sequences, I is the number of " +
						"feature maps, and steps computes distances in each step"},
				{group: "What", name: "device", arg: "NAME",
					help: "where to compute: auto, cpu or cuda:N, with :f32 or :f64 as for train", otherwise: "auto"},
				{group: "What", name: "precision", arg: "highest|high|medium", help: "as for train",
					otherwise: "highest"},
				{group: "What", name: "alone", arg: switchArg, help: "do not time the CPU beside a GPU"},
				{group: "What", name: "seconds", arg: "N", help: "about how long in total", otherwise: "60"},
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
		},
		{
			name: "demo", line: "train on data that come with the program", run: p.demo,
			about: "It trains a model of a power plant for about ten seconds, and says where the " +
				"report of the run is. It " +
				"opens nothing and needs no network.",
			flags: []flagSpec{{group: "Output", name: "out", arg: "DIR",
				help: "the run folder; otherwise runs/powerplant-gpdrf-<n>"}},
			examples: []example{{"gpdrf-gpu demo", "a first look"}},
		},
		{
			name: "completion", args: "bash|zsh|fish",
			line: "print a script that completes commands in a shell", run: p.completion,
			about: "The script completes commands, flags and the values of flags.",
			examples: []example{
				{"source <(gpdrf-gpu completion bash)", "in this shell; in ~/.bashrc for all"},
				{"gpdrf-gpu completion fish > ~/.config/fish/completions/gpdrf-gpu.fish", "for fish"},
			},
		},
		{
			name: "man", line: "print the manual page", run: p.man,
			about:    "It is written for man, in its own format.",
			examples: []example{{"gpdrf-gpu man > gpdrf-gpu.1 && man ./gpdrf-gpu.1", "read it"}},
		},
	}
}
