package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// The keys of a graph in JSON:
//
//	{"nodes": ["C", "C", "O"], "edges": [[0, 1, "single"], [1, 2]], "label": 1}
//
// nodes are labels, words or numbers, or the number of nodes without any. edges are pairs of nodes,
// numbered from 0, and may have a label. values are the attributes of each node, a list of numbers.
// Other keys hold words or numbers, such as label, the class or target of the graph.
const (
	keyNodes  = "nodes"
	keyEdges  = "edges"
	keyValues = "values"
)

// Values returns the values of some keys of a graph in JSON, as text; "" without one. Errors are *Error.
func Values(text []byte, keys []string) ([]string, error) {
	var row map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&row); errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil, errorAt(0, string(text), `where a graph belongs: write {"nodes": [labels], "edges": [[0, 1], …]}`)
	} else if err != nil {
		return nil, jsonError(text, int(d.InputOffset()), err)
	}
	values := make([]string, len(keys))
	for i, key := range keys {
		switch v := row[key].(type) {
		case nil:
		case string, json.Number, bool:
			values[i] = fmt.Sprint(v)
		default:
			return nil, errorAt(0, string(text),
				"whose %q is no word or number: give the class or target of the graph", key)
		}
	}
	return values, nil
}

// jsonError returns a syntax error of encoding/json with its place.
func jsonError(text []byte, at int, err error) *Error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = max(0, int(syntax.Offset)-1)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at = max(0, len(text)-1)
	}
	at = min(at, max(0, len(text)-1))
	return errorAt(at, string(text[at:]), "where the JSON is not valid (%v): correct it", err)
}

// jsonReader reads a graph token by token, which tells where each stands.
type jsonReader struct {
	text  []byte
	d     *json.Decoder
	g     *Graph
	where []int // of the edges
}

func (g *Graph) parseJSON(text []byte) *Error {
	p := &jsonReader{text: text, d: json.NewDecoder(bytes.NewReader(text)), g: g}
	p.d.UseNumber()
	if err := p.delim('{', "a graph"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.d.More() {
		token, err := p.token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		if seen[key] {
			return p.errorf(key, "a key that occurs twice: remove one")
		}
		seen[key] = true
		switch key {
		case keyNodes:
			err = p.nodes()
		case keyEdges:
			err = p.list("edges", p.edge)
		case keyValues:
			err = p.list("values", p.vector)
		default: // a target, a name, or what nobody asks for
			strange := p.errorf(key,
				"a key that graphs do not have: use nodes, edges, values, or a key of a word or number")
			if token, err = p.token(); err == nil {
				if _, opens := token.(json.Delim); opens {
					err = strange
				}
			}
		}
		if err != nil {
			return err
		}
	}
	if err := p.delim('}', "the end of the graph"); err != nil {
		return err
	}
	if _, err := p.d.Token(); err != io.EOF {
		return p.errorf(string(text[p.d.InputOffset():]), "after the graph: give one graph on each line")
	}
	return p.check(seen)
}

// check reports faults of the graph as a whole.
func (p *jsonReader) check(seen map[string]bool) *Error {
	g := p.g
	for _, key := range []string{keyNodes, keyEdges} {
		if !seen[key] {
			return errorAt(0, string(p.text),
				`a graph without %q: write {"nodes": [labels], "edges": [[0, 1], …]}`, key)
		}
	}
	for i, e := range g.Edges {
		for _, v := range []int{e.From, e.To} {
			if v < 0 || v >= len(g.Labels) {
				return errorAt(p.where[i], strconv.Itoa(v),
					"an edge to a node that does not exist: the %d nodes have the numbers 0 to %d",
					len(g.Labels), len(g.Labels)-1)
			}
		}
	}
	if n := len(g.Values); n != 0 && n != len(g.Labels) {
		return errorAt(0, string(p.text),
			"a graph with values of %d nodes, and %d nodes: give a list of numbers for each node", n, len(g.Labels))
	}
	for _, v := range g.Values {
		if len(v) == 0 || len(v) != len(g.Values[0]) {
			return errorAt(0, string(p.text),
				"a graph whose nodes have %d and %d values: give all nodes the same number of "+
					"values", len(g.Values[0]), len(v))
		}
	}
	return nil
}

// errorf returns an error about the part read last.
func (p *jsonReader) errorf(found, format string, args ...any) *Error {
	return errorAt(max(0, int(p.d.InputOffset())-1), found, format, args...)
}

func (p *jsonReader) token() (json.Token, *Error) {
	t, err := p.d.Token()
	if err != nil {
		return nil, jsonError(p.text, int(p.d.InputOffset()), err)
	}
	return t, nil
}

// tokenText returns a token as text.
func tokenText(t json.Token) string {
	if t == nil {
		return "null"
	}
	return fmt.Sprint(t)
}

func (p *jsonReader) delim(want json.Delim, what string) *Error {
	t, err := p.token()
	if err == nil && t != want {
		err = p.errorf(tokenText(t), "where %s belongs: write %s", what, want)
	}
	return err
}

// list reads [item, item, …].
func (p *jsonReader) list(what string, item func() *Error) *Error {
	if err := p.delim('[', "the list of "+what); err != nil {
		return err
	}
	for p.d.More() {
		if err := item(); err != nil {
			return err
		}
	}
	return p.delim(']', "the end of the list of "+what)
}

// bareNodes is how many nodes a graph may have beyond the bytes of its text, where it gives their number alone. So
// a short text takes little memory, and connected graphs fit.
const bareNodes = 1000

func (p *jsonReader) nodes() *Error {
	t, err := p.token()
	if err != nil {
		return err
	}
	if number, ok := t.(json.Number); ok {
		n, err := strconv.Atoi(number.String())
		if most := bareNodes + len(p.text); err != nil || n < 0 || n > most {
			return p.errorf(number.String(),
				"where nodes belong: give a list of labels, or their number, up to %d in so short a text", most)
		}
		p.g.Labels = make([]string, n)
		return nil
	}
	if t != json.Delim('[') {
		return p.errorf(tokenText(t), "where nodes belong: give a list of labels, or their number")
	}
	for p.d.More() {
		label, err := p.label("a node")
		if err != nil {
			return err
		}
		p.g.Labels = append(p.g.Labels, label)
	}
	return p.delim(']', "the end of the list of nodes")
}

func (p *jsonReader) label(what string) (string, *Error) {
	t, err := p.token()
	if err != nil {
		return "", err
	}
	switch l := t.(type) {
	case string:
		return l, nil
	case json.Number:
		return l.String(), nil
	}
	return "", p.errorf(tokenText(t), "where the label of %s belongs: give a word or a number", what)
}

func (p *jsonReader) edge() *Error {
	if err := p.delim('[', "an edge"); err != nil {
		return err
	}
	p.where = append(p.where, int(p.d.InputOffset())-1)
	var ends [2]int
	for i := range ends {
		t, err := p.token()
		if err != nil {
			return err
		}
		number, _ := t.(json.Number)
		v, bad := strconv.Atoi(number.String())
		if bad != nil {
			return p.errorf(tokenText(t),
				"where the number of a node belongs: write an edge as [0, 1], or [0, 1, label]")
		}
		ends[i] = v
	}
	e := Edge{ends[0], ends[1], ""}
	if p.d.More() {
		var err *Error
		if e.Label, err = p.label("an edge"); err != nil {
			return err
		}
	}
	p.g.Edges = append(p.g.Edges, e)
	return p.delim(']', "the end of an edge")
}

func (p *jsonReader) vector() *Error {
	var values []float32
	err := p.list("values of a node", func() *Error {
		t, err := p.token()
		if err != nil {
			return err
		}
		number, _ := t.(json.Number)
		v, bad := strconv.ParseFloat(number.String(), 32)
		if bad != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return p.errorf(tokenText(t), "where a value of a node belongs: give a finite number")
		}
		values = append(values, float32(v))
		return nil
	})
	p.g.Values = append(p.g.Values, values)
	return err
}
