package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// badRows writes rows that cannot be read to a file, with line, column and reason. If rows are corrected there, the
// file can be predicted. A nil badRows makes bad rows errors.
type badRows struct {
	path string // "" if another process writes the file
	to   *csv.Writer
	rows int
}

// badRows returns the badRows of --skip-bad.
func (c *call) badRows(in, out string) (*badRows, error) {
	path, ok := c.text("skip-bad")
	if !ok {
		return nil, nil
	}
	if _, gram := c.text("gram"); gram {
		return nil, usagef("--skip-bad: the kernel of --gram has values for all rows: mend those that are bad")
	}
	if filepath.Ext(path) != ".csv" {
		return nil, usagef("--skip-bad: %q does not end in .csv", path)
	}
	if err := checkPlace("--skip-bad", path); err != nil {
		return nil, err
	}
	for _, other := range []string{in, out} {
		if filepath.Clean(path) == filepath.Clean(other) || sameFile(path, other) {
			return nil, usagef("--skip-bad: %s is the file of --data or --out: give another", path)
		}
	}
	return &badRows{path: path}, nil
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// files returns the files that are written by predictions to out.
func (b *badRows) files(out string) (paths []string) {
	if out != "-" {
		paths = append(paths, out)
	}
	if b != nil && b.path != "" {
		paths = append(paths, b.path)
	}
	return paths
}

func (b *badRows) callback() func(data.BadRow) error {
	if b == nil {
		return nil
	}
	return func(row data.BadRow) error {
		b.rows++
		record := []string{strconv.Itoa(row.Err.Line), strconv.Itoa(row.Err.Column), row.Err.Msg}
		return b.to.Write(append(record, row.Cells...))
	}
}

// writeWith writes the file of bad rows while f writes the predictions of the others. The file stays if all are bad.
func (b *badRows) writeWith(rows *data.Stream, f func() error) error {
	if b == nil {
		return f()
	}
	if b.path == "" {
		b.to = csv.NewWriter(io.Discard)
		return f()
	}
	var none error
	err := atomicfile.WriteFile(b.path, func(w io.Writer) error {
		b.to = csv.NewWriter(w)
		// The writer keeps an error until Flush.
		b.to.Write(append([]string{"line", "column", "reason"}, rows.Columns()...))
		if none = f(); none != nil && !errors.Is(none, data.ErrNoRow) {
			return none
		}
		b.to.Flush()
		return b.to.Error()
	})
	return cmp.Or(err, none)
}
