package serve

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// A method that a path does not have is 405, and the answer names those that it has.
func TestMethods(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	for _, c := range []struct{ method, path, allow string }{
		{"GET", "/v2/models/m/infer", "POST"}, {"PUT", "/v2/models/m/infer", "POST"}, {"POST", "/v2", "GET, HEAD"},
		{"DELETE", "/v2/models/m", "GET, HEAD"}, {"GET", "/v1/models/m:predict", "POST"},
		{"POST", "/v1/models/m", "GET, HEAD"}, {"GET", "/v2/repository/index", "POST"},
		{"OPTIONS", "/v2/models/m/infer", "POST"}, {"PUT", "/v1/models/m:predict", "POST"},
		{"HEAD", "/v1/models/m:predict", "POST"}, {"PUT", "/v1/models/m", "GET, HEAD"},
	} {
		a, text := r.ask(t, c.method, c.path)
		if a.StatusCode != 405 || a.Header.Get("Allow") != c.allow ||
			c.method != "HEAD" && !strings.Contains(text, `{"error":`) {
			t.Errorf("%s %s: %d, Allow %q, %s", c.method, c.path, a.StatusCode, a.Header.Get("Allow"), text)
		}
	}
	if a, _ := r.ask(t, "POST", "/v3"); a.StatusCode != 404 {
		t.Errorf("no path: %d", a.StatusCode)
	}
}

// Zero rows have zero predictions, in each protocol.
func TestZeroRows(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	if code, _, text := r.post(t, "/v1/models/m:predict", []byte(`{"instances":[]}`)); code != 200 ||
		string(text) != "{\"predictions\":[]}\n" {
		t.Errorf("%d %s", code, text)
	}
	code, _, text := r.post(t, "/v2/models/m/infer",
		[]byte(`{"inputs":[{"name":"inputs","shape":[0,2],"datatype":"FP64","data":[]}],"outputs":[{"name":"mean"}]}`))
	if code != 200 || !bytes.Contains(text, []byte(`{"name":"mean","datatype":"FP64","shape":[0,2],"data":[]}`)) {
		t.Errorf("%d %s", code, text)
	}
	answer, err := r.dial(t).ModelInfer(t.Context(), &inference.ModelInferRequest{ModelName: "m",
		Inputs: []*inference.ModelInferRequest_InferInputTensor{
			{Name: "inputs", Datatype: "FP32", Shape: []int64{0, 2}}},
		RawInputContents: [][]byte{{}}})
	if err != nil || !slices.Equal(answer.Outputs[0].Shape, []int64{0, 2}) ||
		len(answer.RawOutputContents) != len(answer.Outputs) {
		t.Errorf("gRPC: %v, %v", answer, err)
	}
}

// Numbers of all types give the same prediction, in JSON, raw and in the fields of gRPC.
func TestTypes(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	client := r.dial(t)
	ask := func(d Datatype, data string) string {
		t.Helper()
		code, header, text := r.post(t, "/v2/models/m/infer", fmt.Appendf(nil, `{"inputs":[{"name":"inputs",`+
			`"shape":[1,2],"datatype":%q,"data":%s}],`+
			`"outputs":[{"name":"mean","parameters":{"binary_data":true}}]}`, d, data))
		if code != 200 {
			t.Fatalf("%s: %d %s", d, code, text)
		}
		size := must.Get(strconv.Atoi(header.Get(jsonSizeHeader)))(t)
		return string(text[size:])
	}
	signed := &inference.InferTensorContents{IntContents: []int32{1, -1}}
	unsigned := &inference.InferTensorContents{UintContents: []uint32{1, 0}}
	for d, c := range map[Datatype]*inference.InferTensorContents{INT8: signed, INT16: signed, INT32: signed,
		UINT8: unsigned, UINT16: unsigned, UINT32: unsigned,
		INT64:  {Int64Contents: []int64{1, -1}},
		UINT64: {Uint64Contents: []uint64{1, 0}}, Bool: {BoolContents: []bool{true, false}},
		FP32: {Fp32Contents: []float32{1, -1}}} {
		second, data := byte(0), "[1,0]"
		if d.isSigned() {
			second, data = 0xff, "[1,-1]" // of −1 all bits are 1
		}
		raw := append(append([]byte{1}, make([]byte, d.size()-1)...), bytes.Repeat([]byte{second}, d.size())...)
		switch d {
		case FP32:
			data, raw = "[1,-1]", []byte{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf}
		case Bool:
			data = "[true,false]"
		}
		want := ask(FP64, strings.NewReplacer("true", "1", "false", "0").Replace(data))
		if got := ask(d, data); got != want {
			t.Errorf("%s in JSON: %x, expected %x", d, got, want)
		}
		in := &inference.ModelInferRequest_InferInputTensor{Name: "inputs", Datatype: string(d), Shape: []int64{1, 2}}
		mean := []*inference.ModelInferRequest_InferRequestedOutputTensor{{Name: "mean"}}
		q := &inference.ModelInferRequest{ModelName: "m", Outputs: mean,
			Inputs: []*inference.ModelInferRequest_InferInputTensor{in}, RawInputContents: [][]byte{raw}}
		for _, way := range []string{"raw", "in its field"} {
			answer, err := client.ModelInfer(t.Context(), q)
			if err != nil || string(answer.RawOutputContents[0]) != want {
				t.Errorf("%s %s: %v, %v", d, way, answer, err)
			}
			q.RawInputContents = nil
			in.Contents = c
		}
	}
}
