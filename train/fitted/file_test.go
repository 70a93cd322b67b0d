package fitted

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
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
	"github.com/gpdrf/gpdrf-gpu/internal/safetensors"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// smallTrained returns a regression model that was never trained.
func smallTrained() *Model {
	t := &Model{
		Config: model.Config{
			Model: model.GPDRF, Inputs: 2, Outputs: 1, Likelihood: model.GaussianLikelihood, Latents: 2, Inducing: 3,
			Lengthscales: model.Shared, QCov: model.Full, Whiten: true, Layers: 1, Features: 4, Hidden: 2,
			Spectra: model.VarFixed, Samples: 1,
		},
		Schema: data.Schema{Columns: []string{"a", "b"}, Target: "y", TargetAt: 2, Task: data.Regression},
		Scaler: scaling.Scaler{Kind: "standard", Center: []float64{0.1, -3}, Scale: []float64{1, 2},
			Min: []float64{-1, -5}, Max: []float64{1, 0}},
		Targets: []scaling.TargetScale{{Mean: 450, SD: 17.05}}, KLWeight: 0.5, Seed: math.MaxUint64, EvalSamples: 100,
	}
	t.Parameters = t.Config.Layout()
	v := 0.0
	for i := range t.Parameters {
		for range t.Parameters[i].Len() {
			v += 0.25
			t.Parameters[i].Data = append(t.Parameters[i].Data, v)
		}
	}
	t.Parameters[1].Data[0] = 0.1 // no float32 holds this number
	return t
}

func modelBytes(t testing.TB, trained *Model) []byte {
	t.Helper()
	var out bytes.Buffer
	must.OK(t, trained.WriteModel(&out))
	return out.Bytes()
}

func TestModelRoundTrip(t *testing.T) {
	want := smallTrained()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	must.OK(t, os.WriteFile(path, modelBytes(t, want), 0o666))
	got := must.Get(ReadModel(path))(t)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("came back as\n%+v, was\n%+v", got, want)
	}
	class := smallTrained()
	class.Config.Outputs, class.Config.Likelihood = 2, model.SoftmaxLikelihood
	class.Schema.Task, class.Schema.Classes = data.Classification, []string{"0", "1"}
	class.Targets = nil
	class.Parameters = class.Config.Layout()
	for i, n := range smallTrained().Parameters[:len(class.Parameters)] {
		class.Parameters[i].Data = n.Data
		if last := class.Parameters[i].Shape[len(class.Parameters[i].Shape)-1]; last == 2 &&
			n.Shape[len(n.Shape)-1] == 1 {
			class.Parameters[i].Data = append(n.Data, n.Data...)
		}
	}
	back, err := parse(bytes.NewReader(modelBytes(t, class)), int64(len(modelBytes(t, class))))
	if err != nil || !reflect.DeepEqual(back, class) {
		t.Errorf("a classification: %v", err)
	}
}

// A description that contradicts itself or the tensors is an error before memory is allocated by it, even if the
// checksum is right.
func TestModelRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(h *description, ts *[]safetensors.Tensor, meta map[string]string)
	}{
		{"another program's file", func(_ *description, _ *[]safetensors.Tensor, meta map[string]string) {
			delete(meta, FormatKey)
		}},
		{"a later version", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Version = modelVersion + 1
		}},
		{"an unknown model", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Config.Model = "gpt"
		}},
		{"no inputs", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) { h.Config.Inputs = 0 }},
		{"huge layers", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Config.Features = 1 << 24
		}},
		{"huge inducing points", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Config.Inducing = 1 << 24
		}},
		{"many layers", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Config.Layers = 1 << 20
		}},
		{"another width", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Schema.Columns = []string{"a"}
		}},
		{"a scaler cut short", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Scaler.Scale = h.Scaler.Scale[:1]
		}},
		{"a scale of zero", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Scaler.Scale[0] = 0
		}},
		{"a target scale of zero", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Targets[0].SD = 0
		}},
		{"two targets", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Schema.Targets, h.Schema.TargetsAt = []string{"y", "z"}, []int{2, 3}
		}},
		{"targets without places", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Schema.Targets = []string{"y", "z"}
		}},
		{"no target scale", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) { h.Targets = nil }},
		{"no task", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) { h.Schema.Task = "" }},
		{"one class", func(h *description, ts *[]safetensors.Tensor, _ map[string]string) {
			h.Config.Likelihood, h.Schema.Task, h.Schema.Classes, h.Targets = model.SoftmaxLikelihood,
				data.Classification, []string{"0"}, nil
			*ts = slices.DeleteFunc(*ts, func(x safetensors.Tensor) bool { return x.Name == "likelihood.log_variance" })
		}},
		{"two outputs", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) { h.Config.Outputs = 2 }},
		{"another likelihood", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Config.Likelihood = model.SoftmaxLikelihood
		}},
		{"no samples", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) { h.EvalSamples = 0 }},
		{"too few logarithms", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Scaler.Log = &scaling.LogScale{Min: []float64{0}, Unit: []float64{1}}
		}},
		{"a logarithm's unit of 0", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) {
			h.Scaler.Log = &scaling.LogScale{Min: []float64{0, 0}, Unit: []float64{1, 0}}
		}},
		{"negative clip", func(h *description, _ *[]safetensors.Tensor, _ map[string]string) { h.Scaler.Clip = -1 }},
		{"a tensor less", func(_ *description, ts *[]safetensors.Tensor, _ map[string]string) { *ts = (*ts)[1:] }},
		{"a tensor more", func(_ *description, ts *[]safetensors.Tensor, _ map[string]string) {
			*ts = append(*ts, safetensors.Tensor{Name: "x", DType: "F32", Shape: []int{0}})
		}},
		{"another shape", func(_ *description, ts *[]safetensors.Tensor, _ map[string]string) {
			(*ts)[0].Shape = append((*ts)[0].Shape, 1)
		}},
		{"NaN", func(_ *description, ts *[]safetensors.Tensor, _ map[string]string) {
			(*ts)[0].Data[0] = math.NaN()
		}},
		{"no description", func(_ *description, _ *[]safetensors.Tensor, meta map[string]string) {
			meta[DescriptionKey] = ""
		}},
		{"not JSON", func(_ *description, _ *[]safetensors.Tensor, meta map[string]string) {
			meta[DescriptionKey] = "{"
		}},
		{"a list", func(_ *description, _ *[]safetensors.Tensor, meta map[string]string) {
			meta[DescriptionKey] = "[]"
		}},
		{"wrong JSON type", func(_ *description, _ *[]safetensors.Tensor, meta map[string]string) {
			meta[DescriptionKey] = `{"version":"1"}`
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := modelBytes(t, smallTrained())
			meta, tensors, err := safetensors.Read(bytes.NewReader(whole), int64(len(whole)))
			must.OK(t, err)
			h := description{Model: &Model{}}
			must.OK(t, json.Unmarshal([]byte(meta[DescriptionKey]), &h))
			before := meta[DescriptionKey]
			c.damage(&h, &tensors, meta)
			if text, err := json.Marshal(h); err != nil {
				t.Fatal(err)
			} else if meta[DescriptionKey] == before {
				meta[DescriptionKey] = string(text)
			}
			var out bytes.Buffer
			must.OK(t, safetensors.Write(&out, meta, tensors))
			if _, err := parse(bytes.NewReader(out.Bytes()), int64(out.Len())); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestReadModelErrors(t *testing.T) {
	dir := t.TempDir()
	cut := filepath.Join(dir, "cut")
	must.OK(t, os.WriteFile(cut, modelBytes(t, smallTrained())[:500], 0o666))
	for path, want := range map[string]string{filepath.Join(dir, "none"): "no such file",
		dir: "not a file", cut: "cut: not a valid safetensors file"} {
		var usage *usererror.Error
		if _, err := ReadModel(path); !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Every changed bit of a model file is an error, and so are every cut and a missing checksum.
func TestModelFileDamaged(t *testing.T) {
	whole := modelBytes(t, smallTrained())
	every := 5 // comes to each bit of a byte
	if testing.Short() {
		every = 13
	}
	for bit := 0; bit < 8*len(whole); bit += every {
		whole[bit/8] ^= 1 << (bit % 8)
		if _, err := parse(bytes.NewReader(whole), int64(len(whole))); err == nil {
			t.Errorf("bit %d of byte %d is not noticed", bit%8, bit/8)
		}
		whole[bit/8] ^= 1 << (bit % 8)
	}
	for size := 0; size < len(whole); size += every {
		if _, err := parse(bytes.NewReader(whole[:size]), int64(size)); err == nil {
			t.Errorf("%d of %d bytes are taken for a model", size, len(whole))
		}
	}
	start := bytes.Index(whole, []byte(`"checksum":"`))
	end := start + bytes.IndexByte(whole[start:], ',') + 1
	plain := append(bytes.Clone(whole[:start]), whole[end:]...)
	binary.LittleEndian.PutUint64(plain, binary.LittleEndian.Uint64(whole)-uint64(end-start))
	if _, err := parse(bytes.NewReader(plain), int64(len(plain))); err == nil {
		t.Error("a file without a checksum is accepted")
	}
}

// Any bytes: an error, or a model that can be written, and that predicts or returns an error.
func FuzzModel(f *testing.F) {
	f.Add(modelBytes(f, smallTrained()))
	dev := must.Get(device.Open("cpu:f64"))(f)
	path := filepath.Join(f.TempDir(), "rows.csv")
	must.OK(f, os.WriteFile(path, []byte("a,b,y\n1,2,0.5\n2,1,1.5\n0,3,-2\n"), 0o666))
	rows, _, err := data.ReadFile(path, data.ReadOptions{})
	must.OK(f, err)
	f.Fuzz(func(t *testing.T, b []byte) {
		trained, err := parse(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		modelBytes(t, trained)
		if trained.Config.Inputs == rows.D() && trained.Schema.Task == data.Regression {
			trained.Evaluate(t.Context(), dev, rows, EvaluateOptions{Samples: 2})
		}
	})
}
