package onnxfile

import (
	"fmt"

	"github.com/gpdrf/gpdrf-gpu/internal/wire"
)

// DType is the type of a tensor's elements.
type DType int

// Types of elements, by their numbers in TensorProto.DataType.
const (
	Int64  DType = 7
	String DType = 8
	Bool   DType = 9
	Double DType = 11
)

// Value is a tensor of a graph by its name: an input, a constant or the output of an operation.
type Value string

// Graph is a graph that is being built. Operations stand in the order in which they were added.
type Graph struct {
	nodes, constants, inputs, outputs wire.Message

	size  int // size of the constants in bytes
	names int // number of values whose names have a number
}

// Size returns the approximate size of the constants, in bytes.
func (g *Graph) Size() int { return g.size }

// Input adds an input tensor to the graph. A negative length is the number of rows.
func (g *Graph) Input(name string, t DType, shape ...int) Value {
	g.inputs = g.inputs.Bytes(graphInput, valueInfo(name, t, shape))
	return Value(name)
}

// Output names a result.
func (g *Graph) Output(name string, v Value, t DType, shape ...int) {
	g.node("Identity", name, []Value{v}, nil)
	g.outputs = g.outputs.Bytes(graphOutput, valueInfo(name, t, shape))
}

// Doubles adds a constant tensor.
func (g *Graph) Doubles(values []float64, shape ...int) Value {
	return g.constant(Double, shape, func(m wire.Message) wire.Message {
		return m.Bytes(tensorRaw, wire.Packed(values))
	})
}

// Scalar adds a constant number.
func (g *Graph) Scalar(v float64) Value { return g.Doubles([]float64{v}) }

// Ints adds a constant list.
func (g *Graph) Ints(values ...int) Value {
	return g.constant(Int64, []int{len(values)}, func(m wire.Message) wire.Message {
		return m.Numbers(tensorInts, values)
	})
}

// Strings adds a constant tensor of words.
func (g *Graph) Strings(values []string, shape ...int) Value {
	return g.constant(String, shape, func(m wire.Message) wire.Message {
		for _, v := range values {
			m = m.Text(tensorStrings, v)
		}
		return m
	})
}

func (g *Graph) constant(t DType, shape []int, values func(wire.Message) wire.Message) Value {
	name := g.name("constant")
	m := values(wire.Message{}.Numbers(tensorDims, shape).Number(tensorType, uint64(t)).Text(tensorName, name))
	g.constants = g.constants.Bytes(graphConstant, m)
	g.size += len(m)
	return Value(name)
}

// name returns a new name.
func (g *Graph) name(what string) string {
	g.names++
	return fmt.Sprintf("/%s_%d", what, g.names)
}

// Attr is an attribute of an operation: whole numbers, one or several.
type Attr struct {
	Name string
	Int  int
	Ints []int // several numbers, in place of Int
}

// Op adds an operation and gives its output.
func (g *Graph) Op(op string, inputs ...Value) Value { return g.With(op, nil, inputs...) }

// With adds an operation as Op does, with attributes.
func (g *Graph) With(op string, attrs []Attr, inputs ...Value) Value {
	name := g.name(op)
	g.node(op, name, inputs, attrs)
	return Value(name)
}

func (g *Graph) node(op, name string, inputs []Value, attrs []Attr) {
	var m wire.Message
	for _, v := range inputs {
		m = m.Text(nodeInput, string(v))
	}
	m = m.Text(nodeOutput, name).Text(nodeName, name).Text(nodeOp, op)
	for _, a := range attrs {
		attr := wire.Message{}.Text(attrName, a.Name)
		if a.Ints != nil {
			attr = attr.Numbers(attrInts, a.Ints).Number(attrType, typeInts)
		} else {
			attr = attr.Number(attrInt, uint64(a.Int)).Number(attrType, typeInt)
		}
		m = m.Bytes(nodeAttr, attr)
	}
	g.nodes = g.nodes.Bytes(graphNode, m)
}
