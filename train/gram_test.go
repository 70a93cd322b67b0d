// This test trains on a kernel that was computed elsewhere.

package train

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

func init() { usererror.DashOptions() } // messages are as the command prints them

// writeGram writes the linear kernel between rows, each with a vector of the same length, and inducing points to an npz
// archive.
func writeGram(t testing.TB, inducing, train, test [][]float64) string {
	t.Helper()
	cross := func(a, b [][]float64) (k []float64) {
		for _, x := range a {
			for _, y := range b {
				sum := 0.0
				for i, v := range x {
					sum += v * y[i]
				}
				k = append(k, sum)
			}
		}
		return k
	}
	diag := func(a [][]float64) (k []float64) {
		for _, x := range a {
			k = append(k, cross([][]float64{x}, [][]float64{x})...)
		}
		return k
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	m := len(inducing)
	for _, a := range []struct {
		name   string
		width  int
		values []float64
	}{
		{"inducing", m, cross(inducing, inducing)}, {"train_inducing", m, cross(train, inducing)},
		{"train_diag", 0, diag(train)},
		{"test_inducing", m, cross(test, inducing)}, {"test_diag", 0, diag(test)},
	} {
		shape := fmt.Sprintf("(%d,)", len(a.values))
		if a.width > 0 {
			shape = fmt.Sprintf("(%d, %d)", len(a.values)/a.width, a.width)
		}
		w := must.Get(z.Create(a.name + ".npy"))(t)
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape)
		head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
		fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", byte(len(head)), byte(len(head)>>8), head)
		must.OK(t, binary.Write(w, binary.LittleEndian, a.values))
	}
	must.OK(t, z.Close())
	path := filepath.Join(t.TempDir(), "kernel.npz")
	must.OK(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

// withOne returns the rows of a table, each with a 1 appended.
func withOne(d *data.Dataset) (rows [][]float64) {
	for i := range d.N() {
		rows = append(rows, append(slices.Clone(d.Row(i)), 1))
	}
	return rows
}

// circle reports whether a point is in a circle.
func circle(_ *rand.Rand, a, b float64) string {
	if a*a+b*b < 1.8 {
		return "1"
	}
	return "0"
}

// A kernel that was computed elsewhere is what a model sees of its rows: in training, on held-out rows, and in
// prediction.
func TestGram(t *testing.T) {
	set, test := table(t, 120, 1, circle), table(t, 60, 2, circle)
	lift := func(d *data.Dataset) [][]float64 { // circles are planes here
		rows := withOne(d)
		for i, r := range rows {
			a, b := r[0], (r[1]-30)/5
			rows[i] = []float64{1, a, b, a*a - 1, b*b - 1, a * b}
		}
		return rows
	}
	path := writeGram(t, lift(set)[:30], lift(set), lift(test))
	c := config(t, "model=gpdrf latents=4 features=20 steps=200 batch=60 validation=0.2 gram="+path)
	must.OK(t, set.AttachGram(writeGram(t, lift(set)[:30], lift(test), lift(set)), data.ReadControl{}))
	must.OK(t, test.AttachGram(path, data.ReadControl{}))
	rest, held, _, err := c.HoldOut(set, data.ReadControl{})
	must.OK(t, err)
	must.Equal(t, held.Gram.M, 30)
	must.Equal(t, len(held.Gram.Rows), 30*held.N())
	// without a Reporter, a run is silent
	out := must.Get((&Job{Config: c, Device: openCPU(t), Train: rest, Validation: held}).Run(t.Context()))(t)
	if s := evaluate(t, out, test).Classification; s.Error > 0.15 {
		t.Errorf("error %.3f", s.Error)
	}
	again := rereadSame(t, out.Trained, test)
	if m := again.Config; out.Config.Inducing != 30 || m.Inducing != 30 || m.Inputs != 0 ||
		!slices.Equal(m.Maps, []string{model.MapLinear}) {
		t.Errorf("%+v", m)
	}

	plain := table(t, 10, 1, rings)
	if _, err := again.Predict(t.Context(), openCPU(t), plain, 3); err == nil ||
		!strings.Contains(err.Error(), "trained with --set gram: give the kernel of these rows") {
		t.Error(err)
	}
	must.OK(t, plain.AttachGram(writeGram(t, lift(set)[1:31], nil, lift(plain)), data.ReadControl{}))
	if _, err := again.Predict(t.Context(), openCPU(t), plain, 3); err == nil ||
		!strings.Contains(err.Error(), "--gram: its array inducing is not that of training") {
		t.Error(err)
	}
	other := mustFit(t, "model=gp inducing=5 steps=2", table(t, 20, 1, rings))
	if _, err := other.Trained.Predict(t.Context(), openCPU(t), plain, 3); err == nil ||
		!strings.Contains(err.Error(), "--gram: the model was trained without --set gram") {
		t.Error(err)
	}
	for options, want := range map[string]string{
		"kernel=rbf":           "--kernel: rbf: gram gives the kernel and its 30 inducing points",
		"inducing=20":          "--inducing: 20: ",
		"inducing-init=random": "--inducing-init: random",
		"learn-inducing=true":  "--learn-inducing: true",
	} {
		if _, _, err := config(t, options).ResolveInputs(t.Context(), set); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", options, err)
		}
	}
	c.Validation = "rows.csv"
	if _, _, _, err := c.HoldOut(set, data.ReadControl{}); err == nil ||
		!strings.Contains(err.Error(), "give a fraction") {
		t.Error(err)
	}
	bad := reread(t, out.Trained)
	bad.Featurizer.Gram.InducingDistances[5] = math.NaN()
	text := bytesOf(t, bad)
	if _, err := readModel(t, text); err == nil || !strings.Contains(err.Error(), `"sequences.gram" holds NaN`) {
		t.Error(err)
	}
}
