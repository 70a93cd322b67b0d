package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	runsFolder  = "build/results"
	resultsFile = "docs/results.md"
)

// row is one line of docs/results.md.
type row struct {
	set   string
	fold  int
	model string
	args  string // what the command adds to --data, --fold and --model
	paper string // the paper's figure for this set and model
}

// name is that of the row's run folder.
func (r row) name() string { return fmt.Sprintf("%s-%d-%s", r.set, r.fold, r.model) }

func (r row) command() string {
	return strings.TrimSpace(fmt.Sprintf("gpdrf-gpu train --data %s --fold %d --model %s %s", r.set, r.fold, r.model, r.args))
}

// measured is what a run left, and where and from which source it was made.
type measured struct {
	Test struct {
		RMSE       *float64 `json:"rmse"`
		NLPD       *float64 `json:"nlpd"`
		Coverage90 *float64 `json:"coverage90"`
		Error      *float64 `json:"error"`
		NLL        *float64 `json:"nll"`
		ECE        *float64 `json:"ece"`
	} `json:"test"`
	NTest   int     `json:"n_test"`
	Steps   int     `json:"steps"`
	Seconds float64 `json:"seconds"`
	Device  string  `json:"device"`

	stamp stamp
}

type stamp struct {
	Commit  string `json:"commit"`
	Machine string `json:"machine"`
	Date    string `json:"date"`
}

func results() error {
	binary, err := build()
	if err != nil {
		return err
	}
	defer os.Remove(binary)
	now := stamp{Commit: commit(), Machine: machine(), Date: time.Now().UTC().Format(time.DateOnly)}
	var all []measured
	var missing []string
	for i, r := range rows() {
		fmt.Fprintf(os.Stderr, "%d of %d  %s\n", i+1, len(rows()), r.command())
		m, err := r.run(binary, now)
		if errors.Is(err, errNoData) {
			missing = append(missing, r.name())
			fmt.Fprintln(os.Stderr, "  left out:", err)
			continue
		}
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: %s not run, so %s is left as it is", errNoData, strings.Join(missing, ", "), resultsFile)
	}
	var b bytes.Buffer
	if err := report(&b, rows(), all); err != nil {
		return err
	}
	if err := os.WriteFile(resultsFile, b.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "wrote", resultsFile)
	return nil
}

var errNoData = errors.New("set GPDRF_DATA to the folder of the data sets")

func build() (string, error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("gpdrf-gpu-results-%d", os.Getpid()))
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, "./cmd/gpdrf-gpu")
	cmd.Stderr = os.Stderr
	return path, cmd.Run()
}

// run trains the row unless its folder is there.
func (r row) run(binary string, now stamp) (measured, error) {
	folder := filepath.Join(runsFolder, r.name())
	if m, err := r.read(folder); err == nil {
		return m, nil
	}
	if r.set != "powerplant" && os.Getenv("GPDRF_DATA") == "" {
		return measured{}, errNoData
	}
	if err := os.RemoveAll(folder); err != nil {
		return measured{}, err
	}
	args := append(strings.Fields(r.command())[1:], "--out", folder)
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if r.set == "powerplant" { // the embedded table, which every reader has, in its own order of rows
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GPDRF_DATA=") })
	}
	if err := cmd.Run(); err != nil {
		return measured{}, fmt.Errorf("%s: %w", r.command(), err)
	}
	text, err := json.Marshal(struct {
		stamp
		Command string `json:"command"`
	}{now, r.command()})
	if err != nil {
		return measured{}, err
	}
	if err := os.WriteFile(filepath.Join(folder, "stamp.json"), text, 0o644); err != nil {
		return measured{}, err
	}
	return r.read(folder)
}

// read is what the folder of a finished run says; a folder of another command does not count.
func (r row) read(folder string) (m measured, err error) {
	var s struct {
		stamp
		Command string `json:"command"`
	}
	for name, into := range map[string]any{"result.json": &m, "stamp.json": &s} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return m, err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return m, fmt.Errorf("%s/%s: %w", folder, name, err)
		}
	}
	if s.Command != r.command() {
		return m, fmt.Errorf("%s was made by another command: %s", folder, s.Command)
	}
	m.stamp = s.stamp
	return m, nil
}

// commit names the source: with a + where the work tree differs from it.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--abbrev=10", "--dirty=+").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

func machine() string {
	name := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.SplitSeq(string(text), "\n") {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d threads", name, runtime.GOMAXPROCS(0))
}
