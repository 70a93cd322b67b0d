package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A regression may have several target columns, ReadOptions.Target "a,b,c": each is an output of
// the model.

// splitTargets are the columns that a target names: itself, or several with commas between them. A
// name that has a comma is given by its column's number.
func splitTargets(target string, names []string) []string {
	if target == "" || slices.Contains(names, target) || !strings.Contains(target, ",") {
		return []string{target}
	}
	words := strings.Split(target, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return words
}

// checkSeveral refuses a column that is named twice, and targets that leave no input.
func checkSeveral(file string, at []int, names []string) error {
	for i, a := range at {
		if slices.Contains(at[:i], a) {
			return errorf(file, "has the column %s among its targets twice: name it once", quote(names[a]))
		}
	}
	if len(at) > 1 && len(at) >= len(names) {
		return errorf(file, "has no column left beside the %d targets: at least one input is needed", len(at))
	}
	return nil
}

// targetText is how several targets are named in one word, which splitTargets takes apart again.
func targetText(at []int, names []string) string {
	words := make([]string, len(at))
	for i, a := range at {
		if words[i] = names[a]; len(at) > 1 && strings.Contains(words[i], ",") {
			words[i] = strconv.Itoa(a + 1)
		}
	}
	return strings.Join(words, ",")
}

// nameTargets says which columns of a file are the targets.
func (t *table) nameTargets(at []int, names []string) {
	t.target, t.targetAt, t.targets = targetText(at, names), at[0], nil
	if len(at) > 1 {
		t.targetsAt = at
		for _, a := range at {
			t.targets = append(t.targets, names[a])
		}
	}
}

// checkTargets refuses a description of several targets that no training set can have had.
func (s Schema) checkTargets() bool {
	bad := func(at int) bool { return at < 0 || at >= s.width() }
	return s.Targets == nil && s.TargetsAt == nil ||
		len(s.Targets) > 1 && len(s.Targets) == len(s.TargetsAt) && s.Task == Regression &&
			!slices.ContainsFunc(s.TargetsAt, bad)
}

// fitTargets gives d the targets y of a table whose training data are like. A file that has another
// number of targets has none, where they may be missing.
func (t *table) fitTargets(in *input, d *Dataset, like *Schema) error {
	n := d.N()
	switch {
	case d.Target == "":
	case t.labels != nil:
		d.Target, d.Labels = like.Target, t.labels
	case len(t.y) == n*len(like.Outputs()):
		d.Target, d.Targets, d.targetsAt = like.Target, like.Targets, like.TargetsAt
		if like.Task == Classification {
			d.setLabels(t.y)
		} else {
			d.Y = t.y
		}
	case in.opt.TargetOptional:
		d.Target = ""
	default:
		return errorf(in.name, "holds %s per row, the training data have %s: %s",
			plural(len(t.y)/n, "target"), plural(len(like.Outputs()), "target"), list(like.Outputs()))
	}
	return nil
}

// severalClasses refuses to take the values of n target columns for classes.
func (in *input) severalClasses(n int) error {
	if n > 1 && in.task == Classification {
		return errorf(in.name, "has %s, which are a regression: class labels are in one column",
			plural(n, "target column"))
	}
	return nil
}

// regressOn makes d the regression of several targets.
func (d *Dataset) regressOn(name string, t *table) (note string) {
	d.Task, d.Targets, d.targetsAt, d.Y = Regression, t.targets, t.targetsAt, t.y
	return fmt.Sprintf("%s: target columns %s: task regression", name, list(t.targets))
}
