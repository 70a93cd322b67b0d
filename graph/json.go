package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// The keys of a graph in JSON:
//
//	{"nodes": ["C", "C", "O"], "edges": [[0, 1, "single"], [1, 2]], "label": 1}
//
// nodes are labels, words or numbers, or the number of nodes without labels. edges are pairs of nodes, numbered from 0,
// and may have a label. values are the attributes of each node, a list of numbers. Other keys hold words or numbers,
// such as label, the class or target of the graph.
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
				"whose %q is not a word or number: give the class or target of the graph", key)
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

// jsonParser reads the values of the keys of a graph, and keeps their places in the text.
type jsonParser struct {
	text []byte
	g    *Graph
	at   map[string]int
	key  string // key whose value is read
}

func (g *Graph) parseJSON(text []byte) *Error {
	p := &jsonParser{text: text, g: g, at: map[string]int{}}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	broken := func(err error) *Error { return jsonError(text, int(d.InputOffset()), err) }
	if _, err := d.Token(); err != nil { // {
		return broken(err)
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return broken(err)
		}
		p.key, _ = token.(string)
		before := p.at[p.key]
		end := int(d.InputOffset())
		p.at[p.key] = len(text) - len(bytes.TrimLeft(text[end:], ": \t\r\n"))
		var value any
		if err := d.Decode(&value); err != nil {
			return broken(err)
		}
		if before > 0 {
			return errorAt(end-1, p.key, "a key that occurs twice: remove one")
		}
		if bad := p.value(value, end); bad != nil {
			return bad
		}
	}
	if _, err := d.Token(); err != nil { // }
		return broken(err)
	}
	if _, err := d.Token(); err != io.EOF {
		rest := int(d.InputOffset()) - 1
		return errorAt(rest, string(text[rest:]), "after the graph: give one graph on each line")
	}
	return p.check()
}

// value reads the value of a key that ends at a place.
func (p *jsonParser) value(value any, end int) *Error {
	list, isList := value.([]any)
	_, isObject := value.(map[string]any)
	switch {
	case p.key == keyNodes && !isList:
		return p.bareNodes(value)
	case p.key == keyNodes:
		return p.each(list, "a label: give a word or a number", p.node)
	case (p.key == keyEdges || p.key == keyValues) && !isList:
		return p.errorf(value, "where the list of %s belongs", p.key)
	case p.key == keyEdges:
		return p.each(list, "an edge: write it as [0, 1], or [0, 1, label]", p.edge)
	case p.key == keyValues:
		return p.each(list, "a list of values of a node: give finite numbers", p.vector)
	case isList || isObject: // other values are targets, names, or not used
		return errorAt(end-1, p.key,
			"a key that graphs do not have: use nodes, edges, values, or a key of a word or number")
	}
	return nil
}

// errorf returns an error about a part of the value of the key.
func (p *jsonParser) errorf(found any, format string, args ...any) *Error {
	text, _ := json.Marshal(found)
	return errorAt(p.at[p.key], strings.Trim(string(text), `"`), format, args...)
}

// each reads the items of a list; read reports whether an item is sound.
func (p *jsonParser) each(list []any, what string, read func(item any) bool) *Error {
	for i, item := range list {
		if !read(item) {
			return p.errorf(item, "where number %d of %s is not %s", i+1, p.key, what)
		}
	}
	return nil
}

// bareNodes is the largest excess of nodes over the bytes of a text that gives only their number. So a short text takes
// little memory, and connected graphs fit.
const bareNodes = 1000

func (p *jsonParser) bareNodes(value any) *Error {
	number, _ := value.(json.Number)
	n, err := strconv.Atoi(number.String())
	if most := bareNodes + len(p.text); err != nil || n < 0 || n > most {
		return p.errorf(value,
			"where nodes belong: give a list of labels, or their number, up to %d in so short a text", most)
	}
	p.g.Labels = make([]string, n)
	return nil
}

func (p *jsonParser) node(item any) bool {
	label, ok := jsonLabel(item)
	p.g.Labels = append(p.g.Labels, label)
	return ok
}

// jsonLabel returns a label, a word or a number.
func jsonLabel(item any) (label string, ok bool) {
	if number, ok := item.(json.Number); ok {
		return number.String(), true
	}
	label, ok = item.(string)
	return label, ok
}

func (p *jsonParser) edge(item any) bool {
	parts, _ := item.([]any)
	if len(parts) != 2 && len(parts) != 3 {
		return false
	}
	var ends [2]int
	for i := range ends {
		number, _ := parts[i].(json.Number)
		v, err := strconv.Atoi(number.String())
		if err != nil {
			return false
		}
		ends[i] = v
	}
	e := Edge{From: ends[0], To: ends[1]}
	ok := true
	if len(parts) == 3 {
		e.Label, ok = jsonLabel(parts[2])
	}
	p.g.Edges = append(p.g.Edges, e)
	return ok
}

func (p *jsonParser) vector(item any) bool {
	list, ok := item.([]any)
	values := make([]float32, len(list))
	for i, number := range list {
		number, _ := number.(json.Number)
		v, err := strconv.ParseFloat(number.String(), 32)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return false
		}
		values[i] = float32(v)
	}
	p.g.Values = append(p.g.Values, values)
	return ok
}

// check reports faults of the graph as a whole.
func (p *jsonParser) check() *Error {
	g, text := p.g, string(p.text)
	for _, key := range []string{keyNodes, keyEdges} {
		if p.at[key] == 0 {
			return errorAt(0, text, `a graph without %q: write {"nodes": [labels], "edges": [[0, 1], …]}`, key)
		}
	}
	n := len(g.Labels)
	for i, e := range g.Edges {
		for _, v := range []int{e.From, e.To} {
			if v < 0 || v >= n {
				return errorAt(p.at[keyEdges], strconv.Itoa(v),
					"in edge %d, a node that does not exist: the %d nodes have the numbers 0 to %d", i+1, n, n-1)
			}
		}
	}
	if len(g.Values) != 0 && len(g.Values) != n {
		return errorAt(0, text, "a graph with values of %d nodes, and %d nodes: give a list of numbers for each node",
			len(g.Values), n)
	}
	for _, v := range g.Values {
		if len(v) == 0 || len(v) != len(g.Values[0]) {
			return errorAt(0, text, "a graph whose nodes have %d and %d values: give all nodes the same number of "+
				"values", len(g.Values[0]), len(v))
		}
	}
	return nil
}
