package main

import (
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/predict"
)

// suggestVerb ranks rows by the worth of measuring them.
func (p *program) suggestVerb() verb {
	return verb{
		name: "suggest", args: "RUN", line: "say which rows to measure next", run: p.suggest,
		about: "It ranks the rows of a file, the candidates, by the worth of measuring them. ei is the expected " +
			"improvement on the best value so far. ucb is the mean and two standard deviations, and thompson the " +
			"best row of a function drawn from the model. variance and bald are for a better model: the least " +
			"known rows, and those with the most information. Each row is chosen given those before it, by joint " +
			"samples, so that a batch is not one row many times. Rows of FILE with a target are measured already: " +
			"they are no candidates, and ei improves on the best of them. Without such rows it improves on the " +
			"best target of training. Each row of the output is a suggestion, the best first: its rank, its " +
			"number in FILE from 1, its name, its value, and its prediction. docs/suggest.md has more.",
		flags: []flagSpec{
			{group: "Data", name: "data", arg: "FILE", help: "the candidates, in a format of docs/data.md"},
			{group: "Data", name: "target", arg: "COL", help: "which target, where the model has several"},
			{group: "Data", name: "id", arg: "COL",
				help: "the column that names the rows, and is copied; default: that of training"},
			gramFlag, tableSetFlag,
			{group: "Search", name: "how", arg: strings.Join(predict.Ways(), "|"),
				help: "how to choose; default: ei for numbers, and bald for classes"},
			{group: "Search", name: "batch", arg: "N", help: "rows to suggest", otherwise: "10"},
			{group: "Search", name: "minimize", arg: switchArg,
				help: "the least target is the best, and not the largest"},
			{group: "Search", name: "feasible", arg: "RUN2",
				help: "a model that tells whether a row is feasible: the second of two classes, or a target of " +
					"0 or more"},
			{group: "Search", name: "seed", arg: "N", help: "of the joint samples; default: that of the run"},
			{group: "Prediction", name: "samples", arg: "S", help: "joint samples",
				otherwise: strconv.Itoa(predict.SearchSamples)},
			deviceFlag, precisionFlag,
			{group: "Output", name: "out", arg: "FILE|-", otherwise: "-",
				help: "where to write: FILE.csv, FILE.jsonl, FILE.parquet, FILE.arrow, or - for standard output"},
			{group: "Output", name: "format", arg: strings.Join(predict.Formats(), "|"),
				help: "how to write; default: as FILE ends, or csv"},
			jsonFlag,
		},
		keys: dialectKeys(),
		examples: []example{
			{"gpdrf-gpu suggest runs/houses-gpdrf-1 --data candidates.csv", "ten rows that may beat the best so far"},
			{"gpdrf-gpu suggest runs/houses-gpdrf-1 --data candidates.csv --how ucb --minimize --batch 3",
				"three rows that may be cheap"},
			{"gpdrf-gpu suggest runs/yield-gp-1 --data candidates.csv --feasible runs/soluble-gp-1",
				"a second model says which rows are feasible"},
			{"gpdrf-gpu suggest runs/mail-gpdrf-1 --data unlabelled.csv --how bald --out label-these.csv",
				"the rows whose class tells the model the most"},
		},
	}
}
