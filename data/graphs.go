package data

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Limits for the texts of graphs and trees of package graph: how many are checked to detect the kind, and the share
// that must be valid. A single invalid text is an error of its line.
const (
	graphsLookedAt = 100
	mostlyValid    = 0.9
)

// detectGraphs tells graphs and trees from other texts: nearly all must be valid. Molecules need a mark that words do
// not have, since C and CO are words, too.
func (t *sequenceTexts) detectGraphs() (kind seq.Kind, found bool) {
	n := min(t.n(), graphsLookedAt)
	graphs, trees, marked := 0, 0, false
	for i := range n {
		text := string(t.of(i))
		switch trimmed := strings.TrimSpace(text); {
		case trimmed == "" || strings.ContainsAny(trimmed, "?!\"") && trimmed[0] != '{' && trimmed[0] != '(':
		case trimmed[0] == '(':
			if _, err := graph.ParseTree([]byte(text)); err == nil {
				trees++
			}
		default:
			if _, err := graph.Parse([]byte(text)); err == nil {
				graphs++
				marked = marked || strings.ContainsAny(strings.Fields(text)[0], smilesMarks+"{")
			}
		}
	}
	enough := func(count int) bool { return count > 0 && float64(count) >= mostlyValid*float64(n) }
	switch {
	case enough(trees):
		return seq.Trees, true
	case enough(graphs) && marked:
		return seq.Graphs, true
	}
	return "", false
}

// describeGraphs adds notes about the findings in graphs or trees.
func (t *sequenceTexts) describeGraphs(set *seq.Set, unknown int, found seq.GraphStats) {
	low, mean, high := set.Lengths()
	beside := ""
	if set.Alphabet.Kind == seq.Graphs {
		beside = fmt.Sprintf(" and %.1f edges on average", set.MeanEdges())
	}
	if v := set.Alphabet.OfVectors(); v != nil {
		beside += ", each node with " + phrase.Plural(v.Width, "value")
	}
	t.note("%d %s of %s nodes (mean %.1f)%s, %s%s", set.N(), set.Alphabet.Kind,
		phrase.Span(low, high), mean, beside, phrase.Plural(set.Alphabet.Letters, "different label"), t.tokensHint())
	if unknown > 0 {
		t.note("labels that are not in the training data: %d; no feature that contains one is known", unknown)
	}
	if found.Loops > 0 {
		t.note("edges from a node to itself: %d; they are left out", found.Loops)
	}
	if found.Repeats > 0 {
		t.note("repeated edges: %d; each counts once", found.Repeats)
	}
	if found.Warnings > 0 {
		at := t.at[found.FirstAt]
		more := ""
		if found.Warnings > 1 {
			more = fmt.Sprintf(" (and %d more such atoms)", found.Warnings-1)
		}
		t.warnAt(position{line: at.line}, "%s%s: it is read unchanged", found.First, more)
	}
}

// isGraphLines reports whether the first line is a JSON object.
func isGraphLines(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if !bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("{\\")) {
		return false
	}
	head = bytes.TrimLeft(head[1:], " \t\r\n")
	return bytes.HasPrefix(head, []byte(`"`)) || bytes.HasPrefix(head, []byte("}"))
}

// readGraphLines reads graphs in JSON, one on each line, with the label among their keys.
func readGraphLines(in *input) (*table, error) {
	t := &sequenceTexts{input: in, kind: seq.Graphs}
	keys, named, err := in.targetKeys()
	if err != nil {
		return nil, err
	}
	if named {
		t.nameTargets(keys)
	}
	have := make([]int, len(keys)) // number of rows with each of the targets
	err = in.eachLine(in.lim.cells, in.lim.cells, func(number int, line []byte) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		start := position{number, 1}
		values, err := graph.Values(line, keys)
		if err != nil && in.opt.bad == nil {
			if bad, ok := errors.AsType[*graph.Error](err); ok {
				err = t.errorAt(position{number, 1 + bad.At}, "found %s, %s", phrase.Quote(bad.Found), bad.Msg)
			}
			return err
		} else if err != nil {
			values = make([]string, len(keys))
		}
		t.append(line, start)
		for k, value := range values {
			if t.label(value, start); value != "" {
				have[k]++
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if slices.Max(have) == 0 {
		t.labels = nil
	}
	if k := slices.Index(have, 0); k >= 0 && in.opt.Target != "" && !in.opt.TargetOptional {
		return nil, in.errorf("has no key %s, which is the target, in any graph", phrase.Quote(keys[k]))
	}
	in.opt.Target = "" // the keys have told the targets
	return t.table()
}

// targetKeys returns the keys of the targets: label if none is named. Models and config.yaml call such a target class,
// so the key class is meant only if the first graph has it and no label.
func (in *input) targetKeys() (keys []string, named bool, wrong error) {
	keys = in.targetNames(nil)
	if len(keys) == 1 && keys[0] == sequenceTarget {
		first, _, _ := bytes.Cut(bytes.TrimLeft(in.head, " \t\r\n"), []byte("\n"))
		values, err := graph.Values(first, []string{labelColumn, sequenceTarget})
		if err != nil || values[0] != "" || values[1] == "" {
			keys = nil
		}
	}
	if keys == nil {
		return []string{labelColumn}, false, nil
	}
	return keys, true, in.checkTargetNames(keys, keys, "key")
}

// IsFolder reports whether path is a folder of graphs in the format of TUDataset.
func IsFolder(path string) bool { return graph.FindTUDataset(path) != "" }

func readFolder(path, set string, opt ReadOptions) (*Dataset, []string, error) {
	in, err := newInput(path, nil, opt, fileLimits())
	if err != nil {
		return nil, nil, err
	}
	like := opt.Schema
	if like != nil && (like.Alphabet == nil || like.Alphabet.Kind != seq.Graphs || like.Sequence != "") {
		return nil, nil, errorf(path, "is a folder of graphs, and the training data are not")
	}
	if err := in.checkMissing(format{what: "a folder of graphs", sequences: true}); err != nil {
		return nil, nil, err
	}
	folder, err := graph.ReadTUDataset(set, opt.TargetOptional || opt.Labels != "")
	if bad, ok := errors.AsType[*graph.TUDatasetError](err); ok {
		return nil, nil, errorAt(bad.File, position{line: bad.Line}, "%s", bad.Msg)
	} else if err != nil {
		return nil, nil, err
	}
	if folder.Classes && in.task == "" && opt.Labels == "" {
		in.task = Classification
	}
	t := &sequenceTexts{input: in, kind: seq.Graphs, graphs: folder.Graphs}
	for i, g := range folder.Graphs {
		t.append(nil, position{line: i + 1})
		if folder.Labels != nil {
			t.label(folder.Labels[i], position{line: i + 1})
		}
		g.Repeats = max(0, g.Repeats-len(g.Edges)) // a folder lists both directions of an edge
	}
	if folder.Unread != nil && opt.Labels == "" {
		in.notes = append(in.notes, fmt.Sprintf("the targets are not used: %v", folder.Unread))
	}
	if folder.EdgeAttributes != "" {
		in.notes = append(in.notes, folder.EdgeAttributes+
			" is not read: labels of edges count, and their attributes do not")
	}
	made, err := t.table()
	if err != nil {
		return nil, nil, err
	}
	made.lines = nil // a graph has no line
	return made.dataset(in)
}
