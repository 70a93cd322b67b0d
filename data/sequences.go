package data

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// These are ways to cut a text into symbols, as ReadOptions.Tokens names them.
const (
	TokensAuto  = "auto"  // whole numbers between blanks are integers, all else is letters
	TokensChars = "chars" // letters, whose alphabet the texts decide
)

// Tokens returns the values of ReadOptions.Tokens: the two ways of detection, and the alphabets.
func Tokens() []string {
	kinds := mapSlice(seq.Kinds(), func(k seq.Kind) string { return string(k) })
	return append([]string{TokensAuto, TokensChars}, kinds...)
}

// sequenceTexts are sequences as they are written in a file, before their symbols are known. A text on several lines
// includes the line ends.
type sequenceTexts struct {
	*input
	text   []byte // the texts, one after another
	end    []int
	at     []position // place where each text starts
	names  []string   // FASTA: text before the class; otherwise nil
	labels []string   // nil if the file has none
	where  []position // places of the labels

	labelsIn string // the file of the labels, if it is not the file of the texts

	kind   seq.Kind // kind of the sequences, if the format tells it; otherwise ""
	target string   // name of the labels; "" for class
	// names of several targets, whose labels stand side by side; nil for one
	targets []string
	idName  string         // name of the column of names; "" for name
	graphs  []*graph.Graph // graphs of a folder, instead of texts; each is nil once it is encoded
}

func (t *sequenceTexts) add(e *seq.Encoder, i int) error {
	if t.graphs == nil {
		return e.Add(t.of(i))
	}
	g := t.graphs[i]
	t.graphs[i] = nil
	return e.AddGraph(g)
}

func (t *sequenceTexts) n() int { return len(t.end) }

// of returns the text of sequence i.
func (t *sequenceTexts) of(i int) []byte {
	from := 0
	if i > 0 {
		from = t.end[i-1]
	}
	return t.text[from:t.end[i]]
}

// append adds a text that starts at a place.
func (t *sequenceTexts) append(text []byte, at position) {
	t.text = append(t.text, text...)
	t.end, t.at = append(t.end, len(t.text)), append(t.at, at)
}

// label adds the label of the text that was added last.
func (t *sequenceTexts) label(label string, at position) {
	t.labels, t.where = append(t.labels, label), append(t.where, at)
}

// placeOf returns the place of byte `offset` of sequence i.
func (t *sequenceTexts) placeOf(i, offset int) position {
	before := t.of(i)[:offset]
	p := t.at[i]
	if lines := bytes.Count(before, []byte("\n")); lines > 0 {
		return position{p.line + lines, offset - bytes.LastIndexByte(before, '\n')}
	}
	return position{p.line, p.column + offset}
}

// checkTokens refuses an unknown way to cut texts.
func checkTokens(tokens string) error {
	if tokens == "" || slices.Contains(Tokens(), tokens) {
		return nil
	}
	return errorf("", "there are no tokens %s%s", phrase.Quote(tokens), didyoumean.Hint(tokens, Tokens()))
}

// encode encodes the texts over the alphabet of the training data, the requested one, or the one that the texts look
// like.
func (t *sequenceTexts) encode() (*seq.Set, error) {
	e, err := t.encoder()
	if err != nil {
		return nil, err
	}
	for i := range t.n() {
		if wrong := t.fault(e, i); wrong != nil {
			return nil, wrong
		}
	}
	set, unknown := e.Set()
	if set.Alphabet.Kind.IsGraph() {
		t.describeGraphs(set, unknown, e.Graphs())
	} else {
		t.describe(set, unknown)
	}
	return set, nil
}

func (t *sequenceTexts) encoder() (*seq.Encoder, error) {
	opt := t.opt
	if opt.Schema != nil {
		if like := opt.Schema.Alphabet.Kind; t.kind != "" && t.kind != like {
			return nil, t.errorf("holds %s, the training data are %s: give rows like those", t.kind, like)
		}
		e := seq.EncoderFor(opt.Schema.Alphabet)
		if opt.GrowAlphabet {
			e.Grow()
		}
		return e, nil
	}
	requested := seq.Kind(opt.Tokens)
	found := opt.Tokens == "" || opt.Tokens == TokensAuto // the texts decide the alphabet
	switch {
	case t.kind != "" && !found && requested != t.kind:
		return nil, t.errorf("holds %s: leave the tokens %s out", t.kind, opt.Tokens)
	case t.kind != "":
		return seq.NewEncoder(t.kind), nil
	case found || opt.Tokens == TokensChars:
		return seq.NewEncoder(t.detect(opt.Tokens)), nil
	}
	return seq.NewEncoder(requested), nil
}

func (t *sequenceTexts) detect(tokens string) seq.Kind {
	var c seq.AlphabetDetector
	for i := range t.n() {
		c.Add(t.of(i))
	}
	kind := c.Detect()
	if tokens != TokensChars && (kind == seq.Bytes || kind == seq.DNA || kind == seq.Protein) {
		if graphs, found := t.detectGraphs(); found {
			return graphs
		}
	}
	if kind == seq.Integers && tokens == TokensChars {
		return seq.Bytes
	}
	return kind
}

func (t *sequenceTexts) describe(set *seq.Set, unknown int) {
	a := set.Alphabet
	low, mean, high := set.Lengths()
	what := string(a.Kind)
	switch a.Kind {
	case seq.Words:
		what = phrase.Plural(a.Letters, "different word")
	case seq.Vectors:
		what = "vectors of " + phrase.Plural(a.Width, "number")
	case seq.Integers:
		what = fmt.Sprintf("integers up to %d", a.Letters-1)
	}
	t.note("%s of %s symbols (mean %.1f), alphabet %s%s", phrase.Plural(set.N(), "sequence"),
		phrase.Span(low, high), mean, what, t.tokensHint())
	if unknown > 0 {
		t.note("%d of %d symbols stand for no letter; features that contain one are left out", unknown, len(set.Codes))
	}
}

// tokensHint names the key that reads training sequences otherwise; "" for other rows, which are read like them.
func (t *sequenceTexts) tokensHint() string {
	if t.opt.Schema != nil {
		return ""
	}
	return " (" + asKey("tokens") + " changes it)"
}

// table makes the table of a file of sequences.
func (t *sequenceTexts) table() (*table, error) {
	like, labels := t.opt.Schema, t.opt.Labels
	switch {
	case t.n() == 0:
		return nil, t.errorf("holds no sequence: at least one is needed")
	case t.opt.Target != "" && t.opt.Target != sequenceTarget:
		return nil, t.errorf("holds sequences with their classes: leave the target column %s out",
			phrase.Quote(t.opt.Target))
	case labels != "" && (t.targets != nil || like != nil && like.Targets != nil):
		return nil, errorf(labels, "holds one target of each row, and several are asked for: name one of them "+
			"by %s, or leave the file out", asFlag("target"))
	}
	if labels != "" {
		if err := t.readLabels(labels); err != nil {
			return nil, err
		}
	}
	if err := t.dropMissing(); err != nil {
		return nil, err
	}
	if err := t.setAside(); err != nil {
		return nil, err
	}
	set, err := t.encode()
	if err != nil {
		return nil, err
	}
	lines := mapSlice(t.at, func(p position) int32 { return int32(p.line) })
	made := &table{Dataset: Dataset{Sequences: set, lines: lines,
		schema: Schema{Target: t.target, ID: t.idName}}}
	if err := t.setLabels(made); err != nil {
		return nil, err
	}
	if t.names != nil && (t.labels == nil || !slices.Equal(t.names, t.labels)) {
		made.ids, made.id = t.names, cmp.Or(t.idName, nameColumn)
	}
	return made, nil
}

// nameColumn is the default name of the column of names of a FASTA file.
const nameColumn = "name"

// hashSequences adds alphabet and codes to a fingerprint. Words and vectors are written in full, since their codes
// depend on their order in the file.
func hashSequences(h hash.Hash, s *seq.Set) {
	io.WriteString(h, "sequences of "+string(s.Alphabet.Kind)+"\n")
	var line []byte
	for i := range s.N() {
		writeUint(h, uint64(len(s.At(i))))
		line = line[:0]
		if s.Alphabet.Kind.IsGraph() {
			io.WriteString(h, s.Alphabet.Text(s.At(i)))
			continue
		}
		for _, c := range s.At(i) {
			if s.Alphabet.Kind == seq.Words || s.Alphabet.Kind == seq.Vectors {
				line = append(append(line, s.Alphabet.Symbol(c)...), '\n')
			} else {
				line = binary.LittleEndian.AppendUint32(line, uint32(c))
			}
		}
		h.Write(line)
	}
}

// formatLike returns the format of a file that belongs to training data: sequences with sequences, tables with tables.
// For a training set of sequences, lines of any text that is not a table are sequences.
func (in *input) formatLike(f format) (format, error) {
	sequences := in.opt.Schema.Alphabet != nil
	isList := f.what == csvTable().what || f.what == sequenceLines().what
	switch {
	case sequences && isList && in.opt.Schema.Alphabet.Kind == seq.Graphs &&
		areMolecules(withoutHeader(firstWords(in.head))) && !in.opt.Schema.areTargets(firstWords(in.head)):
		return moleculeLines(), nil
	case sequences && !f.sequences && f.what == csvTable().what:
		return sequenceLines(), in.checkTable()
	case sequences && !f.sequences:
		like := "sequences: give FASTA, or lines of class, tab and sequence"
		if in.opt.Schema.Alphabet.Kind == seq.Graphs {
			like = "graphs: give graphs in JSON, an SDF file, or lines of SMILES"
		}
		return f, in.errorf("is %s, the training data are %s", f.what, like)
	case !sequences && f.what == sequenceLines().what && in.opt.Schema.mayHave(in.head):
		return csvTable(), nil
	case !sequences && f.sequences:
		return f, in.errorf("is %s, the training data are vectors: give rows with the same columns", f.what)
	case !sequences && !f.text && in.opt.Schema.unfitForArray() != "":
		return f, in.errorf("is %s, whose numbers have places and no names, and column %s of the training data "+
			"is more than a plain number: give a table with their columns", f.what,
			phrase.Quote(in.opt.Schema.unfitForArray()))
	}
	return f, nil
}
