package data

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// gramOf returns the arrays of a kernel of 2 inducing points, 3 training rows and 1 test row: the RBF of points on a
// line.
func gramOf() map[string]string {
	z, x, y := []float64{0, 1}, []float64{0, 0.5, 2}, []float64{1}
	cross := func(a, b []float64) (k []float64) {
		for _, u := range a {
			for _, v := range b {
				k = append(k, math.Exp(-(u-v)*(u-v)))
			}
		}
		return k
	}
	return map[string]string{
		"inducing":       npy("<f8", "2, 2", cross(z, z)),
		"train_inducing": npy("<f8", "3, 2", cross(x, z)),
		"train_diag":     npy("<f8", "3,", []float64{1, 1, 1}),
		"test_inducing":  npy("<f8", "1, 2", cross(y, z)),
		"test_diag":      npy("<f4", "1, 1", []float32{1}),
	}
}

func writeGram(t *testing.T, arrays map[string]string) string {
	var files []string
	for name, text := range arrays {
		files = append(files, name+".npy", text)
	}
	return write(t, "k.npz", zipOf(files...))
}

func TestReadGram(t *testing.T) {
	path := writeGram(t, gramOf())
	train, test, err := readGram(path, 3, 1, ReadControl{})
	must.OK(t, err)
	must.Equal(t, train.M, 2)
	must.Equal(t, fmt.Sprintf("%.3f %.3f %.3f", train.InducingDistances, train.Rows, test.Rows),
		"[0.000 1.264 1.264 0.000] [0.000 1.264 0.442 0.442 1.963 1.264] [1.264 0.000]")
	if train, test, err := readGram(path, 0, 1, ReadControl{}); err != nil || train != nil || len(test.Rows) != 2 {
		t.Errorf("test rows alone: %v and %v, %v", train, test, err)
	}
	for _, c := range []struct{ array, text, want string }{
		{"inducing", "", "k.npz: has no array inducing: it holds "},
		{"test_diag", "", "k.npz: has no array test_diag"},
		{"inducing", npy("<f8", "1, 2", []float64{1, 0}),
			"k.npz(inducing.npy): has 1 rows of 2 values: k(x̄, x̄) must be square"},
		{"inducing", npy("<f8", "2, 2", []float64{1, 0.3, 0.4, 1}),
			"k.npz(inducing.npy): is not symmetric: [1, 0] is 0.4 and [0, 1] is 0.3"},
		{"inducing", npy("<f8", "2, 2", []float64{1, 2, 2, 1}),
			"k.npz(inducing.npy): is not positive semi-definite: no kernel has"},
		{"inducing", npy("<f8", "2, 2", []float64{1, 0, 0, 0}),
			"k.npz(inducing.npy): [1, 1] is 0: k(x̄, x̄) must be above 0"},
		{"inducing", npy("<f8", "2, 2", []float64{1, 0, 0, math.NaN()}),
			"k.npz(inducing.npy): byte 152: value [1, 1] is NaN: only finite"},
		{"train_inducing", npy("<f8", "2, 2", []float64{1, 0, 0, 1}),
			"k.npz(train_inducing.npy): holds 2x2 values, [3, 2] are needed"},
		{"train_inducing", npy("<f8", "3, 2", []float64{1, 0, 0, 1, 1, 1.1}),
			"k.npz(train_inducing.npy): [2, 1] is 1.1, and k(x, x) of its row is 1"},
		{"train_diag", npy("<f8", "2,", []float64{1, 1}), "k.npz(train_diag.npy): holds 2 values, [3, 1] are needed"},
		{"test_diag", npy("<f8", "1,", []float64{-1}), "k.npz(test_diag.npy): [0] is -1: k(x, x) cannot be negative"},
		{"test_inducing", "not an array", "k.npz(test_inducing.npy): byte 0: starts with"},
	} {
		arrays := maps.Clone(gramOf())
		if arrays[c.array] = c.text; c.text == "" {
			delete(arrays, c.array)
		}
		path := writeGram(t, arrays)
		_, _, err := readGram(path, 3, 1, ReadControl{})
		wantError(t, c.array, err, strings.Contains, c.want)
	}
	if _, _, err := readGram(write(t, "k.npz", "x,y\n1,2\n"), 1, 1, ReadControl{}); err == nil {
		t.Error("a table is taken for a kernel")
	}
}

// TestGramOfOne: many equal rows give a matrix of rank 1, which is a kernel.
func TestGramOfOne(t *testing.T) {
	ones := make([]float64, 50*50)
	for i := range ones {
		ones[i] = 1
	}
	path := writeGram(t, map[string]string{"inducing": npy("<f8", "50, 50", ones)})
	if _, _, err := readGram(path, 0, 0, ReadControl{}); err != nil {
		t.Error(err)
	}
}
