package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/hardware"
)

const (
	recordsFolder = "bench/results"
	runsFolder    = "build/results"
	resultsFile   = "docs/results.md"
)

// results runs the rows that have no record yet, and writes docs/results.md from all records. A row that fails is
// reported, and the other rows still run.
func results(args []string) error {
	flags := flag.NewFlagSet("results", flag.ExitOnError)
	pattern := flags.String("rows", "",
		"only rows whose name, such as mnist/gpdrf-1, this regular expression matches")
	again := flags.Bool("again", false, "also rows that have a record")
	part := partFlag(flags)
	flags.Parse(args)
	names, err := regexp.Compile(*pattern)
	if err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	todo, err := withoutRecord(ofPart(*part, rows()), names, *again)
	if err != nil {
		return err
	}
	var failed []string
	if len(todo) > 0 {
		binary, err := build()
		if err != nil {
			return err
		}
		defer os.Remove(binary)
		now, err := newStamp()
		if err != nil {
			return err
		}
		failed = runAll(todo, recordsFolder, *again, now, func(r row) (*record, error) { return r.run(binary) })
	}
	if part.Count > 1 { // a call with -rows '^$' writes the page when all parts have ended
		return unrun(failed, len(todo))
	}
	if err := writeReport(); err != nil {
		return err
	}
	return unrun(failed, len(todo))
}

// withoutRecord returns the rows of a wanted name that have no record; with again, all rows of a wanted name.
func withoutRecord(all []row, wanted *regexp.Regexp, again bool) (todo []row, err error) {
	records, err := readRecords(recordsFolder, all)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if wanted.MatchString(r.name()) && (again || records[r.name()] == nil) {
			todo = append(todo, r)
		}
	}
	return todo, nil
}

// unrun returns the error about rows that failed; nil if no row failed.
func unrun(failed []string, of int) error {
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d rows were not run:\n  %s", len(failed), of, strings.Join(failed, "\n  "))
}

// runAll runs rows, saves each record at once with a stamp, and returns the rows that failed with the reason. It skips
// a row that another part runs, or has run meanwhile.
func runAll(todo []row, folder string, again bool, now stamp, run func(row) (*record, error)) (failed []string) {
	for i, r := range todo {
		fmt.Fprintf(os.Stderr, "%d of %d  %s\n", i+1, len(todo), r.command())
		err := runClaimed(filepath.Join(folder, r.group+"-"+r.line()), func() error {
			if records, err := readRecords(folder, []row{r}); err != nil || !again && records[r.name()] != nil {
				return err
			}
			m, err := run(r)
			if err != nil {
				return err
			}
			m.Command, m.stamp, m.Date = r.command(), now, time.Now().UTC().Format(time.DateOnly)
			return writeLocked(groupFile(folder, r.group), func() error { return m.write(folder, r) })
		})
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", r.name(), err))
			fmt.Fprintln(os.Stderr, failed[len(failed)-1])
		}
	}
	return failed
}

// writeReport writes docs/results.md, its pages and its pictures from the records.
func writeReport() error {
	records, err := readRecords(recordsFolder, allRows())
	if err != nil {
		return err
	}
	words, err := readNotes(notesFile)
	if err != nil {
		return err
	}
	for path, text := range report(records, words) {
		if err := writeText(path, text); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "wrote", path)
	}
	return drawDistances(records)
}

func build() (string, error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("gpdrf-gpu-results-%d", os.Getpid()))
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, "./cmd/gpdrf-gpu")
	cmd.Stderr = os.Stderr
	return path, cmd.Run()
}

// run trains the row, in a folder that stays until the row is run again.
func (r row) run(binary string) (*record, error) {
	folder := filepath.Join(runsFolder, r.name())
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, append(r.words()[1:], "--out", folder)...)
	if err := runLogged(cmd); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "result.json"))
	if err != nil {
		return nil, err
	}
	m := &record{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	if r.testRows != "" {
		m.Distances, err = predictDistances(binary, folder, r.testRows)
	}
	return m, err
}

// runLogged runs a command whose output goes to standard error. The error has the last line of the output.
func runLogged(cmd *exec.Cmd) error {
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = os.Stderr, io.MultiWriter(os.Stderr, &all)
	err := cmd.Run()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(all.String()), "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return err
}

// newStamp returns the stamp of the rows that run now. The commit is the last one that changed the program, with a + if
// the files differ from it.
func newStamp() (stamp, error) {
	return stampOf("*.go", "*.s", "*.cu", "*.cuh", "go.mod", "go.sum", "data", ":!bench", ":!*_test.go")
}

// stampOf returns the stamp for the last commit that changed some files.
func stampOf(files ...string) (stamp, error) {
	program := append([]string{"--"}, files...)
	hash, err := exec.Command("git", append([]string{"log", "-1", "--format=%h", "--abbrev=10"},
		program...)...).Output()
	if err != nil {
		return stamp{}, fmt.Errorf("git log: %w", err)
	}
	changed, err := exec.Command("git", append([]string{"status", "--porcelain"}, program...)...).Output()
	if err != nil {
		return stamp{}, fmt.Errorf("git status: %w", err)
	}
	s := stamp{Commit: strings.TrimSpace(string(hash)), Processor: hardware.Processor(), Threads: runtime.GOMAXPROCS(0)}
	if len(changed) > 0 {
		s.Commit += "+"
	}
	return s, nil
}
