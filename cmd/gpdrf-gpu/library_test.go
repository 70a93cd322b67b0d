// These tests compare the library with the command.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	gpdrf "github.com/gpdrf/gpdrf-gpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// table writes rows of a regression, or of a classification, to a file, and returns them.
func (p *predictTest) table(name string, shift float64, classes bool) (rows gpdrf.Rows) {
	text := "a,b,w,target\n"
	rows.Columns = []string{"a", "b"}
	for i := range 40 {
		a, b, w := float64(i)/8, float64(i*7%11), float64(1+i%3)
		y := math.Sin(a) + b/20 + shift
		rows.Inputs = append(rows.Inputs, []float64{a, b})
		rows.Weights = append(rows.Weights, w)
		target := fmt.Sprint(y)
		if classes {
			target = []string{"low", "middle", "high"}[int(3*a/5)]
			rows.Classes = append(rows.Classes, target)
		} else {
			rows.Values = append(rows.Values, y)
		}
		text += fmt.Sprintf("%v,%v,%v,%s\n", a, b, w, target)
	}
	must.OK(p, os.WriteFile(p.path(name), []byte(text), 0o600))
	return rows
}

func (p *predictTest) must(words ...string) {
	p.Helper()
	if code := p.run(words...); code != exitOK {
		p.Fatalf("%q: %s", words, p.said.String())
	}
}

// The library trains the model of a run folder further to the same bits as train --from, and scores a model as eval.
func TestLibraryIsTheCommand(t *testing.T) {
	for _, classes := range []bool{false, true} {
		p := &predictTest{T: t, folder: t.TempDir()}
		p.table("old.csv", 0, classes)
		rows := p.table("new.csv", 0.3, classes)
		common := []string{"train", "--device", "cpu", "--test", "none", "--set", "report=false", "--quiet"}
		p.must(append(common, "--data", p.path("old.csv"), "--weights", "w", "--steps", "40",
			"--inducing", "8", "--features", "10", "--out", p.path("old"))...)
		p.must(append(common, "--from", p.path("old"), "--data", p.path("new.csv"),
			"--out", p.path("new"))...)
		want := must.Get(fitted.ReadModel(filepath.Join(p.path("new"), rundir.ModelFile)))(t)

		before := must.Get(gpdrf.Load(p.path("old")))(t)
		saved := p.path("old.safetensors")
		must.OK(t, before.Save(saved))
		for _, from := range []*gpdrf.Model{before, must.Get(gpdrf.Load(saved))(t)} {
			after := must.Get(gpdrf.Train(t.Context(), rows, gpdrf.Options{WarmStart: from, Device: "cpu"}))(t)
			must.OK(t, after.Save(p.path("after.safetensors")))
			got := must.Get(fitted.ReadModel(p.path("after.safetensors")))(t)
			if !reflect.DeepEqual(got.Parameters, want.Parameters) || !reflect.DeepEqual(got.Scaler, want.Scaler) {
				t.Errorf("classes %v: the library trains another model than the command", classes)
			}
		}

		p.must("eval", p.path("old"), "--data", p.path("new.csv"), "--device", "cpu", "--json", "--quiet")
		var printed fitted.ResultScores
		said := p.said.Bytes()
		must.OK(t, json.Unmarshal(said[bytes.IndexByte(said, '{'):], &printed)) // warnings come first
		scores := must.Get(before.Evaluate(t.Context(), rows))(t)
		if classes {
			c, want := scores.Classification, printed.Classification
			if c.ErrorRate != want.Error || c.NLL != want.NLL || c.Classes[1].Recall != *want.Classes[1].Recall {
				t.Errorf("%+v, expected %+v", c, want)
			}
			continue
		}
		if *scores.Regression != gpdrf.RegressionScores(*printed.Regression) ||
			scores.Targets[0].RegressionScores != gpdrf.RegressionScores(*printed.Raw) || scores.Rows != 40 {
			t.Errorf("%+v, expected %+v and %+v", scores, printed.Regression, printed.Raw)
		}
	}
}

// The library trains the ensemble of train --ensemble, with the same intervals.
func TestLibraryTrainsEnsemble(t *testing.T) {
	p := &predictTest{T: t, folder: t.TempDir()}
	rows := p.table("rows.csv", 0, false)
	p.must("train", "--data", p.path("rows.csv"), "--weights", "w", "--set", "ensemble=2", "--model", "gp",
		"--steps", "20", "--conformal", "--set", "level=0.8", "--device", "cpu", "--test", "none",
		"--set", "report=false", "--quiet", "--out", p.path("run"))
	want := must.Get(fitted.ReadModel(filepath.Join(p.path("run"), rundir.ModelFile)))(t)
	m := must.Get(gpdrf.Train(t.Context(), rows,
		gpdrf.Options{Ensemble: 2, Model: gpdrf.ModelGP, Steps: 20, Conformal: true, Device: "cpu",
			Extra: map[string]string{"level": "0.8"}}))(t)
	must.OK(t, m.Save(p.path("library.safetensors")))
	got := must.Get(fitted.ReadModel(p.path("library.safetensors")))(t)
	if !reflect.DeepEqual(got.Conformal, want.Conformal) || len(got.Members) != 2 {
		t.Errorf("intervals by %+v, expected %+v", got.Conformal, want.Conformal)
	}
	for k, member := range got.Members {
		if !reflect.DeepEqual(member.Model.Parameters, want.Members[k].Model.Parameters) {
			t.Errorf("member %d is another model than that of the command", k+1)
		}
	}
}

// The model file of a run does not have the options of the training, and predicts without them.
func TestLibraryLoadsModelFile(t *testing.T) {
	p := newPredictTest(t)
	m := must.Get(gpdrf.Load(filepath.Join(p.path("run"), rundir.ModelFile)))(t)
	rows := gpdrf.Rows{Inputs: [][]float64{{70, 10}, {90, 20}}, Values: []float64{1, 2}}
	must.Get(m.Predict(t.Context(), rows))(t)
	_, err := gpdrf.Train(t.Context(), rows, gpdrf.Options{WarmStart: m})
	if bad, ok := errors.AsType[*gpdrf.InputError](err); !ok || bad.Option != "from" ||
		!strings.Contains(err.Error(), "load the folder of its run") {
		t.Error(err)
	}
}

// Load refuses a run folder whose options or result it cannot read, since Evaluate and WarmStart need them.
func TestLibraryLoadsDamagedRun(t *testing.T) {
	p := &predictTest{T: t, folder: t.TempDir()}
	p.table("rows.csv", 0, false)
	p.must("train", "--data", p.path("rows.csv"), "--weights", "w", "--model", "gp", "--steps", "2", "--device", "cpu",
		"--test", "none", "--set", "report=false", "--quiet", "--out", p.path("run"))
	for _, name := range []string{rundir.ConfigFile, rundir.ResultFile} {
		file := filepath.Join(p.path("run"), name)
		whole := must.Get(os.ReadFile(file))(t)
		must.OK(t, os.WriteFile(file, []byte("}{"), 0o600))
		if _, err := gpdrf.Load(p.path("run")); !errors.As(err, new(*gpdrf.InputError)) {
			t.Errorf("%s is damaged: %v", name, err)
		}
		must.OK(t, os.WriteFile(file, whole, 0o600))
	}
	if _, err := gpdrf.Load(p.path("run")); err != nil {
		t.Error(err)
	}
}
