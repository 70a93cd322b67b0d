package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// conformal starts a server with a model of a kind that has intervals of level 0.9. want is the output of predict for
// a row at this level, and at 0.6.
func conformal(t *testing.T, kind, row string) (r *running, want []map[string]any) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	trained := writeModel(t, path, kind, 1)
	held := rowsOfKind(t, kind, tableText(kind, 30, 3), &trained.Schema)
	must.OK(t, trained.Conform(t.Context(), open(t), held, 0.9))
	var file bytes.Buffer
	must.OK(t, trained.WriteModel(&file))
	replace(t, path, file.Bytes())
	other := must.Get(trained.AtLevel(0.6))(t)
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
	set, err := p.output(t.Context(), wantedOutput{TensorSpec: TensorSpec{setName, FP64, []int64{-1, n}}})
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
