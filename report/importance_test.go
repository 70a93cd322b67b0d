package report

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/train"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// trainedOn trains a short run on a table.
func trainedOn(t *testing.T, dev device.Device, path string, further ...options.Setting) (
	options.Config, *data.Dataset, *train.Outcome) {
	t.Helper()
	c, err := options.Resolve(nil, append(further, options.Setting{Key: "data", Text: path},
		options.Setting{Key: "steps", Text: "300"}, options.Setting{Key: "batch", Text: "64"}))
	must.OK(t, err)
	c, rows, test, _, err := c.Load(nil, data.ReadControl{Context: context.Background()})
	must.OK(t, err)
	job := &train.Job{Config: c, Device: dev, Train: rows, Test: test}
	return c, test, must.Get(job.Run(context.Background()))(t)
}

// The target depends on the inputs strong and weak. The input useless is noise.
func TestPermutationImportance(t *testing.T) {
	var table strings.Builder
	table.WriteString("strong,weak,useless,y\n")
	z := make([]float64, 4*240)
	for i := range z {
		z[i] = philox.Normal([2]uint32{5, 0}, 0, 0, 0, i)
	}
	for i := 0; i < len(z); i += 4 {
		fmt.Fprintf(&table, "%g,%g,%g,%g\n", z[i], z[i+1], z[i+2], 2*z[i]+0.5*z[i+1]+0.1*z[i+3])
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	must.OK(t, os.WriteFile(path, []byte(table.String()), 0o666))
	dev := must.Get(device.Open("cpu:f64"))(t)
	defer dev.Close()
	c, test, out := trainedOn(t, dev, path, options.Setting{Key: "model", Text: "gp"},
		options.Setting{Key: "inducing", Text: "20"})
	got := must.Get(permutationImportance(context.Background(), out.Trained, c, out.Steps, dev, test))(t)
	if got.Rows != test.N() || len(got.Inputs) != 3 || got.Inputs[0].Name != "strong" || got.Inputs[1].Name != "weak" {
		t.Fatalf("%+v", got)
	}
	if strong, useless := got.Inputs[0], got.Inputs[2]; strong.Drop < 10*math.Abs(useless.Drop) ||
		strong.Drop < 3*strong.SE {
		t.Errorf("%+v", got.Inputs)
	}

	// This computes the definition, row by row: the score of a table in which one column is shuffled.
	from := make([]int, test.N())
	philox.Permutation(from, [2]uint32{uint32(out.Trained.Seed), 0}, permutationSite, 0, 0)
	score := func(column int) float64 {
		var text strings.Builder
		text.WriteString("strong,weak,useless,y\n")
		for i := range test.N() {
			cells := append([]float64(nil), test.Row(i)...)
			if column >= 0 {
				cells[column] = test.Row(from[i])[column]
			}
			fmt.Fprintf(&text, "%v,%v,%v,%v\n", cells[0], cells[1], cells[2], test.Y[i])
		}
		name := filepath.Join(t.TempDir(), "shuffled.csv")
		must.OK(t, os.WriteFile(name, []byte(text.String()), 0o666))
		ds, _, err := data.ReadFile(name, data.ReadOptions{Schema: &out.Trained.Schema})
		must.OK(t, err)
		scores := must.Get(out.Trained.Evaluate(context.Background(), dev, ds,
			fitted.EvaluateOptions{Samples: got.Samples}))(t)
		return -scores.Regression.NLPD
	}
	for _, in := range got.Inputs {
		column := map[string]int{"strong": 0, "weak": 1, "useless": 2}[in.Name]
		if want := score(-1) - score(column); math.Abs(in.Drop-want) > 1e-9*math.Max(1, math.Abs(want)) {
			t.Errorf("%s: %g, by its definition %g", in.Name, in.Drop, want)
		}
	}

	// Inputs that are shuffled one at a time, for lack of memory, have the same importance.
	defer func(cells int) { maxCells = cells }(maxCells)
	maxCells = 1
	alone, err := permutationImportance(context.Background(), out.Trained, c, out.Steps, dev, test)
	if err != nil || !reflect.DeepEqual(alone, got) {
		t.Errorf("one at a time: %+v, %v, together: %+v", alone, err, got)
	}
}

// An important input is found among many, wherever it is, also if inputs share a length-scale.
func TestPermutationImportanceOfManyInputs(t *testing.T) {
	const width = 70
	cell := func(i, d int) float64 { return philox.Normal([2]uint32{6, 0}, 0, 0, uint32(i), d) }
	var table strings.Builder
	for d := range width {
		fmt.Fprintf(&table, "c%d,", d+1)
	}
	table.WriteString("y\n")
	for i := range 200 {
		for d := range width {
			fmt.Fprintf(&table, "%g,", cell(i, d))
		}
		fmt.Fprintf(&table, "%g\n", 3*cell(i, width-1))
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	must.OK(t, os.WriteFile(path, []byte(table.String()), 0o666))
	dev := must.Get(device.Open("cpu:f64"))(t)
	defer dev.Close()
	for _, model := range []string{"drf", "gp"} {
		t.Run(model, func(t *testing.T) {
			c, test, out := trainedOn(t, dev, path, options.Setting{Key: "model", Text: model})
			got := must.Get(permutationImportance(context.Background(), out.Trained, c, out.Steps, dev, test))(t)
			if first := got.Inputs[0]; first.Name != "c70" || first.Drop < 10*got.Inputs[1].Drop ||
				got.Left != width-len(got.Inputs) || len(got.Inputs) > maxInputs || len(got.Inputs) < maxInputs/2 {
				t.Errorf("%s: %+v", model, got)
			}
			lengths := lengthScales(out.Trained)
			if (lengths == nil) != (model == "gp") || lengths != nil && slices.Min(lengths) != lengths[width-1] {
				t.Errorf("%s: length-scales %v", model, lengths)
			}
		})
	}
}
