package onnx

import "github.com/gpdrf/gpdrf-gpu/internal/onnxfile"

// Operations of ONNX under short names. Their arguments are broadcast.

func (g graph) add(a, b value) value    { return g.Op("Add", a, b) }
func (g graph) sub(a, b value) value    { return g.Op("Sub", a, b) }
func (g graph) mul(a, b value) value    { return g.Op("Mul", a, b) }
func (g graph) div(a, b value) value    { return g.Op("Div", a, b) }
func (g graph) matMul(a, b value) value { return g.Op("MatMul", a, b) }
func (g graph) square(a value) value    { return g.mul(a, a) }

func (g graph) times(by float64, a value) value { return g.mul(g.Scalar(by), a) }

// max returns a, or a number if that is larger.
func (g graph) max(a value, least float64) value { return g.Op("Max", a, g.Scalar(least)) }

func (g graph) double(a value) value {
	return g.With("Cast", []onnxfile.Attr{{Name: "to", Int: int(onnxfile.Double)}}, a)
}

func (g graph) concat(axis int, parts []value) value {
	if len(parts) == 1 {
		return parts[0]
	}
	return g.With("Concat", []onnxfile.Attr{{Name: "axis", Int: axis}}, parts...)
}

func (g graph) transpose(a value, order ...int) value {
	return g.With("Transpose", []onnxfile.Attr{{Name: "perm", Ints: order}}, a)
}

// sum adds up along an axis, which stays with length 1.
func (g graph) sum(a value, axis int) value { return g.Op("ReduceSum", a, g.Ints(axis)) }

// mean averages over the first axis, and removes it.
func (g graph) mean(a value) value {
	return g.With("ReduceMean", []onnxfile.Attr{{Name: "keepdims", Int: 0}}, a, g.Ints(0))
}
