package main

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// dataVerb is about the named data sets.
func (p *program) dataVerb() verb {
	return verb{
		name: "data", args: "ACTION [SET ...]", line: "list, fetch or check the named data sets", run: p.data,
		about: "ACTION is list, fetch or check. list shows the sets that --data may name, and where they are " +
			"read from. fetch downloads the public originals of a set into the data folder. A download that " +
			"broke off continues where it stopped. A file with a wrong checksum is kept aside and never used. " +
			"check compares files with their checksums, for all sets or those named. It exits with 0 if all " +
			"files that are there are right, and with 1 if not.",
		flags: []flagSpec{
			{group: "Data", name: "data-dir", arg: "DIR", help: "folder of the named sets; default: $GPDRF_DATA"},
			jsonFlag,
		},
		examples: []example{
			{"gpdrf-gpu data list", "the sets and where they are"},
			{"gpdrf-gpu data fetch mnist --data-dir ~/gpdrf-data", "11 MB of images"},
			{"gpdrf-gpu data check", "are the files in $GPDRF_DATA what they should be?"},
		},
	}
}

// infoVerb describes files, data sets, devices and runs.
func (p *program) infoVerb() verb {
	return verb{
		name: "info", args: "[RUN | FILE]", line: "describe a run, a model, a data file or this machine",
		run: p.info,
		about: "Of a run folder it shows what was trained, and the scores. It reads all of a model file or a " +
			"checkpoint, checks it, and shows its format, its checksum and its tensors. Of a data file it shows " +
			"the columns, the target and the fingerprint; a named set stands for its training rows. Without an " +
			"argument it shows the devices of this machine, and where the named sets are read from.",
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
	}
}

// planVerb prints the memory that a training takes.
func (p *program) planVerb() verb {
	return verb{
		name: "plan", line: "how much memory a training takes, and whether it fits", run: p.plan,
		about: "It takes the options of train (gpdrf-gpu help train) and lists every buffer of that training " +
			"with its size. Nothing is trained. If the training does not fit, the exit code is 2, and the error " +
			"names options that would fit.",
		flags: append(planFlags(), jsonFlag), keys: planKeys(),
		examples: []example{
			{"gpdrf-gpu plan --data houses.csv --set samples=100 --device cuda", "does it fit the GPU?"},
			{"gpdrf-gpu plan --config runs/powerplant-gpdrf-1/config.yaml", "how much memory an earlier run took"},
		},
	}
}

// checkVerb compares a GPU with the CPU.
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

// benchVerb times a training step.
func (p *program) benchVerb() verb {
	return verb{
		name: "bench", line: "time a training step on this machine", run: p.bench,
		about: "It trains on synthetic rows. It times each operation by itself, and then whole steps. Figures " +
			"are medians. A CPU is timed beside a GPU. An operation by itself includes its launch, so the " +
			"operations of a GPU may add up to more than the step.",
		flags: []flagSpec{
			{group: "What", name: "preset", arg: strings.Join(workload.Names(), "|"), help: "which step",
				otherwise: workload.Names()[0]},
			{group: "What", name: "size", arg: "S=100,B=500",
				help: "other sizes: D, J, M, L, d, R, B or S. shared is one kernel for all latent " +
					"functions, and integrated is W and Ω in closed form. For sequences, I is the number of " +
					"feature maps, and steps computes distances in each step"},
			{group: "What", name: "device", arg: "NAME",
				help: "where to compute: auto, cpu or cuda:N, with :f32 or :f64 as for train", otherwise: "auto"},
			{group: "What", name: "precision", arg: "highest|medium", help: "as for train",
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
	}
}

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

// completionVerb completes commands in a shell.
func (p *program) completionVerb() verb {
	return verb{
		name: "completion", args: "bash|zsh|fish",
		line: "print a script that completes commands in a shell", run: p.completion,
		about: "The script completes commands, flags and the values of flags.",
		examples: []example{
			{"source <(gpdrf-gpu completion bash)", "in this shell; in ~/.bashrc for all"},
			{"gpdrf-gpu completion fish > ~/.config/fish/completions/gpdrf-gpu.fish", "for fish"},
		},
	}
}

// manVerb is the manual page.
func (p *program) manVerb() verb {
	return verb{
		name: "man", line: "print the manual page", run: p.man,
		about:    "It is written for man, in its own format.",
		examples: []example{{"gpdrf-gpu man > gpdrf-gpu.1 && man ./gpdrf-gpu.1", "read it"}},
	}
}
