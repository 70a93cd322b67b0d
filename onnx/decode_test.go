package onnx

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a protocol buffer: the values of each field in their order. Whole numbers are varints.
type message map[protowire.Number][][]byte

// decode reads a message, by the library and not by the code that wrote it.
func decode(t *testing.T, b []byte) message {
	t.Helper()
	m := message{}
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		size := protowire.ConsumeFieldValue(field, kind, b[n:])
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		value := b[n : n+size]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		m[field] = append(m[field], value)
		b = b[n+size:]
	}
	return m
}

// text returns the one value of a field.
func (m message) text(field protowire.Number) string { return string(bytes.Join(m[field], nil)) }

// texts returns the values of a field.
func (m message) texts(field protowire.Number) (all []string) {
	for _, v := range m[field] {
		all = append(all, string(v))
	}
	return all
}

// number returns a field that is a whole number.
func (m message) number(field protowire.Number) uint64 {
	v, _ := protowire.ConsumeVarint([]byte(m.text(field)))
	return v
}

// decoded is a file, with the fields that onnx.proto of the ONNX project gives it.
type decoded struct {
	opset      uint64
	properties map[string]string
	nodes      []node
	constants  []string
	inputs     []tensor
	outputs    []tensor
}

type node struct {
	op, output string
	inputs     []string
}

// tensor is an input or an output; -1 stands for the number of rows.
type tensor struct {
	name  string
	dtype uint64
	shape []int
}

func read(t *testing.T, file []byte) decoded {
	t.Helper()
	model := decode(t, file)
	graph := decode(t, model[7][0])
	d := decoded{opset: decode(t, model[8][0]).number(2), properties: map[string]string{}}
	for _, p := range model[14] {
		entry := decode(t, p)
		d.properties[entry.text(1)] = entry.text(2)
	}
	for _, b := range graph[1] {
		n := decode(t, b)
		d.nodes = append(d.nodes, node{n.text(4), n.text(2), n.texts(1)})
	}
	for _, b := range graph[5] {
		d.constants = append(d.constants, decode(t, b).text(8))
	}
	describe := func(values [][]byte) (all []tensor) {
		for _, b := range values {
			info := decode(t, b)
			of := decode(t, decode(t, info[2][0])[1][0])
			x := tensor{name: info.text(1), dtype: of.number(1)}
			for _, b := range decode(t, of[2][0])[1] {
				dim := decode(t, b)
				if dim.text(2) != "" {
					x.shape = append(x.shape, -1)
				} else {
					x.shape = append(x.shape, int(dim.number(1)))
				}
			}
			all = append(all, x)
		}
		return all
	}
	d.inputs, d.outputs = describe(graph[11]), describe(graph[12])
	return d
}

// sound reports whether each name has one origin that stands before its use, and each has a use.
func (d *decoded) sound(t *testing.T) {
	t.Helper()
	used, known := map[string]bool{}, map[string]bool{}
	define := func(name string) {
		if known[name] {
			t.Errorf("%q is defined twice", name)
		}
		known[name] = true
	}
	for _, x := range d.inputs {
		define(x.name)
	}
	for _, name := range d.constants {
		define(name)
	}
	for _, n := range d.nodes {
		for _, name := range n.inputs {
			if used[name] = true; !known[name] {
				t.Errorf("%s %q uses %q before it is there", n.op, n.output, name)
			}
		}
		define(n.output)
		if arity, ok := operations[n.op]; !ok || !slices.Contains(arity, len(n.inputs)) && n.op != "Concat" {
			t.Errorf("%s %q has %d inputs", n.op, n.output, len(n.inputs))
		}
	}
	for _, x := range d.outputs {
		if used[x.name] = true; !known[x.name] {
			t.Errorf("output %q is not computed", x.name)
		}
	}
	for name := range known {
		if !used[name] {
			t.Errorf("nothing uses %q", name)
		}
	}
}

// operations are the ones of opset 19 that graphs may have, with their numbers of inputs.
var operations = map[string][]int{
	"Add": {2}, "Sub": {2}, "Mul": {2}, "Div": {2}, "MatMul": {2}, "Max": {2}, "Min": {2}, "Equal": {2},
	"Greater": {2}, "Gather": {2}, "Unsqueeze": {2}, "Squeeze": {2}, "ReduceSum": {2}, "ReduceMean": {2},
	"Exp": {1}, "Log": {1}, "Sqrt": {1}, "Neg": {1}, "Floor": {1}, "Cos": {1}, "Sin": {1}, "Sigmoid": {1},
	"Softmax": {1}, "IsNaN": {1}, "Cast": {1}, "Transpose": {1}, "ArgMax": {1}, "Identity": {1},
	"Where": {3}, "Slice": {4}, "Concat": {},
}
