package data

import (
	"errors"
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// IsFolder says whether path is a folder of graphs in the format of TUDataset.
func IsFolder(path string) bool { return graph.FindFolder(path) != "" }

// readFolder reads a folder of graphs in the format of TUDataset.
func readFolder(path, set string, opt ReadOptions) (*Dataset, []string, error) {
	in := &input{name: path, opt: opt, lim: fileLimits()}
	var err error
	if in.task, err = parseTask(opt.Task); err != nil {
		return nil, nil, err
	}
	if err := checkTokens(opt.Tokens); err != nil {
		return nil, nil, err
	}
	switch like := opt.Like; {
	case like != nil && (like.Alphabet == nil || like.Alphabet.Kind != seq.Graphs || like.Sequence != ""):
		return nil, nil, errorf(path, "is a folder of graphs, and the training data are not")
	case like != nil:
		in.task = like.Task
	}
	if given := opt.TableOptions.given(); given != "" {
		return nil, nil, errorf(path,
			"is a folder of graphs, not a table of text: leave %s out", given)
	}
	folder, err := graph.ReadFolder(set, opt.TargetOptional || opt.Labels != "")
	var bad *graph.FolderError
	if errors.As(err, &bad) {
		return nil, nil, &Error{File: bad.File, Line: bad.Line, Msg: bad.Msg}
	} else if err != nil {
		return nil, nil, err
	}
	if folder.Classes && in.task == "" {
		in.task = Classification
	}
	t := &texts{name: path, kind: seq.Graphs, graphs: folder.Graphs}
	for i, g := range folder.Graphs {
		label := ""
		if folder.Labels != nil {
			label = folder.Labels[i]
		}
		t.addGraph(nil, place{line: i + 1}, label)
		g.Repeats = max(0, g.Repeats-len(g.Edges)) // both directions of an edge stand there
	}
	if folder.Labels == nil {
		t.labels = nil
	}
	if folder.Unread != nil && opt.Labels == "" {
		t.notes = append(t.notes, fmt.Sprintf("the targets are not used: %v", folder.Unread))
	}
	if folder.EdgeAttributes != "" {
		t.notes = append(t.notes, fmt.Sprintf("%s is not read: labels of edges count, and their attributes do not",
			folder.EdgeAttributes))
	}
	made, err := t.table(in)
	if err != nil {
		return nil, nil, err
	}
	made.lines = nil // a graph has no line
	d, notes, err := made.dataset(in)
	if err != nil {
		return nil, nil, err
	}
	d.Name, d.Path = baseName(path), path
	return d, notes, nil
}
