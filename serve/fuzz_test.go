package serve

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// fuzzed describes rows of all kinds.
func fuzzed() data.Schema {
	return data.Schema{Columns: []string{"a", "colour=red", "colour=blue", "b", "b=missing"},
		Target: "y", TargetAt: 3, Task: data.Regression,
		OneHot:  []data.OneHot{{Column: "colour", At: 1, Values: []string{"red", "blue"}}},
		Missing: data.MissingImpute, Fills: []data.Fill{{Column: "a", At: 0}, {Column: "b", At: 2, Flag: true}}}
}

// checkRows finds what a decoder must never let through.
func checkRows(t *testing.T, inputs []Tensor) {
	for _, in := range inputs {
		n := int64(1)
		for _, d := range in.Shape {
			n *= d
		}
		if int64(len(in.Numbers)+len(in.Texts)) != n || n > 1000 {
			t.Fatalf("%d elements for the shape %v", len(in.Numbers)+len(in.Texts), in.Shape)
		}
	}
	given, err := rowsOf(fuzzed(), inputs)
	if err != nil {
		return
	}
	rows, err := fuzzed().Rows(given)
	if err != nil {
		return
	}
	for i := range rows.N() {
		for _, v := range rows.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("row %d is %v", i, rows.Row(i))
			}
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"id":"1","inputs":[{"name":"inputs","shape":[2,2],"datatype":"FP32","data":[[1,`+
		`2],[3,null]]},{"name":"colour","shape":[2],"datatype":"BYTES","data":["red","\u00e9"]}]}`), 0)
	raw := []byte(`{"inputs":[{"name":"colour","shape":[1,1],"datatype":"BYTES",` +
		`"parameters":{"binary_data_size":7}}],"outputs":[{"name":"mean","parameters":{"binary_data":true}}]}`)
	f.Add(append(raw, 3, 0, 0, 0, 'r', 'e', 'd'), 7)
	f.Add([]byte(`{"inputs":[{"name":"inputs","shape":[-1,4611686018427387904],"datatype":"INT64","data":[1e3]}]}`), 0)
	f.Fuzz(func(t *testing.T, body []byte, tail int) {
		if tail < 0 || tail > len(body) {
			return
		}
		if q, err := parseRequest(body, len(body)-tail, 1000); err == nil {
			checkRows(t, q.Inputs)
		}
	})
}

func FuzzRows(f *testing.F) {
	for _, seed := range []string{`{"instances":[{"a":1,"colour":"red","b":"NA"},[null,"x",1e3]]}`,
		`{"instances":["ACGT",[],{}]}`, `{"instances":[[[1],{},true]]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		g, err := parseRows(fuzzed(), body, 1000)
		if err != nil {
			return
		}
		if g.N < 1 || g.N > 1000 {
			t.Fatalf("%d rows", g.N)
		}
		if rows, err := fuzzed().Rows(g); err == nil &&
			(rows.N() != g.N || slices.ContainsFunc(rows.Row(0), math.IsNaN)) {
			t.Fatalf("%d rows of %d, %v", rows.N(), g.N, rows.Row(0))
		}
	})
}

func FuzzCall(f *testing.F) {
	seed := func(q *inference.ModelInferRequest) {
		text, err := proto.Marshal(q)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	in := &inference.ModelInferRequest_InferInputTensor{Name: "inputs", Datatype: "FP32", Shape: []int64{1, 2}}
	seed(&inference.ModelInferRequest{ModelName: "m",
		Inputs:           []*inference.ModelInferRequest_InferInputTensor{in},
		RawInputContents: [][]byte{binary.LittleEndian.AppendUint64(nil, 7)}})
	filled := proto.CloneOf(in)
	filled.Contents = &inference.InferTensorContents{Fp32Contents: []float32{1, 2}}
	seed(&inference.ModelInferRequest{Inputs: []*inference.ModelInferRequest_InferInputTensor{filled}})
	f.Fuzz(func(t *testing.T, text []byte) {
		q := &inference.ModelInferRequest{}
		most := 1000
		n, err := inference.Parts(text, most)
		if proto.Unmarshal(text, q) != nil {
			return
		}
		if err != nil {
			t.Fatalf("a message that can be read: %v", err)
		}
		if all := len(q.Inputs)*inference.TensorTexts + len(q.RawInputContents); n < min(most, all) {
			t.Fatalf("%d parts were counted as %d", all, n)
		}
		if request, err := requestOf(q, 1000); err == nil {
			checkRows(t, request.Inputs)
		}
	})
}
