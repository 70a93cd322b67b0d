package data

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// endOfMolecule is the line behind each molecule of an SDF file.
const endOfMolecule = "$$$$"

// isSDF: the file begins with a MOL block.
func isSDF(head []byte) bool { return graph.IsMol(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))) }

// molecule is one of an SDF file: its MOL block, and the items behind that.
type molecule struct {
	block []byte
	at    int // line
	items []item
}

// names are those of the items.
func (m molecule) names() (names []string) {
	for _, i := range m.items {
		names = append(names, i.name)
	}
	return names
}

// item is a name and a value of a molecule.
type item struct {
	name, value string
	at          place
}

// readSDF reads molecules in MOL blocks. The target is one of their items: the one that is named,
// or one with a name that targets have.
func readSDF(in *input) (*table, error) {
	if _, err := in.text(); err != nil {
		return nil, err
	}
	all, err := readMolecules(in)
	if err != nil {
		return nil, err
	}
	t := &texts{name: in.name, kind: seq.Graphs}
	target, err := t.targetItem(in, all)
	if err != nil {
		return nil, err
	}
	labelled := target != "" && in.opt.Labels == ""
	for _, m := range all {
		at := slices.IndexFunc(m.items, func(i item) bool { return i.name == target })
		label, where := "", place{m.at, 1}
		if at >= 0 {
			label, where = m.items[at].value, m.items[at].at
		}
		if labelled && label == "" && !in.opt.TargetOptional && !in.dropsUnlabelled() {
			return nil, t.errorAt(where,
				"the molecule has no item %s, which is the target: add > <%s> and its value behind M  END",
				quote(target), target)
		}
		t.append(m.block, place{m.at, 1})
		t.label(label, where)
	}
	if !labelled {
		t.labels = nil
	}
	t.target = target
	here := *in
	here.opt.Target = ""
	return t.table(&here)
}

// targetItem is the name of the item that holds the targets, "" where they may be missing and are.
func (t *texts) targetItem(in *input, all []molecule) (string, error) {
	want := in.opt.Target
	if in.opt.Like != nil {
		want = in.opt.Like.Target
	}
	var names []string // of all molecules
	for _, m := range all {
		for _, name := range m.names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if in.opt.TargetOptional && slices.Contains(m.names(), want) {
			return want, nil
		}
	}
	for _, name := range names {
		named := strings.EqualFold(name, "name") // which is the molecule's
		if name == want || want == "" && isColumnName(name) && !named {
			return name, nil
		}
	}
	switch {
	case in.opt.TargetOptional || in.opt.Labels != "":
		return "", nil
	case want != "":
		return "", errorf(in.name,
			"has no item %s%s", quote(want), didYouMean(want, names))
	case names == nil:
		return "", errorf(in.name,
			"has no items, so no targets: add > <target> and its value behind M  END, or give --labels FILE")
	}
	return "", errorf(in.name,
		"has items, and none is called target: name the target by --target, one of %s", list(names))
}

// readMolecules reads all molecules.
func readMolecules(in *input) (all []molecule, err error) {
	var m molecule
	ended, inValue := false, false // the block; up to a blank line
	err = in.eachLine(func(number int, text []byte) error {
		line := string(text)
		if m.at == 0 {
			m.at = number
		}
		switch {
		case strings.HasPrefix(line, endOfMolecule):
			all, m, ended, inValue = append(all, m), molecule{}, false, false
		case !ended:
			m.block = append(append(m.block, text...), '\n')
			ended = strings.HasPrefix(line, "M  END")
		case strings.HasPrefix(line, ">") && !inValue:
			_, name, open := strings.Cut(line, "<")
			name, _, closed := strings.Cut(name, ">")
			if !open || !closed {
				return errorAt(in.name, place{line: number}, "found %s, where an item belongs: write > <name>", quote(line))
			}
			m.items, inValue = append(m.items, item{name: name, at: place{number, 1}}), true
		case strings.TrimSpace(line) == "":
			inValue = false
		case len(m.items) > 0:
			last := &m.items[len(m.items)-1]
			if last.value == "" {
				last.value, last.at = strings.TrimSpace(line), place{number, 1}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(m.block)) > 0 {
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, errorf(in.name, "holds no molecule: at least one is needed")
	}
	return all, nil
}
