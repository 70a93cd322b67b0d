package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/serve/inference"
)

// Draws and quantiles are those that a request asks for, whichever way and in how many parts it
// comes.
func TestRequestedDrawsAndQuantiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	trained := writeModel(t, path, numbers, 1)
	r := start(t, testConfig(), Source{"m", path})
	client := r.dial(t)
	rows := rowsOfKind(t, numbers, tableText(numbers, 12, 2), &trained.Schema)
	targets := len(trained.Schema.Outputs())

	// web asks over HTTP for one output of the rows from lo to hi.
	web := func(lo, hi int, name, parameters string) ([]float64, error) {
		var x []float64
		for i := lo; i < hi; i++ {
			x = append(x, rows.Row(i)...)
		}
		data := must.Get(json.Marshal(x))(t)
		body := fmt.Sprintf(`{"inputs": [{"name": "inputs", "shape": [%d, 2], "datatype": "FP64", "data": %s}],
			"outputs": [{"name": %q, "parameters": %s}]}`, hi-lo, data, name, parameters)
		status, _, text, err := r.try("/v2/models/m/infer", []byte(body))
		if err != nil || status != 200 {
			return nil, fmt.Errorf("status %d, %s, %v", status, text, err)
		}
		var answer struct {
			Outputs []struct {
				Shape []int
				Data  []float64
			}
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return nil, err
		}
		return answer.Outputs[0].Data, nil
	}
	must := func(values []float64, err error) []float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return values
	}

	usual := must(web(0, 12, "quantiles", `{}`))
	asked := must(web(0, 12, "quantiles", `{"levels": "0.95, 0.5"}`))
	for k := range 12 * targets {
		if asked[2*k] != usual[5*k+4] || asked[2*k+1] != usual[5*k+2] {
			t.Fatalf("quantiles at 0.95 and 0.5 are %v, those of predict %v", asked[2*k:2*k+2], usual[5*k:5*k+5])
		}
	}

	const count = 4000
	draws := must(web(0, 12, "draws", fmt.Sprintf(`{"count": %d, "seed": 7}`, count)))
	mean, sd := must(web(0, 12, "mean", `{}`)), must(web(0, 12, "sd", `{}`))
	for k := range mean {
		sum := 0.0
		for _, y := range draws[k*count : (k+1)*count] {
			sum += y
		}
		if e := math.Abs(sum/count-mean[k]) / sd[k] * math.Sqrt(count); e > 5 {
			t.Errorf("the mean of %d draws is %g, expected %g: %.1f standard errors", count, sum/count, mean[k], e)
		}
	}
	whole := must(web(0, 12, "draws", `{"count": 3, "seed": 7}`))
	parts := append(must(web(0, 5, "draws", `{"count": 3, "seed": 7}`)),
		must(web(5, 12, "draws", `{"count": 3, "seed": 7, "first_row": 5}`))...)
	if !slices.Equal(whole, parts) || whole[1] != draws[1] {
		t.Error("draws depend on the parts that rows come in")
	}
	if slices.Equal(whole, must(web(0, 12, "draws", `{"count": 3, "seed": 8}`))) {
		t.Error("another seed gives the same draws")
	}

	parameter := func(v int64) *inference.InferParameter {
		return &inference.InferParameter{ParameterChoice: &inference.InferParameter_Int64Param{Int64Param: v}}
	}
	answer, err := client.ModelInfer(t.Context(), &inference.ModelInferRequest{ModelName: "m",
		Inputs: []*inference.ModelInferRequest_InferInputTensor{{Name: "inputs", Datatype: "FP64", Shape: []int64{1, 2},
			Contents: &inference.InferTensorContents{Fp64Contents: rows.Row(5)}}},
		Outputs: []*inference.ModelInferRequest_InferRequestedOutputTensor{{Name: "draws",
			Parameters: map[string]*inference.InferParameter{
				"count": parameter(3), "seed": parameter(7), "first_row": parameter(5)}}}})
	if err != nil {
		t.Fatal(err)
	}
	got := &Tensor{Name: "draws", Type: FP64}
	err = got.fillRaw(answer.RawOutputContents[0], 3*targets)
	if err != nil || !slices.Equal(got.Numbers, whole[5*3*targets:6*3*targets]) {
		t.Errorf("gRPC draws %v, HTTP %v, %v", got.Numbers, whole[5*3*targets:6*3*targets], err)
	}

	for name, want := range map[string]string{"levels": "has no parameter", "count": "in place of a whole number"} {
		text := &inference.InferParameter{ParameterChoice: &inference.InferParameter_StringParam{StringParam: "0.5"}}
		q := &inference.ModelInferRequest{Outputs: []*inference.ModelInferRequest_InferRequestedOutputTensor{
			{Name: "draws", Parameters: map[string]*inference.InferParameter{name: text}}}}
		request, err := requestOf(q, 9)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := request.Outputs[0].of(TensorSpec{"draws", FP64, []int64{-1, 1, -1}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("gRPC, a text as %s: %v", name, err)
		}
	}
	for parameters, want := range map[string]string{
		`{"levels": "0.5,1"}`: "levels: \\\"1\\\" is not between 0 and 1",
		`{"levels": "x"}`:     "levels: \\\"x\\\"", `{"levels": "0.5,"}`: "levels",
		`{"levels": "` + strings.Repeat(".5,", 1<<16) + `.5"}`: "levels: 65537 are given, and 65536 are the most",
	} {
		if _, err := web(0, 1, "quantiles", parameters); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", parameters, err)
		}
	}
	for parameters, want := range map[string]string{
		`{"count": -1}`: "count: -1 must be from 1 to 65536", `{"count": 65537}`: "count",
		`{"first_row": -1}`: "first_row: -1 must be from 0 to 2147483647", `{"count": 0}`: "count: 0 must be",
		`{"levels": "0.5"}`: "has no parameter", `{"seed": -1}`: "found number -1 in place of a whole number from 0 on",
		`{"seed": 18446744073709551616}`: "in place of a whole number", `{"seed": 1.5}`: "in place of a whole number",
	} {
		if _, err := web(0, 1, "draws", parameters); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", parameters, err)
		}
	}
}

// A parameter over gRPC is taken or refused, whatever its type: it is never without effect.
func TestParametersOfAnyType(t *testing.T) {
	ask := func(output, name string, p *inference.InferParameter) (wantedOutput, error) {
		q, err := requestOf(&inference.ModelInferRequest{
			Outputs: []*inference.ModelInferRequest_InferRequestedOutputTensor{
				{Name: output, Parameters: map[string]*inference.InferParameter{name: p}}}}, 9)
		if err != nil {
			return wantedOutput{}, err
		}
		return q.Outputs[0].of(TensorSpec{output, FP64, []int64{-1, 1, -1}})
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
