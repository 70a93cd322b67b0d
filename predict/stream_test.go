package predict

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Rows that come at once are predicted in parts where their logits would fill the memory, and else together.
func TestWholeInParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	var text strings.Builder
	text.WriteString("x,target\n")
	for i := range 600 {
		fmt.Fprintf(&text, "%d.5,%c\n", i, "ab"[i%2])
	}
	must.OK(t, os.WriteFile(path, []byte(text.String()), 0o666))
	all, _, err := data.ReadFile(path, data.ReadOptions{})
	must.OK(t, err)
	trained := &fitted.Model{Schema: all.Schema(), Scaler: must.Get(scaling.FitScaler("standard", all))(t),
		Config: model.Config{Model: model.GPDRF, Likelihood: model.SoftmaxLikelihood, Outputs: 1000}}
	for samples, want := range map[int][]int{100: {600}, 1000: {256, 256, 88}} {
		s := &Stream{Trained: trained, Samples: samples}
		rows := must.Get(data.OpenWhole(path, all.Schema(), data.TableOptions{}, data.ReadControl{}))(t)
		to := make(chan *data.Dataset, 9)
		if err := s.read(t.Context(), rows, to); err != io.EOF {
			t.Fatal(err)
		}
		close(to)
		var sizes []int
		var labels []int32
		for ds := range to {
			sizes, labels = append(sizes, ds.N()), append(labels, ds.Labels...)
		}
		if !slices.Equal(sizes, want) || !slices.Equal(labels, all.Labels) {
			t.Errorf("%d samples: parts of %v rows, expected %v", samples, sizes, want)
		}
	}
}

// Parts have the bits of a prediction of all rows at once, also where they do not divide the rows.
func TestPartsHaveSameBits(t *testing.T) {
	const n, part = 300, 77
	for _, name := range []string{"cpu:f32", "cpu:f64"} {
		for _, kind := range []string{model.GPDRF, model.GP, model.DRF} {
			for _, task := range []data.Task{data.Regression, data.Classification} {
				want := inParts(t, name, smallTrained(kind, task), true, n, n)
				for what, whole := range map[string]bool{"parts": true, "a stream": false} {
					if got := inParts(t, name, smallTrained(kind, task), whole, n, part); !slices.Equal(got, want) {
						t.Errorf("%s, %s of %s: %s differ from rows at once", name, kind, task, what)
					}
				}
			}
		}
	}
}

// smallTrained returns a model of two columns.
func smallTrained(kind string, task data.Task) *fitted.Model {
	t := &fitted.Model{
		Config: model.Config{Model: kind, Inputs: 2, Outputs: 1, Likelihood: model.GaussianLikelihood, Latents: 2,
			Inducing: 3, Lengthscales: model.Shared, QCov: model.Full, Whiten: true, Layers: 1, Features: 4, Hidden: 2,
			Spectra: model.VarIntegrated, Samples: 1},
		Schema: data.Schema{Columns: []string{"a", "b"}, Target: "y", TargetAt: 2, Task: task},
		Scaler: scaling.Scaler{Kind: "standard", Center: []float64{0.1, -3}, Scale: []float64{1, 2},
			Min: []float64{-1, -5}, Max: []float64{1, 0}},
		Targets: []scaling.TargetScale{{Mean: 450, SD: 17}}, Seed: 7,
	}
	if task == data.Classification {
		t.Config.Outputs, t.Config.Likelihood = 3, model.SoftmaxLikelihood
		t.Schema.Classes, t.Targets = []string{"0", "1", "2"}, nil
	}
	if kind == model.GP {
		t.Config.Layers, t.Config.Latents = 0, t.Config.Outputs
	}
	t.Parameters = t.Config.Layout()
	for i := range t.Parameters {
		for k := range t.Parameters[i].Len() {
			t.Parameters[i].Data = append(t.Parameters[i].Data, math.Sin(float64(i+k)))
		}
	}
	return t
}

// inParts returns the cells of a prediction of n rows, some at a time.
func inParts(t *testing.T, name string, trained *fitted.Model, whole bool, n, part int) (cells []Cell) {
	t.Helper()
	dev := must.Get(device.Open(name))(t)
	defer dev.Close()
	s := &Stream{Trained: trained, Device: dev, Samples: 5, Options: fitted.PredictOptions{Progress: func(int) {}}}
	for lo := 0; lo < n; lo += part {
		given := data.Request{N: min(part, n-lo)}
		for i := range given.N {
			x := float64(lo + i)
			given.Numbers = append(given.Numbers, math.Sin(x), math.Cos(x/3))
		}
		table := must.Get(s.predict(t.Context(), whole, must.Get(trained.Schema.Rows(given))(t)))(t)
		for i := range table.Rows {
			cells = table.Row(i, cells)
		}
	}
	return cells
}
