package data

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// plainColumns returns the default names of inputs: x0, x1, ….
func plainColumns(d int) []string {
	return mapSlice(matrix.Every(d), func(i int) string { return "x" + strconv.Itoa(i) })
}

// plainTargets returns the default names of n targets: label, or y0, y1, ….
func plainTargets(n int) []string {
	if n == 1 {
		return []string{labelColumn}
	}
	return mapSlice(matrix.Every(n), func(i int) string { return "y" + strconv.Itoa(i) })
}

// ownTarget refuses a target column for a file that has no choice of columns. It accepts the default name of the n
// targets, which the config.yaml of a run has.
func (in *input) ownTarget(name string, n int, why string) error {
	if own := strings.Join(plainTargets(n), ","); in.opt.Target != "" && in.opt.Target != own {
		return errorf(name, "%s: leave the target column %s out; the name here is %s", why, phrase.Quote(in.opt.Target),
			own)
	}
	return nil
}

// takeTargets reads the targets of the rows of t from the file that is given, or that belongs to the inputs by its
// name.
func (in *input) takeTargets(t *table) error {
	path := in.opt.Labels
	if path == "" {
		var tried string
		if path, tried = targetsBeside(in.name); path == "" {
			if in.opt.TargetOptional {
				return nil
			}
			return in.errorf("needs the file of its targets%s: give it with %s, or %s for test rows", tried,
				asFlag("labels"), asKey("test-labels"))
		}
		in.note("its targets are in %s", path)
	}
	return in.unlessUnneeded(t, in.readTargets(t, path))
}

// readTargets reads the targets of the rows of t from a file.
func (in *input) readTargets(t *table, path string) error {
	f, err := in.opt.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, head, err := unzipped(path, f)
	if err != nil {
		return err
	}
	if !isIDX(head) && !isNpy(head) {
		return errorf(path, "starts with the bytes % x: labels are an IDX or npy file", head[:min(4, len(head))])
	}
	a, err := openArray(path, head, r)
	if err != nil {
		return err
	}
	return in.arrayTargets(t, a)
}

// setTargets checks the targets of all rows, which come from an array, and sets them in t. where is the place of target
// i.
func (in *input) setTargets(t *table, a *npyArray, y []float64, where func(i int) string) error {
	n, d := matrix.Size(t.X)
	s := &t.schema
	s.Target = labelColumn
	s.TargetAt = d
	t.y = y
	if err := in.severalClasses(len(y) / n); err != nil {
		return err
	}
	if in.opt.Schema == nil && len(y) > n {
		s.Targets = plainTargets(len(y) / n)
		s.TargetsAt = matrix.Every(d + len(s.Targets))[d:]
		s.Target = strings.Join(s.Targets, ",")
	}
	t.booleans = strings.HasSuffix(a.dtype, "b1")
	if a.idx {
		t.task = Classification
	}
	u := unneededLabels{}
	check := knownClass(in.opt.Schema)
	for i, v := range y {
		switch wrong := check(v); {
		case wrong != "" && !in.opt.TargetOptional:
			return errorf(a.name, "%s: %s", where(i), wrong)
		case wrong != "", !(math.Abs(v) <= maxMagnitude):
			u.meet(numberClass(v), position{})
			y[i] = math.NaN()
		}
	}
	in.settle(u, t, len(y))
	return nil
}

// targetsBeside finds the file of the targets in the folder of the inputs, with or without .gz. Its name has labels
// instead of images and idx1 instead of idx3, or starts with y instead of x. If there is none, tried lists the names
// that were tried.
func targetsBeside(inputs string) (path, tried string) {
	dir, name := filepath.Split(inputs)
	plain := strings.TrimSuffix(name, ".gz")
	switch {
	case strings.Contains(name, "images"):
		plain = strings.NewReplacer("images", "labels", "idx3", "idx1").Replace(plain)
	case startsWithX(name):
		plain = string(name[0]+'y'-'x') + plain[1:]
	default:
		return "", ", and its own name does not tell which"
	}
	candidates := []string{dir + plain + ".gz", dir + plain}
	if !strings.HasSuffix(name, ".gz") {
		candidates[0], candidates[1] = candidates[1], candidates[0]
	}
	if i := slices.IndexFunc(candidates, sets.IsFile); i >= 0 {
		return candidates[i], ""
	}
	return "", ", and there is neither " + candidates[0] + " nor " + candidates[1]
}

// startsWithX reports whether a name begins with x as a word: x.npy, X_train.npy and x-test.npy, not xenon.npy.
func startsWithX(name string) bool {
	return len(name) > 1 && (name[0] == 'x' || name[0] == 'X') && strings.ContainsRune("._-", rune(name[1]))
}

// Targets of rows to be predicted are never needed. A missing or invalid one is not known: NaN, or class −1.

// unneededLabels counts the targets that are not known.
type unneededLabels struct {
	missing  int
	unusable occurrences
}

// meet counts the target in a cell.
func (u *unneededLabels) meet(cell string, at position) {
	if cellformat.IsNoNumber(cell) {
		u.missing++
		return
	}
	u.unusable.countAt(cell, at)
}

// all reports whether none of the rows has a target.
func (u *unneededLabels) all(rows int) bool { return u.missing+u.unusable.n >= rows }

// settle removes the targets from t if none of its rows has one.
func (in *input) settle(u unneededLabels, t *table, rows int) {
	in.noteUnneeded(u, rows)
	if u.all(rows) {
		t.withoutTargets()
	}
}

// noteUnneeded adds notes about targets that are not known.
func (in *input) noteUnneeded(u unneededLabels, rows int) {
	if u.missing > 0 {
		in.note("%d of %s have no target: their cells are empty", u.missing, phrase.Plural(rows, "row"))
	}
	if u.unusable.n == 0 {
		return
	}
	what, others := "not a number that can be used", ""
	if in.task == Classification {
		what = "not a class of the training data"
	}
	if u.unusable.n > 1 {
		others = fmt.Sprintf(", and so are %d in all", u.unusable.n)
	}
	in.noteAt(u.unusable.at, "the target %s is %s%s: not used", phrase.Quote(u.unusable.cell), what, others)
}

// withoutTargets removes the targets from t.
func (t *table) withoutTargets() {
	t.y = nil
	t.Labels = nil
	t.schema.Target = ""
	t.schema.Targets = nil
	t.schema.TargetsAt = nil
}

// unlessUnneeded turns an error about targets into a note if they are not needed.
func (in *input) unlessUnneeded(t *table, err error) error {
	if !in.opt.TargetOptional || !errors.As(err, new(*Error)) {
		return err
	}
	t.withoutTargets()
	in.notes = append(in.notes, fmt.Sprintf("the targets are not used: %v", err))
	return nil
}

// isTarget reports whether a label can be a target of rows like the training rows.
func (s Schema) isTarget(label string) bool {
	if s.Task == Classification {
		_, known := classFinder(s.Classes)(label)
		return known
	}
	v, err := cellformat.ParseNumber(label)
	return err == nil && math.Abs(v) <= maxMagnitude
}

// areTargets reports whether all labels can be targets.
func (s Schema) areTargets(labels []string) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { return !s.isTarget(strings.TrimSpace(l)) })
}
