package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// conformal starts a server with a model of a kind that has intervals of level 0.9. want is the output of predict for a
// row at this level, and at 0.6.
func conformal(t *testing.T, kind, row string) (r *running, want []map[string]any) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	trained := writeModel(t, path, kind, 1)
	held := rowsOfKind(t, kind, tableText(kind, 30, 3), &trained.Schema)
	must.OK(t, trained.FitConformal(t.Context(), open(t), held, 0.9))
	var file bytes.Buffer
	must.OK(t, trained.WriteModel(&file))
	replace(t, path, file.Bytes())
	other := must.Get(trained.WithLevel(0.6))(t)
	for _, model := range []*fitted.Model{trained, other} {
		want = append(want, lines(t, model, rowsOfKind(t, kind, row, &trained.Schema))...)
	}
	return start(t, testConfig(), Source{"m", path}), want
}

// Intervals are the same as of predict, at the model's level or at that of a request.
func TestIntervals(t *testing.T) {
	r, want := conformal(t, numbers, "a,b\n0.5,31\n")
	ask := func(name, parameters string) (int, []float64, string) {
		code, _, text := r.post(t, "/v2/models/m/infer", fmt.Appendf(nil, `{"inputs": [{"name": "inputs",
			"shape": [1, 2], "datatype": "FP64", "data": [0.5, 31]}],
			"outputs": [{"name": %q, "parameters": %s}]}`, name, parameters))
		var answer struct {
			Outputs []struct{ Data []float64 }
		}
		if json.Unmarshal(text, &answer); len(answer.Outputs) == 0 {
			return code, nil, string(text)
		}
		return code, answer.Outputs[0].Data, ""
	}
	for k, parameters := range []string{`{}`, `{"levels": "0.6"}`} {
		var expected []float64
		for _, name := range []string{"y_lower", "y_upper", "z_lower", "z_upper"} {
			expected = append(expected, want[k][name].(float64))
		}
		if _, got, text := ask("interval", parameters); !slices.Equal(got, expected) {
			t.Errorf("%s: %v %s, expected %v", parameters, got, text, expected)
		}
	}
	for parameters, said := range map[string]string{`{"levels": "0.6,0.7"}`: "interval has one level",
		`{"levels": "0.99"}`: "needs at least 99 rows",
		`{"levels": "1"}`:    "is not between 0 and 1", `{"levels": ""}`: "is not between 0 and 1",
		`{"level": "0.6"}`: `output \"interval\" has no parameter \"level\": it has [\"levels\"`,
		`{"levels": 0.6}`:  "found number in place of a text"} {
		if code, _, text := ask("interval", parameters); code != 400 || !strings.Contains(text, said) {
			t.Errorf("%s: %d %s, expected %q", parameters, code, text, said)
		}
	}
	if _, _, text := ask("set", `{}`); !strings.Contains(text, "there is no output") {
		t.Errorf("sets of numbers: %s", text)
	}
}

// Sets are the same as of predict: words in the rows of /v1, and 1 for each class inside in /v2.
func TestSets(t *testing.T) {
	const gene = "ACGTACGTTTACGATTACA"
	r, want := conformal(t, sequences, ">g1\n"+gene+"\n")
	set := want[0]["set"].(string)
	if set == "" {
		t.Fatal("an empty set")
	}
	_, _, text := r.post(t, "/v1/models/m:predict", []byte(`{"instances": ["`+gene+`"]}`))
	if !bytes.Contains(text, []byte(`"set":"`+set+`"`)) {
		t.Errorf("%s lacks the set %s", text, set)
	}
	_, _, text = r.post(t, "/v2/models/m/infer", []byte(`{"inputs": [{"name": "sequence", "shape": [1],
		"datatype": "BYTES", "data": ["`+gene+`"]}], "outputs": [{"name": "set"}]}`))
	inside := map[string]string{"no": "[1,0]", "yes": "[0,1]", "no|yes": "[1,1]"}[set]
	if !bytes.Contains(text, []byte(`"data":`+inside)) {
		t.Errorf("%s lacks %s, the set %s", text, inside, set)
	}
}

// The set of a row takes time by the number of classes, and not by its square.
func TestSetOfManyClasses(t *testing.T) {
	const n = 100_000
	trained := &fitted.Model{Schema: data.Schema{Task: data.Classification},
		Conformal: &fitted.Conformal{Level: 0.9, Scores: [][]float64{slices.Repeat([]float64{0.5}, 20)}}}
	part := &model.Prediction{S: 1, N: 1, C: n}
	for k := range n {
		trained.Schema.Classes = append(trained.Schema.Classes, fmt.Sprintf("class %06d", k))
		part.H = append(part.H, float64(-50*(k%2))) // every other one is as good as impossible
	}
	p := &prediction{trained: trained, pass: part}
	began := time.Now()
	set, err := p.output(t.Context(), resolvedOutput{TensorSpec: TensorSpec{setName, FP64, []int64{-1, n}}})
	if err != nil || len(set.Numbers) != n {
		t.Fatalf("%d numbers, %v", len(set.Numbers), err)
	}
	for k, inside := range set.Numbers {
		if inside != float64(1-k%2) {
			t.Fatalf("class %d: %g", k, inside)
		}
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Counts are the same as of predict, with the offset of a row. Their quantiles and draws are whole numbers, and samples
// are rates.
func TestCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	trained := writeModel(t, path, counts, 1)
	want := lines(t, trained, rowsOfKind(t, counts, "a,log_hours\n0.5,0.7\n0.5,1.7\n", &trained.Schema))
	r := start(t, testConfig(), Source{"m", path})
	_, _, text := r.post(t, "/v1/models/m:predict",
		[]byte(`{"instances": [{"a": 0.5, "log_hours": 0.7}, {"a": 0.5, "log_hours": 1.7}]}`))
	var rows struct{ Predictions []map[string]any }
	if err := json.Unmarshal(text, &rows); err != nil || len(rows.Predictions) != 2 {
		t.Fatalf("%s: %v", text, err)
	}
	for i, row := range rows.Predictions {
		for _, name := range []string{"mean", "sd", "q05", "q50", "q95"} {
			if row[name] != want[i][name] {
				t.Errorf("row %d: %s %v, of predict %v", i, name, row[name], want[i][name])
			}
		}
	}
	if ratio := want[1]["mean"].(float64) / want[0]["mean"].(float64); math.Abs(ratio-math.E) > 1e-9 {
		t.Errorf("one more in the offset makes the mean %g times as large", ratio)
	}
	for name, whole := range map[string]bool{"quantiles": true, "draws": true, "samples": false} {
		_, _, text := r.post(t, "/v2/models/m/infer", fmt.Appendf(nil, `{"inputs": [{"name": "inputs", "shape": [1, 2],
			"datatype": "FP64", "data": [0.5, 0.7]}], "outputs": [{"name": %q}]}`, name))
		var answer struct {
			Outputs []struct{ Data []float64 }
		}
		if err := json.Unmarshal(text, &answer); err != nil || len(answer.Outputs) != 1 {
			t.Fatalf("%s: %s", name, text)
		}
		for _, v := range answer.Outputs[0].Data {
			if v < 0 || whole != (v == math.Floor(v)) {
				t.Errorf("%s: %v", name, answer.Outputs[0].Data)
				break
			}
		}
	}
}

// drawing asks a server for draws and quantiles of some rows.
type drawing struct {
	*running
	rows    *data.Dataset
	targets int
}

func newDrawing(t *testing.T) *drawing {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	trained := writeModel(t, path, numbers, 1)
	rows := rowsOfKind(t, numbers, tableText(numbers, 12, 2), &trained.Schema)
	return &drawing{start(t, testConfig(), Source{"m", path}), rows, len(trained.Schema.Outputs())}
}

// output asks over HTTP for one output of the rows from lo to hi.
func (d *drawing) output(lo, hi int, name, parameters string) ([]float64, error) {
	var x []float64
	for i := lo; i < hi; i++ {
		x = append(x, d.rows.Row(i)...)
	}
	inputs, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"inputs": [{"name": "inputs", "shape": [%d, 2], "datatype": "FP64", "data": %s}],
		"outputs": [{"name": %q, "parameters": %s}]}`, hi-lo, inputs, name, parameters)
	status, _, text, err := d.try("/v2/models/m/infer", []byte(body))
	if err != nil || status != 200 {
		return nil, fmt.Errorf("status %d, %s, %v", status, text, err)
	}
	var answer struct {
		Outputs []struct{ Data []float64 }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	return answer.Outputs[0].Data, nil
}

// Quantiles have the levels that a request asks for.
func TestRequestedQuantiles(t *testing.T) {
	d := newDrawing(t)
	usual := must.Get(d.output(0, 12, "quantiles", `{}`))(t)
	asked := must.Get(d.output(0, 12, "quantiles", `{"levels": "0.95, 0.5"}`))(t)
	for k := range 12 * d.targets {
		if asked[2*k] != usual[5*k+4] || asked[2*k+1] != usual[5*k+2] {
			t.Fatalf("quantiles at 0.95 and 0.5 are %v, those of predict %v", asked[2*k:2*k+2], usual[5*k:5*k+5])
		}
	}
}

// A request gets its count of draws, whichever way and in how many parts it comes.
func TestRequestedDraws(t *testing.T) {
	d := newDrawing(t)
	const count = 4000
	draws := must.Get(d.output(0, 12, "draws", fmt.Sprintf(`{"count": %d, "seed": 7}`, count)))(t)
	mean, sd := must.Get(d.output(0, 12, "mean", `{}`))(t), must.Get(d.output(0, 12, "sd", `{}`))(t)
	for k := range mean {
		sum := 0.0
		for _, y := range draws[k*count : (k+1)*count] {
			sum += y
		}
		if e := math.Abs(sum/count-mean[k]) / sd[k] * math.Sqrt(count); e > 5 {
			t.Errorf("the mean of %d draws is %g, expected %g: %.1f standard errors", count, sum/count, mean[k], e)
		}
	}
	whole := must.Get(d.output(0, 12, "draws", `{"count": 3, "seed": 7}`))(t)
	if whole[1] != draws[1] {
		t.Errorf("the second of 3 draws is %g, and of %d draws %g", whole[1], count, draws[1])
	}
	parts := append(must.Get(d.output(0, 5, "draws", `{"count": 3, "seed": 7}`))(t),
		must.Get(d.output(5, 12, "draws", `{"count": 3, "seed": 7, "first_row": 5}`))(t)...)
	if !slices.Equal(whole, parts) {
		t.Error("draws depend on the parts that rows come in")
	}
	if slices.Equal(whole, must.Get(d.output(0, 12, "draws", `{"count": 3, "seed": 8}`))(t)) {
		t.Error("another seed gives the same draws")
	}

	parameter := func(v int64) *inference.InferParameter {
		return &inference.InferParameter{ParameterChoice: &inference.InferParameter_Int64Param{Int64Param: v}}
	}
	answer, err := d.dial(t).ModelInfer(t.Context(), &inference.ModelInferRequest{ModelName: "m",
		Inputs: []*inference.ModelInferRequest_InferInputTensor{{Name: "inputs", Datatype: "FP64", Shape: []int64{1, 2},
			Contents: &inference.InferTensorContents{Fp64Contents: d.rows.Row(5)}}},
		Outputs: []*inference.ModelInferRequest_InferRequestedOutputTensor{{Name: "draws",
			Parameters: map[string]*inference.InferParameter{
				"count": parameter(3), "seed": parameter(7), "first_row": parameter(5)}}}})
	must.OK(t, err)
	got := &Tensor{Name: "draws", Type: FP64}
	must.OK(t, got.fillRaw(answer.RawOutputContents[0], 3*d.targets))
	must.Equal(t, got.Numbers, whole[5*3*d.targets:6*3*d.targets])
}

// Parameters of draws and quantiles that no request may have are refused by name.
func TestRefusedDrawsAndQuantiles(t *testing.T) {
	for name, want := range map[string]string{"levels": "has no parameter", "count": "in place of a whole number"} {
		text := &inference.InferParameter{ParameterChoice: &inference.InferParameter_StringParam{StringParam: "0.5"}}
		q := &inference.ModelInferRequest{Outputs: []*inference.ModelInferRequest_InferRequestedOutputTensor{
			{Name: "draws", Parameters: map[string]*inference.InferParameter{name: text}}}}
		request := must.Get(requestOf(q, 9))(t)
		_, err := request.Outputs[0].resolve(TensorSpec{"draws", FP64, []int64{-1, 1, -1}})
		must.Contain(t, fmt.Sprint(err), want)
	}
	d := newDrawing(t)
	for _, c := range []struct{ output, parameters, want string }{
		{"quantiles", `{"levels": "0.5,1"}`, "levels: \\\"1\\\" is not between 0 and 1"},
		{"quantiles", `{"levels": "x"}`, "levels: \\\"x\\\""},
		{"quantiles", `{"levels": "0.5,"}`, "levels"},
		{"quantiles", `{"levels": "` + strings.Repeat(".5,", 1<<16) + `.5"}`,
			"levels: 65537 are given, and 65536 are the most"},
		{"draws", `{"count": -1}`, "count: -1 must be from 1 to 65536"},
		{"draws", `{"count": 65537}`, "count"},
		{"draws", `{"count": 0}`, "count: 0 must be"},
		{"draws", `{"first_row": -1}`, "first_row: -1 must be from 0 to 2147483647"},
		{"draws", `{"levels": "0.5"}`, "has no parameter"},
		{"draws", `{"seed": -1}`, "found number -1 in place of a whole number from 0 on"},
		{"draws", `{"seed": 18446744073709551616}`, "in place of a whole number"},
		{"draws", `{"seed": 1.5}`, "in place of a whole number"},
	} {
		if _, err := d.output(0, 1, c.output, c.parameters); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%.40s: %v, expected %s", c.parameters, err, c.want)
		}
	}
}

// A parameter over gRPC is taken or refused, whatever its type: it is never without effect.
func TestParametersOfAnyType(t *testing.T) {
	ask := func(output, name string, p *inference.InferParameter) (resolvedOutput, error) {
		q, err := requestOf(&inference.ModelInferRequest{
			Outputs: []*inference.ModelInferRequest_InferRequestedOutputTensor{
				{Name: output, Parameters: map[string]*inference.InferParameter{name: p}}}}, 9)
		if err != nil {
			return resolvedOutput{}, err
		}
		return q.Outputs[0].resolve(TensorSpec{output, FP64, []int64{-1, 1, -1}})
	}
	seven := &inference.InferParameter{ParameterChoice: &inference.InferParameter_Uint64Param{Uint64Param: 7}}
	if w, err := ask("draws", "seed", seven); err != nil || w.seed != 7 {
		t.Errorf("a seed: %+v, %v", w, err)
	}
	half := &inference.InferParameter{ParameterChoice: &inference.InferParameter_DoubleParam{DoubleParam: 0.5}}
	nan := &inference.InferParameter{ParameterChoice: &inference.InferParameter_DoubleParam{DoubleParam: math.NaN()}}
	for _, p := range []*inference.InferParameter{half, nan, {}} {
		var own *Error
		if w, err := ask("interval", "levels", p); !asError(err, &own) || own.kind != bad {
			t.Errorf("%v as a level: %+v, %v", p, w, err)
		}
	}
}

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
		must.OK(t, err)
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
