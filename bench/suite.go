package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

const (
	suiteFolder  = "bench/results/suite"
	suiteFile    = "docs/suite.md"
	suiteDetails = suiteFolder + "/README.md"
)

// suite runs the cells that have no record, one after the other, and writes docs/suite.md from all records. If it is
// killed, the next call continues from there.
func suite(args []string) error {
	flags := flag.NewFlagSet("suite", flag.ExitOnError)
	setPattern := flags.String("sets", "", "only sets whose name this regular expression matches")
	methodPattern := flags.String("methods", "", "only methods whose name this regular expression matches")
	folds := flags.Int("folds", suiteFolds, "folds of each set, as far as it has them")
	again := flags.Bool("again", false, "also cells that have a record, all of a set")
	only := flags.Bool("report", false, "run nothing, write the page")
	part := partFlag(flags)
	flags.Parse(args)
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag of suite", flags.Arg(0))
	}
	setNames, err := regexp.Compile(*setPattern)
	if err != nil {
		return fmt.Errorf("-sets: %w", err)
	}
	methodNames, err := regexp.Compile(*methodPattern)
	if err != nil {
		return fmt.Errorf("-methods: %w", err)
	}
	if *folds < 1 {
		return errors.New("-folds is at least 1")
	}
	if *again && *methodPattern != "" {
		return errors.New("-again runs all methods of a set: leave -methods out, or -again")
	}
	if !*only {
		var sets []suiteSet
		for _, s := range suiteSets() {
			if setNames.MatchString(s.name) {
				sets = append(sets, s)
			}
		}
		cells := suiteCells(sets, func(m suiteMethod) bool { return methodNames.MatchString(m.name) }, *folds)
		if len(cells) == 0 {
			return errors.New("no cell has such a set and method: see docs/suite.md, and bench/suitemethods.go")
		}
		err = runSuite(ofPart(*part, cells), *again)
	}
	if part.Count > 1 { // a call with -report writes the page when all parts have ended
		return err
	}
	return errors.Join(err, writeSuite())
}

// runSuite runs the cells that have no record; with again, all cells.
func runSuite(cells []suiteCell, again bool) error {
	if !again {
		records, err := readSuite(suiteFolder, suiteSets())
		if err != nil {
			return err
		}
		cells = records.without(cells)
	}
	if len(cells) == 0 {
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := buildSuite(ctx); err != nil {
		return err
	}
	ours, err := newStamp()
	if err != nil {
		return err
	}
	theirs, err := stampOf("bench/peers")
	if err != nil {
		return err
	}
	ours.Threads, theirs.Threads = suiteThreads, suiteThreads
	return runCells(cells, suiteFolder, again, func(c suiteCell) (*suiteRecord, error) {
		if c.method.ours() {
			return c.run(ctx, ours)
		}
		return c.run(ctx, theirs)
	})
}

// buildSuite builds our program; another part may be building or using it.
func buildSuite(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(suiteBinary), 0o777); err != nil {
		return err
	}
	return writeLocked(suiteBinary, func() error {
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", suiteBinary, "./cmd/gpdrf-gpu")
		build.Stderr = os.Stderr
		return build.Run()
	})
}

// runCells runs cells and saves each record at once. It skips cells that cannot be run here, and cells that another
// part runs, or has run meanwhile.
func runCells(cells []suiteCell, folder string, again bool, run func(suiteCell) (*suiteRecord, error)) error {
	out := missed{}
	for i, c := range cells {
		fmt.Fprintf(os.Stderr, "%d of %d  %s\n", i+1, len(cells), c)
		err := runClaimed(filepath.Join(folder, strings.ReplaceAll(c.String(), " ", "")), func() error {
			if records, err := readSuite(folder, []suiteSet{c.set}); err != nil || !again && records[c.key()] != nil {
				return err
			}
			r, err := run(c)
			if err != nil {
				return err
			}
			return writeLocked(recordFile(folder, c.set.name), func() error { return r.append(folder) })
		})
		if errors.Is(err, errMissing) {
			out[err.Error()]++
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	if len(out) > 0 {
		fmt.Fprintln(os.Stderr, out)
	}
	return nil
}

// writeSuite writes docs/suite.md, its pictures and the page beside the records.
func writeSuite() error {
	records, err := readSuite(suiteFolder, suiteSets())
	if err != nil {
		return err
	}
	page := newSuitePage(records)
	for _, r := range page.rankings {
		if err := r.draw(); err != nil {
			return err
		}
	}
	if err := errors.Join(writeText(suiteFile, page.String()), writeText(suiteDetails, page.details())); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "wrote", suiteFile, "and", suiteDetails)
	return nil
}
