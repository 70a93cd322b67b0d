package data

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gorgonia.org/tensor"

	"github.com/gpdrf/gpdrf-gpu/seq"
)

// ReadOptions say how a file is to be read. The zero value finds out.
type ReadOptions struct {
	Target string // name of the target column, or its number from 1; "": the column "target", else the last
	Task   string // "", "auto", "regression" or "classification"
	Labels string // file with the targets of images or sequences; "": found by its name in the same folder, or in the file itself
	// Sequence is the column of a CSV file that holds sequences, by name or by number from 1; the others hold numbers.
	Sequence string
	Tokens   string // one of Tokens: how sequences are cut into symbols; "": auto

	// OneHot makes, of each column of a CSV file that has text in it, an input for each of its values.
	OneHot bool

	Watch // who waits

	// Like is the training set's schema: columns are matched to it and Target and Task
	// are taken from it.
	Like *Schema
	// Grow, with Like, lets a copy of the training set's alphabet take in words and integers that it lacks.
	Grow bool
	// TargetOptional allows, with Like, a file without the target.
	TargetOptional bool
}

// ReadFile reads a file in any of the known formats, plain or gzip, which its first bytes tell.
// The notes say what was found out or ignored, each a line for the user.
func ReadFile(path string, opt ReadOptions) (d *Dataset, notes []string, err error) {
	f, err := opt.open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	d, notes, err = read(path, f, opt, fileLimits())
	if stopped := opt.stopped(path); stopped != nil {
		return nil, nil, stopped
	}
	if err != nil {
		return nil, nil, err
	}
	d.Name, d.Path = baseName(path), path
	return d, notes, nil
}

// ReadFor reads a file to be predicted by a model that was trained on a set with the
// given schema. With a header, columns are matched by name in any order, and others
// are ignored; without one, the file must have the inputs in order, with or without
// the target where it stood. The target may be missing.
func ReadFor(path string, s Schema, w Watch) (*Dataset, []string, error) {
	return ReadFile(path, ReadOptions{Like: &s, TargetOptional: true, Watch: w})
}

// baseName is the file name without folder, .gz and the ending before it.
func baseName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	if short := strings.TrimSuffix(name, filepath.Ext(name)); short != "" {
		return short
	}
	return name
}

// read reads a table from r; name stands in messages, and is where files that belong to it are looked for.
func read(name string, r io.Reader, opt ReadOptions, lim limits) (*Dataset, []string, error) {
	in := &input{name: name, src: r, opt: opt, lim: lim}
	var err error
	if in.task, err = parseTask(opt.Task); err != nil {
		return nil, nil, err
	}
	if err := checkTokens(opt.Tokens); err != nil {
		return nil, nil, err
	}
	if opt.Like != nil {
		if err := opt.Like.Check(); err != nil {
			return nil, nil, err
		}
		in.task = opt.Like.Task
	}
	if in.bytes, in.head, err = unzipped(name, r); err != nil {
		return nil, nil, err
	}
	f := formatOf(in.head)
	if in.sequenceColumn() != "" {
		if opt.Like == nil && isFASTA(in.head) {
			return nil, nil, errorf(name, "is %s, which has no columns: leave the column of sequences %s out", f.what, quote(opt.Sequence))
		}
		f = csvTable()
	} else if opt.Like != nil {
		if f, err = in.formatLike(f); err != nil {
			return nil, nil, err
		}
	}
	if opt.OneHot && !f.text {
		return nil, nil, errorf(name, "is %s, which holds numbers only: leave one-hot out", f.what)
	}
	if opt.Labels != "" && !f.apart {
		if _, err := in.text(); err != nil { // a damaged file of images, for one
			return nil, nil, err
		}
		return nil, nil, errorf(name, "is %s, which holds its own targets: leave the file of labels %s out", f.what, opt.Labels)
	}
	t, err := f.read(in)
	if err != nil {
		return nil, nil, err
	}
	return t.dataset(in)
}

// table is what a format makes of a file.
type table struct {
	sequences   *seq.Set
	sequence    string   // the column of sequences, "" where rows are nothing else
	labels      []int32  // of sequences: indices into classes
	classes     []string // of sequences
	x           *tensor.Dense
	columns     []string
	oneHot      []OneHot
	target      string   // "" if there is none
	targetAt    int      // as Schema.TargetAt
	targets     []string // as in Schema, of several
	targetsAt   []int
	lines       []int32   // as in Dataset
	y           []float64 // known classes where the input has a Like; nil without a target
	task        Task      // where the format decides it
	autoScaling string
	notes       []string
}

func (t *table) dataset(in *input) (*Dataset, []string, error) {
	d := &Dataset{X: t.x, Columns: t.columns, Target: t.target, targetAt: t.targetAt, Task: in.task, AutoScaling: t.autoScaling, oneHot: t.oneHot, lines: t.lines}
	d.Sequences, d.sequence = t.sequences, t.sequence
	if t.sequences != nil && t.targets == nil {
		return t.sequenceSet(in, d), t.notes, nil
	}
	if like := in.opt.Like; like != nil {
		d.Classes, d.targetAt = like.Classes, like.TargetAt
		if err := t.fitTargets(in, d, like); err != nil {
			return nil, nil, err
		}
	} else {
		if d.Task == "" {
			d.Task = t.task
		}
		if t.targets != nil {
			t.notes = append(t.notes, d.regressOn(in.name, t))
			d.Fingerprint = d.fingerprint()
			return d, t.notes, nil
		}
		note, err := d.findTask(in.name, t.y)
		if err != nil {
			return nil, nil, err
		}
		t.notes = append(t.notes, note)
	}
	d.Fingerprint = d.fingerprint()
	return d, t.notes, nil
}

// readCSV reads a table of text cells.
func readCSV(in *input) (*table, error) {
	rec, err := newRecords(in)
	if err != nil {
		return nil, err
	}
	var lay *layout
	if in.opt.Like != nil {
		lay, err = likeLayout(rec, in.opt.Like, in.opt.TargetOptional)
	} else {
		lay, err = newLayout(rec, in.opt.Target)
	}
	if err == nil {
		err = in.severalClasses(len(lay.targets))
	}
	if err == nil && in.opt.Sequence != "" && in.opt.Like == nil {
		err = lay.findSequence(rec, in.opt.Sequence)
	}
	if err != nil {
		return nil, err
	}
	if in.opt.OneHot && in.opt.Like == nil {
		if err := lay.findTexts(rec); err != nil {
			return nil, err
		}
		if err := in.rewind(); err != nil {
			return nil, err
		}
		if rec, err = newRecords(in); err != nil {
			return nil, err
		}
	}
	names := expanded(lay.columns)
	x, y, lines, err := readValues(rec, lay, len(names), targetCheck(in.task, in.opt.Like, strings.Join(lay.names, ",")), in.lim.cells)
	if err != nil {
		return nil, err
	}
	made := &table{columns: names, oneHot: oneHots(lay.columns), y: y, lines: lines, notes: lay.notes}
	if lay.targets != nil {
		made.nameTargets(lay.targets, rec.columnNames())
	}
	if len(names) > 0 {
		made.x = matrix(len(x)/len(names), len(names), x)
	}
	return made, lay.codeTexts(in, made)
}

// readValues parses every row. Values gather in blocks, which are joined at the end,
// so that a large table is never held three times over as a growing slice would be.
func readValues(rec *records, lay *layout, d int, check func(float64) string, maxCells int64) (x, y []float64, lines []int32, err error) {
	perBlock := d * max(1, 1<<16/max(1, d))
	var blocks [][]float64
	var block []float64
	cells := int64(0)
	for {
		if err := rec.next(); err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, nil, err
		}
		if cells += int64(d + max(1, len(lay.targets))); cells > maxCells {
			return nil, nil, nil, &Error{File: rec.name, Line: rec.line, Msg: fmt.Sprintf(
				"the table holds more than %d million numbers up to here: too large for memory, take a part of it", maxCells>>20)}
		}
		if len(block) == perBlock && d > 0 {
			blocks, block = append(blocks, block), make([]float64, 0, perBlock)
		}
		lines = append(lines, int32(rec.line))
		for j, i := range lay.inputs {
			var err error
			if block, err = rec.appendValue(block, i, lay.columns[j]); err != nil {
				return nil, nil, nil, err
			}
		}
		if lay.texts != nil {
			if err := lay.addText(rec, maxCells); err != nil {
				return nil, nil, nil, err
			}
		}
		if lay.labelled() {
			if err := lay.addLabel(rec); err != nil {
				return nil, nil, nil, err
			}
			continue
		}
		for k, at := range lay.targets {
			v, err := rec.value(at, lay.names[k], wordTarget)
			if err != nil {
				return nil, nil, nil, err
			}
			if check != nil {
				if wrong := check(v); wrong != "" {
					return nil, nil, nil, rec.cellError(at, "%s", wrong)
				}
			}
			y = append(y, v)
		}
	}
	if cells == 0 {
		return nil, nil, nil, errorf(rec.name, "has a header but no rows: a table with at least one row is needed")
	}
	return join(append(blocks, block)), y, lines, nil
}

// appendValue adds cell i of the current row: its number, or a 1 at its text and 0 at the others of the column.
func (r *records) appendValue(to []float64, i int, c inputColumn) ([]float64, error) {
	cell := strings.TrimSpace(r.row[i])
	if c.values == nil || cell == "" || isMissing(cell) {
		v, err := r.value(i, c.name, wordInput)
		return append(to, v), err
	}
	hot := slices.Index(c.values, cell)
	if hot < 0 {
		return nil, r.cellError(i, "found %s in column %s, which the training data do not have (their values are %s): remove the row, or train on data with this value",
			quote(cell), quote(c.name), list(c.values))
	}
	for k := range c.values {
		v := 0.0
		if k == hot {
			v = 1
		}
		to = append(to, v)
	}
	return to, nil
}

func join[T any](blocks [][]T) []T {
	if len(blocks) == 1 {
		return blocks[0]
	}
	total := 0
	for _, b := range blocks {
		total += len(b)
	}
	x := make([]T, 0, total)
	for i, b := range blocks {
		x = append(x, b...)
		blocks[i] = nil // may be collected while the rest is copied
	}
	return x
}

// largest is the bound of every number read: sums of squares over any table stay finite.
const largest = 1e100

// What to do about a word where a number must be.
const (
	wordInput  = "correct it, or remove the column, or have text encoded by --one-hot, or read as sequences by --sequence"
	wordTarget = "correct it, or write classes as 0, 1, 2 …, or name another target column by --target"
)

// value is cell i of the current row, which must be a finite number; advice is what to do about a word.
func (r *records) value(i int, column, advice string) (float64, error) {
	cell := strings.TrimSpace(r.row[i])
	v, err := parseNumber(cell)
	if err == nil && math.Abs(v) <= largest {
		return v, nil
	}
	found, where := quote(cell), quote(column)
	switch {
	case cell == "":
		return 0, r.cellError(i, "empty cell in column %s: fill it in or remove the row", where)
	case err == nil && (math.IsNaN(v) || math.IsInf(v, 0)):
		return 0, r.cellError(i, "found %s in column %s: only finite numbers can be used, fill it in or remove the row", found, where)
	case err == nil, errors.Is(err, strconv.ErrRange):
		return 0, r.cellError(i, "found %s in column %s, which is beyond ±%g: divide the column by a power of ten", found, where, largest)
	case isMissing(cell):
		return 0, r.cellError(i, "found %s, a missing value, in column %s: fill it in or remove the row", found, where)
	case decimalComma(cell):
		return 0, r.cellError(i, "found %s in column %s: write decimals with a point and no separator of thousands", found, where)
	}
	if _, doubtful := r.doubtfulHeader(); doubtful {
		where += " (the first row is taken as the names of the columns: if it is data, put a row of names above it)"
	}
	return 0, r.cellError(i, "found %s in column %s, which must be a number: %s", found, where, advice)
}

// parseNumber reads a decimal number. Go's own notation has more: 1_000 and 0x1p4 are text in a table,
// where they are a name or an identifier.
func parseNumber(cell string) (float64, error) {
	if strings.ContainsAny(cell, "_xX") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(cell, 64)
}

func isMissing(cell string) bool {
	switch strings.ToLower(cell) {
	case "na", "n/a", "null", "none", "missing", "?", "-", ".", "#n/a", "<na>":
		return true
	}
	return false
}

func decimalComma(cell string) bool {
	_, err := parseNumber(strings.ReplaceAll(cell, ",", ""))
	return err == nil && strings.Contains(cell, ",")
}
