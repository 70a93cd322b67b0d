// Command bench makes the figures that the project prints.
//
//	go -C bench run . results                runs the rows of docs/results.md that have no record, and writes it
//	go -C bench run . results -rows '^eeg/'  only those whose name matches, -again also those with a record
//	go -C bench run . svm                    the same of the rows of scikit-learn's machines, with -rows and -again
//	go -C bench run . svm --data SET …       one of them, as docs/results.md lists it, and prints its record
//	go -C bench run . suite                  runs the cells of docs/suite.md that have no record, and writes it;
//	                                      -sets and -methods REGEXP, -folds N, -again, -report
//	go -C bench run . suite -part i/n        only part i, from 0, of n of the cells, beside other parts on this
//	                                      or other machines; results has -part, too. Without it, with -report,
//	                                      or with -rows '^$', the page is written
//	go -C bench run . reach                  times whole runs until they predict as well as SVGP and LightGBM, what has
//	                                      no record in bench/results/reach.jsonl, and draws docs/images/reach.png
//	go -C bench run . evidence               writes docs/evidence.md from all records
//	go -C bench run . toy                    trains the toy with a gap, and draws docs/images/toy.png
//	go -C bench run . serve -program P       loads P serve with 64 clients, beside P predict: docs/serve.md;
//	                                      -seconds S, -clients N
//	go -C bench run . predict -program P     times P predict from file to file, beside the bare forward pass:
//	                                      docs/bench.md; -models LIST, -rows N, -turns N
//	go -C bench run . ranks                  two processes that share a step, beside two that do not, and sums
//	                                      beside a linked program: docs/scaling.md; -turns, -steps, -batch N
//	go -C bench run . cpu-peers [PYTHON]     compares the CPU backend with PyTorch and OpenBLAS: docs/bench.md
//
// It is a separate module, so that the program does not need its dependencies. Paths are relative
// to the repository's folder.
//
// Each row of results is one command, so that a reader can run it alone. Its measurements are
// kept in bench/results, a line for each row, from which docs/results.md is written. Its run
// folder stays under build/results.
package main

import (
	"fmt"
	"os"
)

func main() {
	err := toRoot()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	switch args := os.Args[1:]; {
	case len(args) > 0 && args[0] == "results":
		err = results(args[1:])
	case len(args) > 0 && args[0] == "svm":
		err = svm(args[1:])
	case len(args) > 0 && args[0] == "suite":
		err = suite(args[1:])
	case len(args) == 1 && args[0] == "reach":
		err = reach()
	case len(args) == 1 && args[0] == "evidence":
		err = evidence()
	case len(args) == 1 && args[0] == "toy":
		err = toy()
	case len(args) > 0 && args[0] == "serve":
		err = serveLoad(args[1:])
	case len(args) > 0 && args[0] == "predict":
		err = predictFiles(args[1:], os.Stdout)
	case len(args) == 1 && args[0] == "cpu-peers":
		err = cpuPeers("build/peers/bin/python", os.Stdout, os.Stderr)
	case len(args) == 2 && args[0] == "cpu-peers":
		err = cpuPeers(args[1], os.Stdout, os.Stderr)
	case len(args) > 0 && args[0] == "ranks":
		err = ranks(args[1:], os.Stdout, os.Stderr)
	case len(args) > 0 && args[0] == "rank": // a process of ranks
		err = rank(args[1:], os.Stdout)
	case len(args) == 1 && args[0] == "cpu-peer": // our side of cpu-peers
		err = serve(os.Stdin, os.Stdout)
	default:
		fmt.Fprintln(os.Stderr,
			"usage: go -C bench run . results [-rows REGEXP] [-again] | svm [-rows REGEXP] [-again] | svm "+
				"--data SET … | suite [-sets REGEXP] [-methods REGEXP] [-folds N] [-again] "+
				"[-report] | reach | evidence | toy | serve [-program P] [-seconds S] | "+
				"predict [-program P] | ranks [-turns N] [-steps N] [-batch N] | cpu-peers [PYTHON]")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// toRoot changes to the repository's folder from its bench, where go -C starts the program: paths
// are relative to it.
func toRoot() error {
	if _, err := os.Stat(recordsFolder); err == nil {
		return nil
	}
	return os.Chdir("..")
}
