package data

import (
	"fmt"
	"os"
	"path/filepath"
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
	files    func(fold int) (train, test string)
}

func foldFiles(fold int) (train, test string) {
	return fmt.Sprintf("fold%d.train.csv.gz", fold), fmt.Sprintf("fold%d.test.csv.gz", fold)
}

func mnistFiles(int) (train, test string) {
	return "train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"
}

const (
	uciLicence   = "CC BY 4.0 (UCI Machine Learning Repository)"
	mnistLicence = "usually given as CC BY-SA 3.0 (Y. LeCun, C. Cortes, C. Burges)"
)

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
			About: "eyes open or closed, by electrodes; rows in any order", Licence: uciLicence},
		{Name: "mnist", Task: Classification, Classes: 10, Train: 60000, Test: 10000, Inputs: 784, Folds: 1, files: mnistFiles,
			About: "images of digits, 28x28", Licence: mnistLicence},
		{Name: "concrete", Task: Regression, Train: 997, Test: 33, Inputs: 8, Folds: 3, files: foldFiles,
			About: "strength of concrete", Licence: uciLicence},
		{Name: "credit", Task: Classification, Classes: 2, Train: 967, Test: 33, Inputs: 24, Folds: 5, files: foldFiles,
			About: "good or bad credit risks", Licence: uciLicence},
	}
}

// Folder is where the set lies under the data folder dir, "" if it is not there.
func (s Set) Folder(dir string) string {
	folder := filepath.Join(dir, s.Name)
	if info, err := os.Stat(folder); dir == "" || err != nil || !info.IsDir() {
		return ""
	}
	return folder
}

// From says where the set would be read from: a folder, "embedded", or "" if it is not there.
func (s Set) From(dir string) string {
	if folder := s.Folder(dir); folder != "" || !s.embedded {
		return folder
	}
	return "embedded"
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
