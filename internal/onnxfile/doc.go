// Package onnxfile writes ONNX files: a graph of operations with its constants, inputs and outputs.
// Messages and numbers of fields follow onnx.proto of the ONNX project.
package onnxfile
