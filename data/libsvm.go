package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// In the LIBSVM format a row is a line `label index:value index:value … # comment`. Indices count from 1 and rise; a
// value that is not written is 0.

const (
	labelColumn   = "label" // name of the target if the training data have none
	manyZeros     = 1 << 24 // numbers of a table that may be nearly all zeros
	mostlyZeros   = 10000   // zeros for each value in a larger table that is refused
	libsvmSniffed = 5       // lines that are checked to detect the format
)

// isLIBSVM reports whether the first line with more than a label begins with a number and a pair index:value, or with a
// pair. Where each line has pairs, they may have faults, which readLIBSVM finds.
func isLIBSVM(head []byte) bool {
	var rows [][]string
	lines := strings.SplitN(string(head), "\n", libsvmSniffed+1)
	for _, line := range lines[:min(len(lines), libsvmSniffed)] {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			rows = append(rows, words)
		}
	}
	if len(rows) > 0 && !slices.ContainsFunc(rows, isNoRowOfPairs) {
		return true
	}
	for _, words := range rows {
		_, err := cellformat.ParseNumber(words[0])
		switch labelled := err == nil || cellformat.IsMissing(words[0]); {
		case labelled && len(words) > 1:
			return !isNoPair(words[1])
		case labelled, isNoPair(words[0]) && len(words) > 1 && !slices.ContainsFunc(words[1:], isNoPair):
			// This may be a row of zeros, or have a label that cannot be used.
		default:
			return !isNoPair(words[0])
		}
	}
	return false
}

// isNoRowOfPairs reports whether a line is not a row of LIBSVM, even one with faults. Such a row begins with a digit, a
// sign or a point, and has one or more words of the form name:number after it.
func isNoRowOfPairs(words []string) bool {
	return !strings.ContainsAny(words[0][:1], "+-.0123456789") || len(words) < 2 ||
		slices.ContainsFunc(words[1:], func(word string) bool {
			_, value, pair := strings.Cut(word, ":")
			_, err := cellformat.ParseNumber(value)
			return !pair || err != nil
		})
}

// isNoPair reports whether the word is not of the form index:value.
func isNoPair(word string) bool {
	index, value, pair := strings.Cut(word, ":")
	_, whole := strconv.ParseUint(index, 10, 64)
	_, number := cellformat.ParseNumber(value)
	return !pair || whole != nil && index != "qid" || number != nil
}

// libsvmRows is the content of a LIBSVM file: row i has the entries from start[i] to start[i+1]−1.
type libsvmRows struct {
	*input
	line    int
	start   []int
	lines   []int32
	index   []int32 // positions from 0
	value   []float64
	y       []float64
	largest int // largest index, counted from 1

	ignored, ignoredRows int // entries beyond the inputs of the training data

	unneeded unneededLabels
}

// readLIBSVM reads the rows into a dense table. Its width is the largest index of the training rows; in other rows,
// further entries are ignored, with a note.
func readLIBSVM(in *input) (*table, error) {
	if err := in.ownTarget(in.name, 1, "is a LIBSVM file: its target is the first number of each line"); err != nil {
		return nil, err
	}
	s := &libsvmRows{input: in}
	check := knownClass(in.opt.Schema)
	if err := in.eachLine(in.lim.text, in.lim.record, func(number int, line []byte) error {
		s.line = number
		err := s.readLine(string(line), check)
		if err == nil && int64(len(s.value)+len(s.start)) > in.lim.cells {
			err = in.errorAt(position{line: number}, "the file holds more than %d million numbers up to here: too "+
				"large for memory, take a part of it", in.lim.cells>>20)
		}
		return err
	}); err != nil {
		return nil, err
	}
	n, d := len(s.start), s.largest
	if like := in.opt.Schema; like != nil {
		d = len(like.Columns)
	}
	switch {
	case n == 0:
		return nil, in.errorf("holds no rows: at least one is needed")
	case d == 0:
		return nil, in.errorf("holds no pair index:value: at least one input is needed")
	case int64(n)*int64(d+1) > in.lim.cells, n*d > manyZeros && n*d > mostlyZeros*len(s.value):
		return nil, in.errorf(
			"holds %s with indices up to %d: rows are kept with their zeros, which is too large for memory; "+
				"leave out rare inputs, or take fewer rows", phrase.Plural(n, "row"), d)
	}
	x := make([]float64, n*d)
	s.start = append(s.start, len(s.index))
	for i := range n {
		for k := s.start[i]; k < s.start[i+1]; k++ {
			x[i*d+int(s.index[k])] = s.value[k]
		}
	}
	t := &table{Dataset: Dataset{X: matrix.New(n, d, x), schema: Schema{Columns: plainColumns(d)}, lines: s.lines}}
	if !s.unneeded.all(n) {
		in.noteUnneeded(s.unneeded, n)
		t.y = s.y
		t.schema.Target = labelColumn
		t.schema.TargetAt = d
	}
	if s.ignored > 0 {
		in.note("%d values in %s have indices above %d, which the training data do not have: ignored", s.ignored,
			phrase.Plural(s.ignoredRows, "row"), d)
	}
	return t, nil
}

func (s *libsvmRows) readLine(line string, check func(float64) string) error {
	line, _, _ = strings.Cut(line, "#")
	last, at, end := 0, 0, 0
	first := true
	ignored := s.ignored
	for word := range strings.FieldsFuncSeq(line, isBlank) {
		at = end + strings.Index(line[end:], word)
		end = at + len(word)
		if first {
			first = false
			if err := s.begin(word, position{s.line, at + 1}, check); err != nil {
				return err
			}
			if !strings.Contains(word, ":") {
				continue
			}
		}
		i, v, err := s.entry(word, at, last)
		if err != nil {
			return err
		}
		last = i
		if s.opt.Schema != nil && i > len(s.opt.Schema.Columns) {
			s.ignored++
			continue
		}
		s.largest = max(s.largest, i)
		s.index, s.value = append(s.index, int32(i-1)), append(s.value, v)
	}
	if s.ignored > ignored {
		s.ignoredRows++
	}
	return nil
}

// begin begins a row with its label, which its first word must be. An optional label that cannot be used is not known.
func (s *libsvmRows) begin(word string, at position, check func(float64) string) error {
	s.start, s.lines = append(s.start, len(s.index)), append(s.lines, int32(s.line))
	v, problem := finite(word)
	switch {
	case strings.Contains(word, ":"):
		problem = fmt.Sprintf("found %s where the row's label must be: begin each row of LIBSVM with a number",
			phrase.Quote(word))
		word = "" // the row has no label
	case problem != "":
		problem = fmt.Sprintf("found %s for the row's label, %s", phrase.Quote(word), problem)
	default:
		if v == -1 && s.opt.Schema != nil && slices.Equal(s.opt.Schema.Classes, []string{"0", "1"}) {
			v = 0
		}
		problem = check(v)
	}
	if problem != "" && !s.opt.TargetOptional {
		return s.errorAt(at, "%s", problem)
	} else if problem != "" {
		v = math.NaN()
		s.unneeded.meet(word, at)
	}
	s.y = append(s.y, v)
	return nil
}

// entry reads a pair index:value, whose index is beyond the last one.
func (s *libsvmRows) entry(word string, at, last int) (i int, v float64, err error) {
	wrong := func(at int, format string, args ...any) error {
		return s.errorAt(position{s.line, at + 1}, format, args...)
	}
	index, text, pair := strings.Cut(word, ":")
	i, bad := strconv.Atoi(index)
	switch {
	case !pair:
		err = wrong(at, "found %s: after the label, a row has only pairs index:value", phrase.Quote(word))
	case index == "qid":
		err = wrong(at, "found %s: qid is not supported, remove it", phrase.Quote(word))
	case bad != nil || i > math.MaxInt32-1:
		err = wrong(at, "found %s: the index of LIBSVM must be a whole number from 1 to %d", phrase.Quote(word),
			math.MaxInt32-1)
	case i < 1:
		err = wrong(at, "found the index %d: indices count from 1, add 1 to those of the file", i)
	case i == last:
		err = wrong(at, "found the index %d twice: remove one of the two", i)
	case i < last:
		err = wrong(at, "found the index %d after %d: indices must rise in a row, sort them", i, last)
	default:
		var problem string
		if v, problem = finite(text); problem != "" {
			err = wrong(at+len(index)+1, "found %s for the index %d, %s", phrase.Quote(text), i, problem)
		}
	}
	return i, v, err
}

func isBlank(c rune) bool { return c == ' ' || c == '\t' || c == '\r' }

// finite reads a number, or explains its fault.
func finite(text string) (v float64, problem string) {
	v, err := cellformat.ParseNumber(text)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, "which must be a number: correct it"
	case math.IsNaN(v) || math.IsInf(v, 0) && err == nil:
		return 0, "only finite numbers can be used: correct it, or remove the row"
	case math.Abs(v) > maxMagnitude:
		return 0, fmt.Sprintf("which is beyond ±%g: divide by a power of ten", maxMagnitude)
	}
	return v, ""
}
