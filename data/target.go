package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/internal/suggest"
)

const (
	maxClasses     = 1000 // of a classification that is asked for
	maxAutoClasses = 20   // of one that is found out
)

// Tasks are the values of ReadOptions.Task.
func Tasks() []string { return []string{"auto", string(Regression), string(Classification)} }

// parseTask gives "" for auto.
func parseTask(s string) (Task, error) {
	switch s {
	case "", "auto":
		return "", nil
	case string(Regression), string(Classification):
		return Task(s), nil
	}
	return "", errorf("", "there is no task %s%s", quote(s), suggest.Hint(s, Tasks()))
}

// targetCheck is the test of a single target value, made while its place is known: it says
// what is wrong, or "". It is nil where any number will do.
func targetCheck(task Task, like *Schema, column string) func(v float64) (wrong string) {
	if task != Classification {
		return nil
	}
	if like == nil {
		return func(v float64) string {
			if v != math.Trunc(v) || v < 0 || v > maxClasses {
				return fmt.Sprintf("found %s in the target column %s: class labels must be whole numbers 0, 1, 2 … (at most %d classes), or use the task regression",
					number(v), quote(column), maxClasses)
			}
			return ""
		}
	}
	known := classIndex(like.Classes)
	return func(v float64) string {
		if _, ok := known[v]; !ok {
			return fmt.Sprintf("found class %s in the target column %s, which the training data do not have (their classes are %s): remove the row, or train on data with this class",
				number(v), quote(column), list(like.Classes))
		}
		return ""
	}
}

func classIndex(classes []string) map[float64]int32 {
	index := make(map[float64]int32, len(classes))
	for i, c := range classes {
		if v, err := strconv.ParseFloat(c, 64); err == nil {
			index[v] = int32(i)
		}
	}
	return index
}

// setTarget stores y as reals or, by d.Classes, as labels. All labels are known.
func (d *Dataset) setTarget(y []float64) {
	if d.Task == Regression {
		d.Y = y
		return
	}
	index := classIndex(d.Classes)
	d.Labels = make([]int32, len(y))
	for i, v := range y {
		d.Labels[i] = index[v]
	}
}

// findTask decides the task where it is not given and stores the target. The note
// says what was found.
func (d *Dataset) findTask(name string, y []float64) (note string, err error) {
	classes, why := classesOf(y)
	where := name + ": target column " + quote(d.Target)
	switch d.Task {
	case Classification:
		if why != "" {
			return "", errorf(name, "the target column %s %s: class labels must run 0, 1, 2 … or 1, 2, 3 … without a gap, renumber them or use the task regression",
				quote(d.Target), why)
		}
		note = fmt.Sprintf("%s, classes %s", where, list(classes))
	case Regression:
		note = where + ", regression"
	default:
		if why == "" {
			why = notClasses(classes, len(y))
		}
		if why == "" {
			d.Task = Classification
			note = fmt.Sprintf("%s holds %d whole numbers %s … %s: taken as classes (--task regression to change)",
				where, len(classes), classes[0], classes[len(classes)-1])
		} else {
			d.Task = Regression
			note = fmt.Sprintf("%s %s: task regression", where, why)
		}
	}
	if d.Task == Classification {
		d.Classes = classes
	}
	d.setTarget(y)
	return note, nil
}

// classesOf lists the classes of y in order, or says why its values are no classes.
func classesOf(y []float64) (classes []string, why string) {
	seen := make([]bool, maxClasses+1)
	lowest, highest := maxClasses, 0
	for _, v := range y {
		switch {
		case v != math.Trunc(v):
			return nil, "holds fractions (" + number(v) + ")"
		case v < 0:
			return nil, "holds negative numbers (" + number(v) + ")"
		case v > maxClasses:
			return nil, fmt.Sprintf("holds numbers above %d (%s)", maxClasses, number(v))
		}
		seen[int(v)] = true
		lowest, highest = min(lowest, int(v)), max(highest, int(v))
	}
	if lowest > 1 {
		return nil, fmt.Sprintf("starts at %d", lowest)
	}
	if gap := slices.Index(seen[lowest:highest+1], false); gap >= 0 {
		return nil, fmt.Sprintf("has a gap: %d does not occur, %d does", lowest+gap, highest)
	}
	for c := lowest; c <= highest; c++ {
		classes = append(classes, strconv.Itoa(c))
	}
	return classes, ""
}

// inARow says whether these can be the classes that classesOf lists.
func inARow(classes []string) bool {
	first := 0
	if len(classes) > 0 && classes[0] == "1" {
		first = 1
	}
	for i, c := range classes {
		if c != strconv.Itoa(first+i) {
			return false
		}
	}
	return len(classes) > 0
}

// notClasses says why whole numbers without a gap are still not taken as classes
// without being asked to: too many of them, or too few rows of each.
func notClasses(classes []string, rows int) string {
	switch {
	case len(classes) < 2:
		return "holds the value " + classes[0] + " only"
	case len(classes) > maxAutoClasses:
		return fmt.Sprintf("holds %d different whole numbers, more than %d", len(classes), maxAutoClasses)
	case 2*len(classes) > rows:
		return fmt.Sprintf("holds %d different whole numbers in %s", len(classes), plural(rows, "row"))
	}
	return ""
}
