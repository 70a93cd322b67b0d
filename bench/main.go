// Command bench makes the figures that the project prints: go -C bench run . COMMAND. Without a command it lists them.
//
// It is a separate module, so that the program does not need its dependencies. Paths are relative to the repository's
// folder.
//
// Each row of results is one command, so that a reader can run it alone. Its measurements are kept in bench/results, a
// line for each row, from which docs/results.md is written. Its run folder stays under build/results.
package main

import (
	"errors"
	"fmt"
	"os"
)

// subcommands are the commands of bench.
var subcommands = []struct {
	name  string
	about string // "" for a command that another one starts
	run   func(args []string) error
}{
	{"results", "run the rows of docs/results.md that have no record, and write it", results},
	{"svm", "the same for scikit-learn's machines; --data SET … runs one, as docs/results.md lists it", svm},
	{"suite", "run the cells of docs/suite.md that have no record, and write it", suite},
	{"reach", "time runs until they predict as well as SVGP and LightGBM: docs/images/reach.png", alone(reach)},
	{"evidence", "write docs/evidence.md from all records", alone(evidence)},
	{"toy", "train the toy with a gap, and draw docs/images/toy.png", alone(toy)},
	{"serve", "load serve with many clients, beside predict: bench/results/usage-notes.md", serveLoad},
	{"predict", "time predict from file to file, beside the bare forward pass: docs/bench.md",
		func(args []string) error { return predictFiles(args, os.Stdout) }},
	{"ranks", "time two processes that share a step, beside two that do not, and sums: docs/scaling.md",
		func(args []string) error { return ranks(args, os.Stdout, os.Stderr) }},
	{"cpu-peers", "compare the CPU backend with PyTorch and OpenBLAS; the argument is a python: docs/bench.md",
		func(args []string) error {
			return cpuPeers(append(args, "build/peers/bin/python")[0], os.Stdout, os.Stderr)
		}},
	{"rank", "", func(args []string) error { return rank(args, os.Stdout) }},
	{"cpu-peer", "", alone(func() error { return serve(os.Stdin, os.Stdout) })},
}

var errUsage = errors.New("wrong arguments")

// alone returns a subcommand without arguments.
func alone(run func() error) func(args []string) error {
	return func(args []string) error {
		if len(args) > 0 {
			return errUsage
		}
		return run()
	}
}

// dispatch runs the subcommand that the first argument names.
func dispatch(args []string) error {
	if err := toRoot(); err != nil {
		return err
	}
	for _, c := range subcommands {
		if len(args) > 0 && args[0] == c.name {
			return c.run(args[1:])
		}
	}
	return errUsage
}

func main() {
	err := dispatch(os.Args[1:])
	if errors.Is(err, errUsage) {
		fmt.Fprintln(os.Stderr, "usage: go -C bench run . COMMAND, of which -h lists the flags:")
		for _, c := range subcommands {
			if c.about != "" {
				fmt.Fprintf(os.Stderr, "  %-10s %s\n", c.name, c.about)
			}
		}
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// toRoot changes to the repository's folder from its bench, where go -C starts the program: paths are relative to it.
func toRoot() error {
	if _, err := os.Stat(recordsFolder); err == nil {
		return nil
	}
	return os.Chdir("..")
}
