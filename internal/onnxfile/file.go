// Package onnxfile writes ONNX files: a graph of operations with its constants, inputs and outputs. Messages and
// numbers of fields follow onnx.proto of the ONNX project.
package onnxfile

import (
	"io"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/wire"
)

// Versions of the format and of the operators.
const (
	irVersion = 9
	Opset     = 19 // the first one that compares words
)

// MaxBytes is the largest size of a protocol buffer.
const MaxBytes = 1<<31 - 1

// Fields of the messages, and values of AttributeProto.AttributeType.
const (
	modelIR, modelProducer, modelProducerVersion, modelDoc, modelGraph, modelOpset, modelMeta = 1, 2, 3, 6, 7, 8, 14

	opsetVersion       = 2
	entryKey, entryOf  = 1, 2
	graphNode          = 1
	graphName          = 2
	graphConstant      = 5
	graphInput         = 11
	graphOutput        = 12
	nodeInput          = 1
	nodeOutput         = 2
	nodeName           = 3
	nodeOp             = 4
	nodeAttr           = 5
	attrName           = 1
	attrInt            = 3
	attrInts           = 8
	attrType           = 20
	typeInt            = 2
	typeInts           = 7
	tensorDims         = 1
	tensorType         = 2
	tensorStrings      = 6
	tensorInts         = 7
	tensorName         = 8
	tensorRaw          = 9
	infoName, infoType = 1, 2
	typeTensor         = 1
	elemType, elemDims = 1, 2
	shapeDim           = 1
	dimValue, dimParam = 1, 2
)

// valueInfo describes an input or an output.
func valueInfo(name string, t DType, shape []int) wire.Message {
	var dims wire.Message
	for _, n := range shape {
		dim := wire.Message{}.Text(dimParam, "rows")
		if n >= 0 {
			dim = wire.Message{}.Number(dimValue, uint64(n))
		}
		dims = dims.Bytes(shapeDim, dim)
	}
	tensor := wire.Message{}.Number(elemType, uint64(t)).Bytes(elemDims, dims)
	return wire.Message{}.Text(infoName, name).Bytes(infoType, wire.Message{}.Bytes(typeTensor, tensor))
}

// Property is a fact about the model, by its key.
type Property struct{ Key, Value string }

// Description is the text in a file about its content.
type Description struct {
	Name, Doc, Producer, Version string
	Properties                   []Property
}

// Write writes the file.
func (g *Graph) Write(w io.Writer, about Description) error {
	graph := slices.Concat(g.nodes, wire.Message{}.Text(graphName, about.Name), g.constants, g.inputs, g.outputs)
	m := wire.Message{}.Number(modelIR, irVersion).Text(modelProducer, about.Producer).
		Text(modelProducerVersion, about.Version).Text(modelDoc, about.Doc).
		Bytes(modelGraph, graph).Bytes(modelOpset, wire.Message{}.Number(opsetVersion, Opset))
	for _, p := range about.Properties {
		m = m.Bytes(modelMeta, wire.Message{}.Text(entryKey, p.Key).Text(entryOf, p.Value))
	}
	_, err := w.Write(m)
	return err
}
