package main

import (
	"strings"

	"github.com/gpdrf/gpdrf-gpu/predict"
)

// evalVerb scores a run.
func (p *program) evalVerb() verb {
	return verb{
		name: "eval", args: "RUN", line: "score a run on its test rows, or on others", run: p.eval,
		about: "It reads the run's own test rows again, and warns if they have changed since. A file given with " +
			"--data needs the columns of the training data and the target.",
		flags: []flagSpec{
			{group: "Data", name: "data", arg: "FILE",
				help: "rows with their targets; default: the run's own test rows"},
			labelsFlag, gramFlag,
			tableSetFlag, samplesFlag, levelFlag, deviceFlag, precisionFlag, jsonFlag,
		},
		keys: dialectKeys(),
		examples: []example{
			{"gpdrf-gpu eval runs/powerplant-gpdrf-1", "the scores of the run again"},
			{"gpdrf-gpu eval runs/powerplant-gpdrf-1 --data 2024.csv --json", "its scores on new rows"},
		},
	}
}

// predictVerb predicts the rows of a file.
func (p *program) predictVerb() verb {
	return verb{
		name: "predict", args: "RUN", line: "predict the rows of a file", run: p.predict,
		about: "RUN is a run folder, or its model.safetensors alone. Columns are matched to those of training " +
			"by name, or by position where the file has no header. The target may be missing; otherwise it is " +
			"copied to the last column. Each row of the output is a row of the input, in the same order and in " +
			"the target's own units. A regression has mean, sd, var_aleatoric (noise), var_epistemic (what the " +
			"model does not know) and the quantiles q05 q25 q50 q75 q95. A classification has label, p_<class> " +
			"for each class, entropy (in nats) and bhattacharyya. The last is the distance between the two most " +
			"probable classes over the samples. It is large where the model is sure, and empty where the samples " +
			"do not vary. The column distance says how far a row is from the training rows, whatever its sd is. " +
			"It is 0 for a training row. It is 1 for a row as far away as the farthest 1 % of the training rows " +
			"are from the others. A run with --conformal adds lower and upper, or the set of classes, with a | between " +
			"them. A column that names the rows comes first.",
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
			samplesFlag, levelFlag,
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
	}
}

// reportVerb writes a page about runs.
func (p *program) reportVerb() verb {
	return verb{
		name: "report", args: "RUN [RUN ...]", line: "write a page of HTML about runs", run: p.report,
		about: "The page shows what was trained, learning curves, calibration, predictions, residuals against " +
			"each input, which inputs matter, confused classes and the worst rows. It is one file that loads " +
			"nothing else. Several runs stand side by side; a cross-validation stands for its folds. train " +
			"writes the page of its run by itself. Where a run folder holds no predictions, the run's test rows " +
			"are predicted again.",
		flags: []flagSpec{
			{group: "Output", name: "out", arg: "FILE.html",
				help: "where to write; otherwise report.html in the run folder, or, of several runs, here"},
		},
		examples: []example{
			{"gpdrf-gpu report runs/powerplant-gpdrf-1", "the page of a run"},
			{"gpdrf-gpu report runs/houses-gpdrf-1 runs/houses-gp-1 --out both.html", "two runs side by side"},
		},
	}
}

// runsVerb lists runs, or compares two.
func (p *program) runsVerb() verb {
	return verb{
		name: "runs", args: "[DIR] | compare A B", line: "list runs and their scores, or compare two", run: p.runs,
		about: "It lists the runs in DIR and below, otherwise in runs. A cross-validation is one line, with the " +
			"means of its folds. compare lists the options in which two runs differ, and their scores. Where both " +
			"have predictions of the same test rows, it compares these row by row, with standard errors.",
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
	}
}
