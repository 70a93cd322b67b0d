package data

import (
	_ "embed" // the power plant table
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// DataDirEnv is the environment variable that names the folder of the named sets
// where nobody else does. Load does not read it: its caller does.
const DataDirEnv = "GPDRF_DATA"

// Names are the sets that Source.Data may name instead of a file.
func Names() []string { return []string{"powerplant", "protein", "spam", "eeg"} }

// Folds is how many folds a named set has, 0 if there is no such set.
func Folds(name string) int {
	switch name {
	case "powerplant", "protein":
		return 3
	case "spam", "eeg":
		return 5
	}
	return 0
}

// The table of the UCI set "Combined Cycle Power Plant" as it is, and the rows of it
// that are the test rows of each fold. Credits: powerplant/NOTICE.
var (
	//go:embed powerplant/CCPP.csv.gz
	powerplantTable string
	//go:embed powerplant/folds.json
	powerplantFolds string
)

const powerplantName = "powerplant (embedded)"

// loadNamed reads fold K of a named set: from <dir>/<name>/foldK.{train,test}.csv.gz,
// or from the embedded table where the set is powerplant and the folder lacks it.
func loadNamed(s Source) (train, test *Dataset, notes []string, err error) {
	fold := max(s.Fold, 1)
	if last := Folds(s.Data); s.Fold < 0 || fold > last {
		return nil, nil, nil, errorf("", "%s has no fold %d: its folds are 1 to %d", s.Data, s.Fold, last)
	}
	if s.Test != "" {
		return nil, nil, nil, errorf("", "%s comes with its own test rows: give a file of your own together with the test file %s, or leave the test file out", s.Data, s.Test)
	}
	dir := s.DataDir
	opt := ReadOptions{Target: s.Target, Task: s.Task}
	if _, err := os.Stat(filepath.Join(dir, s.Data)); dir == "" || errors.Is(err, fs.ErrNotExist) {
		if s.Data == "powerplant" {
			return embeddedPowerplant(fold, opt)
		}
		return nil, nil, nil, missingSet(s.Data, dir)
	}
	path := filepath.Join(dir, s.Data, fmt.Sprintf("fold%d.", fold))
	train, notes, err = ReadCSV(path+"train.csv.gz", opt)
	if err != nil {
		return nil, nil, nil, err
	}
	like := train.Schema()
	test, more, err := ReadCSV(path+"test.csv.gz", ReadOptions{Like: &like})
	if err != nil {
		return nil, nil, nil, err
	}
	train.Name, test.Name = s.Data, s.Data
	return train, test, append(notes, more...), nil
}

func missingSet(name, dir string) error {
	if dir == "" {
		return errorf("", "the set %s is read from a folder: name it by --data-dir or %s (it holds %s)", name, DataDirEnv, setFolders())
	}
	return errorf("", "the folder %s holds no set %s: set --data-dir or %s to one that holds %s", dir, name, DataDirEnv, setFolders())
}

func setFolders() string { return strings.Join(Names(), "/, ") + "/" }

// embeddedPowerplant splits the embedded table, in its own units: training rows in
// the order of the table, test rows in that of the fold.
func embeddedPowerplant(fold int, opt ReadOptions) (train, test *Dataset, notes []string, err error) {
	d, notes, err := read(powerplantName, strings.NewReader(powerplantTable), opt, fileLimits())
	if err != nil {
		return nil, nil, nil, err
	}
	d.Name, d.Path = "powerplant", "embedded"
	rows := powerplantTestRows(fold)
	train, test = d.Subset(others(d.N(), rows)), d.Subset(rows)
	return train, test, append(notes, fmt.Sprintf("powerplant: the embedded UCI table in its own units, fold %d", fold)), nil
}

// powerplantTestRows are row numbers of the embedded table, from 0.
func powerplantTestRows(fold int) []int {
	var file struct {
		Folds [][]int `json:"folds"`
	}
	if err := json.Unmarshal([]byte(powerplantFolds), &file); err != nil {
		panic("data: embedded folds: " + err.Error())
	}
	return file.Folds[fold-1]
}

// others are the numbers 0 … n−1 that are not in rows, in order.
func others(n int, rows []int) []int {
	out := make([]bool, n)
	for _, r := range rows {
		out[r] = true
	}
	rest := make([]int, 0, n-len(rows))
	for i := range n {
		if !out[i] {
			rest = append(rest, i)
		}
	}
	return slices.Clip(rest)
}
