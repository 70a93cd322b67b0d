package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Targets of rows to be predicted are never needed. One that is missing, or that cannot be used, is
// not known: NaN, or class −1.

// unneeded counts the targets that are not known.
type unneeded struct {
	missing, unusable int
	first             sighting // of those that cannot be used
}

// meet counts the target in a cell.
func (u *unneeded) meet(cell string, at place) {
	if isMissing(cell) || isDoubtful(cell) {
		u.missing++
		return
	}
	if u.unusable++; u.unusable == 1 {
		u.first = sighting{strings.Clone(cell), at}
	}
}

// all says whether none of so many rows has a target.
func (u *unneeded) all(rows int) bool { return u.missing+u.unusable >= rows }

// notes tells of them: the rows have empty cells.
func (u *unneeded) notes(file string, task Task, rows int) (notes []string) {
	if u.missing > 0 {
		notes = append(notes,
			fmt.Sprintf("%s: %d of %s have no target: their cells are empty", file, u.missing, plural(rows, "row")))
	}
	if u.unusable == 0 {
		return notes
	}
	where, what, others := file, "no number that can be used", ""
	if u.first.at.line > 0 {
		where = fmt.Sprintf("%s:%d:%d", file, u.first.at.line, u.first.at.column)
	}
	if task == Classification {
		what = "no class of the training data"
	}
	if u.unusable > 1 {
		others = fmt.Sprintf(", and so are %d in all", u.unusable)
	}
	return append(notes, fmt.Sprintf("%s: the target %s is %s%s: not used", where, quote(u.first.cell), what, others))
}

// withoutTargets takes the targets from t.
func (t *table) withoutTargets() {
	t.y, t.labels, t.schema.Target, t.schema.Targets, t.schema.TargetsAt = nil, nil, "", nil, nil
}

// unlessUnneeded makes an error about targets a note, where they are not needed.
func (in *input) unlessUnneeded(t *table, err error) error {
	if !in.opt.TargetOptional || !errors.As(err, new(*Error)) {
		return err
	}
	t.withoutTargets()
	t.notes = append(t.notes, fmt.Sprintf("the targets are not used: %v", err))
	return nil
}

// onlyKnown makes those of the numbers t.y NaN that are no targets of rows like those of training.
func (in *input) onlyKnown(t *table, known func(v float64) (wrong string), at func(i int) place) {
	u, n := unneeded{}, len(t.y)
	for i, v := range t.y {
		if !(math.Abs(v) <= largest) || known != nil && known(v) != "" {
			u.meet(number(v), at(i))
			t.y[i] = math.NaN()
		}
	}
	if t.notes = append(t.notes, u.notes(in.name, in.task, n)...); u.all(n) {
		t.withoutTargets()
	}
}

// isTarget says whether a label can be a target of rows like those of training.
func (s Schema) isTarget(label string) bool {
	if s.Task == Classification {
		_, known := classFinder(s.Classes)(label)
		return known
	}
	v, err := parseNumber(label)
	return err == nil && math.Abs(v) <= largest
}

// areTargets says whether all labels can be.
func (s Schema) areTargets(labels []string) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { return !s.isTarget(strings.TrimSpace(l)) })
}
