package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// unzip writes the contents of a gzip file.
func unzip(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return writeFile(to, func(w io.Writer) error { _, err := io.Copy(w, z); return err })
}

// writeFold writes a fold of a table of classes, split as `train --folds` splits it.
func writeFold(folder, file string, folds, fold int) error {
	train, test, _, err := data.Load(data.Source{Data: file, Task: string(data.Classification),
		Folds: folds, Fold: fold})
	if err != nil {
		return err
	}
	for part, rows := range map[string]*data.Dataset{"train": train, "test": test} {
		if err := writeText(filepath.Join(folder, part+".csv"), classTable(rows)); err != nil {
			return err
		}
	}
	return nil
}

// classTable is a data set of classes as CSV.
func classTable(d *data.Dataset) string {
	var b strings.Builder
	b.WriteString(strings.Join(d.Columns, ",") + ",target\n")
	for i := range d.N() {
		writeRow(&b, d.Row(i), d.Classes[d.Labels[i]])
	}
	return b.String()
}

// writeRow writes a line of CSV that gives back every number exactly.
func writeRow(b *strings.Builder, inputs []float64, target string) {
	for _, v := range inputs {
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + ",")
	}
	b.WriteString(target + "\n")
}
