package serve

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// Parts of two bytes would take a hundred times their memory.
func TestManyParts(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	tensor := &inference.ModelInferRequest_InferInputTensor{}
	many := make([]*inference.ModelInferRequest_InferInputTensor, maxTexts/inference.TensorTexts+1)
	for i := range many {
		many[i] = tensor
	}
	for what, q := range map[string]*inference.ModelInferRequest{
		"tensors":      {ModelName: "m", Inputs: many},
		"raw contents": {ModelName: "m", RawInputContents: make([][]byte, maxTexts+1)},
		"texts": {ModelName: "m", Inputs: []*inference.ModelInferRequest_InferInputTensor{{
			Contents: &inference.InferTensorContents{BytesContents: make([][]byte, maxTexts+1)}}}},
	} {
		_, err := r.dial(t).ModelInfer(t.Context(), q)
		if err == nil || !strings.Contains(err.Error(), errTooManyParts.msg) {
			t.Errorf("%s: %v", what, err)
		}
	}
	q := smallCall()
	q.Parameters = map[string]*inference.InferParameter{"filler": {ParameterChoice: &inference.
		InferParameter_StringParam{StringParam: strings.Repeat("x", maxTexts)}}}
	if _, err := r.dial(t).ModelInfer(t.Context(), q); err != nil {
		t.Errorf("a large message of few parts: %v", err)
	}
}

// A shape whose product exceeds an int64 has too many elements, whatever a request may hold.
func TestShapes(t *testing.T) {
	for _, test := range []struct {
		shape []int64
		want  int // −1: an error
	}{
		{[]int64{2, 3}, 6}, {[]int64{0, math.MaxInt32}, 0}, {[]int64{}, -1}, {[]int64{1, 1, 1, 1, 1}, -1},
		{[]int64{1 << 31, 1}, -1}, {[]int64{-1}, -1}, {[]int64{math.MinInt64}, -1},
		{[]int64{1 << 30, 1 << 30, 1 << 30, 1 << 30}, -1}, {[]int64{math.MaxInt32, math.MaxInt32, 3, 1}, -1},
		{[]int64{math.MaxInt32, math.MaxInt32, 0, 1}, 0},
	} {
		n, err := (&Tensor{Type: FP64, Shape: test.shape}).elements(math.MaxInt64 / 2)
		if err != nil {
			n = -1
		}
		if n != test.want {
			t.Errorf("%v: %d elements, %v", test.shape, n, err)
		}
	}
}

// Numbers that no row has are the client's error, in each form of a tensor.
func TestNumbersThatAreNone(t *testing.T) {
	r := serveKind(t, numbers, testConfig())
	for _, word := range []string{"NaN", "Infinity", "-Infinity", "1e999", "nan", `"1"`, "true", "0x10", "-", "1e"} {
		body := `{"inputs":[{"name":"inputs","shape":[1,2],"datatype":"FP64","data":[1,` + word + `]}]}`
		if code, _, answer := r.post(t, "/v2/models/m/infer", []byte(body)); code != 400 {
			t.Errorf("%s as FP64: %d %s", word, code, answer)
		}
		if word == `"1"` {
			continue // a cell of a row may be text
		}
		if code, _, answer := r.post(t, "/v1/models/m:predict", []byte(`{"instances":[[1,`+word+`]]}`)); code != 400 {
			t.Errorf("%s in a row: %d %s", word, code, answer)
		}
	}
	for _, v := range []float64{math.Inf(1), math.Inf(-1), 1e200} {
		for name, raw := range map[string][]byte{
			"FP64": binary.LittleEndian.AppendUint64(make([]byte, 8), math.Float64bits(v)),
			"FP32": binary.LittleEndian.AppendUint32(make([]byte, 4), math.Float32bits(float32(v))),
		} {
			head := fmt.Sprintf(`{"inputs":[{"name":"inputs","shape":[1,2],"datatype":%q,`+
				`"parameters":{"binary_data_size":%d}}]}`, name, len(raw))
			code, _, answer := r.post(t, "/v2/models/m/infer", append([]byte(head), raw...),
				jsonSizeHeader, fmt.Sprint(len(head)))
			if code != 400 || !bytes.Contains(answer, []byte("row 1")) {
				t.Errorf("%v as raw %s: %d %s", v, name, code, answer)
			}
			_, err := r.dial(t).ModelInfer(t.Context(), &inference.ModelInferRequest{ModelName: "m",
				Inputs: []*inference.ModelInferRequest_InferInputTensor{{Name: "inputs", Datatype: name,
					Shape: []int64{1, 2}}}, RawInputContents: [][]byte{raw}})
			if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "row 1") {
				t.Errorf("%v as raw %s over gRPC: %v", v, name, err)
			}
		}
	}
}

// What is there twice, has another type or is no text is refused, and JSON never changes a byte in silence.
func TestTwiceAndDamaged(t *testing.T) {
	r := serveKind(t, words, testConfig())
	tensor := `{"name":"inputs","shape":[1,2],"datatype":"FP64","data":[1,2]}`
	colour := `{"name":"colour","shape":[1],"datatype":"BYTES","data":["red"]}`
	for body, says := range map[string]string{
		`{"inputs":[` + tensor + `,` + tensor + `,` + colour + `]}`: `input \"inputs\" is given twice`,
		`{"inputs":[` + tensor + `,` + colour +
			`],"outputs":[{"name":"label"},{"name":"label"}]}`: `output \"label\" is asked for twice`,
		`{"inputs":[` + tensor + `,` + strings.Replace(colour, "red", "r\xffd", 1) + `]}`:  "not UTF-8",
		`{"inputs":[` + tensor + `,` + strings.Replace(colour, "red", `\ud800`, 1) + `]}`:  "half of a character",
		`{"inputs":[` + tensor + `,` + strings.Replace(colour, "red", `\u0000`, 1) + `]}`:  "row 1: found a byte 0x00",
		`{"inputs":[` + tensor + `,` + strings.Replace(colour, `"red"`, "1", 1) + `]}`:     "BYTES are strings",
		`{"inputs":[` + tensor + `,` + strings.Replace(colour, "BYTES", "FP32", 1) + `]}`:  "element 1 is",
		`{"inputs":[` + tensor + `,` + strings.Replace(colour, "BYTES", "bytes", 1) + `]}`: "give FP32, FP64",
		`{"inputs":[` + tensor + `,` + colour + `],"inputs":[]}`:                           "a key is given twice",
		`{"inputs":[` + strings.Replace(tensor, "[1,2]}", `[1,2],"data":[3,4]}`, 1) + `]}`: "a key is given twice",
		`{"inputs":{"name":"inputs"}}`: "in place of a list",
		`{"inputs":[1]}`:               "not JSON of the protocol",
		`{"inputs":[` + strings.TrimSuffix(strings.Repeat("{},", 10), ",") + `]}`: "give FP32, FP64",
	} {
		if code, _, answer := r.post(t, "/v2/models/m/infer", []byte(body)); code != 400 ||
			!bytes.Contains(answer, []byte(says)) {
			t.Errorf("%s: %d %s", body, code, answer)
		}
	}
	for body, says := range map[string]string{
		"{\"instances\":[[1,\"r\xffd\",2]]}":                    "not UTF-8",
		`{"instances":[[1,"r\ud83d",2]]}`:                       `found \\ud83d, half of a character`,
		`{"instances":[[1,"r\u0000d",2]]}`:                      "found a byte 0x00",
		`{"instances":[[1,"red",2,3]]}`:                         "more cells than the 3 columns",
		`{"instances":{"a":1}}`:                                 "in place of a list",
		`{"instances":null}`:                                    "has no rows",
		`{"instances":[[1,"red",2]],"instances":[[3,"red",4]]}`: `a key is given twice, the second time with \"[[3`,
	} {
		if code, _, answer := r.post(t, "/v1/models/m:predict", []byte(body)); code != 400 ||
			!bytes.Contains(answer, []byte(says)) {
			t.Errorf("%q: %d %s", body, code, answer)
		}
	}
}

// Lists of elements that take one or two bytes each end where they exceed what a request may hold: they would take a
// hundred times as much memory.
func TestManyEmptyElements(t *testing.T) {
	many := func(element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", maxTensors+1), ",") + "]"
	}
	for _, body := range []string{`{"outputs":` + many("{}") + `}`, `{"outputs":` + many("null") + `}`,
		`{"inputs":[{"datatype":"FP64","shape":` + many("0") + `}]}`} {
		var own *Error
		if _, err := parseRequest([]byte(body), len(body), 1000); !asError(err, &own) || own.kind != tooLarge {
			t.Errorf("%.40s: %v", body, err)
		}
	}
	for body, kind := range map[string]errorKind{
		`{"instances":` + many(`[1,"red",2]`) + `}`: tooLarge, `{"instances":[` + many("0") + `]}`: bad,
	} {
		var own *Error
		g, err := parseRows(fuzzed(), []byte(body), 1000)
		if !asError(err, &own) || own.kind != kind || g.N > 1000 {
			t.Errorf("%.40s: %v, %d rows", body, err, g.N)
		}
	}
}

func asError(err error, own **Error) (ok bool) {
	*own, ok = err.(*Error)
	return ok
}

// fuzzed describes rows of all kinds.
func fuzzed() data.Schema {
	return data.Schema{Columns: []string{"a", "colour=red", "colour=blue", "b", "b=missing"},
		Target: "y", TargetAt: 3, Task: data.Regression,
		OneHot:  []data.OneHot{{Column: "colour", At: 1, Values: []string{"red", "blue"}}},
		Missing: data.MissingImpute, Fills: []data.Imputation{{Column: "a", At: 0}, {Column: "b", At: 2, Flag: true}}}
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
		must.OK(f, err)
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
