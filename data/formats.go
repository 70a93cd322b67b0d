package data

import (
	"bufio"
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/stats"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// seekable is a file that can be read again, and from its end. Pipes are copied to such a file.
type seekable interface {
	io.ReadSeeker
	io.ReaderAt
}

// input is a file that is being read to a table. Each reader of a part holds it.
type input struct {
	name  string
	src   seekable      // the file as it is stored
	bytes *bufio.Reader // the content without gzip
	head  []byte        // the first bytes, which bytes still holds
	opt   ReadOptions
	task  Task // "" if the data decide it
	lim   limits
	notes []string // lines for the user
}

// note adds a note about the file.
func (in *input) note(format string, args ...any) { in.noteAt(position{}, format, args...) }

// noteAt adds a note about a place.
func (in *input) noteAt(at position, format string, args ...any) {
	in.notes = append(in.notes, in.errorAt(at, format, args...).Error())
}

// warnAt adds a warning about a place.
func (in *input) warnAt(at position, format string, args ...any) {
	in.notes = append(in.notes, "warning: "+in.errorAt(at, format, args...).Error())
}

func (in *input) errorf(format string, args ...any) *Error {
	return in.errorAt(position{}, format, args...)
}

func (in *input) errorAt(at position, format string, args ...any) *Error {
	return errorAt(in.name, at, format, args...)
}

// format is one kind of file. The first bytes of a file tell its kind, not its name, except for input.isSMILES.
type format struct {
	what  string // name of the format in messages
	is    func(head []byte) bool
	text  bool // a column may be text
	apart bool // the targets may be in another file, ReadOptions.Labels
	read  func(*input) (*table, error)

	sequences bool // rows are sequences, not vectors
}

// formats lists all formats. A file has the first that fits. CSV, the last, fits any file, and reports the faults of
// its text.
func formats() []format {
	return []format{
		{what: "an IDX file of images", is: isIDX, apart: true, read: readArray},
		{what: "an npy array", is: isNpy, apart: true, read: readArray},
		{what: "an npz archive", is: isZip, apart: true, read: readNpz},
		{what: "a LIBSVM file", is: isLIBSVM, read: readLIBSVM},
		{what: "an ARFF table", is: isARFF, text: true, read: readCSV},
		{what: "a Parquet file", is: tablefile.IsParquet, text: true, read: readCSV},
		{what: "an Arrow file", is: tablefile.IsArrow, text: true, read: readCSV},
		{what: "an Arrow stream", is: tablefile.IsArrowStream, text: true, read: readCSV},
		{what: "rows in JSON", is: isJSONRows, text: true, read: readCSV},
		{what: "graphs in JSON", is: isGraphLines, apart: true, read: readGraphLines, sequences: true},
		{what: "an SDF file", is: graph.IsMol, apart: true, read: readSDF, sequences: true},
		{what: "a FASTA file", is: isFASTA, apart: true, read: readFASTA, sequences: true},
		moleculeLines(),
		sequenceLines(),
		csvTable(),
	}
}

func csvTable() format {
	return format{what: "a CSV table", is: func([]byte) bool { return true }, text: true, read: readCSV}
}

func formatOf(head []byte) format {
	for _, f := range formats() {
		if f.is(head) {
			return f
		}
	}
	panic("data: no format takes what is left")
}

// ReadOptions say how to read a file. With the zero value, the data decide.
type ReadOptions struct {
	// Target is the name of the target column, or its number from 1; "" for the column "target", else the last.
	Target string
	Task   string // "", "auto", "regression" or "classification"
	// Labels is the file with the targets of images or sequences. If it is "", they are in the file itself, or in one
	// with a fitting name in its folder.
	Labels string
	// Sequence is the column of a CSV file that holds sequences, by name or by number from 1; the other columns hold
	// numbers.
	Sequence string
	Tokens   string // the alphabet, one of Tokens(); "" is auto

	TableOptions
	// Describe imputes missing cells if Missing is not set, since the rows are only described.
	Describe bool

	ReadControl // stops the reading, and receives its progress

	// Schema describes the training set of a model: columns are matched to it, and Target and Task are taken from it.
	// It is nil for a training set.
	Schema *Schema
	// GrowAlphabet, with Schema, lets a copy of the training alphabet take in words and integers that it lacks.
	GrowAlphabet bool
	// TargetOptional allows, with Schema, a file without the target.
	TargetOptional bool
	// TrainRows, with Schema, are the training rows: notes report these rows, their groups and times among the rows.
	TrainRows *Dataset
	bad       *badRows // takes rows that cannot be read; nil if such rows are errors
}

// newInput checks the options.
func newInput(name string, src seekable, opt ReadOptions, lim limits) (*input, error) {
	in := &input{name: name, src: src, opt: opt, lim: lim, task: Task(opt.Task)}
	if in.task == "auto" {
		in.task = ""
	}
	if in.task != "" && in.task != Regression && in.task != Classification {
		return nil, errorf("", "there is no task %s%s", phrase.Quote(opt.Task),
			didyoumean.Hint(opt.Task, []string{"auto", string(Regression), string(Classification)}))
	}
	if like := opt.Schema; like != nil {
		given, known := opt.Dialect, like.Dialect
		in.opt.Dialect = Dialect{cmp.Or(given.Separator, known.Separator), cmp.Or(given.Decimal, known.Decimal),
			cmp.Or(given.Thousands, known.Thousands), cmp.Or(given.Header, known.Header)}
		in.task = like.Task
	}
	if err := checkTokens(opt.Tokens); err != nil {
		return nil, err
	}
	if err := in.opt.TableOptions.check(); err != nil {
		return nil, err
	}
	if opt.Schema != nil {
		return in, opt.Schema.Check()
	}
	return in, nil
}

// ReadFile reads a file in any of the known formats, plain or gzip; its first bytes tell the format. The notes list the
// findings and the ignored parts, each a line for the user.
func ReadFile(path string, opt ReadOptions) (d *Dataset, notes []string, err error) {
	d, notes, err = readFile(path, opt)
	impute(d)
	return d, notes, err
}

// readFile reads a file, and leaves missing numbers NaN if it is not known yet which rows are for training.
func readFile(path string, opt ReadOptions) (d *Dataset, notes []string, err error) {
	if set := graph.FindTUDataset(path); set != "" {
		return readFolder(path, set, opt)
	}
	f, err := opt.open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if path == standardInput {
		path = "stdin"
	}
	d, notes, err = read(path, f, opt, fileLimits())
	if stopped := opt.stopped(path); stopped != nil {
		return nil, nil, stopped
	}
	return d, notes, err
}

// NameOf names a data set by its file: without folder, .gz and the ending before it.
func NameOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	if short := strings.TrimSuffix(name, filepath.Ext(name)); short != "" {
		return short
	}
	return name
}

// read reads a table from r. Messages contain name, and files that belong to r are looked for beside it.
func read(name string, r seekable, opt ReadOptions, lim limits) (*Dataset, []string, error) {
	in, err := newInput(name, r, opt, lim)
	if err != nil {
		return nil, nil, err
	}
	if err := in.open(); err != nil {
		return nil, nil, err
	}
	f := formatOf(in.head)
	sequence := opt.Sequence // name of the column of sequences, or ""
	if opt.Schema != nil {
		sequence = opt.Schema.Sequence
	}
	if sequence != "" {
		if opt.Schema == nil && isFASTA(in.head) {
			return nil, nil, errorf(name,
				"is %s, which has no columns: leave the column of sequences %s out", f.what, phrase.Quote(sequence))
		}
		if !f.text && f.what != sequenceLines().what && opt.Schema != nil {
			return nil, nil, errorf(name, "is %s, the training data are a table with sequences in the column %s: "+
				"give such a table", f.what, phrase.Quote(sequence))
		}
		f = csvTable()
	} else if opt.Schema != nil {
		if f, err = in.formatLike(f); err != nil {
			return nil, nil, err
		}
	} else if in.isSMILES(f) {
		f = moleculeLines()
	}
	if err := in.checkMissing(f); err != nil {
		return nil, nil, err
	}
	if opt.Labels != "" && !f.apart {
		return nil, nil, errorf(name,
			"is %s, which holds its own targets: leave the file of labels %s out", f.what, opt.Labels)
	}
	t, err := f.read(in)
	if err != nil {
		return nil, nil, err
	}
	if opt.Schema != nil && opt.Schema.Alphabet == nil && !f.text {
		if err := t.checkBooleans(in); err != nil {
			return nil, nil, err
		}
	}
	return t.dataset(in)
}

// minCopies is the least number of rows among which copies of training rows are no chance.
const minCopies = 10

// table is the result of reading a file in a format: a Dataset whose targets are not decided yet.
type table struct {
	Dataset
	y        []float64   // known classes if the input has a Schema; nil without a target
	task     Task        // set if the format decides it
	booleans bool        // y are true and false
	kind     *targetKind // kind of the target of a table of text with a single target
}

func (t *table) dataset(in *input) (*Dataset, []string, error) {
	s, like, d := t.schema, in.opt.Schema, &t.Dataset
	d.Name = NameOf(in.name)
	d.Path = in.name
	d.Columns = s.Columns
	d.Target = s.Target
	d.Task = in.task
	if like != nil {
		d.schema = *like
		d.Columns = like.Columns
		d.likeModel = true
		if in.opt.Roles.firstOption() != "" { // the rows are for training, and may have roles of their own
			d.schema.Roles, d.schema.TimeForm = s.Roles, s.TimeForm
		}
	} else {
		d.schema.Missing, d.schema.Dialect = in.opt.Missing, in.opt.Dialect
	}
	if in.opt.Roles.Group == scaffold && d.Groups == nil {
		if err := in.groupByScaffold(d); err != nil {
			return nil, nil, err
		}
		d.schema.Roles.Group = scaffold
	}
	if like == nil || in.opt.Roles.firstOption() != "" { // the rows are for training
		if err := d.checkSplitRoles(in.name, d.schema.Roles); err != nil {
			return nil, nil, err
		}
		if total := stats.Sum(d.Weights); d.Weights != nil && total < float64(d.N())/10 { // compared with the prior
			in.note("the weights of %s sum to %.3g, so they count as so many rows: multiply them if they are shares",
				phrase.Plural(d.N(), "row"), total)
		}
	}
	if train := in.opt.TrainRows; train != nil {
		in.warnOverlaps(d, train)
		d.Groups, d.Times = nil, nil // groups and times do not split these rows
	}
	if err := t.settleTargets(in); err != nil {
		return nil, nil, err
	}
	d.Fingerprint = d.fingerprint()
	if train := in.opt.TrainRows; train != nil && d.N() >= minCopies {
		if n := d.copies(train); n > d.N()/2 {
			in.warnAt(position{}, "%d of the %d rows are training rows, too: scores will be too good", n, d.N())
		}
	}
	return d, in.notes, nil
}

// settleTargets settles the task and the targets, by the Schema, by the format or by the values.
func (t *table) settleTargets(in *input) error {
	s, like, d := t.schema, in.opt.Schema, &t.Dataset
	switch {
	case d.Sequences != nil && s.Targets == nil:
		d.Task = t.task
		d.Y = t.y
		d.Classes = s.Classes
		if like != nil {
			d.Task, d.Classes = like.Task, like.Classes
		}
	case like != nil:
		d.Classes = like.Classes
		if err := t.fitTargets(in, like); err != nil {
			return err
		}
	case s.Targets != nil:
		d.Task = Regression
		d.Targets = s.Targets
		d.Y = t.y
		in.note("target columns %s: task regression", phrase.List(s.Targets))
	case t.kind != nil:
		d.Task = t.kind.task
		d.TaskNote = t.kind.choice()
		d.Y = t.y
		d.Classes = t.kind.classes
		in.note("%s", t.kind.note)
	default:
		note, err := d.setTarget(in.name, t.y, t.task == Classification, t.booleans)
		if err != nil {
			return err
		}
		in.note("%s", note)
	}
	return nil
}

func join[T any](blocks [][]T) []T {
	if len(blocks) == 1 {
		return blocks[0]
	}
	return slices.Concat(blocks...)
}
