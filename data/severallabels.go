package data

import (
	"math"
	"slices"
)

// nameTargets sets the names of the targets, which labels are then read for. Several are a
// regression.
func (t *texts) nameTargets(names []string) {
	if len(names) == 1 {
		t.target = names[0]
	} else if len(names) > 1 {
		t.targets = names
	}
}

// setSeveral makes several targets, which are numbers, of the labels.
func (t *texts) setSeveral(in *input, made *table) error {
	if err := in.severalClasses(len(t.targets)); err != nil {
		return err
	}
	u := &unneeded{}
	width := len(t.targets)
	for row := 0; row < len(t.labels); row += width {
		y := make([]float64, width)
		for k := range y {
			v, err := parseNumber(t.labels[row+k])
			if y[k] = v; err == nil && math.Abs(v) <= largest {
				continue
			}
			if !in.opt.TargetOptional {
				return t.labelError(row+k, "found %s in the target %s, which must be a finite number: correct it",
					quote(t.labels[row+k]), quote(t.targets[k]))
			}
			u.meet(t.labels[row+k], t.where[row+k])
			y = slices.Repeat([]float64{math.NaN()}, width)
			break
		}
		made.y = append(made.y, y...)
	}
	made.nameTargets(everyRow(width), t.targets)
	if t.notes = append(t.notes, u.notes(t.name, Regression, t.n())...); u.all(t.n()) {
		made.withoutTargets()
	}
	return nil
}

// targetNames are those of the targets that are asked for, of names that are there; nil where none
// is asked for.
func (in *input) targetNames(there []string) []string {
	switch like := in.opt.Like; {
	case like != nil:
		return like.Outputs()
	case in.opt.Target == "":
		return nil
	}
	return splitTargets(in.opt.Target, there)
}

// checkTargetNames refuses names that are not there, or that are there twice.
func (in *input) checkTargetNames(names, there []string, what string) error {
	for i, name := range names {
		if !slices.Contains(there, name) {
			return errorf(in.name, "has no %s %s%s", what, quote(name), didYouMean(name, there))
		}
		if slices.Contains(names[:i], name) {
			return errorf(in.name, "has the %s %s among its targets twice: name it once", what, quote(name))
		}
	}
	return nil
}
