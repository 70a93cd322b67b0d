// Package onnx writes a trained model as an ONNX file, for programs that predict without this one.
// The graph takes rows as they are in a table, in their own units, and gives mean and standard
// deviation, or probabilities. It computes in double what model.Model.Predict computes, by the same
// draws: the formulas here are those of rooms model and device, read once more.
package onnx
