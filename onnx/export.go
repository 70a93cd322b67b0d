// Package onnx writes a trained model as an ONNX file, for programs that predict without this one. The graph takes rows
// as they are in a table, in the table's units, and gives mean and standard deviation, or probabilities. It computes in
// double what model.Model.Predict computes, by the same draws: the formulas here are the same as in packages model and
// device.
package onnx

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/onnxfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// graph is a graph with the words of this package.
type graph struct{ *onnxfile.Graph }

type value = onnxfile.Value

// File is a model as a graph.
type File struct {
	graph   graph
	trained *fitted.Model
}

// New makes the graph that predicts with S samples. Only New needs the device. A model that cannot be a graph is a
// *usererror.Error.
func New(t *fitted.Model, dev device.Device, samples int) (_ *File, err error) {
	defer device.RecoverFault(&err)
	if err := exportable(t); err != nil {
		return nil, err
	}
	g := graph{&onnxfile.Graph{}}
	x := g.columns(t.Schema)
	var offset value // offsets are [B,1], or "" without offsets
	// 0 for each row [B,1], or NaN if a number is missing or infinite: operations may lose a NaN, and a prediction must
	// not
	doubt := g.sum(g.sub(x, x), 1)
	if t.Schema.Roles.Offset != "" {
		offset = g.Input(offsetName, onnxfile.Double, -1, 1)
		doubt = g.add(doubt, g.sub(offset, offset))
	}
	var parts []part
	for k, m := range t.Models(samples) {
		settled, err := m.Snapshot(dev, m.Samples)
		if err != nil {
			return nil, fmt.Errorf("model %d: %w", k+1, err)
		}
		plain := g.effects(m.Effects, x, len(t.Schema.Columns))
		scaled := g.scaled(m.Scaler, g.projected(m.Projection, plain))
		words := m.NewWords()
		if words != nil {
			scaled = g.wordCopies(words, plain, scaled, settled.Inputs)
		}
		h, variance := g.forward(settled, scaled)
		if words != nil {
			h = g.asSamples(h, settled.Outputs)
			if variance != "" {
				variance = g.asSamples(variance, settled.Outputs)
			}
		}
		if offset != "" {
			h = g.add(h, offset)
		}
		p := g.likelihood(settled, m.Targets, h, variance)
		p.weight = m.Weight
		parts = append(parts, p)
	}
	g.outputs(t, g.mix(parts), doubt)
	if size := g.Size(); size > onnxfile.MaxBytes {
		return nil, usererror.Errorf("the graph takes %.1f GB, and an ONNX file holds 2 GiB: export fewer --samples",
			float64(size)/1e9)
	}
	return &File{g, t}, nil
}

// exportable returns an error if the model has no graph.
func exportable(t *fitted.Model) error {
	kind := t.Featurizer
	if t.Members != nil {
		kind = t.Members[0].Featurizer
	}
	switch {
	case t.Schema.Alphabet != nil:
		return usererror.Errorf("its rows are sequences or graphs: ONNX has no operations that count their features: " +
			"gpdrf-gpu serve answers requests with such a model")
	case kind.Gram != nil:
		return usererror.Errorf("it was trained with %s: its rows have no columns that a graph could read",
			usererror.Key("gram"))
	}
	return nil
}

// Write writes the file, with the version of the program.
func (f *File) Write(w io.Writer, version string) error {
	s := f.trained.Schema
	s = s.InNumbers()
	about := onnxfile.Description{
		Name: "gpdrf", Producer: "gpdrf-gpu", Version: version,
		Doc: "inputs: the columns of numbers, in the order of the metadata's columns, in their own units; " +
			"dates are seconds since 1970, or milliseconds where the training table has these, times since 0:00",
	}
	describe := func(key string, names []string) {
		text, _ := json.Marshal(names) // words can always be encoded
		about.Properties = append(about.Properties, onnxfile.Property{Key: key, Value: string(text)})
	}
	describe("columns", s.NumberColumns())
	if s.Task == data.Classification {
		describe("classes", s.Classes)
	} else {
		describe("targets", s.Outputs())
	}
	return f.graph.Write(w, about)
}

// part is the prediction of one model, with its share in the mixture. It has mean and variance [B,C] of each target in
// training-sd units, or of exp(log y − mean of log y), or probabilities [B,C].
type part struct {
	weight         float64
	mean, variance value
	probabilities  value
}

// offsetName is the name of the tensor of offsets of log rates.
const offsetName = "offset"
