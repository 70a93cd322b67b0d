package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// GP-DRF of sequences is compared with a support vector machine of scikit-learn on the features of GP-DRF's kernel and
// on the same rows. The machine's kernel, the plain inner product or exp(−‖φ−φ'‖²/2σ²), and its constants are chosen by
// cross-validation on the training rows (bench/peers/svm.py). For graphs, an exact GP on the same features is compared,
// too: its kernel and amplitude are chosen by the evidence (bench/peers/laplace.py).
const (
	svmLabel    = "svm"
	exactLabel  = "exact"
	svmCommand  = "go -C bench run . svm"
	svmWords    = 6
	svmPython   = "build/svm/bin/python"
	svmScript   = "bench/peers/svm.py"
	exactScript = "bench/peers/laplace.py"
)

// svmRows returns the runs of the set's support vector machine, by fold; nil if the set is compared with none.
func (s set) svmRows() (out []row) {
	if !s.svm {
		return nil
	}
	by := ""
	if key := s.scores[0].key; key != "error" {
		by = " --by " + key
	}
	return s.machineRows(svmLabel, by)
}

// exactRows returns the runs of the exact GP on the set's features, by fold; nil without an exact GP.
func (s set) exactRows() []row {
	if !s.exact {
		return nil
	}
	return s.machineRows(exactLabel, " --by evidence")
}

// machineRows returns the runs of scikit-learn's models of the set's features, by fold.
func (s set) machineRows(label, by string) (out []row) {
	// The machine chooses between the linear and the rbf kernel itself.
	features := strings.ReplaceAll(s.kernel, "/linear", "")
	template := svmCommand + " " + s.source() + " --kernel " + features + by
	for fold := 1; fold <= max(1, s.folds); fold++ {
		out = append(out, row{group: s.name, label: label, number: fold, template: template})
	}
	return out
}

// allSVMRows returns the rows of the support vector machines and exact GPs of all sets.
func allSVMRows() (out []row) {
	for _, s := range sets() {
		out = append(append(out, s.svmRows()...), s.exactRows()...)
	}
	return out
}

// allRows returns the rows of docs/results.md.
func allRows() []row { return append(rows(), allSVMRows()...) }

// svm runs a row's command, and prints its record; or, without --data, it runs all rows that have no record.
func svm(args []string) error {
	if _, err := os.Stat(svmPython); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s with scikit-learn: make svm", svmPython)
	}
	if len(args) > 0 && args[0] == "--data" {
		m, err := machine(args)
		if err != nil {
			return err
		}
		text, err := json.MarshalIndent(m, "", "  ")
		fmt.Println(string(text))
		return err
	}
	flags := flag.NewFlagSet("svm", flag.ExitOnError)
	pattern := flags.String("rows", "",
		"only rows whose name, such as music-folds/svm-3, this regular expression matches")
	again := flags.Bool("again", false, "also rows that have a record")
	flags.Parse(args)
	names, err := regexp.Compile(*pattern)
	if err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	todo, err := withoutRecord(allSVMRows(), names, *again)
	if err != nil {
		return err
	}
	now, err := newStamp()
	if err != nil {
		return err
	}
	now.Threads = 1
	failed := runAll(todo, recordsFolder, *again, now, func(r row) (*record, error) {
		return machine(r.words()[svmWords:])
	})
	if err := writeReport(); err != nil {
		return err
	}
	return unrun(failed, len(todo))
}

// machine trains and scores a machine. The options are --data, --folds, --fold and --kernel of train, and --by: auc or
// rmse is the score of cross-validation, and evidence is for the exact GP.
func machine(args []string) (*record, error) {
	settings, by, err := svmOptions(args)
	if err != nil {
		return nil, err
	}
	cfg, err := options.Resolve(nil, settings)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "gpdrf-gpu-svm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "gram.npz")
	m := &record{}
	if m.NTrain, m.NTest, err = writeGram(file, cfg); err != nil {
		return nil, err
	}
	start := time.Now()
	script := []string{svmScript, file, by}
	if by == "evidence" {
		script = []string{exactScript, file}
	}
	cmd := exec.Command(svmPython, script...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", script[0], err)
	}
	var said struct {
		Chosen, Version string
		Test            map[string]any
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, fmt.Errorf("%s says %q: %w", script[0], text, err)
	}
	m.Seconds, m.Chosen, m.Test, m.Device = time.Since(start).Seconds(), said.Chosen, said.Test,
		"scikit-learn "+said.Version
	return m, nil
}

// svmOptions takes --by out of the options, which all have a value.
func svmOptions(args []string) (settings []options.Setting, by string, err error) {
	by = "error"
	for i := 0; i < len(args); i += 2 {
		key, ok := strings.CutPrefix(args[i], "--")
		if !ok || i+1 == len(args) {
			return nil, "", fmt.Errorf("svm: %q: give --data SET [--folds N] [--fold K] --kernel "+
				"MAPS [--by auc|rmse|evidence]", args[i])
		}
		if key == "by" {
			by = args[i+1]
			continue
		}
		settings = append(settings, options.Setting{Key: key, Text: args[i+1], From: args[i]})
	}
	if !slices.Contains([]string{"error", "auc", "rmse", "evidence"}, by) {
		return nil, "", fmt.Errorf("--by: %q is none of error, auc, rmse and evidence", by)
	}
	return settings, by, nil
}
