package data

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// A regression may have several target columns, ReadOptions.Target "a,b,c". Each of them is an output of the model.

// splitColumns returns the columns of a list: a single name, or several with commas between them. The number of a
// column stands for a name with a comma.
func splitColumns(list string, names []string) []string {
	if list == "" || slices.Contains(names, list) || !strings.Contains(list, ",") {
		return []string{list}
	}
	return mapSlice(strings.Split(list, ","), strings.TrimSpace)
}

// NamesTargets reports whether ReadOptions.Target names the targets of the rows, by their names or numbers.
func (s Schema) NamesTargets(target string) bool {
	words := splitColumns(target, s.names())
	places := s.places()
	for k, word := range words {
		if k < len(places) && word == strconv.Itoa(places[k]+1) && !s.HasColumn(word) {
			words[k] = s.Outputs()[k]
		}
	}
	return slices.Equal(words, s.Outputs())
}

// targetText writes the word that names several targets, which splitColumns can split again.
func targetText(at []int, names []string) string {
	words := make([]string, len(at))
	for i, a := range at {
		if words[i] = names[a]; len(at) > 1 && strings.Contains(words[i], ",") {
			words[i] = strconv.Itoa(a + 1)
		}
	}
	return strings.Join(words, ",")
}

// nameTargets sets the target columns of a file.
func (t *table) nameTargets(at []int, names []string) {
	s := &t.schema
	s.Target = targetText(at, names)
	s.TargetAt = at[0]
	s.Targets = nil
	if len(at) > 1 {
		s.TargetsAt = at
		s.Targets = matrix.Pick(names, at)
	}
}

// fitTargets gives d the targets y of a table that is like the training data. If they are optional, a file with another
// number of targets has none.
func (t *table) fitTargets(in *input, like *Schema) error {
	d, n := &t.Dataset, t.N()
	switch {
	case d.Target == "":
	case t.Labels != nil:
		d.Target = like.Target
	case len(t.y) == n*len(like.Outputs()):
		d.Target, d.Targets = like.Target, like.Targets
		if like.Task == Classification {
			d.setLabels(t.y)
		} else {
			d.Y = t.y
		}
	case in.opt.TargetOptional:
		d.Target = ""
	default:
		return in.errorf("holds %s per row, the training data have %s: %s",
			phrase.Plural(len(t.y)/n, "target"), phrase.Plural(len(like.Outputs()), "target"),
			phrase.List(like.Outputs()))
	}
	return nil
}

// severalClasses refuses to use the values of n target columns as classes.
func (in *input) severalClasses(n int) error {
	if n > 1 && in.task == Classification {
		advice := ""
		if in.opt.Target != "" {
			advice = ": give one of " + in.opt.Target + " at a time with " + asFlag("target")
		}
		return in.errorf("has %s, which are a regression, and class labels are in one column%s",
			phrase.Plural(n, "target column"), advice)
	}
	return nil
}
