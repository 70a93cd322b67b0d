package seq

import "slices"

// Candidates are the specs among which Select chooses for a set, those that cost little first.
// Which ones they are was found on public sets of each alphabet.
func Candidates(set *Set) []Spec {
	var specs []Spec
	add := func(texts ...string) {
		for _, text := range texts {
			spec, err := Parse(text)
			if err != nil {
				panic("seq: candidates: " + err.Error())
			}
			if spec.Check(set.Alphabet) == nil {
				specs = append(specs, spec)
			}
		}
	}
	switch set.Alphabet.Kind {
	case DNA:
		add("spectrum:6/rc", "double:1,5/sqrt", "gapped:6,2/sqrt/rc", "gapped:6,2/sqrt",
			"spectrum:8/sqrt", "gapped:8,3/sqrt", "gapped:8,3/sqrt/rc", "gapped:10,4/rc")
	case Protein:
		add("double:1,5", "spectrum:4", "spectrum:6", "triple:1,3/log", "gapped:5,2/sqrt",
			"gapped:6,2", "gapped:8,4", family)
	case Bytes:
		add("words:1/log/tfidf", "words:2/log", "blended:3/log", "intersection:2", "intersection:4",
			"double:1,5/log", "blended:5/log/tfidf", "gapped:8,2", "gapped:11,4")
		if set.small() {
			add("double:1,5/log/fold", "blended:5/log/tfidf/fold")
		}
	case Words:
		add("spectrum:1/log/tfidf", "words:2/log", "double:1,5/log")
	case Integers:
		add("spectrum:1/log", "spectrum:1/sqrt", "spectrum:1/log/tfidf", "blended:2/sqrt", "double:1,5/sqrt")
	case Graphs:
		add("vertices/min", "edges/min", "wl:1/min", "wl:2/min", "wl:2/sqrt", "wl:3/min", "wl:5/min",
			"circular:1/min", "circular:2/min", "paths:10/sqrt", "atompairs:10/sqrt", "atompairs:10/min",
			"graphlets:4/min")
		if set.edgeLabels() > 1 { // else it is wl:2/min
			add("wledges:2/min")
		}
	case Trees:
		add("subtrees/sqrt", "subtrees/min", "partial:2/sqrt", "partial:2/min", "partial:3/sqrt", "partial:4/sqrt")
	}
	if set.Alphabet.Kind.IsGraph() {
		return specs
	}
	if shortest, _, longest := set.Lengths(); float64(shortest) >= aligned*float64(longest) {
		add("degree:1", "placed:3,2", "degree:4", "degree:10")
	}
	return specs
}

// family is the map for two classes of proteins, one family and the rest: held-out rows have
// relatives among the others, and say little of families that training does not have. On four
// public sets of such families it held what others had on some.
const family = "gapped:10,6"

// aligned is the least ratio of the shortest length and the longest where positions may mean
// something.
const aligned = 0.9

// small says whether a text has small letters and capitals, which can be folded.
func (s *Set) small() bool {
	has := func(from, to int32) bool {
		return slices.ContainsFunc(s.Codes, func(c int32) bool { return c >= from && c <= to })
	}
	return has('a', 'z') && has('A', 'Z')
}
