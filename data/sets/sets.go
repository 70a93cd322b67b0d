// Package sets knows the named sets: their contents, the places of their files, and how to fetch and check them. It
// reads no rows: package data does.
package sets

import (
	_ "embed" // the power plant table
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Set is one of the named sets. Its files lie in a folder of its name under the data folder.
type Set struct {
	Name    string `json:"name"`
	Task    string `json:"task"`
	Classes int    `json:"classes,omitempty"`
	Train   int    `json:"train"` // rows of fold 1
	Test    int    `json:"test"`
	Inputs  int    `json:"inputs"`
	Folds   int    `json:"folds"`
	About   string `json:"about"`
	Licence string `json:"licence"`

	Embedded bool `json:"-"` // the set is part of the program
	Blocked  bool `json:"-"` // the set is one file, of which a fold is a block of time

	folder  string    // name of the folder, if it is not Name
	files   [2]string // files to train on and to test on, if they are not numbered by folds
	columns []string  // columns of folds that are made from originals of another form
}

// Files returns the names of the training and the test file of a fold, from 1, in the set's folder.
func (s Set) Files(fold int) (train, test string) {
	if s.files[0] != "" {
		return s.files[0], s.files[1]
	}
	return fmt.Sprintf("fold%d.train.csv.gz", fold), fmt.Sprintf("fold%d.test.csv.gz", fold)
}

const (
	uciLicence   = "CC BY 4.0 (UCI Machine Learning Repository)"
	mnistLicence = "usually given as CC BY-SA 3.0 (Y. LeCun, C. Cortes, C. Burges)"
)

var sequenceFiles = [2]string{"train.tsv.gz", "test.tsv.gz"}

const (
	regression     = "regression"
	classification = "classification"
)

// Blocks is the number of blocks of time a blocked set has: each is a fold.
const Blocks = 5

// All returns the named sets.
func All() []Set {
	return []Set{
		{Name: "powerplant", Task: regression, Train: 9469, Test: 99, Inputs: 4, Folds: 3, Embedded: true,
			About: "energy output of a power plant", Licence: uciLicence},
		{Name: "protein", Task: regression, Train: 45515, Test: 215, Inputs: 9, Folds: 3,
			About: "size of the residue of protein structures", Licence: uciLicence},
		{Name: "spam", Task: classification, Classes: 2, Train: 4532, Test: 69, Inputs: 57, Folds: 5,
			About: "e-mail by the frequencies of words", Licence: uciLicence},
		{Name: "eeg", Task: classification, Classes: 2, Train: 14857, Test: 123, Inputs: 14, Folds: 5,
			columns: strings.Fields("AF3 F7 F3 FC5 T7 P7 O1 O2 P8 T8 FC6 F4 F8 AF4"),
			About:   "eyes open or closed, by electrodes; rows in any order", Licence: uciLicence},
		{Name: "eeg-blocked", Task: classification, Classes: 2, Train: 11856, Test: 2996, Inputs: 14,
			Folds: Blocks, files: [2]string{"raw/eeg_eye_state.arff.gz", ""}, folder: "eeg", Blocked: true,
			About: "the recording of eeg, tested on a block of time", Licence: uciLicence},
		{Name: "mnist", Task: classification, Classes: 10, Train: 60000, Test: 10000, Inputs: 784,
			Folds: 1, files: [2]string{"train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"},
			About: "images of digits, 28x28", Licence: mnistLicence},
		{Name: "concrete", Task: regression, Train: 997, Test: 33, Inputs: 8, Folds: 3,
			columns: strings.Fields("cement slag flyash water superplasticizer coarse_aggregate fine_aggregate age"),
			About:   "strength of concrete", Licence: uciLicence},
		{Name: "credit", Task: classification, Classes: 2, Train: 967, Test: 33, Inputs: 24, Folds: 5,
			columns: strings.Fields("A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 " +
				"A22 A23 A24"),
			About: "good or bad credit risks", Licence: uciLicence},
		{Name: "music", Task: classification, Classes: 10, Train: 900, Test: 100, Folds: 1, files: sequenceFiles,
			About:   "genres by the sounds of 30 seconds as integers below 1024",
			Licence: "not stated; distributed for research (GTZAN)"},
		{Name: "reuters", Task: classification, Classes: 2, Train: 8084, Test: 899, Folds: 1, files: sequenceFiles,
			About: "news of earnings or others, as text", Licence: "for research (Reuters-21578)"},
		{Name: "scop", Task: classification, Classes: 7, Train: 2575, Test: 287, Folds: 1, files: sequenceFiles,
			About: "structural classes of proteins", Licence: "free to use with citation (SCOPe, ASTRAL)"},
		{Name: "rad21", Task: classification, Classes: 2, Train: 2000, Test: 2000, Folds: 1,
			folder: "fastsk", files: [2]string{"RAD21.train.fasta.gz", "RAD21.test.fasta.gz"},
			About: "binding sites in DNA", Licence: "Apache 2.0 (FastSK)"},
		{Name: "2.41", Task: classification, Classes: 2, Train: 1427, Test: 1219, Folds: 1,
			folder: "fastsk", files: [2]string{"2.41.train.fasta.gz", "2.41.test.fasta.gz"},
			About: "remote homology of proteins", Licence: "Apache 2.0 (FastSK)"},
	}
}

// Folder returns the folder of the set under the data folder dir, "" if it does not exist.
func (s Set) Folder(dir string) string {
	folder := s.folderIn(dir)
	if info, err := os.Stat(folder); dir == "" || err != nil || !info.IsDir() {
		return ""
	}
	return folder
}

func (s Set) folderIn(dir string) string {
	if s.folder != "" {
		return filepath.Join(dir, s.folder)
	}
	return filepath.Join(dir, s.Name)
}

// From returns the place that the set would be read from: a folder, "embedded", or "" if there is none.
func (s Set) From(dir string) string {
	if s.Embedded {
		return "embedded"
	}
	first, _ := s.Files(1)
	if folder := s.Folder(dir); folder != "" && IsFile(PlainOrZipped(filepath.Join(folder, first))) {
		return folder
	}
	return ""
}

// Names returns the names of all sets.
func Names() (names []string) {
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// Find finds the set with a name; ok is false if the name is unknown.
func Find(name string) (set Set, ok bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Set{}, false
}

// PlainOrZipped returns the file with this name, which ends in .gz, or without the ending if only that exists.
func PlainOrZipped(path string) string {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if plain := strings.TrimSuffix(path, ".gz"); IsFile(plain) {
			return plain
		}
	}
	return path
}

// IsFile reports whether a file stands at path, and no folder.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// These are the table of the UCI set "Combined Cycle Power Plant", unchanged, and the rows of it that are the test rows
// of each fold. Credits: powerplant/NOTICE.
var (
	//go:embed powerplant/CCPP.csv.gz
	powerplantTable string
	//go:embed powerplant/folds.json
	powerplantFolds string
)

// Powerplant returns the embedded table, a CSV file compressed with gzip.
func Powerplant() string { return powerplantTable }

// PowerplantTestRows returns the numbers, from 0, of the rows of the embedded table that a fold, from 1, is tested on.
func PowerplantTestRows(fold int) []int {
	var file struct {
		Folds [][]int `json:"folds"`
	}
	if err := json.Unmarshal([]byte(powerplantFolds), &file); err != nil {
		panic("sets: embedded folds: " + err.Error())
	}
	return file.Folds[fold-1]
}
