package data

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

func moleculeLines() format {
	return format{what: "a list of molecules", is: isMoleculeLines, apart: true, read: readMoleculeLines,
		sequences: true}
}

// isMoleculeLines reports whether the first lines begin with SMILES, and one of them has a mark that words do not have.
// A name may follow a blank or a tab.
func isMoleculeLines(head []byte) bool {
	words := firstWords(head)
	return areMolecules(words) && slices.ContainsFunc(words, func(word string) bool {
		return strings.ContainsAny(word, smilesMarks)
	})
}

// smilesMarks are in SMILES and in few words.
const smilesMarks = "[(=#"

// isSMILES reports whether a file of this format holds molecules by its name or --set tokens, and its lines begin with
// SMILES. Its first line may be a header. A list keeps its classes before the tab.
func (in *input) isSMILES(f format) bool {
	smi := strings.HasSuffix(strings.TrimSuffix(strings.ToLower(in.name), ".gz"), ".smi")
	isList := f.what == sequenceLines().what && (smi || in.opt.Labels != "")
	return (smi || in.opt.Tokens == string(seq.Graphs)) && (isList || f.what == csvTable().what) &&
		areMolecules(withoutHeader(firstWords(in.head)))
}

// withoutHeader returns the first words of lines, without one that names the column.
func withoutHeader(words []string) []string {
	if len(words) > 1 && isSMILESHeader(words[0]) {
		return words[1:]
	}
	return words
}

// isSMILESHeader reports whether the first word of a file is the name of its column.
func isSMILESHeader(word string) bool { return strings.EqualFold(word, "smiles") }

// areMolecules reports whether the first line and nearly all of the next ones begin with SMILES.
func areMolecules(words []string) bool {
	valid := 0
	for i, word := range words {
		if _, err := graph.Parse([]byte(word)); err == nil && word[0] != '{' {
			valid++
		} else if i == 0 {
			return false
		}
	}
	return float64(valid) >= mostlyValid*float64(len(words))
}

// firstWords returns the first words of the first lines.
func firstWords(head []byte) []string {
	lines, _ := linesOf(head)
	return mapSlice(lines, func(line string) string { return firstWord(strings.TrimSpace(line)) })
}

// readMoleculeLines reads lines of SMILES, each with a name after it or without one.
func readMoleculeLines(in *input) (*table, error) {
	t := &sequenceTexts{input: in, kind: seq.Graphs}
	named := false
	err := in.eachRow(" \t", func(number int, line []byte) error {
		text := string(bytes.TrimSpace(line))
		smiles := firstWord(text)
		if len(t.at) == 0 && t.notes == nil && isSMILESHeader(smiles) {
			t.noteAt(position{line: number}, "%s is read as the name of the column, and left out", phrase.Quote(smiles))
			return nil
		}
		name := strings.TrimSpace(text[len(smiles):])
		named = named || name != ""
		t.append([]byte(smiles), position{number, 1 + bytes.Index(line, []byte(smiles))})
		t.names = append(t.names, name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !named {
		t.names = nil
	}
	return t.table()
}

// endOfMolecule is the line after each molecule of an SDF file.
const endOfMolecule = "$$$$"

// molecule is one of an SDF file: its MOL block, and the items after that.
type molecule struct {
	block []byte
	at    int // line where it starts
	items []item
}

// item is a name and a value of a molecule: the first line of the text below the name.
type item struct {
	name, value string
	at          position
	next        int // second line of the value, 0 without one
}

// readSDF reads molecules in MOL blocks. The target is one of their items: the one that is named, or one with a name
// that targets have.
func readSDF(in *input) (*table, error) {
	all, err := readMolecules(in)
	if err != nil {
		return nil, err
	}
	t := &sequenceTexts{input: in, kind: seq.Graphs}
	var names []string // names of items
	for _, m := range all {
		for _, i := range m.items {
			if !slices.Contains(names, i.name) {
				names = append(names, i.name)
			}
		}
	}
	targets, err := in.targetItems(names)
	if err != nil {
		return nil, err
	}
	if in.opt.Labels == "" || in.opt.Target != "" {
		t.nameTargets(targets)
	}
	if in.opt.Labels != "" {
		targets = nil // the targets are in that file
	}
	for _, m := range all {
		for _, target := range targets {
			label, where, err := in.value(m, target)
			if err != nil {
				return nil, err
			}
			t.label(label, where)
		}
		t.append(m.block, position{m.at, 1})
	}
	if err := t.nameMolecules(all, names); err != nil {
		return nil, err
	}
	in.opt.Target = "" // the items have told the targets
	return t.table()
}

// value returns the value of an item, "" without it, and its place. Two values are an error.
func (in *input) value(m molecule, name string) (value string, at position, err error) {
	at = position{m.at, 1}
	there := false
	for _, i := range m.items {
		switch {
		case i.name != name:
		case there:
			return "", at, in.errorAt(i.at, "found item %s again in the molecule of line %d: give it once",
				phrase.Quote(name), m.at)
		case i.next > 0:
			return "", at, in.errorAt(position{line: i.next},
				"found a second line of item %s: give its value in one line", phrase.Quote(name))
		default:
			value, at, there = i.value, i.at, true
		}
	}
	return value, at, nil
}

// nameMolecules takes the names of the molecules from the item that is asked for, or else from their first lines.
func (t *sequenceTexts) nameMolecules(all []molecule, items []string) error {
	id := t.opt.ID
	if like := t.opt.Schema; id == "" && like != nil && slices.Contains(items, like.ID) {
		id = like.ID
	}
	if id != "" && !slices.Contains(items, id) {
		return t.errorf("has no item %s, which names the rows%s", phrase.Quote(id), didYouMean(id, items))
	}
	named := false
	for _, m := range all {
		title, _, _ := strings.Cut(string(m.block), "\n")
		name := strings.TrimSpace(title)
		if id != "" {
			var err error
			if name, _, err = t.value(m, id); err != nil {
				return err
			}
		}
		t.names = append(t.names, name)
		named = named || name != ""
	}
	t.idName = id
	if !named {
		t.names = nil
	}
	return nil
}

// targetItems returns the names of the items that hold the targets; nil if optional targets are missing.
func (in *input) targetItems(there []string) ([]string, error) {
	names := in.targetNames(there)
	optional := in.opt.TargetOptional || in.opt.Labels != ""
	if err := in.checkTargetNames(names, there, "item"); err != nil || names != nil {
		if err != nil && optional {
			return nil, nil
		}
		return names, err
	}
	for _, name := range there {
		named := strings.EqualFold(name, "name") // the name of the molecule
		if isColumnName(name) && !named {
			return []string{name}, nil
		}
	}
	switch {
	case optional:
		return nil, nil
	case there == nil:
		return nil, in.errorf("has no items, so no targets: add > <target> and its value after M  END, or give %s "+
			"FILE", asFlag("labels"))
	}
	return nil, in.errorf("has items, and none is called target: name the target by %s, one of %s", asFlag("target"),
		phrase.List(there))
}

func readMolecules(in *input) (all []molecule, err error) {
	var m molecule
	ended := false   // the block has ended
	inValue := false // up to a blank line
	err = in.eachLine(in.lim.cells, in.lim.cells, func(number int, text []byte) error {
		line := string(text)
		if m.at == 0 {
			m.at = number
		}
		switch {
		case strings.HasPrefix(line, endOfMolecule):
			all = append(all, m)
			m = molecule{}
			ended, inValue = false, false
		case !ended:
			m.block = append(append(m.block, text...), '\n')
			ended = strings.HasPrefix(line, "M  END")
		case strings.HasPrefix(line, ">") && !inValue:
			_, name, open := strings.Cut(line, "<")
			name, _, closed := strings.Cut(name, ">")
			if !open || !closed {
				return in.errorAt(position{line: number}, "found %s, where an item belongs: write > <name>",
					phrase.Quote(line))
			}
			m.items = append(m.items, item{name: name, at: position{number, 1}})
			inValue = true
		case strings.TrimSpace(line) == "":
			inValue = false
		case !inValue:
			return in.errorAt(position{line: number}, "found %s after the molecule of line %d: write %s before the "+
				"next molecule, or > <name> before an item", phrase.Quote(line), m.at, endOfMolecule)
		default:
			last := &m.items[len(m.items)-1]
			if last.value == "" {
				last.value = strings.TrimSpace(line)
				last.at = position{number, 1}
			} else if last.next == 0 {
				last.next = number
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(m.block)) > 0 {
		if !in.opt.TargetOptional && (!ended || m.items != nil) { // its targets may be cut off
			return nil, in.errorAt(position{line: m.at},
				"the file ends inside a molecule, which begins here: get the whole file, or write %s after its items",
				endOfMolecule)
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, in.errorf("holds no molecule: at least one is needed")
	}
	return all, nil
}
