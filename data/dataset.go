package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/maphash"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Task is the kind of target to learn: a real number or a class.
type Task string

// The two tasks. A ReadOptions may also ask for "auto", which is not a Task.
const (
	Regression     Task = "regression"
	Classification Task = "classification"
)

// maxMagnitude is the bound of every number read: sums of squares over any table stay finite.
const maxMagnitude = 1e100

// Dataset is a table of N rows with D inputs and a target, which rows to be predicted may lack. It does not change once
// it is read.
type Dataset struct {
	Name string // file name without folder and ending, or the name of the set
	Path string // the file, or "powerplant (embedded)"

	// Sequences are variable-sized inputs, a sequence for each row; nil if there are none. X is nil if there is nothing
	// else.
	Sequences *seq.Set

	// Gram is a kernel of the rows that was computed elsewhere; nil if there is none.
	Gram *GramRows

	// inputs [N,D], float64 or float32, as in the file; pixels as fractions of the brightest
	X       *tensor.Dense
	Columns []string // names of the D inputs
	// Target is the name of the target column, "" without targets. Names of several columns have commas between them.
	Target  string
	Targets []string // names of several target columns; nil for one
	Task    Task
	// TaskNote names the task chosen for whole numbers, and how to change it; "" if there was no choice.
	TaskNote string

	Y      []float64 // regression: targets [N,C] in their own units; NaN if not known
	Labels []int32   // classification: N indices into Classes; −1 if not known
	// class names as in the file, in the order of their numbers, or of their letters if they are words
	Classes []string

	// Weights [N] are numbers of copies that each row counts as; nil if each row counts once.
	Weights []float64
	// Offset [N] is added to the log rate of each row of counts: the logarithm of an exposure; nil for no offset.
	Offset []float64

	// OriginalRows are the numbers of test rows among all rows of the file, from 0; nil if the test rows are not a
	// part of a file.
	OriginalRows []int

	// Groups [N] are numbers of groups, from 0. Every split keeps the rows of a group together. Nil if there are no
	// groups.
	Groups  []int32
	groupOf map[string]int32 // numbers of the groups by their names
	// scaffolds are the numbers of Groups by the keys of their scaffolds; nil if these are not scaffolds.
	scaffolds map[string]int32
	// Times [N] are the times of the rows: splits train on the past and test on the future. It is nil if rows have no
	// order. Rows less than TimeGap before the future are near copies of it, and are not trained on.
	Times   []float64
	TimeGap float64

	// AutoScaling is the meaning of the scaling auto for this set; "" if its outliers decide.
	AutoScaling string

	// Fingerprint is the SHA-256, in hexadecimal, of column names, target, task and all values. It does not depend on
	// compression, separators, quotes and line endings.
	Fingerprint string

	lines     []int32  // line of the file, from 1, where each row starts; nil if rows have none
	files     []string // file of each row, if rows come from several files; nil if all come from Path
	schema    Schema   // further facts that the reading of other files needs
	testPart  bool     // the file also has rows for testing
	likeModel bool     // the classes are those of a model, even for rows that lack some
	wide      []string // names of the columns that the inputs in X are features of; nil for columns
	ridge     bool     // the features know the targets of training rows

	ids []string // names of the rows; nil if they have none
	id  string   // name of the column of ids
}

// IDs returns the names of the rows, from a column or FASTA headers; nil if they have none.
func (d *Dataset) IDs() []string { return d.ids }

// ID returns the name of the column of IDs, "" if rows have no names.
func (d *Dataset) ID() string { return d.id }

// Outputs returns the names of the target columns: one, or several of a regression.
func (d *Dataset) Outputs() []string { return outputs(d.Target, d.Targets) }

func outputs(target string, targets []string) []string {
	if targets != nil {
		return targets
	}
	return []string{target}
}

// N returns the number of rows.
func (d *Dataset) N() int {
	if d.X == nil {
		return d.Sequences.N()
	}
	return d.X.Shape()[0]
}

// D returns the number of inputs.
func (d *Dataset) D() int { return len(d.Columns) }

// Row returns row i of X. Callers must not change it: it is the memory of X if X holds float64.
func (d *Dataset) Row(i int) []float64 { return matrix.Row(nil, d.X, i) }

// RowLocation returns the place of row i: a file and a line, or a row counted from 1.
func (d *Dataset) RowLocation(i int) string {
	switch {
	case d.files != nil:
		return fmt.Sprintf("%s:%d", d.files[i], d.lines[i])
	case d.lines != nil:
		return fmt.Sprintf("%s:%d", d.Path, d.lines[i])
	}
	return fmt.Sprintf("%s: row %d", d.Path, i+1)
}

// HasTarget reports whether the rows come with their true targets.
func (d *Dataset) HasTarget() bool { return d.Y != nil || d.Labels != nil }

// Subset copies the given rows, in the given order.
func (d *Dataset) Subset(rows []int) *Dataset {
	s := *d
	if d.X != nil {
		s.X = matrix.Rows(d.X, rows)
	}
	if d.Sequences != nil {
		s.Sequences = d.Sequences.Subset(rows)
	}
	s.Gram = d.Gram.subset(rows)
	s.Y = matrix.Gather(d.Y, len(d.Outputs()), rows)
	s.Labels = matrix.Pick(d.Labels, rows)
	s.Weights, s.Offset = matrix.Pick(d.Weights, rows), matrix.Pick(d.Offset, rows)
	s.Groups, s.Times = matrix.Pick(d.Groups, rows), matrix.Pick(d.Times, rows)
	s.OriginalRows = matrix.Pick(d.OriginalRows, rows)
	s.lines, s.files, s.ids = matrix.Pick(d.lines, rows), matrix.Pick(d.files, rows), matrix.Pick(d.ids, rows)
	s.Fingerprint = s.fingerprint()
	return &s
}

// Slice copies the rows lo … hi−1.
func (d *Dataset) Slice(lo, hi int) *Dataset { return d.Subset(matrix.Every(hi)[lo:]) }

// WithSequences returns d with other sequences of its rows, such as those of a codebook.
func (d *Dataset) WithSequences(s *seq.Set) *Dataset {
	other := *d
	other.Sequences = s
	return &other
}

// maxNarrow is the largest number of columns that is never wide.
const maxNarrow = 64

// IsWide reports whether the columns of training rows outnumber the rows so that ridge scores pay.
func (d *Dataset) IsWide() bool {
	return d.Sequences == nil && d.Gram == nil && d.D() > max(maxNarrow, d.N())
}

// WithFeatures returns d with features x of its columns in place of them. ridge says that they know the targets of
// training rows.
func (d *Dataset) WithFeatures(x *tensor.Dense, names []string, ridge bool) *Dataset {
	to := *d
	to.X = x
	to.Columns = names
	to.wide = d.Columns
	to.ridge = ridge
	return &to
}

// IsProjected reports whether the inputs are features of columns.
func (d *Dataset) IsProjected() bool { return d.wide != nil }

// HasRidgeFeatures reports whether the inputs are features that know the targets of training rows.
func (d *Dataset) HasRidgeFeatures() bool { return d.ridge }

// fingerprint hashes the names, each after its length, so that different lists of names give different bytes. Then it
// hashes the values row by row.
func (d *Dataset) fingerprint() string {
	h := sha256.New()
	words := append([]string{string(d.Task), d.Target}, d.Columns...)
	for _, column := range d.Schema().NumberedWords() {
		words = append(words, column.Words...)
	}
	writeUint(h, uint64(len(words)))
	for _, w := range words {
		writeUint(h, uint64(len(w)))
		h.Write([]byte(w))
	}
	writeUint(h, uint64(d.N()))
	if d.Sequences != nil {
		hashSequences(h, d.Sequences)
	}
	d.Gram.hash(h)
	d.eachRow(func(row []byte) { h.Write(row) })
	return hex.EncodeToString(h.Sum(nil))
}

// eachRow gives the numbers and the class of each row as bytes, which are valid until the next row.
func (d *Dataset) eachRow(take func(row []byte)) {
	row, values := make([]byte, 0, 8*(d.D()+1)), make([]float64, d.D())
	for i := range d.N() {
		row = appendValues(row[:0], matrix.Row(values, d.X, i)...)
		switch {
		case d.Labels != nil:
			if d.Labels[i] >= 0 { // a Stream may not know the label
				row = append(row, d.Classes[d.Labels[i]]...)
			}
			row = append(row, ';')
		case d.Y != nil:
			width := len(d.Outputs())
			row = appendValues(row, d.Y[i*width:(i+1)*width]...)
		}
		for _, column := range [][]float64{d.Weights, d.Offset} {
			if column != nil {
				row = appendValues(row, column[i])
			}
		}
		take(row)
	}
}

// copies counts the different rows that are training rows, too. It is 0 for sequences, and where rows repeat each
// other, as those of few different values do.
func (d *Dataset) copies(train *Dataset) (n int) {
	if d.Sequences != nil || train.Sequences != nil {
		return 0
	}
	seed := maphash.MakeSeed()
	found := map[uint64]bool{}
	d.eachRow(func(row []byte) { found[maphash.Bytes(seed, row)] = false })
	if len(found) < d.N()-d.N()/10 {
		return 0
	}
	again := 0
	train.eachRow(func(row []byte) {
		key := maphash.Bytes(seed, row)
		switch counted, ok := found[key]; {
		case counted:
			again++
		case ok:
			found[key] = true
			n++
		}
	})
	if again > n/10 {
		return 0
	}
	return n
}

func writeUint(h hash.Hash, v uint64) { h.Write(binary.LittleEndian.AppendUint64(nil, v)) }

// appendValues adds zero first, so that −0 and 0 are the same value.
func appendValues(b []byte, values ...float64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0))
	}
	return b
}

// Schema describes d to readers of other files.
func (d *Dataset) Schema() Schema {
	s := d.schema
	s.Columns = d.Columns
	s.Target = d.Target
	s.Targets = d.Targets
	s.Task = d.Task
	s.Classes = d.Classes
	if d.IsProjected() {
		s.Columns = d.wide
	}
	if s.Missing == MissingError {
		s.Missing = ""
	}
	if d.Sequences != nil {
		s.Alphabet = d.Sequences.Alphabet
	}
	return s
}

// join returns the rows of d and then those of other, which was read like d. The result has the name of d; each row
// knows its own file.
func (d *Dataset) join(other *Dataset) *Dataset {
	j := *d
	if d.X != nil {
		j.X = matrix.Join(d.X, other.X)
	}
	if d.Sequences != nil {
		j.Sequences = seq.Join(d.Sequences, other.Sequences)
	}
	j.Y = slices.Concat(d.Y, other.Y)
	j.Labels = slices.Concat(d.Labels, other.Labels)
	j.Weights, j.Offset = slices.Concat(d.Weights, other.Weights), slices.Concat(d.Offset, other.Offset)
	if len(j.Weights) != j.N() {
		j.Weights = nil
	}
	j.ids = slices.Concat(d.ids, other.ids)
	if len(j.ids) != j.N() {
		j.ids = nil
	}
	if d.lines != nil {
		j.lines = slices.Concat(d.lines, other.lines)
		j.files = append(slices.Repeat([]string{d.Path}, d.N()), slices.Repeat([]string{other.Path}, other.N())...)
	}
	j.Fingerprint = j.fingerprint()
	return &j
}

// WithPermutedInputs returns d followed by a copy of it for each of some inputs. In the copy, row i has this input from
// row from[i].
func (d *Dataset) WithPermutedInputs(inputs []Input, from []int) *Dataset {
	n := d.N()
	var rows, sequences []int
	for k := range len(inputs) + 1 {
		rows = append(rows, matrix.Every(n)...)
		if k > 0 && inputs[k-1].Columns == nil {
			sequences = append(sequences, from...)
		} else {
			sequences = append(sequences, rows[:n]...)
		}
	}
	s := d.Subset(rows)
	if d.Sequences != nil {
		s.Sequences = d.Sequences.Subset(sequences)
	}
	for k, in := range inputs {
		if in.Columns != nil {
			matrix.Shuffle(s.X, (k+1)*n, d.X, in.Columns, from)
		}
	}
	s.Fingerprint = s.fingerprint()
	return s
}
