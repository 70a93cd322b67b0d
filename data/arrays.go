package data

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gorgonia.org/tensor"
)

func isNpy(head []byte) bool { return bytes.HasPrefix(head, []byte(npyMagic)) }

// readNpy reads an array of the inputs, whose targets are in another file, or of a whole table.
func readNpy(in *input) (*table, error) {
	a, err := openNpy(in.name, in.bytes)
	if err != nil {
		return nil, err
	}
	if in.opt.Labels == "" && len(a.shape) == 2 && !startsWithX(filepath.Base(in.name)) {
		return in.wholeTable(a)
	}
	t, err := in.arrayTable(a)
	if err != nil {
		return nil, err
	}
	return t, in.takeTargets(t)
}

// arrayTable reads the inputs. Bytes of three or more dimensions are images: pixels as fractions of the brightest.
func (in *input) arrayTable(a *npyArray) (*table, error) {
	if in.opt.Target != "" {
		return nil, errorf(a.name, "is an array of inputs, whose targets are in another: leave the target column out")
	}
	n, d, err := a.rows(in.lim)
	if err != nil {
		return nil, err
	}
	if like := in.opt.Like; like != nil && len(like.Columns) != d {
		return nil, errorf(a.name, "holds an array of %s values, the training data have %s: give the same inputs in the same order", sides(a.shape), plural(len(like.Columns), "input"))
	}
	t, factor := &table{columns: plainColumns(in.opt.Like, d)}, 1.0
	if len(a.shape) > 2 && strings.HasSuffix(a.dtype, "u1") {
		t.autoScaling, factor = imageScaling, 1.0/brightest
	}
	t.x, err = a.matrix(n, d, factor)
	return t, err
}

// wholeTable reads an array one of whose columns is the target.
func (in *input) wholeTable(a *npyArray) (*table, error) {
	n, width, err := a.rows(in.lim)
	if err != nil {
		return nil, err
	}
	at := width - 1
	if like := in.opt.Like; like != nil {
		switch d := len(like.Columns); {
		case width == d+1:
			at = like.TargetAt
		case width == d && in.opt.TargetOptional:
			at = -1
		default:
			return nil, errorf(a.name, "has %s, the training data have %s and a target: give the same columns in the same order, or the targets by --labels",
				plural(width, "column"), plural(d, "input"))
		}
	} else if in.opt.Target != "" {
		i, err := strconv.Atoi(in.opt.Target)
		if err != nil || i < 1 || i > width {
			return nil, errorf(a.name, "has no column %s to be the target: the columns of an array count from 1 to %d", quote(in.opt.Target), width)
		}
		at = i - 1
	} else if width < 2 {
		return nil, errorf(a.name, "has one column only: at least one input is needed beside the target; give the targets by --labels")
	}
	whole, err := a.matrix(n, width, 1)
	if err != nil || at < 0 {
		return &table{x: whole, columns: plainColumns(in.opt.Like, width)}, err
	}
	names := plainColumns(nil, width)
	t := &table{x: without(whole, at), columns: slices.Delete(slices.Clone(names), at, at+1)}
	if in.opt.Like != nil {
		t.columns = in.opt.Like.Columns
	}
	read := &targets{y: column(make([]float64, n), whole, at), place: func(i int) string { return fmt.Sprintf("value [%d, %d]", i, at) }}
	if err := in.setTargets(t, a.name, read); err != nil {
		return nil, err
	}
	if t.targetAt = at; in.opt.Like == nil {
		t.target = names[at]
	}
	return t, nil
}

// without is x without column at.
func without(x *tensor.Dense, at int) *tensor.Dense {
	n, d := size(x)
	if x.Dtype() == tensor.Float64 {
		return matrix(n, d-1, withoutColumn(x.Float64s(), d, at))
	}
	return matrix32(n, d-1, withoutColumn(x.Float32s(), d, at))
}

func withoutColumn[T any](x []T, d, at int) []T {
	to := make([]T, 0, len(x)/d*(d-1))
	for lo := 0; lo < len(x); lo += d {
		to = append(append(to, x[lo:lo+at]...), x[lo+at+1:lo+d]...)
	}
	return to
}

// npyTargets reads an array of n targets.
func npyTargets(name string, r io.Reader, n int, lim limits) (*targets, error) {
	a, err := openNpy(name, r)
	if err != nil {
		return nil, err
	}
	rows, d, err := a.rows(lim)
	switch {
	case err != nil:
		return nil, err
	case d != 1:
		return nil, errorf(name, "holds an array of %s values: one target a row is needed", sides(a.shape))
	case rows != n:
		return nil, wrongCount(name, rows, n)
	}
	y, err := npyValues(a, n, func(v float64) float64 { return v })
	if err != nil {
		return nil, err
	}
	return &targets{y: y, place: func(i int) string { return "value " + a.place(i) }}, nil
}
