package onnx

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/onnxfile"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

const samples = 3

// golden returns a model of one of the kinds that the golden files have.
func golden(t *testing.T, kind string) *fitted.Model {
	t.Helper()
	trained, err := fitted.ReadModel(filepath.Join("..", "cmd", "gpdrf-gpu", "testdata", "golden", "0.2.0", kind,
		"model.safetensors"))
	must.OK(t, err)
	return trained
}

// export returns the graph of a model, and its file.
func export(t *testing.T, trained *fitted.Model, samples int) (f *File, text []byte, err error) {
	t.Helper()
	dev := must.Get(device.Open("cpu:f64"))(t)
	defer dev.Close()
	if f, err = New(trained, dev, samples); err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	must.OK(t, f.Write(&out, "1.2.3"))
	return f, out.Bytes(), nil
}

// The graph of each kind of model is whole, and has the inputs and outputs of docs/export.md. make test-onnx compares
// its numbers with the numbers of predict.
func TestGraph(t *testing.T) {
	table := func(name string, width int) tensor {
		return tensor{name, uint64(onnxfile.Double), []int{-1, width}}
	}
	words := func(name string) tensor { return tensor{name, uint64(onnxfile.String), []int{-1}} }
	numbers := func(d int) tensor { return table("inputs", d) }
	regression := func(targets int) []tensor { return []tensor{table("mean", targets), table("sd", targets)} }
	classes := func(c int) []tensor { return []tensor{words("label"), table("probabilities", c)} }
	for kind, want := range map[string]struct {
		inputs, outputs []tensor
		properties      map[string]string
		with, without   []string // operations
	}{
		"gp": {[]tensor{numbers(3)}, regression(1),
			map[string]string{"columns": `["area","age","rent"]`, "targets": `["price"]`},
			[]string{"Exp", "Sqrt"}, []string{"Cos", "Softmax"}},
		"drf": {[]tensor{numbers(2)}, regression(2),
			map[string]string{"columns": `["area","age"]`, "targets": `["price","rent"]`},
			[]string{"Cos", "Sin", "Log"}, []string{"Softmax"}},
		"gpdrf": {[]tensor{numbers(2)}, regression(1),
			map[string]string{"columns": `["area","age"]`, "targets": `["price"]`},
			[]string{"Exp", "Cos", "Sin"}, []string{"Log"}},
		"mixed": {[]tensor{numbers(1), words("district"), words("lift")}, regression(1),
			map[string]string{"columns": `["area"]`, "targets": `["price"]`},
			[]string{"Where", "Equal"}, nil},
		"classes": {[]tensor{numbers(2)}, classes(3),
			map[string]string{"columns": `["petal","sepal"]`, "classes": `["iris","rose","tulip"]`},
			[]string{"Softmax", "ArgMax"}, []string{"Sigmoid"}},
		"two": {[]tensor{numbers(2)}, classes(2),
			map[string]string{"columns": `["links","words"]`, "classes": `["ham","spam"]`},
			[]string{"Sigmoid", "ArgMax"}, []string{"Softmax"}},
		"ensemble": {[]tensor{numbers(3)}, regression(1),
			map[string]string{"columns": `["area","age","rent"]`, "targets": `["price"]`}, nil, nil},
	} {
		t.Run(kind, func(t *testing.T) {
			_, text, err := export(t, golden(t, kind), samples)
			must.OK(t, err)
			d := read(t, text)
			d.sound(t)
			if d.opset != onnxfile.Opset {
				t.Errorf("opset %d", d.opset)
			}
			if !reflect.DeepEqual(d.inputs, want.inputs) || !reflect.DeepEqual(d.outputs, want.outputs) {
				t.Errorf("inputs %v and outputs %v, expected %v and %v", d.inputs, d.outputs, want.inputs, want.outputs)
			}
			if !reflect.DeepEqual(d.properties, want.properties) {
				t.Errorf("properties %q, expected %q", d.properties, want.properties)
			}
			has := func(op string) bool {
				return slices.ContainsFunc(d.nodes, func(n node) bool { return n.op == op })
			}
			for _, op := range want.with {
				if !has(op) {
					t.Errorf("it has no %s", op)
				}
			}
			for _, op := range want.without {
				if has(op) {
					t.Errorf("it has a %s", op)
				}
			}
			if _, again, err := export(t, golden(t, kind), samples); err != nil || !bytes.Equal(again, text) {
				t.Errorf("once more, it is another file: %v", err)
			}
		})
	}
}

// The graph of a logarithm ends in exponentials with a largest mean and a least variance. That of a number does not.
func TestLogGraph(t *testing.T) {
	trained := golden(t, "drf")
	count := map[string]int{}
	for sign, scale := range map[int]scaling.TargetScale{
		1:  {Mean: 2, SD: 1, Log: true, OwnSD: 9, Max: 50},
		-1: {Mean: 2, SD: 1},
	} {
		trained.Targets[1] = scale
		for op, n := range nodesOf(t, trained) {
			count[op] += sign * n
		}
	}
	if count["Min"] != 3 || count["Max"] != 1 || count["Exp"] != 2 {
		t.Errorf("more by a logarithm: %v", count)
	}
}

// nodesOf counts the nodes of a model's graph, which is sound.
func nodesOf(t *testing.T, trained *fitted.Model) map[string]int {
	t.Helper()
	_, text, err := export(t, trained, samples)
	must.OK(t, err)
	d := read(t, text)
	count := map[string]int{}
	d.sound(t)
	for _, node := range d.nodes {
		count[node.op]++
	}
	return count
}

// The logits of a classifier with a temperature are divided by it.
func TestTemperatureGraph(t *testing.T) {
	trained := golden(t, "classes")
	count := map[string]int{}
	for sign, temperature := range map[int]float64{1: 0.5, -1: 0} {
		trained.Config.Temperature = temperature
		for op, n := range nodesOf(t, trained) {
			count[op] += sign * n
		}
	}
	if count["Mul"] != 1 {
		t.Errorf("more by a temperature: %v", count)
	}
}

// Draws are constants: with more of them the file is larger. A GP needs none.
func TestSamples(t *testing.T) {
	size := func(kind string, samples int) int {
		f, _, err := export(t, golden(t, kind), samples)
		must.OK(t, err)
		return f.graph.Size()
	}
	if few, many := size("drf", 3), size("drf", 30); many < 3*few {
		t.Errorf("%d bytes of constants with 3 samples, %d with 30", few, many)
	}
	if few, many := size("gp", 3), size("gp", 30); few != many {
		t.Errorf("a GP: %d bytes of constants with 3 samples, %d with 30", few, many)
	}
}

// A model whose rows are no columns has no graph, and the error gives the reason.
func TestNoGraph(t *testing.T) {
	for kind, why := range map[string]string{
		"sequences": "its rows are sequences or graphs",
		"projected": "its rows are sequences or graphs",
		"walks":     "its rows are sequences or graphs",
		"graphs":    "its rows are sequences or graphs",
		"gram":      "it was trained with gram",
	} {
		_, _, err := export(t, golden(t, kind), samples)
		if own := (*usererror.Error)(nil); !errors.As(err, &own) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, expected %q", kind, err, why)
		}
	}
}

// A column of words that is called like an output has another name, which no other column has.
func TestInputNames(t *testing.T) {
	columns := []string{"district", "mean", "label", "sd", "sd_"}
	for column, want := range map[string]string{"district": "district", "mean": "mean_", "label": "label_",
		"sd": "sd__", "sd_": "sd_"} {
		if got := inputName(column, columns); got != want {
			t.Errorf("%s: %s, expected %s", column, got, want)
		}
	}
}

// A row whose word is missing has no prediction, unless the model fills it in.
func TestMissingWordGraph(t *testing.T) {
	trained := golden(t, "mixed")
	count := 0
	for sign, missing := range map[int]string{1: "", -1: data.MissingImpute} {
		trained.Schema.Missing = missing
		count += sign * nodesOf(t, trained)["Where"]
	}
	if count != 2-1 { // two words in place of a number that is filled in
		t.Errorf("%d choices more without filling in", count)
	}
}

// The sd is the root of a variance that is never below 0: where rounding makes it so, it would be NaN.
func TestRootOfVariance(t *testing.T) {
	_, text, err := export(t, golden(t, "drf"), samples)
	must.OK(t, err)
	d := read(t, text)
	by := map[string]node{}
	for _, n := range d.nodes {
		by[n.output] = n
	}
	at := "sd"
	for _, step := range []struct {
		op    string
		input int
	}{{"Identity", 0}, {"Add", 0}, {"Mul", 1}, {"Sqrt", 0}, {"Max", 0}} {
		if by[at].op != step.op {
			t.Fatalf("%q is a %s, expected %s", at, by[at].op, step.op)
		}
		at = by[at].inputs[step.input]
	}
}
