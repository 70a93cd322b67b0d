package main

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// writeGram writes the inner products of the features of the training rows, and of the test rows with them, as an npz
// archive: train [N,N], test [T,N], the squared lengths train_square [N] and test_square [T], and train_labels and
// test_labels: classes, or targets of a regression in standard deviations of the training targets. Of several maps they
// are the means.
func writeGram(path string, cfg options.Config) (n, t int, err error) {
	_, rows, tests, _, err := cfg.Load(nil, data.ReadControl{})
	if err != nil {
		return 0, 0, err
	}
	if rows.Sequences == nil || len(rows.Outputs()) > 1 {
		return 0, 0, fmt.Errorf("%s holds no sequences with one class or target", rows.Name)
	}
	fit, _, err := cfg.ResolveInputs(context.Background(), rows)
	if err != nil {
		return 0, 0, err
	}
	_, spec := fit.Kernels()
	n, t = rows.N(), tests.N()
	all := map[string][]float32{"train": make([]float32, n*n), "test": make([]float32, t*n),
		"train_square": make([]float32, n), "test_square": make([]float32, t)}
	add := func(name string, values []float64) {
		to := all[name]
		for i, v := range values {
			to[i] += float32(v / float64(len(spec)))
		}
	}
	for _, term := range spec {
		f, err := seq.Fit(context.Background(), term, rows.Sequences)
		if err != nil {
			return 0, 0, err
		}
		a, b := f.Rows(rows.Sequences), f.Rows(tests.Sequences)
		train, square, _ := term.Products(a, a)
		test, testSquare, _ := term.Products(b, a)
		add("train", train)
		add("test", test)
		add("train_square", square)
		add("test_square", testSquare)
	}
	labels := func(z *zip.Writer, name string, of *data.Dataset) error {
		return writeNpy(z, name, of.Labels, of.N())
	}
	if rows.Task == data.Regression {
		scales, err := scaling.FitTargetScales(scaling.StandardTargets, rows)
		if err != nil {
			return 0, 0, err
		}
		labels = func(z *zip.Writer, name string, of *data.Dataset) error {
			return writeNpy(z, name, narrow(scaling.Standardise(of.Y, scales)), of.N())
		}
	}
	return n, t, writeFile(path, func(w io.Writer) error {
		z := zip.NewWriter(w)
		err := errors.Join(
			writeNpy(z, "train", all["train"], n, n), writeNpy(z, "test", all["test"], t, n),
			writeNpy(z, "train_square", all["train_square"], n), writeNpy(z, "test_square", all["test_square"], t),
			labels(z, "train_labels", rows), labels(z, "test_labels", tests),
		)
		return errors.Join(err, z.Close())
	})
}

func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// writeNpy adds an array with a shape to an archive, in version 1 of numpy's format.
func writeNpy[T float32 | int32](z *zip.Writer, name string, values []T, shape ...int) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	kind := "<f4"
	if _, ok := any(values).([]int32); ok {
		kind = "<i4"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }", kind,
		strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ","), "[]"))
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := bufio.NewWriter(w)
	b.WriteString("\x93NUMPY\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
	if err := binary.Write(b, binary.LittleEndian, values); err != nil {
		return err
	}
	return b.Flush()
}
