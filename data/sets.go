package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Set is one of the named sets. Its files lie in a folder of its name under the data folder.
type Set struct {
	Name    string `json:"name"`
	Task    Task   `json:"task"`
	Classes int    `json:"classes,omitempty"`
	Train   int    `json:"train"` // rows of fold 1
	Test    int    `json:"test"`
	Inputs  int    `json:"inputs"`
	Folds   int    `json:"folds"`
	About   string `json:"about"`
	Licence string `json:"licence"`

	embedded bool
	blocked  bool     // one file, of which a fold is a block of time
	folder   string   // where it is not Name
	columns  []string // of folds that are made from originals of another form
	files    func(fold int) (train, test string)
}

func foldFiles(fold int) (train, test string) {
	return fmt.Sprintf("fold%d.train.csv.gz", fold), fmt.Sprintf("fold%d.test.csv.gz", fold)
}

func mnistFiles(int) (train, test string) {
	return "train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"
}

func eegRecording(int) (train, test string) { return "raw/eeg_eye_state.arff.gz", "" }

const (
	uciLicence   = "CC BY 4.0 (UCI Machine Learning Repository)"
	mnistLicence = "usually given as CC BY-SA 3.0 (Y. LeCun, C. Cortes, C. Burges)"
)

func sequenceFiles(int) (train, test string) { return "train.tsv.gz", "test.tsv.gz" }

// fastskFiles are those of a set of FastSK's.
func fastskFiles(name string) func(int) (train, test string) {
	return func(int) (train, test string) { return name + ".train.fasta.gz", name + ".test.fasta.gz" }
}

// Sets are all named sets.
func Sets() []Set {
	return []Set{
		{Name: "powerplant", Task: Regression, Train: 9469, Test: 99, Inputs: 4, Folds: 3, embedded: true, files: foldFiles,
			About: "energy output of a power plant", Licence: uciLicence},
		{Name: "protein", Task: Regression, Train: 45515, Test: 215, Inputs: 9, Folds: 3, files: foldFiles,
			About: "size of the residue of protein structures", Licence: uciLicence},
		{Name: "spam", Task: Classification, Classes: 2, Train: 4532, Test: 69, Inputs: 57, Folds: 5, files: foldFiles,
			About: "e-mail by the frequencies of words", Licence: uciLicence},
		{Name: "eeg", Task: Classification, Classes: 2, Train: 14857, Test: 123, Inputs: 14, Folds: 5, files: foldFiles,
			columns: strings.Fields("AF3 F7 F3 FC5 T7 P7 O1 O2 P8 T8 FC6 F4 F8 AF4"),
			About:   "eyes open or closed, by electrodes; rows in any order", Licence: uciLicence},
		{Name: "eeg-blocked", Task: Classification, Classes: 2, Train: 11856, Test: 2996, Inputs: 14, Folds: blocks, files: eegRecording, folder: "eeg", blocked: true,
			About: "the recording of eeg, tested on a block of time", Licence: uciLicence},
		{Name: "mnist", Task: Classification, Classes: 10, Train: 60000, Test: 10000, Inputs: 784, Folds: 1, files: mnistFiles,
			About: "images of digits, 28x28", Licence: mnistLicence},
		{Name: "concrete", Task: Regression, Train: 997, Test: 33, Inputs: 8, Folds: 3, files: foldFiles,
			columns: strings.Fields("cement slag flyash water superplasticizer coarse_aggregate fine_aggregate age"),
			About:   "strength of concrete", Licence: uciLicence},
		{Name: "credit", Task: Classification, Classes: 2, Train: 967, Test: 33, Inputs: 24, Folds: 5, files: foldFiles,
			columns: strings.Fields("A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24"),
			About:   "good or bad credit risks", Licence: uciLicence},
		{Name: "music", Task: Classification, Classes: 10, Train: 900, Test: 100, Folds: 1, files: sequenceFiles,
			About: "genres by the sounds of 30 seconds as integers below 1024", Licence: "not stated; distributed for research (GTZAN)"},
		{Name: "reuters", Task: Classification, Classes: 2, Train: 8084, Test: 899, Folds: 1, files: sequenceFiles,
			About: "news of earnings or others, as text", Licence: "for research (Reuters-21578)"},
		{Name: "scop", Task: Classification, Classes: 7, Train: 2575, Test: 287, Folds: 1, files: sequenceFiles,
			About: "structural classes of proteins", Licence: "free to use with citation (SCOPe, ASTRAL)"},
		{Name: "rad21", Task: Classification, Classes: 2, Train: 2000, Test: 2000, Folds: 1, folder: "fastsk", files: fastskFiles("RAD21"),
			About: "binding sites in DNA", Licence: "Apache 2.0 (FastSK)"},
		{Name: "2.41", Task: Classification, Classes: 2, Train: 1427, Test: 1219, Folds: 1, folder: "fastsk", files: fastskFiles("2.41"),
			About: "remote homology of proteins", Licence: "Apache 2.0 (FastSK)"},
	}
}

// Folder is where the set lies under the data folder dir, "" if it is not there.
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

// From says where the set would be read from: a folder, "embedded", or "" if it is not there.
func (s Set) From(dir string) string {
	if s.embedded {
		return "embedded"
	}
	first, _ := s.files(1)
	if folder := s.Folder(dir); folder != "" && isFile(plainOrZipped(filepath.Join(folder, first))) {
		return folder
	}
	return ""
}

func setOf(name string) (Set, bool) {
	for _, s := range Sets() {
		if s.Name == name {
			return s, true
		}
	}
	return Set{}, false
}

func mustSet(name string) Set {
	s, ok := setOf(name)
	if !ok {
		panic("data: no set " + name)
	}
	return s
}
