package data

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// Source is the origin of the data of a run. Its ReadOptions are those of Data.
type Source struct {
	Data string // one of Names, or a file; a name wins, so a file called spam is ./spam
	ReadOptions
	// Test is the file with the test rows. If it is "", a named set has its own, and a tenth of a file is held out.
	// NoTest is for a file without test rows.
	Test       string
	TestLabels string // ReadOptions.Labels of Test
	DataDir    string // folder of the named sets; "" for powerplant alone
	// Folds is the number of folds of all rows. If it is 0, a named set has its own, and a file none.
	Folds int
	// Fold is the fold for testing, from 1; 0 is the first. It must be 0 for a file without Folds.
	Fold int
	Gram string // an npz archive with a kernel of the rows (readGram); "" for none
	Seed uint64 // seed of the held-out rows
}

// NoTest in place of a file of test rows means that all rows of a file are for training.
const NoTest = "none"

// Load reads a training set and its test set, which is nil for NoTest. The test set has the columns, the task and the
// classes of the training set. With Folds, training and test rows of a named set, or of an npz archive with a test
// part, are joined first. It is an error if there is nothing to learn: a single training row, a constant target, a
// class without training rows.
func Load(s Source) (train, test *Dataset, notes []string, err error) {
	if err := s.TableOptions.check(); err != nil { // this precedes the search for the file
		return nil, nil, nil, err
	}
	piped := slices.DeleteFunc([]string{s.Data, s.Test, s.Labels, s.TestLabels}, func(path string) bool {
		return path != standardInput
	})
	if len(piped) > 1 {
		return nil, nil, nil, errorf("standard input", "has the rows of one file: give a name in place of the other -")
	}
	if s.Folds != 0 {
		if err := checkFolds(s); err != nil {
			return nil, nil, nil, err
		}
	}
	set, named := sets.Find(s.Data)
	switch {
	case s.Data == "":
		err = errorf("", "no data given: give a file or one of %s", strings.Join(Names(), ", "))
	case named && s.Folds > 0:
		train, test, notes, err = foldNamed(set, s)
	case named:
		if train, test, notes, err = loadNamed(set, s); err == nil {
			err = attachGram(s.Gram, train, test, s.ReadControl)
		}
	default:
		train, test, notes, err = loadFiles(s)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	impute(train, test)
	if err := checkTraining(train, test); err != nil {
		return nil, nil, nil, err
	}
	if names := constantColumns(train); len(names) > 0 {
		notes = append(notes, fmt.Sprintf("%s: constant in the training rows, so it carries no information: %s",
			train.Path, phrase.List(names)))
	}
	notes = append(append(notes, train.leakWarnings()...), train.farTargetWarnings()...)
	if train.Sequences != nil && test != nil {
		if n, noun := test.Sequences.DuplicatesOf(train.Sequences), test.Sequences.Alphabet.Kind.Noun(); n > 0 {
			notes = append(notes, fmt.Sprintf("warning: %s: %d of the %s for testing are training %ss, too: "+
				"scores will be too good", test.Path, n, phrase.Plural(test.N(), noun), noun))
		}
	}
	return train, test, notes, nil
}

func loadFiles(s Source) (train, test *Dataset, notes []string, err error) {
	if s.Fold != 0 && s.Folds == 0 {
		return nil, nil, nil,
			errorf(s.Data, "a file has no folds: set their number with %s, give %s FILE, or leave "+
				"%s out (the named sets are %s)", asFlag("folds"), asFlag("test"), asFlag("fold"),
				strings.Join(Names(), ", "))
	}
	opt := s.ReadOptions
	if s.Schema != nil {
		opt = ReadOptions{Schema: s.Schema, Labels: s.Labels, ReadControl: s.ReadControl,
			TableOptions: TableOptions{Dialect: s.Dialect, Roles: s.Roles}}
	}
	all, notes, err := readFile(s.Data, opt)
	if err != nil {
		return nil, nil, nil, meantName(s.Data, err)
	}
	path, err := s.testFile(all)
	if err != nil {
		return nil, nil, nil, err
	}
	if path != "" {
		if s.Test == "" && s.Folds == 0 {
			notes = append(notes, s.Data+": tested on its own test part")
		}
		schema := all.Schema()
		var more []string
		test, more, err = readFile(path, ReadOptions{Schema: &schema, Labels: s.TestLabels, TrainRows: all,
			ReadControl: s.ReadControl})
		if err != nil {
			return nil, nil, nil, err
		}
		notes = append(notes, more...)
	}
	if s.Folds > 0 && test != nil {
		all = all.join(test)
		test = nil
	}
	if err := attachGram(s.Gram, all, test, s.ReadControl); err != nil {
		return nil, nil, nil, err
	}
	if test != nil || s.Test == NoTest {
		return all, test, notes, nil
	}
	note := ""
	switch {
	case all.N() < 3:
		err = errorf(s.Data, "has %s: at least two to train on and one to test on are needed",
			phrase.Plural(all.N(), "row"))
	case s.Folds > 0:
		train, test, note, err = inFolds(all, s.Folds, s.Fold)
	default:
		if err := all.checkSeparable(); err != nil {
			return nil, nil, nil, err
		}
		rest, rows := all.separate(tenth(all.N()), heldOutSite, s.Seed)
		train, test = all.Subset(rest), all.Subset(rows)
		test.OriginalRows = rows
		note = fmt.Sprintf("%s: %d of %d rows held out for testing (a tenth, %s)", all.Path, len(rows), all.N(),
			all.SplitDescription(s.Seed))
	}
	return train, test, append(notes, note), err
}

// testFile returns the file of the test rows: the one that s names, its data if they have a part for tests, or "".
func (s Source) testFile(all *Dataset) (string, error) {
	if (s.Test == "" || s.Test == NoTest) && s.TestLabels != "" {
		return "", errorf(s.TestLabels,
			"is given for the labels of test rows, and there is no file of test rows: give %s FILE", asFlag("test"))
	}
	if s.Test == NoTest {
		return "", nil
	}
	info, err := os.Stat(s.Data) // a pipe can be read only once
	if s.Test == "" && all.testPart && err == nil && info.Mode().IsRegular() {
		return s.Data, nil
	}
	return s.Test, nil
}

// meantName adds to the error about a file that is not there the named set that may have been meant: a near name, or
// one that begins with the path.
func meantName(path string, err error) error {
	if _, gone := os.Stat(path); gone == nil {
		return err
	}
	if e, ok := errors.AsType[*Error](err); ok {
		meant := path
		if i := slices.IndexFunc(Names(), func(name string) bool { return strings.HasPrefix(name, path) }); i >= 0 {
			meant = Names()[i]
		}
		e.Msg += didYouMean(meant, Names())
	}
	return err
}

// tenth returns a tenth of n rows, one at least.
func tenth(n int) int { return max(1, int(math.Round(float64(n)/10))) }

// checkTraining refuses training rows from which nothing can be learnt. heldOut are other rows of the data, or nil.
func checkTraining(d, heldOut *Dataset) error {
	if d.N() < 2 {
		return errorf(d.Path, "has %s to train on: at least two are needed", phrase.Plural(d.N(), "row"))
	}
	if d.Task == Regression {
		return d.checkVaried(heldOut)
	}
	column := "target column " + phrase.Quote(d.Target)
	stand := labelsStand(d.Sequences, d.schema)
	if stand != "" {
		column = "label of each row"
	}
	if len(d.Classes) == 1 {
		return errorf(d.Path, "the %s holds the class %s only: at least two classes are needed%s", column,
			phrase.Quote(d.Classes[0]), stand)
	}
	if c := slices.Index(d.ClassCounts(), 0); c >= 0 && !d.likeModel {
		advice := otherRows()
		if d.Groups != nil { // folds of groups depend on no seed
			advice = "its groups are held out: take another seed or number of folds, or leave its rows or " +
				asFlag("group") + " out"
		}
		if d.Times != nil {
			advice = "it begins later than the rows to train on end: take fewer folds, or leave " +
				asFlag("time") + " out"
		}
		if d.TaskNote != "" {
			advice += "; " + d.TaskNote
		}
		return errorf(d.Path, "no training row is left for class %s of the %s: too few rows of it; %s", d.Classes[c],
			column, advice)
	}
	return nil
}

// otherRows returns the advice for training rows that lack what the held-out ones have.
func otherRows() string {
	return "take another seed, or other files for rows to test and validate on (" + asFlag("test") + " FILE, " +
		asKey("validation") + "=FILE)"
}

// checkVaried calls CheckTargets, and adds to the error that held-out rows have other values.
func (d *Dataset) checkVaried(heldOut *Dataset) error {
	err := d.CheckTargets()
	if e, ok := errors.AsType[*Error](err); ok && heldOut != nil {
		all := &Dataset{Target: d.Target, Targets: d.Targets, Y: slices.Concat(d.Y, heldOut.Y)}
		if all.CheckTargets() == nil {
			e.Msg += "; its other values are in rows that are held out: " + otherRows()
		}
	}
	return err
}

// ClassCounts returns the numbers of rows of each class.
func (d *Dataset) ClassCounts() []int {
	count := make([]int, len(d.Classes))
	for _, l := range d.Labels {
		count[l]++
	}
	return count
}

// constantColumns names the inputs that have a single value in all rows.
func constantColumns(d *Dataset) []string {
	first := d.Row(0)
	values := make([]float64, d.D())
	varies := make([]bool, d.D())
	for i := 1; i < d.N(); i++ {
		for j, v := range matrix.Row(values, d.X, i) {
			varies[j] = varies[j] || v != first[j]
		}
	}
	return matrix.Pick(d.Columns, matrix.Which(d.D(), func(j int) bool { return !varies[j] }))
}

// DataDirEnv is the environment variable that names the folder of the named sets where nobody else does. Load does not
// read it: its caller does.
const DataDirEnv = "GPDRF_DATA"

// Names returns the sets that Source.Data may name instead of a file.
func Names() []string { return sets.Names() }

// Folds returns the number of folds of a named set; 0 if there is no such set.
func Folds(name string) int {
	set, _ := sets.Find(name)
	return set.Folds
}

// loadNamed reads fold K of a named set from its folder, or any fold with s.Folds. powerplant comes from the embedded
// table, which has the rows in their own units; the folds in a folder have the same rows, standardised.
func loadNamed(set sets.Set, s Source) (train, test *Dataset, notes []string, err error) {
	fold := max(s.Fold, 1)
	switch {
	case s.Folds > 0:
		fold = 1 // all hold the same rows
	case s.Fold < 0 || fold > set.Folds:
		return nil, nil, nil, errorf("", "%s has no fold %d: its folds are 1 to %d", s.Data, s.Fold, set.Folds)
	}
	if file := cmp.Or(s.Test, s.Labels, s.TestLabels); file != "" {
		return nil, nil, nil, errorf("", "%s needs no other file: leave the file %s out, or give a file of your "+
			"own as data", s.Data, file)
	}
	opt := s.ReadOptions
	opt.Sequence = ""
	opt.Schema = nil
	if set.Embedded {
		all, notes, err := read("powerplant (embedded)", strings.NewReader(sets.Powerplant()), opt, fileLimits())
		if err != nil {
			return nil, nil, nil, err
		}
		note := "powerplant: the embedded UCI table in its own units"
		if s.Folds == 0 {
			note += fmt.Sprintf(", fold %d", fold)
		}
		// The training rows have the order of the table, and the test rows that of the fold.
		rows := sets.PowerplantTestRows(fold)
		all.Name = "powerplant"
		return all.Subset(matrix.Others(all.N(), rows)), all.Subset(rows), append(notes, note), nil
	}
	folder := set.Folder(s.DataDir)
	if folder == "" {
		return nil, nil, nil, missingSet(set, s.DataDir)
	}
	trainFile, testFile := set.Files(fold)
	if set.Blocked {
		return loadBlocked(set, sets.PlainOrZipped(filepath.Join(folder, trainFile)), fold, opt)
	}
	train, notes, err = readFile(sets.PlainOrZipped(filepath.Join(folder, trainFile)), opt)
	if e, ok := errors.AsType[*Error](err); ok && errors.Is(err, fs.ErrNotExist) {
		e.Msg += "; to get the set: " + set.Get(s.DataDir)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	like := train.Schema()
	test, more, err := readFile(sets.PlainOrZipped(filepath.Join(folder, testFile)),
		ReadOptions{Schema: &like, GrowAlphabet: s.Folds > 0, ReadControl: s.ReadControl})
	if err != nil {
		return nil, nil, nil, err
	}
	train.Name, test.Name = s.Data, s.Data
	return train, test, append(notes, more...), nil
}

// foldNamed joins the two parts of a named set and splits all its rows into s.Folds folds.
func foldNamed(set sets.Set, s Source) (train, test *Dataset, notes []string, err error) {
	if set.Blocked {
		return nil, nil, nil,
			errorf("", "%s has folds of its own, blocks of time, which other folds would tear apart: leave "+
				"the number of folds out", s.Data)
	}
	if s.Roles.Group != "" || s.Roles.Time != "" {
		return nil, nil, nil, errorf("", "%s comes in two parts: give its rows as one file for folds by %s or %s",
			s.Data, asFlag("group"), asFlag("time"))
	}
	part, rest, notes, err := loadNamed(set, s)
	if err != nil {
		return nil, nil, nil, err
	}
	all := part.join(rest)
	if err := attachGram(s.Gram, all, nil, s.ReadControl); err != nil {
		return nil, nil, nil, err
	}
	train, test, note, err := inFolds(all, s.Folds, s.Fold)
	return train, test, append(notes, note), err
}

func missingSet(set sets.Set, dir string) error {
	wrong := fmt.Sprintf("the folder %s holds no set %s: name one that does", dir, set.Name)
	if dir == "" {
		wrong = fmt.Sprintf("the set %s is read from a folder: name it", set.Name)
		dir = "DIR"
	}
	return errorf("", "%s with %s=DIR or %s; to get it: %s", wrong, asKey("data-dir"), DataDirEnv, set.Get(dir))
}
