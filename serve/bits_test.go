// This test compares the answers of all protocols with predict, to the bit.

package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Whatever rows come together in a request or in a batch, by whichever way, each gets the numbers that predict writes
// for it.
func TestBitsOfPredict(t *testing.T) {
	for _, kind := range []string{numbers, words, sequences} {
		t.Run(kind, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.safetensors")
			trained := writeModel(t, path, kind, 1)
			rows := rowsOfKind(t, kind, tableText(kind, 150, 2), &trained.Schema)
			want := lines(t, trained, rows)
			c := testConfig()
			r := start(t, c, Source{"m", path})
			client := r.dial(t)
			ways := []func(given data.Request) ([]map[string]any, error){
				r.askRows, r.askTensors(false), r.askTensors(true), r.askCalls(t, client, false),
				r.askCalls(t, client, true),
			}
			var asking sync.WaitGroup
			for k := range 12 {
				asking.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(k), 3))
					for range 5 {
						chosen := rng.Perm(rows.N())[:1+rng.IntN(50)]
						given := givenOf(trained, rows, kind, chosen)
						got, err := ways[k%len(ways)](given)
						if err != nil || len(got) != len(chosen) {
							t.Errorf("way %d: %d answers to %d rows, %v", k%len(ways), len(got), len(chosen), err)
							return
						}
						for i, row := range chosen {
							compareRow(t, k%len(ways), row, got[i], want[row])
						}
					}
				})
			}
			asking.Wait()
		})
	}
}

// compareRow compares the answer about a row with what predict writes. A single sample has no bhattacharyya, which both
// leave out.
func compareRow(t *testing.T, way, row int, got, want map[string]any) {
	t.Helper()
	for name, v := range got {
		if want[name] == nil && name != "bhattacharyya" {
			t.Errorf("way %d: row %d has %s, which predict does not write", way, row, name)
		}
		if fmt.Sprint(v) != fmt.Sprint(want[name]) {
			t.Errorf("way %d: row %d: %s is %v, predict writes %v", way, row, name, v, want[name])
		}
	}
}

// givenOf takes rows of a data set back to what their file holds.
func givenOf(trained *fitted.Model, ds *data.Dataset, kind string, chosen []int) data.Request {
	g := data.Request{N: len(chosen), Texts: map[string][]string{}}
	for _, row := range chosen {
		if kind == sequences {
			g.Sequences = append(g.Sequences, ds.Sequences.Alphabet.Text(ds.Sequences.At(row)))
			continue
		}
		value := map[string]float64{}
		for k, name := range ds.Columns {
			value[name] = ds.Row(row)[k]
		}
		for _, name := range trained.Schema.NumberColumns() {
			if value[name+"=missing"] == 1 {
				g.Numbers = append(g.Numbers, math.NaN())
			} else {
				g.Numbers = append(g.Numbers, value[name])
			}
		}
		if kind == words {
			colour := ""
			for _, c := range []string{"red", "blue", "green"} {
				if value["colour="+c] == 1 {
					colour = c
				}
			}
			g.Texts["colour"] = append(g.Texts["colour"], colour)
		}
	}
	return g
}

// askRows asks with rows as JSON.
func (r *running) askRows(g data.Request) ([]map[string]any, error) {
	m, err := r.store.acquire(context.Background(), "m")
	if err != nil {
		return nil, err
	}
	defer m.release()
	schema := m.schema()
	var instances []map[string]any
	for i := range g.N {
		row := map[string]any{}
		for k, name := range schema.NumberColumns() {
			if v := g.Numbers[i*len(schema.NumberColumns())+k]; math.IsNaN(v) {
				row[name] = nil
			} else {
				row[name] = v
			}
		}
		for name, texts := range g.Texts {
			row[name] = texts[i]
		}
		if g.Sequences != nil {
			row["sequence"] = g.Sequences[i]
		}
		instances = append(instances, row)
	}
	body, err := json.Marshal(map[string]any{"instances": instances})
	if err != nil {
		return nil, err
	}
	status, _, text, err := r.try("/v1/models/m:predict", body)
	if err != nil || status != 200 {
		return nil, fmt.Errorf("status %d, %s, %v", status, text, err)
	}
	var answer struct{ Predictions []map[string]any }
	return answer.Predictions, json.Unmarshal(text, &answer)
}

// tensorsOf returns the inputs of a request for rows.
func tensorsOf(schema data.Schema, g data.Request) (inputs []Tensor) {
	for _, spec := range inputsOf(schema) {
		t := Tensor{Name: spec.Name, Type: spec.Type, Shape: slices.Clone(spec.Shape)}
		t.Shape[0] = int64(g.N)
		switch {
		case spec.Type == FP64:
			t.Numbers = g.Numbers
		case g.Sequences != nil:
			t.Texts = g.Sequences
		default:
			t.Texts = g.Texts[spec.Name]
		}
		inputs = append(inputs, t)
	}
	return inputs
}

// askTensors asks over HTTP, with tensors in JSON or raw.
func (r *running) askTensors(raw bool) func(g data.Request) ([]map[string]any, error) {
	return func(g data.Request) ([]map[string]any, error) {
		m, err := r.store.acquire(context.Background(), "m")
		if err != nil {
			return nil, err
		}
		defer m.release()
		var inputs []map[string]any
		var tail []byte
		for _, t := range tensorsOf(m.schema(), g) {
			in := map[string]any{"name": t.Name, "datatype": t.Type, "shape": t.Shape}
			switch {
			case raw:
				in["parameters"] = map[string]int{"binary_data_size": len(t.raw())}
				tail = append(tail, t.raw()...)
			case t.Texts != nil:
				in["data"] = t.Texts
			default:
				var nested [][]any // as a list of rows, with null for what is missing
				width := len(t.Numbers) / g.N
				for i := range g.N {
					var row []any
					for _, v := range t.Numbers[i*width : (i+1)*width] {
						if row = append(row, v); math.IsNaN(v) {
							row[len(row)-1] = nil
						}
					}
					nested = append(nested, row)
				}
				in["data"] = nested
			}
			inputs = append(inputs, in)
		}
		body, err := json.Marshal(map[string]any{"id": "7", "inputs": inputs,
			"parameters": map[string]bool{"binary_data_output": raw}})
		if err != nil {
			return nil, err
		}
		size := len(body)
		status, header, text, err := r.try("/v2/models/m/infer", append(body, tail...),
			jsonSizeHeader, fmt.Sprint(size))
		if err != nil || status != 200 {
			return nil, fmt.Errorf("status %d, %s, %v", status, text, err)
		}
		return answeredTensors(m, text, header.Get(jsonSizeHeader))
	}
}

// answeredTensors reads an answer, whose outputs may be raw.
func answeredTensors(m *loadedModel, text []byte, size string) ([]map[string]any, error) {
	jsonSize := len(text)
	if size != "" {
		if _, err := fmt.Sscan(size, &jsonSize); err != nil {
			return nil, err
		}
	}
	var answer struct {
		ID      string
		Outputs []struct {
			TensorSpec
			Parameters struct {
				Size int `json:"binary_data_size"`
			}
			Data json.RawMessage
		}
	}
	if err := json.Unmarshal(text[:jsonSize], &answer); err != nil || answer.ID != "7" {
		return nil, fmt.Errorf("%s: %v", text[:jsonSize], err)
	}
	tail := text[jsonSize:]
	var outputs []Tensor
	for _, out := range answer.Outputs {
		t := Tensor{Name: out.Name, Type: out.Type, Shape: out.Shape}
		n := 1
		for _, d := range t.Shape {
			n *= int(d)
		}
		var err error
		if out.Data != nil {
			err = t.fillJSON(out.Data, n)
		} else {
			err = t.fillRaw(tail[:out.Parameters.Size], n)
			tail = tail[out.Parameters.Size:]
		}
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, t)
	}
	return rowsOfTensors(m, outputs), nil
}

// askCalls asks over gRPC, with the fields of the types or raw.
func (r *running) askCalls(t *testing.T, client rpcClient,
	raw bool) func(g data.Request) ([]map[string]any, error) {
	return func(g data.Request) ([]map[string]any, error) {
		m, err := r.store.acquire(context.Background(), "m")
		if err != nil {
			return nil, err
		}
		defer m.release()
		q := &inference.ModelInferRequest{ModelName: "m", Id: "8"}
		for _, in := range tensorsOf(m.schema(), g) {
			wire := &inference.ModelInferRequest_InferInputTensor{Name: in.Name,
				Datatype: string(in.Type), Shape: in.Shape}
			q.Inputs = append(q.Inputs, wire)
			if raw {
				q.RawInputContents = append(q.RawInputContents, in.raw())
				continue
			}
			wire.Contents = &inference.InferTensorContents{Fp64Contents: in.Numbers}
			for _, text := range in.Texts {
				wire.Contents.BytesContents = append(wire.Contents.BytesContents, []byte(text))
			}
		}
		answer, err := client.ModelInfer(t.Context(), q)
		if err != nil {
			return nil, err
		}
		var outputs []Tensor
		for i, out := range answer.Outputs {
			n := 1
			for _, d := range out.Shape {
				n *= int(d)
			}
			o := Tensor{Name: out.Name, Type: Datatype(out.Datatype), Shape: out.Shape}
			if err := o.fillRaw(answer.RawOutputContents[i], n); err != nil {
				return nil, err
			}
			outputs = append(outputs, o)
		}
		return rowsOfTensors(m, outputs), nil
	}
}

// rowsOfTensors takes outputs to the columns that predict writes.
func rowsOfTensors(m *loadedModel, outputs []Tensor) (rows []map[string]any) {
	rows = make([]map[string]any, outputs[0].Shape[0])
	schema := m.schema()
	for i := range rows {
		rows[i] = map[string]any{}
		for _, out := range outputs {
			width := len(out.Numbers) / len(rows)
			switch out.Name {
			case "label":
				rows[i][out.Name] = out.Texts[i]
			case "probabilities":
				for k, class := range schema.Classes {
					rows[i]["p_"+class] = out.Numbers[i*width+k]
				}
			case "quantiles":
				for c, target := range schema.Outputs() {
					for k, q := range []string{"q05", "q25", "q50", "q75", "q95"} {
						rows[i][target+"_"+q] = out.Numbers[i*width+5*c+k]
					}
				}
			case "entropy", "distance":
				rows[i][out.Name] = out.Numbers[i]
			default:
				for c, target := range schema.Outputs() {
					rows[i][target+"_"+out.Name] = out.Numbers[i*width+c]
				}
			}
		}
	}
	return rows
}
