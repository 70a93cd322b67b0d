package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"
)

// Counts are the same as of predict, with the offset of a row. Their quantiles and draws are whole numbers, and
// samples are rates.
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
