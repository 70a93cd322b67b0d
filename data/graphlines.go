package data

import (
	"bytes"
	"errors"
	"io"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// isGraphLines: the first line is a JSON object.
func isGraphLines(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if !bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("{\\")) {
		return false
	}
	head = bytes.TrimLeft(head[1:], " \t\r\n")
	return bytes.HasPrefix(head, []byte(`"`)) || bytes.HasPrefix(head, []byte("}"))
}

// readGraphLines reads graphs in JSON, one on each line, with the label among their keys.
func readGraphLines(in *input) (*table, error) {
	if _, err := in.text(); err != nil {
		return nil, err
	}
	t := &texts{name: in.name, kind: seq.Graphs}
	lines := &lineReader{in: in}
	labelled := 0
	for {
		from := len(t.text)
		text, err := lines.append(t.text)
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		line := text[from:]
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		label, err := graph.Label(line)
		if err != nil {
			return nil, t.graphError(place{lines.line, 1}, err)
		}
		if label != "" {
			labelled++
		}
		t.addGraph(line, place{lines.line, 1}, label)
		if labelled != 0 && labelled != t.n() && !in.opt.TargetOptional && !in.drops() {
			return nil, t.errorAt(place{lines.line, 1},
				`graphs with a "label" and graphs without one are mixed: every line needs the same, and `+
					`--missing drop leaves those without one out`)
		}
	}
	if labelled == 0 {
		t.labels = nil
	}
	return t.table(in)
}

// addGraph adds the text of a graph that stands there, and its label.
func (t *texts) addGraph(text []byte, at place, label string) {
	t.text = append(t.text, text...)
	t.end, t.at = append(t.end, len(t.text)), append(t.at, at)
	t.labels, t.where = append(t.labels, label), append(t.where, at)
}

// graphError is an error of package graph in a line that starts there.
func (t *texts) graphError(at place, err error) error {
	var bad *graph.Error
	if errors.As(err, &bad) {
		return t.errorAt(place{at.line, at.column + bad.At}, "found %s, %s", quote(bad.Found), bad.Msg)
	}
	return err
}
