// This test reads the runs of earlier versions.

package main

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
	"github.com/gpdrf/gpdrf-gpu/train/rundir"
)

// The folders testdata/golden/VERSION hold runs of that version, made by its make.sh. Every later version reads them,
// makes the same predictions, writes the same bytes of a model, and resumes the run that was killed.
func TestGolden(t *testing.T) {
	versions, err := filepath.Glob("testdata/golden/*")
	if err != nil || len(versions) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, version := range versions {
		t.Run(filepath.Base(version), func(t *testing.T) {
			folder := t.TempDir() // the folder of the run that is resumed
			must.OK(t, os.CopyFS(folder, os.DirFS(version)))
			g := golden(folder)
			all, err := filepath.Glob(filepath.Join(folder, "predictions", "*.csv"))
			if err != nil || len(all) == 0 {
				t.Fatalf("no predictions: %v", err)
			}
			for _, file := range all {
				name := strings.TrimSuffix(filepath.Base(file), ".csv")
				if name == "resumed" {
					continue
				}
				g.rewrites(t, name)
				if !testing.Short() { // each tier takes a process of its own
					g.predicts(t, name, name)
				}
			}
			if testing.Short() {
				return
			}
			g.run(t, "", "info", "checkpoint/checkpoint.safetensors")
			g.run(t, "scalar", "train", "--resume", "checkpoint", "--set", "checkpoint-every=0")
			g.predicts(t, "checkpoint", "resumed")
			g.run(t, "", "train", "--resume", "folds")
			if said := g.run(t, "", "runs", "."); !bytes.Contains(said, []byte("folds")) {
				t.Errorf("runs lists\n%s", said)
			}
		})
	}
}

// golden is a copy of a folder of golden files.
type golden string

// run runs a command in the folder, with the instructions of a tier, and returns its standard output.
func (g golden) run(t *testing.T, tier string, words ...string) []byte {
	t.Helper()
	cmd := exec.Command("gpdrf-gpu", words...)
	cmd.Dir = string(g)
	cmd.Env = append(os.Environ(), "GPDRF_SIMD="+tier)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gpdrf-gpu %s: %v\n%s", strings.Join(words, " "), err, said.String())
	}
	return out
}

// predicts compares the predictions of a run with those in a file. The file was written with the scalar instructions of
// amd64, which give the same bits; others round in another way.
func (g golden) predicts(t *testing.T, name, wanted string) {
	t.Helper()
	run := must.Get(rundir.OpenRun(filepath.Join(string(g), name)))(t)
	words := []string{"predict", name, "--data", run.Config.Data, "--device", "cpu:f64", "--out", "-"}
	if run.Config.Gram != "" {
		words = append(words, "--gram", run.Config.Gram)
	}
	want := must.Get(os.ReadFile(filepath.Join(string(g), "predictions", wanted+".csv")))(t)
	if got := g.run(t, "scalar", words...); runtime.GOARCH == "amd64" && !bytes.Equal(got, want) {
		t.Errorf("%s: the predictions are not those of predictions/%s.csv, bit for bit", name, wanted)
	}
	nearlyEqual(t, wanted, g.run(t, "", words...), want)
}

// nearlyEqual compares tables whose numbers may be rounded in different ways.
func nearlyEqual(t *testing.T, name string, a, b []byte) {
	t.Helper()
	got, want := cells(t, a), cells(t, b)
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, expected %d", name, len(got), len(want))
	}
	for i, row := range want {
		for j, cell := range row {
			x, errX := strconv.ParseFloat(got[i][j], 64)
			y, errY := strconv.ParseFloat(cell, 64)
			same := got[i][j] == cell
			if errX == nil && errY == nil {
				same = math.Abs(x-y) <= 1e-6*(1+math.Abs(y))
			}
			if !same {
				t.Errorf("%s, row %d, %s: %s, expected %s", name, i, want[0][j], got[i][j], cell)
			}
		}
	}
}

func cells(t *testing.T, text []byte) [][]string {
	t.Helper()
	return must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
}

// rewrites reads the model of a run and writes it.
func (g golden) rewrites(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(string(g), name, rundir.ModelFile)
	want, err := os.ReadFile(path)
	if os.IsNotExist(err) && name == "checkpoint" {
		return
	}
	must.OK(t, err)
	trained := must.Get(fitted.ReadModel(path))(t)
	var got bytes.Buffer
	if err := trained.WriteModel(&got); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s: the model is written otherwise: %v", name, err)
	}
}
