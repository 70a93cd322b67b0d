package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

// writeFold writes the rows of classes that train reads from a source.
func writeFold(folder string, from data.Source) error {
	train, test, _, err := data.Load(from)
	if err != nil {
		return err
	}
	for part, rows := range map[string]*data.Dataset{"train": train, "test": test} {
		if err := writeText(filepath.Join(folder, part+".csv"), classTable(rows)); err != nil {
			return err
		}
	}
	if train.Sequences == nil {
		return nil
	}
	return writeFile(filepath.Join(folder, "sequences.txt"), func(w io.Writer) error {
		return errors.Join(writeSequences(w, train), writeSequences(w, test))
	})
}

// writeSequences writes a line for each row: numbers with spaces between them. They are the codes of its letters, or
// the code of a graph by package graph.
func writeSequences(w io.Writer, d *data.Dataset) error {
	out := bufio.NewWriter(w)
	for i := range d.N() {
		fmt.Fprintln(out, strings.Trim(fmt.Sprint(d.Sequences.At(i)), "[]"))
	}
	return out.Flush()
}

// classTable writes a data set of classes as CSV.
func classTable(d *data.Dataset) string {
	var b strings.Builder
	b.WriteString(strings.Join(append(slices.Clone(d.Columns), "target"), ",") + "\n")
	for i := range d.N() {
		for _, v := range d.Row(i) {
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + ",") // the shortest text that gives the same number
		}
		fmt.Fprintln(&b, d.Labels[i])
	}
	return b.String()
}
