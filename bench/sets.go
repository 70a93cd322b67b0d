package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// models returns the three models of the paper, in the order of its table.
func models() []string { return []string{"gp", "drf", "gpdrf"} }

// defaultLabel is the label of train without options; the options of the other models were chosen.
const defaultLabel = "default"

var modelNames = map[string]string{defaultLabel: "default", "gp": "GP", "drf": "DRF", "gpdrf": "GP-DRF",
	svmLabel: "SVM", exactLabel: "exact GP"}

// score is a figure in the block "test" of result.json.
type score struct {
	key, name string
	higher    bool // a higher value is better
}

var (
	regression = []score{{key: "rmse", name: "RMSE"}, {key: "nlpd", name: "NLPD"},
		{key: "coverage90", name: "90 % coverage"}}
	classification = []score{{key: "error", name: "error"}, {key: "nll", name: "NLL"}, {key: "ece", name: "ECE"}}
)

// target is the range in which GP-DRF's mean of a score should lie.
type target struct {
	key      string
	from, to float64
	goal     float64 // a better value that would be welcome; 0 is none
}

func atMost(key string, to, goal float64) target {
	return target{key: key, from: math.Inf(-1), to: to, goal: goal}
}

func atLeast(key string, from float64) target { return target{key: key, from: from, to: math.Inf(1)} }

func (t target) String() string {
	switch {
	case math.IsInf(t.from, -1):
		return minus(fmt.Sprintf("≤ %g", t.to))
	case math.IsInf(t.to, 1):
		return minus(fmt.Sprintf("≥ %g", t.from))
	}
	return minus(fmt.Sprintf("%g to %g", t.from, t.to))
}

// page returns the set's page below docs/results, which it shares with other splits of the same data.
func (s set) page() string {
	name, _, _ := strings.Cut(cmp.Or(s.data, s.name), "-")
	return cmp.Or(s.shared, name)
}

// set is a data set with its protocol: the models trained on it, and the figures to compare with.
type set struct {
	name         string
	data         string   // the value of --data; "" is name
	reads        string   // options that choose the columns to read
	kernel       string   // feature maps of sequences; "" for numbers
	folds        int      // number of folds, all of which are run; 0 for a single split
	split        bool     // the folds are those that --folds makes of all rows
	models       []string // the models that are run; nil for all
	shared       string   // the page that it shares with other sets, or ""
	defaultsOnly bool     // GP-DRF has only been run with today's defaults
	svm          bool     // it is compared with a support vector machine
	exact        bool     // it is compared with an exact GP
	scores       []score
	paper        map[string]float64 // the paper's figure of the first score, by model
	targets      []target
	args         string            // options of all three models, which have the same budget
	own          map[string]string // options of one model
	// the file of the test rows whose Bhattacharyya distances are wanted; %d stands for the fold
	rows string
}

// sets returns the data sets of docs/results.md. Their settings were chosen on rows held out of the training rows,
// never on the test rows that are printed there.
func sets() []set {
	eeg := map[string]string{
		"gp":    "--inducing 500",
		"drf":   "--features 500",
		"gpdrf": "--inducing 500 --latents 10",
	}
	vectors := []set{
		{
			name: "powerplant", folds: 3, scores: regression, args: "--steps 20000",
			own: map[string]string{
				"gp":    "--kernel matern32 --natgrad 0.1",
				"drf":   "--features-kernel matern32",
				"gpdrf": "--kernel matern32 --features-kernel matern32 --natgrad 0.1 --skip",
			},
			paper:   map[string]float64{"gp": .207, "drf": .201, "gpdrf": .194},
			targets: []target{atMost("rmse", .210, .195), atMost("nlpd", -.10, 0)},
		},
		{
			name: "protein", folds: 3, scores: regression, args: "--steps 6000 --batch 512",
			own: map[string]string{
				"gp":    "--inducing 500",
				"drf":   "--features 500",
				"gpdrf": "--inducing 500 --latents 16 --features 500 --natgrad 0.1",
			},
			paper:   map[string]float64{"gp": .737, "drf": .613, "gpdrf": .652},
			targets: []target{atMost("rmse", .63, .58), {key: "coverage90", from: .87, to: .93}},
		},
		{
			name: "spam", folds: 5, scores: classification, args: "--steps 4000 --scaling log",
			own: map[string]string{
				"gp":  "--gp-lengthscale-factor 1 --kernel matern12 --natgrad 0.1",
				"drf": "--drf-lengthscale-factor 32",
				"gpdrf": "--gp-lengthscale-factor 1 --kernel matern12 --natgrad 0.1 --latents 2 " +
					"--drf-lengthscale-factor 16 --skip",
			},
			paper:   map[string]float64{"gp": .043, "drf": .029, "gpdrf": .001},
			targets: []target{atMost("error", .05, .04)},
		},
		{
			name: "eeg", folds: 5, scores: classification, args: "--steps 6000", own: eeg,
			rows:    "eeg/fold%d.test.csv.gz",
			paper:   map[string]float64{"gp": .114, "drf": .106, "gpdrf": .016},
			targets: []target{atMost("error", .025, .012)},
		},
		{
			name: "eeg-blocked", folds: 5, scores: classification, args: "--steps 6000", own: eeg,
		},
		{
			name: "mnist", scores: classification, args: "--steps 15000", rows: "mnist/t10k-images-idx3-ubyte.gz",
			own: map[string]string{
				"gp":    "--inducing 500",
				"drf":   "--features 500",
				"gpdrf": "--inducing 500 --latents 20 --features 500 --feed-forward=false --skip",
			},
			paper:   map[string]float64{"gp": .059, "drf": .045, "gpdrf": .033},
			targets: []target{atMost("error", .022, .0125), atMost("nll", .08, .045), atMost("ece", .015, 0)},
		},
	}
	return slices.Concat(vectors, sequenceSets(), graphSets())
}
