package data

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/sets"
)

// DataDirEnv is the environment variable that names the folder of the named sets
// where nobody else does. Load does not read it: its caller does.
const DataDirEnv = "GPDRF_DATA"

// Names are the sets that Source.Data may name instead of a file.
func Names() []string { return sets.Names() }

// Folds is how many folds a named set has, 0 if there is no such set.
func Folds(name string) int {
	set, _ := sets.Find(name)
	return set.Folds
}

const powerplantName = "powerplant (embedded)"

// loadNamed reads fold K of a named set from its folder, or any fold with s.Folds. powerplant comes
// from the embedded table, which has the rows in their own units; the folds in a folder have the
// same rows, standardised.
func loadNamed(s Source) (train, test *Dataset, notes []string, err error) {
	fold, set := max(s.Fold, 1), mustSet(s.Data)
	switch {
	case s.Folds > 0:
		fold = 1 // all hold the same rows
	case s.Fold < 0 || fold > set.Folds:
		return nil, nil, nil, errorf("", "%s has no fold %d: its folds are 1 to %d", s.Data, s.Fold, set.Folds)
	}
	for _, file := range []struct{ what, path string }{{"test rows", s.Test}, {"labels", s.Labels},
		{"labels", s.TestLabels}} {
		if file.path != "" {
			return nil, nil, nil,
				errorf("", "%s comes with its own %s: leave the file %s out, or give a file of your own as data",
					s.Data, file.what, file.path)
		}
	}
	opt := ReadOptions{Target: s.Target, Task: s.Task, TableOptions: s.TableOptions, Tokens: s.Tokens, Watch: s.Watch}
	if set.Embedded {
		train, test, notes, err = embeddedPowerplant(fold, opt)
		note := "powerplant: the embedded UCI table in its own units"
		if s.Folds == 0 {
			note += fmt.Sprintf(", fold %d", fold)
		}
		return train, test, append(notes, note), err
	}
	folder := set.Folder(s.DataDir)
	if folder == "" {
		return nil, nil, nil, missingSet(s.Data, s.DataDir)
	}
	trainFile, testFile := set.Files(fold)
	if set.Blocked {
		return loadBlocked(set, sets.PlainOrZipped(filepath.Join(folder, trainFile)), fold, opt)
	}
	train, notes, err = readFile(sets.PlainOrZipped(filepath.Join(folder, trainFile)), opt)
	if e, ok := err.(*Error); ok && errors.Is(err, fs.ErrNotExist) {
		e.Msg += "; to get the set: " + set.Get()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	like := train.Schema()
	test, more, err := readFile(sets.PlainOrZipped(filepath.Join(folder, testFile)),
		ReadOptions{Like: &like, Grow: s.Folds > 0, Watch: s.Watch})
	if err != nil {
		return nil, nil, nil, err
	}
	train.Name, test.Name = s.Data, s.Data
	return train, test, append(notes, more...), nil
}

// mustSet is the set of a name that is known to be one.
func mustSet(name string) sets.Set {
	set, ok := sets.Find(name)
	if !ok {
		panic("data: no set " + name)
	}
	return set
}

// foldNamed joins the two parts of a named set and splits all its rows into s.Folds folds.
func foldNamed(s Source) (train, test *Dataset, notes []string, err error) {
	if mustSet(s.Data).Blocked {
		return nil, nil, nil,
			errorf("", "%s has folds of its own, blocks of time, which other folds would tear apart: leave "+
				"the number of folds out", s.Data)
	}
	part, rest, notes, err := loadNamed(s)
	if err != nil {
		return nil, nil, nil, err
	}
	all := part.join(rest)
	if err := attachGram(s.Gram, all, nil, s.Watch); err != nil {
		return nil, nil, nil, err
	}
	train, test, note, err := inFolds(all, s.Folds, s.Fold)
	return train, test, append(notes, note), err
}

func missingSet(name, dir string) error {
	get := mustSet(name).Get()
	if dir == "" {
		return errorf("", "the set %s is read from a folder: name it with --data-dir or %s; "+
			"to get it: %s", name, DataDirEnv, get)
	}
	return errorf("", "the folder %s holds no set %s: set --data-dir or %s to one that does; to get "+
		"it: %s", dir, name, DataDirEnv, get)
}

// embeddedPowerplant splits the embedded table, in its own units: training rows in
// the order of the table, test rows in that of the fold.
func embeddedPowerplant(fold int, opt ReadOptions) (train, test *Dataset, notes []string, err error) {
	d, notes, err := read(powerplantName, strings.NewReader(sets.Powerplant()), opt, fileLimits())
	if err != nil {
		return nil, nil, nil, err
	}
	d.Name, d.Path = "powerplant", "embedded"
	rows := sets.PowerplantTestRows(fold)
	train, test = d.Subset(others(d.N(), rows)), d.Subset(rows)
	return train, test, notes, nil
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
