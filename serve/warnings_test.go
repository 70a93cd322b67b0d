package serve

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// Rows unlike those of training have a warning in each protocol, by the words of predict.
func TestWarnings(t *testing.T) {
	r := serveKind(t, words, testConfig())
	type answer struct {
		Warnings   []string
		Parameters struct{ Warnings string }
	}
	var rows, tensors answer
	_, _, text := r.post(t, "/v1/models/m:predict", []byte(`{"instances":[[0,"red",2],[1e6,"violet",2]]}`))
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if len(rows.Warnings) != 2 ||
		!strings.HasPrefix(rows.Warnings[0], `row 2: "violet" in column "colour" is not in the training data`) ||
		!strings.HasPrefix(rows.Warnings[1], `row 2: column "a" is 1e+06, and `) {
		t.Errorf("%q", rows.Warnings)
	}
	lines := strings.Join(rows.Warnings, "\n")
	_, _, text = r.post(t, "/v2/models/m/infer", []byte(`{"inputs":[
		{"name":"inputs","shape":[2,2],"datatype":"FP64","data":[0,2,1e6,2]},
		{"name":"colour","shape":[2],"datatype":"BYTES","data":["red","violet"]}]}`))
	if err := json.Unmarshal(text, &tensors); err != nil || tensors.Parameters.Warnings != lines {
		t.Errorf("tensors: %s, %v", text, err)
	}
	ask := func(a float64, colour string) *inference.ModelInferResponse {
		call, err := r.dial(t).ModelInfer(t.Context(), &inference.ModelInferRequest{ModelName: "m",
			Inputs: []*inference.ModelInferRequest_InferInputTensor{
				{Name: "inputs", Datatype: "FP64", Shape: []int64{2, 2},
					Contents: &inference.InferTensorContents{Fp64Contents: []float64{0, 2, a, 2}}},
				{Name: "colour", Datatype: "BYTES", Shape: []int64{2},
					Contents: &inference.InferTensorContents{BytesContents: [][]byte{[]byte("red"), []byte(colour)}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return call
	}
	if call := ask(1e6, "violet"); call.Parameters["warnings"].GetStringParam() != lines {
		t.Errorf("gRPC: %v", call.Parameters)
	}
	if call := ask(0, "red"); call.Parameters != nil {
		t.Errorf("ordinary rows: %v", call.Parameters)
	}
	if _, _, text := r.post(t, "/v1/models/m:predict", []byte(`{"instances":[[0,"red",2]]}`)); bytes.Contains(text,
		[]byte("warnings")) {
		t.Errorf("an ordinary row: %s", text)
	}
}
